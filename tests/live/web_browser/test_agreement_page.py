"""From the agreement matrix to a slice of the queue, through its figures and back, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

PEOPLE = ("Annette", "Konstantinos Papadopoulos-Wilkinson of the Second Reading Room", "Bodo")
RIGHT = (400, 0, 800, 600)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Annette and Bodo differ in a word of `f1`, and wholly on `f2`; on `f3` all three agree but for a word."""
    home = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    store = home.open_store()
    other = a_subfigure("B", box=RIGHT, tokens=(10, 12, 13))
    done = {
        ("f1", PEOPLE[0]): (4, 6, 7),
        ("f1", PEOPLE[2]): (4, 6),
        ("f2", PEOPLE[0]): (4, 6),
        ("f2", PEOPLE[2]): (7, 10),
        ("f3", PEOPLE[0]): (4, 6, 7),
        ("f3", PEOPLE[1]): (4, 6),
        ("f3", PEOPLE[2]): (4, 6, 7),
    }
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name, image="images/f.png"))
        for (name, annotator), tokens in done.items():
            figure = a_figure(name, image="images/f.png")
            parts = (a_subfigure(tokens=tokens), other)
            tx.annotations.add(an_annotation(figure, annotator=annotator, subfigures=parts))
    score_disagreement(store, home.campaign)
    for name, role in (("lead", Role.LEAD), ("rev", Role.REVIEWER)):
        people.add_person(store, name, roles=[role], password=PASSWORD)
    yield store
    store.close()


@pytest.fixture
def server(store: Store, tmp_path: Path) -> Iterator[AdjudicationServer]:
    with AdjudicationServer(Home.find(tmp_path / "campaign"), store) as server:
        yield server


def opened(page: Page, figure: str) -> None:
    """Wait until the figure's screen can be worked on."""
    page.wait_for_url(lambda url: f"/figures/{figure}?" in url)
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")


def test_a_lead_goes_from_the_matrix_through_a_slice_and_back(
    lend: Lend, server: AdjudicationServer, store: Store
) -> None:
    page, problems = signed_in(lend, server, "lead")
    page.get_by_role("link", name="Agreement").click()
    row = page.locator("#matrix tbody tr", has=page.locator("th", has_text="Annette"))
    row.locator("td").nth(1).get_by_role("link").click()
    page.wait_for_selector(".slice")
    assert page.locator(".slice .pair").inner_text() == "Annette as gold, Bodo as predictor"
    assert page.locator("td.figure a").all_inner_texts() == ["f2", "f1", "f3"]
    page.keyboard.press("s")
    opened(page, "f2")
    assert "Annette" not in page.content()
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    opened(page, "f1")
    page.get_by_title("Back to the queue").click()
    page.wait_for_selector(".slice")
    assert "1 of 3 adjudicated" in page.content()
    page.get_by_role("link", name="Back to matrix").click()
    page.wait_for_url("**/agreement?phase=1#matrix")
    page.locator("#worst td.figure a").first.click()
    page.wait_for_url("**/figures/f2")
    assert problems == []
    with store.read() as tx:
        assert tx.decisions.get("f2") is not None
        assert tx.decisions.get("f1") is None


@windows()
def test_nothing_runs_out_of_the_page_and_every_shade_can_be_read(
    lend: Lend, server: AdjudicationServer, width: int, scheme: str
) -> None:
    page, problems = signed_in(lend, server, "lead", width=width, scheme=scheme)
    page.goto(f"{server.url}agreement")
    page.wait_for_selector("#matrix")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for shade in ("0", "1"):
        page.evaluate(
            f"document.querySelectorAll('td.heat').forEach(td => td.style.setProperty('--lost', {shade}))"
        )
        assert page.evaluate(CONTRAST) >= 4.5, (scheme, shade)
    page.locator("td.heat a").first.click()
    page.wait_for_url("**/?gold=*")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert problems == []


#: Contrast of the text in the first coloured cell with what is behind it, as WCAG has it.
CONTRAST = """(() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const cell = document.querySelector("td.heat");
  const pair = [getComputedStyle(cell).backgroundColor, getComputedStyle(cell.querySelector(".small")).color];
  const [dark, bright] = pair.map(light).sort((one, other) => one - other);
  return (bright + 0.05) / (dark + 0.05);
})()"""


def test_a_reviewer_is_told_no_name_anywhere(lend: Lend, server: AdjudicationServer) -> None:
    page, problems = signed_in(lend, server, "rev")
    page.get_by_role("link", name="Agreement").click()
    page.wait_for_selector("#matrix")
    texts = [page.content(), page.title()]
    page.locator("td.heat a").first.click()
    page.wait_for_selector(".slice")
    texts += [page.content(), page.title(), page.url]
    assert not any(name in text for name in PEOPLE for text in texts)
    assert problems == []


def test_the_reason_of_a_dash_is_shown_by_a_finger_and_by_a_key(lend: Lend, server: AdjudicationServer) -> None:
    def with_a_finger(**options: Any) -> Page:
        return lend(has_touch=True, **options)

    page, problems = signed_in(with_a_finger, server, "rev", at="agreement")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        # Both accepted all: there is no kappa.
        dash = page.locator("#chance .dash").first
        reason = dash.locator("xpath=following-sibling::*")
        assert (reason.text_content() or "").startswith("All gave one verdict")
        assert not reason.is_visible()
        dash.tap()
        reason.wait_for(state="visible")
        page.keyboard.press("Escape")
        reason.wait_for(state="hidden")
        dash.focus()
        page.keyboard.press("Enter")
        reason.wait_for(state="visible")
        box = reason.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        page.keyboard.press("Escape")
    assert problems == []
