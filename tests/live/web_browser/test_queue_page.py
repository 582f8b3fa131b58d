"""Filtering the queue, keeping a filter, and settling together, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from builders import a_figure, a_subfigure, an_annotation
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in, windows

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

PEOPLE = ("Annette", "Bodo")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """They differ in a box on `f1`, in a word on `f2`, and agree on `f3` and `f4`."""
    home = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    store = home.open_store()
    parts = (a_subfigure(), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13)))
    theirs = {"f1": parts[:1], "f2": (a_subfigure(tokens=(4, 6)), parts[1]), "f3": parts, "f4": parts}
    with store.transaction() as tx:
        for name, other in theirs.items():
            figure = a_figure(name, image="images/f.png")
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, annotator=PEOPLE[0], subfigures=parts))
            tx.annotations.add(an_annotation(figure, annotator=PEOPLE[1], subfigures=other))
    score_disagreement(store, home.campaign)
    people.add_person(store, "rev", roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(store: Store, tmp_path: Path) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(Home.find(tmp_path / "campaign"), store) as server:
        yield server


def listed(page: Page) -> list[str]:
    return page.locator("td.figure a").all_inner_texts()


def test_a_filter_is_chosen_searched_kept_under_a_name_and_forgotten(
    lend: Lend, server: AdjudicationServer
) -> None:
    page, problems = signed_in(lend, server, "rev")
    assert listed(page) == ["f1", "f2", "f3", "f4"]
    page.locator("select[name=loss]").select_option("no box")
    page.wait_for_url(f"{server.url}?loss=no+box")
    assert listed(page) == ["f1"]
    assert not any(name in page.content() for name in PEOPLE)
    page.fill("#saved-name", "<b>missed</b> boxes")
    page.keyboard.press("Enter")
    kept = page.locator("#saved .list a")
    assert kept.all_inner_texts() == ["<b>missed</b> boxes"]
    page.locator("#whole").click()
    page.wait_for_url(lambda url: "loss" not in url)
    page.keyboard.press("/")
    page.keyboard.type("f3")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{server.url}?q=f3")
    assert listed(page) == ["f3"]
    kept.click()
    page.wait_for_url(f"{server.url}?loss=no+box")
    page.get_by_role("button", name="Delete filter").click()
    assert kept.count() == 0
    page.reload()
    assert kept.count() == 0
    assert problems == []


def test_what_all_agree_on_is_shown_settled_and_taken_back(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = signed_in(lend, server, "rev")
    page.get_by_role("link", name="Adjudicate agreed figures").click()
    page.wait_for_selector("#finish")
    assert listed(page) == ["f3", "f4"]
    page.get_by_role("checkbox", name="Adjudicate f4").uncheck()
    page.get_by_role("button", name="Adjudicate ticked figures").click()
    page.wait_for_selector(".notice.done")
    assert page.locator(".notice.done [role=status]").inner_text() == "1 figure adjudicated."
    with store.read() as tx:
        assert tx.decisions.get("f3") is not None
        assert tx.decisions.get("f4") is None
    page.locator("#undo").click()
    page.wait_for_selector("text=1 figure reopened.")
    # What was unticked stays so, until it is ticked again; the page's script sees to it when all is there.
    page.wait_for_load_state()
    assert page.get_by_role("checkbox", checked=True).count() == 1
    assert not page.get_by_role("checkbox", name="Adjudicate f4").is_checked()
    assert page.locator("#many").inner_text() == "1"
    page.get_by_role("checkbox", name="Adjudicate f4").check()
    page.reload()
    assert page.get_by_role("checkbox", name="Adjudicate f4").is_checked()
    with store.read() as tx:
        assert tx.decisions.get("f3") is None
    assert problems == []


@windows()
def test_neither_page_runs_out_of_the_window(
    lend: Lend, server: AdjudicationServer, width: int, scheme: str
) -> None:
    page, problems = signed_in(lend, server, "rev", width=width, scheme=scheme)
    for address in ("", "?loss=no+box&phase=1", "?q=nothing", "agreed/"):
        page.goto(f"{server.url}{address}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    assert problems == []
