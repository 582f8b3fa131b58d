"""A reviewer is asked once about findings on what they save; the line between figure and text moves by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Lend
from builders import a_decision, a_figure, a_subfigure, an_annotation
from PIL import Image
from web_browser.conftest import Screen
from web_browser.figures import TWO_PANELS, a_state
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role

pytestmark = pytest.mark.live

BOTH = (a_subfigure(), a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12)))
WORDLESS = (a_subfigure(), a_subfigure("B", box=(400, 0, 800, 600), tokens=()))
#: Figure -> its caption, and what both annotators drew: "missing" has no box C, "wordless" no text of B.
FIGURES = {"whole": (TWO_PANELS, BOTH), "missing": (None, BOTH), "wordless": (TWO_PANELS, WORDLESS)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    home = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    store = home.open_store()
    with store.transaction() as tx:
        for name, (caption, parts) in FIGURES.items():
            figure = a_figure(name, image="images/f.png", **({"caption": caption} if caption else {}))
            tx.figures.add(figure)
            for annotator in ("Annette", "Bodo"):
                tx.annotations.add(an_annotation(figure, annotator=annotator, subfigures=parts))
    score_disagreement(store, home.campaign)
    people.add_person(store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("name", "asked"),
    [("whole", ""), ("missing", 'a panel "C" that has no box'), ("wordless", 'B: subfigure "B"')],
)
def test_a_save_waits_once_for_a_finding_that_concerns_it_and_never_else(
    lend: Lend, store: Store, tmp_path: Path, name: str, asked: str
) -> None:
    with AdjudicationServer(Home.find(tmp_path / "campaign"), store) as server:
        page, problems = signed_in(lend, server, "rev1", at=f"figures/{name}")
        page.wait_for_selector("#caption:focus")
        page.keyboard.press("Enter")
        if asked:
            page.locator(".live", has_text="Enter again saves anyway.").wait_for()
            assert asked in page.locator(".live").inner_text()
            with store.read() as tx:
                assert tx.decisions.get(name) is None
            page.keyboard.press("Enter")
        page.wait_for_url(lambda url: name not in url)
        assert problems == []
    with store.read() as tx:
        assert tx.decisions.get(name) is not None


def test_the_history_draws_what_a_decision_changed(lend: Lend, store: Store, tmp_path: Path) -> None:
    figure = a_figure("whole", image="images/f.png", caption=TWO_PANELS)
    with store.transaction() as tx:
        tx.decisions.add(a_decision(figure, subfigures=BOTH))
        tx.decisions.add(a_decision(figure, version=2, subfigures=(a_subfigure(box=(0, 0, 300, 600)),)))
    with AdjudicationServer(Home.find(tmp_path / "campaign"), store) as server:
        page, problems = signed_in(lend, server, "rev1", at="figures/whole/history")
        picture = page.locator("#v2 .picture")
        assert picture.locator("text").all_text_contents() == ["↔ A", "− B"]
        assert picture.locator("img").evaluate("(each) => each.decode().then(() => each.naturalWidth)") > 0
        was, now = (picture.locator(f"rect.{each}").bounding_box() for each in ("from", "moved"))
        assert was is not None
        assert now is not None
        assert round(now["width"] / was["width"], 1) == 0.8
        assert page.locator("#v1 .picture text").all_text_contents() == ["A", "B"]
        assert problems == []


def test_a_long_finding_is_read_whole_and_the_agreement_is_explained(screen: Callable[..., Screen]) -> None:
    message = "A finding that takes more than one line of the column beside the figure. " * 2
    finding = {"check": "long", "severity": "warning", "item": "", "message": message}
    made = screen(a_state() | {"findings": {"": [finding]}}, width=1600, height=900)
    strip = made.page.locator(".aj-findings")
    assert message.strip() in strip.inner_text()
    assert strip.evaluate("(each) => each.clientHeight > 28 && each.scrollHeight <= each.clientHeight")
    meaning = made.page.get_by_role("note")
    assert not meaning.is_visible()
    made.page.locator(".agreement .term").click()
    assert "ordered pairs of annotators" in meaning.inner_text()
    assert made.page.evaluate("document.activeElement.id") == "caption"


def test_the_divider_moves_by_keys_says_where_it_is_and_stays_there(screen: Callable[..., Screen]) -> None:
    made = screen(a_state())
    line = made.page.get_by_role("separator")
    line.focus()
    assert line.get_attribute("aria-valuenow") == "60"

    def width() -> float:
        return float(made.page.locator(".aj-image").evaluate("(each) => each.getBoundingClientRect().width"))

    before = width()
    made.press("ArrowLeft", "Shift+ArrowLeft")
    assert line.get_attribute("aria-valuenow") == "48"
    assert width() < before
    made.page.reload()
    made.ready()
    line.focus()
    assert line.get_attribute("aria-valuenow") == "48"
    for key, share in (("Home", "25"), ("ArrowLeft", "25"), ("End", "75"), ("Enter", "60")):
        made.press(key)
        assert line.get_attribute("aria-valuenow") == share, key
    assert made.stub.posts == []
    made.press("Escape", "ArrowRight")
    assert line.get_attribute("aria-valuenow") == "60"


def test_findings_stay_as_they_are_while_words_are_dragged_over(screen: Callable[..., Screen]) -> None:
    """A longer line above the caption would move the words away from under the pointer."""
    short = {"check": "short", "severity": "warning", "item": "", "message": "Short."}
    told = {"findings": {"": [short]}, "findings_url": "/findings"}
    made = screen(a_state() | told, width=1024, height=768)
    page, waiting = made.page, list[Any]()
    page.route("**/findings", lambda route: waiting.append(route))
    strip, caption = page.locator(".aj-findings"), page.locator("#caption")
    with page.expect_request("**/findings"):
        made.press("Space")
    before, place = strip.inner_text(), caption.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 30, place["y"] + 12)
    page.mouse.down()
    with page.expect_response("**/findings"):
        waiting[0].fulfill(json={"findings": [short | {"message": "A longer line of words. " * 9}]})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert (strip.inner_text(), caption.bounding_box()) == (before, place)
    page.mouse.up()
    strip.get_by_text("A longer line").wait_for()
