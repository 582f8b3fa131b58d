"""A figure's history and the flags for the guidelines in a real browser, under the production CSP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from browsing import Lend
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in, windows

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Role
from panelwise.domain.decision import Awaits, Decision, ErrorKind

pytestmark = pytest.mark.live

LONG = "Is a scale bar inside of a panel part of it? " * 6 + "<b>not bold</b> שלום"
#: What runs out of the page to the side.
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    return made


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    """f1, decided on four times, the last one waiting for a second reviewer."""
    store = home.open_store()
    figure = a_figure("f1", image="images/f.png")
    other = a_subfigure("C", box=(400, 0, 800, 300), tokens=(10, 12))
    with store.transaction() as tx:
        tx.figures.add(figure)
        for name in ("Annette", "Bodo"):
            tx.annotations.add(an_annotation(figure, annotator=name))
        for decision in (
            a_decision(figure, based_on=("Annette", "Bodo"), seconds=12.0),
            a_decision(figure, version=2, subfigures=(a_subfigure(tokens=(4, 6, 8)), other), seconds=75.0),
            a_decision(figure, version=3, reviewer="rev2", status=Status.REJECTED, subfigures=(), note="unfit"),
            a_decision(
                figure,
                version=4,
                awaits=Awaits.SECOND,
                restored_from=2,
                guideline_flag=LONG,
                error_kind=ErrorKind.GAP,
                decided_at=NOON + timedelta(hours=1),
            ),
        ):
            tx.decisions.add(decision)
    score_disagreement(store, home.campaign)
    people.add_person(store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(home: Home, store: Store) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(home, store) as server:
        yield server


def test_an_earlier_decision_is_brought_back_and_the_figure_reopened_by_keyboard(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = signed_in(lend, server, "rev1")
    page.goto(f"{server.url}figures/f1/history")
    page.get_by_role("button", name="Restore 1").press("Enter")
    page.get_by_text("5: accepted").wait_for()
    page.get_by_label("Reason for reopening").fill("look again")
    page.keyboard.press("Enter")
    page.wait_for_url("**/figures/f1")
    page.get_by_text("rev1 reopened it: look again").first.wait_for()
    assert problems == []
    with store.read() as tx:
        fifth, sixth = tx.decisions.history("f1")[4:]
        assert tx.decisions.get("f1") is None
    assert isinstance(fifth, Decision)
    assert (fifth.restored_from, fifth.subfigures) == (1, a_decision().subfigures)
    assert sixth.note == "look again"


@windows(640)
@pytest.mark.parametrize("address", ["figures/f1/history", "flags"])
def test_nothing_runs_out_of_the_page_and_what_was_written_shows_as_text(
    lend: Lend, server: AdjudicationServer, address: str, width: int, scheme: str
) -> None:
    page, problems = signed_in(lend, server, "rev1", width=width, scheme=scheme)
    page.goto(f"{server.url}{address}")
    assert page.get_by_text("<b>not bold</b>").first.is_visible()
    assert not page.evaluate(TOO_WIDE)
    assert "Annette" not in page.content()
    assert problems == []


def test_a_question_for_the_guidelines_is_as_wide_as_a_phone(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "rev1", width=390, at="flags")
    for cell in page.locator(".flags tbody :is(th, td)").all():
        assert cell.evaluate("each => each.clientWidth") > 300
    assert not page.evaluate(TOO_WIDE)
    assert problems == []
