"""Types, pairs and answers on Panelwise's own screen in a browser: by two annotators and a reviewer, to gold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from items_cases import PAIRS, a_qa_figure, judged
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import GoldSource
from panelwise.domain.items import UNANSWERABLE, FigureKind, HumanAnswer, Items, Verdict
from panelwise.settings.campaign_toml import FILE_NAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

FIGURES = ("f1", "f2", "f3")
TOML = """name = "Own"
labels = ["A"]
quorum = 2
[[phases]]
name = "types"
task_type = "figure-types"
annotate_in = "panelwise"
[[phases]]
name = "qa"
task_type = "figure-qa"
annotate_in = "panelwise"
[[phases]]
name = "eval"
task_type = "human-eval"
annotate_in = "panelwise"
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "campaign")
    (home.path / FILE_NAME).write_text(TOML, encoding="utf-8")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    return Home.find(home.path)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    """Three figures of one pair each, for two annotators; all questions of a fourth, for one."""
    store = home.open_store()
    people.add_person(store, "rev", roles=[Role.REVIEWER], password=PASSWORD)
    for name in ("ada", "bea"):
        people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)
    with store.transaction() as tx:
        for name in FIGURES:
            tx.figures.add(a_qa_figure(name, pairs=PAIRS[:1], image="images/f.png"))
        tx.figures.add(a_qa_figure("asked", pairs=(PAIRS[0], PAIRS[4], PAIRS[6]), image="images/f.png"))
        tx.tasks.add(
            [Task(figure, who, phase) for phase in ("types", "qa") for who in ("ada", "bea") for figure in FIGURES]
        )
        tx.tasks.add([Task("asked", "ada", "eval")])
    yield store
    store.close()


def begin(page: Page, phase: str) -> None:
    """Open the phase's next task from the list."""
    page.locator("section", has=page.get_by_role("heading", name=f"Phase {phase}")).get_by_text(
        "Annotate the next"
    ).click()
    page.wait_for_selector("#item:focus")


def press(page: Page, *keys: str) -> None:
    """Press keys, then wait for the next page."""
    here = page.url
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(lambda url: url != here)


def test_three_types_and_three_pairs_by_two_annotators_become_gold(lend: Lend, home: Home, store: Store) -> None:
    with AdjudicationServer(home, store) as server:
        pages = {name: signed_in(lend, server, name, at="tasks") for name in ("ada", "bea")}
        for name, (page, _) in pages.items():
            begin(page, "types")
            for figure in FIGURES:
                page.wait_for_selector("#item:focus")
                # f3 is a bar chart, too; all else is as it came.
                press(page, *(["Space"] if figure == "f3" else []), "Enter")
            begin(page, "qa")
            for figure in FIGURES:
                page.wait_for_selector("#item:focus")
                if (name, figure) == ("bea", "f2"):
                    page.keyboard.press("i")
                    page.locator("#edit:focus").wait_for()
                    page.keyboard.press("Tab")
                    page.keyboard.press("ControlOrMeta+a")
                    page.keyboard.type("0.75")
                    press(page, "Enter", "Enter")
                else:
                    press(page, "a", "Enter")
            assert page.get_by_text("3 of 3 done").count() == 2
        reviewer, problems = signed_in(lend, server, "rev", at="figures/f2/items")
        reviewer.wait_for_selector("#item:focus")
        press(reviewer, "i", "Enter", "Enter")
    found = {each.figure.id: each for each in gold(store, home.campaign, GoldTally())}
    assert [found[each].provenance.source for each in FIGURES] == [
        GoldSource.UNANIMOUS,
        GoldSource.ADJUDICATED,
        GoldSource.UNANIMOUS,
    ]
    assert found["f3"].items.kind == FigureKind(True, 2, frozenset({"bar chart", "line chart"}))
    assert [found[each].items.verdicts[0].verdict for each in FIGURES] == [
        Verdict.CORRECT,
        Verdict.INCORRECT,
        Verdict.CORRECT,
    ]
    with store.read() as tx:
        times = [each.seconds for each in tx.annotations.all()]
    assert (len(times), None in times) == (12, False)
    assert [*problems, *(line for _, own in pages.values() for line in own)] == []


def test_questions_are_answered_by_keys_and_the_last_answers_undone(lend: Lend, home: Home, store: Store) -> None:
    with AdjudicationServer(home, store) as server:
        page, problems = signed_in(lend, server, "ada", at="tasks")
        begin(page, "eval")
        task = page.url
        page.keyboard.press("i")
        page.locator("#edit:focus").wait_for()
        page.keyboard.type("about 0.8")
        for key in ("Enter", "a", "1", "3", "a", "c"):
            page.keyboard.press(key)
        page.reload()
        page.wait_for_selector("#item:focus .it-done")  # what was not submitted is still there
        press(page, "Enter")
        page.get_by_role("button", name="Undo the last submission").click()
        page.wait_for_url(task)
        page.wait_for_selector("#item:focus .it-done")
        press(page, "Enter")
        with store.read() as tx:
            done = tx.annotations.history("asked", "ada", "eval")
    assert [each.answer for each in done[-1].items.answers] == ["about 0.8", "A,C", UNANSWERABLE]
    assert [each.status.value for each in done] == ["accepted", "ignored", "accepted"]
    assert problems == []


