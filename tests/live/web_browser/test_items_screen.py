"""Types and pairs settled in the browser by keys alone, on imported annotations, under the production CSP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import Lend
from items_cases import a_home, a_qa_figure, edited, judged, kinds, verdicts
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.gold.items import ItemsExported, qa_records
from annotator.imports.annotations import import_annotations
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role
from panelwise.domain.figure import Figure
from panelwise.domain.items import Items, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

NAMES = ("Annette", "Bodo", "Carla")


def work_on(pairs: Figure, types: Figure) -> Iterator[Any]:
    """Three who differ on pairs 1, 3 and 6 of one figure, and on the type of the other."""
    yield judged(pairs, verdicts(pairs, edited(pairs, "q1", answer="0.75", note="read off")), annotator=NAMES[0])
    options = ("GLUE", "SQuAD", "MNLI", "RACE-h")
    yield judged(
        pairs, verdicts(pairs, edited(pairs, "q1", answer="0.75"), edited(pairs, "q6", choices=options)),
        annotator=NAMES[1],
    )  # fmt: skip
    yield judged(pairs, verdicts(pairs, QAVerdict("pairs-q3", Verdict.INCORRECT)), annotator=NAMES[2])
    for name, said in zip(
        NAMES, (kinds(True, 2), kinds(True, 3, "line chart", "tree"), kinds(False, 1, "<i>tree</i>")), strict=True
    ):
        yield judged(types, said, annotator=name, phase="types")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path / "campaign")


@pytest.fixture
def store(home: Home, tmp_path: Path) -> Iterator[Store]:
    """The work comes in as a file of annotations does."""
    store = home.open_store()
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    figures = [a_qa_figure(name, image="images/f.png") for name in ("pairs", "types")]
    with store.transaction() as tx:
        for figure in figures:
            tx.figures.add(figure)
    file = tmp_path / "annotations.jsonl"
    file.write_text(
        "".join(json.dumps(annotation_record(each)) + "\n" for each in work_on(*figures)), encoding="utf-8"
    )
    problems = Problems()
    *_, tally = import_annotations(store, file, problems)
    assert (tally.added, problems.count) == (6, 0)
    score_disagreement(store, home.campaign)
    for name in ("rev1", "rev2"):
        people.add_person(store, name, roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


def opened(page: Page, server: AdjudicationServer, figure: str) -> None:
    page.goto(f"{server.url}figures/{figure}")
    page.wait_for_url(f"**/figures/{figure}/items")
    page.locator("#item:focus").wait_for()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def head(page: Page) -> str:
    return page.locator(".conflicts").inner_text()


def items_of(store: Store, figure: str) -> Items:
    with store.read() as tx:
        decision = tx.decisions.get(figure)
    assert decision is not None
    return decision.items


def test_a_figure_with_pairs_is_settled_by_keys_alone_and_becomes_gold(
    lend: Lend, server: AdjudicationServer, store: Store, home: Home
) -> None:
    page, problems = signed_in(lend, server, "rev1")
    opened(page, server, "pairs")
    assert head(page) == "◆ 3 open"
    assert page.locator("[aria-current=true] .why").inner_text() == "2 of 3 find it incorrect"
    # Pair 1: the reading that two of three share. Pair 3: correct as it came.
    press(page, "a", "c", "Enter")
    # Pair 6: edited by hand, in the fields.
    press(page, "i")
    page.locator("#edit:focus").wait_for()
    press(page, "End")
    page.keyboard.type(" Name them.")
    press(page, "Tab", "End")
    page.keyboard.type(" (GLUE)")
    press(page, "Escape", "n")
    page.keyboard.type("two are right")
    press(page, "Enter")
    assert head(page) == "✓ none open"
    # One letter too many on pair 7, taken back.
    press(page, "ArrowDown", "i")
    page.keyboard.type("x")
    press(page, "Escape", "c", "Control+z", "Control+z", "Control+z")
    press(page, "Control+Enter")
    page.wait_for_url("**/figures/types/items")
    assert problems == []
    by_id = {each.item.removeprefix("pairs-"): each for each in items_of(store, "pairs").verdicts}
    assert by_id["q1"].edited is not None
    assert (by_id["q1"].edited.answer, by_id["q1"].note) == ("0.75", "read off")
    assert by_id["q3"] == QAVerdict("pairs-q3", Verdict.CORRECT)
    sixth = by_id["q6"].edited
    assert sixth is not None
    assert sixth.question == "Which benchmarks are shown? Name them."
    assert sixth.choices == ("GLUE (GLUE)", "SQuAD", "MNLI", "RACE")
    assert sixth.kind is QAKind.CHOICE_NON_VISUAL
    assert by_id["q6"].note == "two are right"
    assert by_id["q7"].verdict is Verdict.CORRECT
    records = {each["instance_id"]: each for each in qa_records(home, store, ItemsExported())}
    assert records["pairs-q1"]["answer"] == "0.75"
    assert records["pairs-q1"]["provenance"]["based_on"]


def test_a_figures_type_is_settled_by_keys_alone(lend: Lend, server: AdjudicationServer, store: Store) -> None:
    page, problems = signed_in(lend, server, "rev1")
    opened(page, server, "types")
    assert "types differ" in page.locator("[aria-current=true] .why").inner_text()
    assert page.locator(".it-compare").get_by_text("<i>tree</i>").is_visible()
    # Annotators are shuffled: whoever counted three has line chart and tree.
    cells = page.locator(".it-compare tbody tr:nth-child(2) > *").all_inner_texts()
    press(page, page.locator(".it-compare thead tr > *").nth(cells.index("3")).locator("kbd").inner_text())
    assert page.locator(".it-type[aria-pressed=true]").count() == 2
    # Line chart is the first that differs; tree, the next one, goes.
    press(page, "d", "[", ".", "Space", "Enter")
    page.wait_for_url("**/figures/pairs/items")
    kind = items_of(store, "types").kind
    assert kind is not None
    assert (kind.compound, kind.count) == (False, 2)
    assert kind.types == {"line chart"}
    assert problems == []


def test_the_sheet_of_keys_shows_all_of_them_and_a_pairs_types_are_read_with_commas(
    lend: Lend, server: AdjudicationServer
) -> None:
    page, problems = signed_in(lend, server, "rev1")
    opened(page, server, "types")
    press(page, "?")
    sheet = page.locator(".sheet")
    assert "The figure's type" in sheet.inner_text()
    assert sheet.evaluate("each => each.scrollHeight <= each.clientHeight")
    press(page, "Escape")
    opened(page, server, "pairs")
    press(page, "i")
    options = page.locator("#edit-type option")
    assert "closed-ended, infinite answer set, visual" in options.all_inner_texts()
    # What is sent is the type itself.
    assert options.first.get_attribute("value") == QAKind.INFINITE_VISUAL.value
    assert problems == []


def test_at_1024_pixels_the_header_names_the_figure_and_says_who_decided(
    lend: Lend, server: AdjudicationServer
) -> None:
    page, problems = signed_in(lend, server, "rev1", width=1024)
    opened(page, server, "pairs")
    press(page, "a", "a", "a", "Control+Enter")
    page.wait_for_url(lambda url: "pairs" not in url)
    opened(page, server, "pairs")
    cut = "each => each.scrollWidth > each.clientWidth"
    for part in (".aj-head", ".aj-head h1", ".aj-head .saved"):
        assert not page.locator(part).evaluate(cut), page.locator(part).inner_text()
    assert "accepted by rev1" in page.locator(".aj-head .saved").inner_text()
    assert problems == []


def test_no_annotators_name_reaches_the_browser(lend: Lend, server: AdjudicationServer) -> None:
    page, _ = signed_in(lend, server, "rev1")
    told: list[str] = []
    page.on("response", lambda answer: told.append(answer.text()) if "image" not in answer.url else None)
    opened(page, server, "pairs")
    press(page, "1", "j", "2")
    for _ in range(3000):
        if any("/items/findings" in each or '"findings"' in each for each in told):
            break
        page.wait_for_timeout(20)
    else:
        raise AssertionError("the findings were never asked for")
    for name in NAMES:
        assert not any(name in each for each in told)


def test_unsaved_work_survives_a_reload_and_can_be_discarded(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "rev1")
    opened(page, server, "pairs")
    press(page, "i")
    page.keyboard.type("שלום ")
    press(page, "Escape")
    page.reload()
    page.locator("#item:focus").wait_for()
    assert page.locator(".aj-notice").is_visible()
    assert head(page) == "◆ 2 open"
    assert "שלום" in page.locator("#edit").input_value()
    press(page, "d")
    assert head(page) == "◆ 3 open"
    page.reload()
    page.locator("#item:focus").wait_for()
    assert page.locator(".aj-notice").count() == 0
    assert problems == []


def test_of_two_reviewers_the_later_merges_what_both_did(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    (mine, _), (theirs, _) = signed_in(lend, server, "rev1"), signed_in(lend, server, "rev2")
    for page in (mine, theirs):
        opened(page, server, "pairs")
        press(page, "a", "a", "a")
    press(theirs, "ArrowDown", "n")
    theirs.keyboard.type("<b>theirs</b>")
    press(theirs, "Enter", "Control+Enter")
    theirs.wait_for_url("**/figures/types/items")
    press(mine, "m")
    mine.keyboard.type("mine")
    press(mine, "Escape", "Control+Enter")
    mine.locator("#conflict").wait_for()
    assert "rev2 decided meanwhile" in mine.locator("#conflict").inner_text()
    assert "<b>theirs</b>" in mine.locator("#conflict").inner_text()
    press(mine, "s")
    mine.wait_for_url("**/figures/types/items")
    with store.read() as tx:
        history = tx.decisions.history("pairs")
    assert [each.reviewer for each in history] == ["rev2", "rev1"]
    assert history[1].note == "mine"
    assert {each.item: each.note for each in history[1].items.verdicts}["pairs-q7"] == "<b>theirs</b>"


def test_an_error_that_the_checks_find_is_told_before_it_is_saved(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = signed_in(lend, server, "rev1")
    opened(page, server, "pairs")
    press(page, "a", "a", "a", "ArrowDown", "i", "Escape")
    page.locator(".findings .error").wait_for()
    assert "nothing edited" in page.locator(".findings").inner_text()
    press(page, "Enter")
    assert "Enter again saves anyway" in page.locator(".live").inner_text()
    with store.read() as tx:
        assert tx.decisions.get("pairs") is None
    press(page, "Enter")
    page.wait_for_url("**/figures/types/items")
    assert problems == []
