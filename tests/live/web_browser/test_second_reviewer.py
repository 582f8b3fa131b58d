"""One reviewer asks for a second, who differs; a third breaks the tie: by keyboard alone, at the real server."""

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
from panelwise.domain.decision import Awaits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

RIGHT = a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    return made


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    """f1, on which two annotators agree, and three reviewers."""
    store = home.open_store()
    figure = a_figure("f1", image="images/f.png", caption=TWO_PANELS)
    with store.transaction() as tx:
        tx.figures.add(figure)
        for name in ("Annette", "Bodo"):
            tx.annotations.add(an_annotation(figure, annotator=name, subfigures=(a_subfigure(), RIGHT)))
    score_disagreement(store, home.campaign)
    for name in ("rev1", "rev2", "rev3"):
        people.add_person(store, name, roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


def open_figure(lend: Lend, server: AdjudicationServer, name: str) -> tuple[Page, list[str]]:
    page, problems = signed_in(lend, server, name)
    page.goto(f"{server.url}figures/f1")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    return page, problems


def awaits(store: Store) -> Awaits | None:
    with store.read() as tx:
        decision = tx.decisions.get("f1")
    assert decision is not None
    return decision.awaits


def test_a_second_reviewer_agrees_with_one_key(lend: Lend, server: AdjudicationServer, store: Store) -> None:
    first, wrong = open_figure(lend, server, "rev1")
    first.keyboard.press("Shift+S")
    first.keyboard.press("Enter")
    first.wait_for_url(server.url)
    assert awaits(store) is Awaits.SECOND
    second, wrong_too = open_figure(lend, server, "rev2")
    assert second.get_by_text("rev1 adjudicated this figure and it waits for a second reviewer").first.is_visible()
    assert second.locator(".live").inner_text() == "Enter confirms as second reviewer."
    assert second.locator(".aj-foot .primary").inner_text() == "Confirm, next Enter"
    second.keyboard.press("Enter")
    second.wait_for_url(server.url)
    assert awaits(store) is None
    first.goto(f"{server.url}figures/f1")
    first.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    assert first.locator(".aj-foot .primary").inner_text() == "Next Enter"
    first.keyboard.press("Enter")
    first.wait_for_url(server.url)
    assert wrong + wrong_too == []
    with store.read() as tx:
        assert [each.reviewer for each in tx.decisions.history("f1")] == ["rev1", "rev2"]
        assert tx.queue.counts().decided == 1


def test_whoever_breaks_a_tie_steps_through_what_the_two_differ_in(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    for name, keys in (("rev1", ("Shift+S", "Enter")), ("rev2", ("]", "Enter"))):
        page, problems = open_figure(lend, server, name)
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_url(server.url)
        assert problems == []
    assert awaits(store) is Awaits.TIE_BREAK
    third, problems = open_figure(lend, server, "rev3")
    assert third.get_by_text("your decision breaks the tie").first.is_visible()
    assert "Annette" not in third.content()
    third.keyboard.press("Control+Enter")
    third.wait_for_url(server.url)
    assert awaits(store) is None
    assert problems == []