def test_a_figure_without_pairs_is_left_out_by_annotators_and_rejected_by_a_reviewer(
    lend: Lend, home: Home, store: Store
) -> None:
    people.add_person(store, "cyd", roles=[Role.ANNOTATOR], password=PASSWORD)
    bare = a_qa_figure("bare", pairs=(), image="images/f.png")
    with store.transaction() as tx:
        tx.figures.add(bare)
        tx.tasks.add([Task("bare", "cyd", "eval")])
    file = home.path / FILE_NAME
    file.write_text(
        TOML.replace('name = "types"\ntask_type = "figure-types"', 'name = "x"\ntask_type = "figure-qa"')
    )
    home = Home.find(home.path)
    with AdjudicationServer(home, store) as server:
        page, problems = signed_in(lend, server, "cyd", at="tasks")
        page.get_by_text("Annotate the next").click()
        page.wait_for_selector(".aj-panels")
        task = page.url
        assert "X leaves it out" in page.locator(".aj-panels").inner_text()
        page.keyboard.press("Control+Enter")
        page.get_by_text("there is nothing to judge or answer here").first.wait_for()
        assert page.url == task
        page.keyboard.press("x")
        page.keyboard.type("no questions")
        page.get_by_role("button", name="Leave out", exact=True).click()
        page.wait_for_url(lambda url: url != task)
        reviewer, own = signed_in(lend, server, "rev", at="figures/bare/items")
        reviewer.wait_for_selector(".aj-panels")
        review = reviewer.url
        reviewer.keyboard.press("Enter")
        reviewer.locator(".live").get_by_text("there is nothing to accept").wait_for()
        reviewer.keyboard.press("x")
        reviewer.keyboard.type("nothing was asked")
        reviewer.get_by_role("button", name=re.compile("^Reject figure")).click()
        reviewer.wait_for_url(lambda url: url != review)
    with store.read() as tx:
        [left], decision = tx.annotations.history("bare", "cyd", "eval"), tx.decisions.get("bare")
    assert (left.status.value, left.reason) == ("ignored", "no questions")
    assert decision is not None
    assert (decision.status.value, decision.note) == ("rejected", "nothing was asked")
    assert [*problems, *own] == []


def test_a_phone_shows_questions_whole_their_keys_alone_and_a_reason_to_give_uncovered(
    lend: Lend, home: Home, store: Store
) -> None:
    with AdjudicationServer(home, store) as server:
        page, problems = signed_in(lend, server, "ada", width=390, at="tasks")
        begin(page, "eval")
        cut = "each => each.map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)"
        assert page.locator(".aj-row .aj-text").evaluate_all(cut) == [False, False, False]
        assert not page.locator("h1").evaluate("each => each.scrollWidth > each.clientWidth")
        foot = page.locator(".aj-foot").bounding_box()
        for control in page.locator(".it-detail :is(button, input)").all():
            control.scroll_into_view_if_needed()
            figure, shown = page.locator(".it-picture").bounding_box(), control.bounding_box()
            assert None not in (foot, figure, shown)
            assert 0 < figure["y"] < figure["y"] + figure["height"] <= shown["y"]
            assert shown["y"] + shown["height"] <= foot["y"]
        page.keyboard.press("c")
        page.keyboard.press("Enter")
        live = page.locator(".live", has_text="Question 2 is open: answer it")
        live.wait_for()
        assert "anyway" not in live.inner_text()
        page.keyboard.press("?")
        headings = page.locator("#sheet h3").all_inner_texts()
        assert ("A question" in headings, "A pair" in headings, "The figure's type" in headings) == (
            True,
            False,
            False,
        )
        page.keyboard.press("Escape")
        page.keyboard.press("x")
        buttons = page.locator(".aj-notice button")
        for number in range(buttons.count()):
            # A click fails where something else would get it.
            buttons.nth(number).click(trial=True)
        page.get_by_label("Reason, as the guidelines ask").fill("no question fits")
        page.get_by_role("button", name="Leave out", exact=True).click()
        page.wait_for_url("**/tasks")
    assert problems == []


def test_an_answered_figure_has_nothing_to_decide_for_a_reviewer(lend: Lend, home: Home, store: Store) -> None:
    only = TOML[: TOML.index("[[phases]]")] + TOML[TOML.rindex("[[phases]]") :]
    (home.path / FILE_NAME).write_text(only, encoding="utf-8")
    with store.transaction() as tx:
        asked = tx.figures.existing("asked")
        said = Items(answers=(HumanAnswer(PAIRS[0].id, "about 0.8"),))
        tx.annotations.add(judged(asked, said, annotator="ada", phase="eval"))
    with AdjudicationServer(Home.find(home.path), store) as server:
        page, problems = signed_in(lend, server, "rev", at="figures/asked")
        page.get_by_text("nothing to adjudicate").first.wait_for()
        assert page.get_by_text("no annotator has annotated this figure").count() == 0
        for name in ("Save", "reject", "skip", "Request second reviewer"):
            assert page.get_by_role("button", name=name).count() == 0, name
        assert page.locator("#note, #error-kind, #flag").count() == 0
        assert page.get_by_role("link", name="Send back").count() == 0
        for key in ("x", "m", "e", "q", "Shift+S"):
            page.keyboard.press(key)
            assert page.locator(".aj-notice, :is(input, textarea, select):focus").count() == 0, key
        page.keyboard.press("Enter")
        page.wait_for_url(server.url)
        page.goto(f"{server.url}figures/asked/history")
        page.get_by_role("heading", name="No decisions yet").wait_for()
        assert page.get_by_text("Back to the annotator").count() == 0
        page.goto(server.url)
        page.get_by_role("link", name="Compare them to the gold").click()
        page.get_by_role("heading", name="Human answers compared to gold").wait_for()
    assert problems == []
