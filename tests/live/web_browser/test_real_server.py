"""The whole view: the real server, the real store, the built island, under the real policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from builders import a_figure, a_subfigure, an_annotation
from PIL import Image
from web_browser.figures import TWO_PANELS
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two figures: three annotators differ in a token of `a/b`, and agree on `same`."""
    home = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    store = home.open_store()
    with store.transaction() as tx:
        for name in ("a/b", "same"):
            figure = a_figure(name, image="images/f.png", caption=TWO_PANELS)
            tx.figures.add(figure)
            for number in range(3):
                tokens = (4, 6) if number == 0 and name == "a/b" else (4, 6, 7)
                tx.annotations.add(
                    an_annotation(
                        figure,
                        annotator=f"Annette{number}",
                        subfigures=(
                            a_subfigure(tokens=tokens),
                            a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)),
                        ),
                    )
                )
    score_disagreement(store, home.campaign)
    for name in ("rev1", "rev2"):
        people.add_person(store, name, roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(store: Store, tmp_path: Path) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(Home.find(tmp_path / "campaign"), store) as server:
        yield server


def begin(page: Page) -> None:
    """From the queue to the worst figure, ready to be settled."""
    page.keyboard.press("s")
    page.wait_for_url("**/figures/**")
    page.wait_for_selector(".aj-head")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")


def test_the_queue_is_settled_by_keyboard_alone(lend: Lend, server: AdjudicationServer, store: Store) -> None:
    page, problems = signed_in(lend, server, "rev1")
    begin(page)
    assert page.url == f"{server.url}figures/a~2Fb"
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/figures/same")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    page.keyboard.press("Enter")
    page.wait_for_url(server.url)
    assert page.get_by_text("All figures are adjudicated").is_visible()
    page.keyboard.press("s")
    assert page.locator("#said").inner_text() == "No open figures here."
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()
    assert problems == []
    with store.read() as tx:
        first, second = tx.decisions.get("a/b"), tx.decisions.get("same")
    assert first is not None
    assert second is not None
    assert [sorted(part.subcaption) for part in first.subfigures] == [[4, 6, 7], [10, 12, 13]]
    assert [part.box.as_list() for part in second.subfigures] == [[0, 0, 400, 600], [400, 0, 800, 600]]
    assert set(first.based_on) == {"Annette0", "Annette1", "Annette2"}
    assert first.reviewer == "rev1"


def test_of_two_reviewers_on_one_figure_the_later_is_asked_and_no_name_is_shown(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    (mine, _), (theirs, _) = signed_in(lend, server, "rev1"), signed_in(lend, server, "rev2")
    for page in (mine, theirs):
        begin(page)
        page.keyboard.press("a")
    theirs.keyboard.press("Enter")
    theirs.wait_for_url("**/figures/same")
    mine.keyboard.press("Enter")
    mine.get_by_text("Keep mine").wait_for()
    assert "rev2" in mine.content()
    assert "Annette" not in mine.content()
    with store.read() as tx:
        assert [each.reviewer for each in tx.decisions.history("a/b")] == ["rev2"]


def test_two_reviewers_on_one_figure_are_told_and_a_skipped_one_comes_back(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    (mine, wrong), (theirs, wrong_too) = signed_in(lend, server, "rev1"), signed_in(lend, server, "rev2")
    begin(mine)
    theirs.goto(f"{server.url}figures/a~2Fb")
    theirs.get_by_text("rev1 is here too").wait_for()
    # Whoever comes from the queue is sent to a figure that nobody is on.
    theirs.goto(server.url)
    assert theirs.get_by_text("rev1 is working on it").is_visible()
    theirs.keyboard.press("s")
    theirs.wait_for_url("**/figures/same")
    mine.keyboard.press("p")
    mine.wait_for_url("**/figures/same")
    mine.goto(server.url)
    assert "Skipped by you" in mine.locator("td .state.ignored").inner_text()
    with mine.expect_navigation():  # Before it, the mark is gone as well, and keys fall between the pages.
        mine.get_by_role("button", name="Undo skips").click()
    assert mine.locator("td .state.ignored").count() == 0
    begin(mine)
    assert mine.url == f"{server.url}figures/a~2Fb"
    mine.keyboard.press("a")
    mine.keyboard.press("Enter")
    mine.wait_for_url("**/figures/same")
    with store.read() as tx:
        assert (tx.decisions.get("a/b") is not None, tx.decisions.get("same")) == (True, None)
    assert wrong + wrong_too == []


def test_what_two_reviewers_changed_apart_is_merged_and_both_decisions_stay(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    (mine, _), (theirs, _) = signed_in(lend, server, "rev1"), signed_in(lend, server, "rev2")
    for page in (mine, theirs):
        begin(page)
        page.keyboard.press("a")
    theirs.keyboard.press("ArrowDown")
    theirs.keyboard.press("]")
    theirs.keyboard.press("Enter")
    theirs.wait_for_url("**/figures/same")
    mine.keyboard.press("m")
    mine.keyboard.type("seen twice")
    mine.keyboard.press("Escape")
    mine.keyboard.press("Enter")
    mine.locator("#conflict").wait_for()
    mine.keyboard.press("s")
    mine.wait_for_url("**/figures/same")
    with store.read() as tx:
        history = tx.decisions.history("a/b")
    assert [each.reviewer for each in history] == ["rev2", "rev1"]
    assert history[1].note == "seen twice"
    assert [part.subcaption for part in history[1].subfigures] == [
        part.subcaption for part in history[0].subfigures
    ]
    assert len(history[1].subfigures[1].subcaption) == 4


def test_the_campaigns_guidelines_open_beside_the_figure(
    lend: Lend, server: AdjudicationServer, tmp_path: Path
) -> None:
    (tmp_path / "campaign" / "guidelines.md").write_text("# Spans\n\nOne <b>span</b> each.", encoding="utf-8")
    page, problems = signed_in(lend, server, "rev1")
    begin(page)
    page.keyboard.press("g")
    page.locator("#guideline p", has_text="span").wait_for()  # not that it is loading
    assert page.locator("#guideline p").inner_text() == "One <b>span</b> each."
    assert problems == []


def test_guidelines_with_every_construct_of_markdown_open_beside_the_figure(
    lend: Lend, server: AdjudicationServer, tmp_path: Path
) -> None:
    every = Path(__file__).parents[3] / "annotator/web/frontend/tests/guidelines.md"
    (tmp_path / "campaign" / "guidelines.md").write_bytes(every.read_bytes())
    page, problems = signed_in(lend, server, "rev1")
    begin(page)
    page.keyboard.press("g")
    panel = page.locator("#guideline")
    panel.locator("table").first.wait_for()
    number = {tag: panel.locator(tag).count() for tag in ("hr", "br", "li:empty", "td:empty", "blockquote:empty")}
    assert number == {"hr": 2, "br": 2, "li:empty": 2, "td:empty": 3, "blockquote:empty": 1}
    assert panel.locator("div.block, span[onclick], script, img").count() == 0
    page.keyboard.press("g")
    panel.wait_for(state="detached")
    assert problems == []
