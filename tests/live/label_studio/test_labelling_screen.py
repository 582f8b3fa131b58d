"""The fitted labelling screen of a Label Studio of ours, in the real editor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import drag, log_in_to_studio
from builders import a_figure

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer, images_folder
from annotator.sync.push import push
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Person, Role, Task
from tests.live.label_studio.conftest import draw_panels

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.live

CAPTION = "(A) Left lung. (B) Right lung. " + "Bars show the mean of ninety days. " * 40
WIDE, TALL = (1600, 500), (500, 900)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(180_000)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("name", "size"), [("wide", WIDE), ("tall", TALL)])
def test_the_screen_fits_the_figure_and_warns_before_submitting(
    page: Page,
    studio: EmbeddedServer,
    real: LabelStudioServer,
    studio_home: Path,
    tmp_path: Path,
    name: str,
    size: tuple[int, int],
) -> None:
    home = Home.create(tmp_path, name=name, labels=tuple("ABCDEFGH"))
    draw_panels(studio_home / "images" / f"{name}.png", *size)
    figure = a_figure(name, caption=CAPTION, width=size[0], height=size[1])
    box = Box(20, 20, size[0] / 2, size[1] - 20)
    seed = Prediction(figure, "classic-1", (Subfigure("A", box, frozenset({3, 4})),), (0.9,))
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.predictions.put(seed)
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR})))
            tx.tasks.add([Task(name, "ann1", "1")])
        [pushed] = push(home, store, real, images=images_folder(studio_home, studio.url))
    log_in_to_studio(page, studio.url, studio.email, studio.password)
    page.goto(f"{pushed.url}/data?labeling=1")
    page.locator(".pw-texts .lsf-label").first.wait_for()
    page.wait_for_function("document.documentElement.classList.contains('pw-screen')")
    page.wait_for_function(
        "wide => document.documentElement.classList.contains('pw-stacked') === wide", arg=name == "wide"
    )
    # Figure and caption end above the bottom bar: a long caption scrolls beside the figure, or below it.
    page.wait_for_function(
        "() => [...document.querySelectorAll('.pw-figure, .pw-text')]"
        ".every((each) => each.getBoundingClientRect().bottom <= innerHeight - 48)"
    )
    labels = page.locator(".lsf-label:visible .lsf-label__text")
    page.wait_for_function("document.querySelectorAll('.lsf-label.pw-unnamed').length > 0")
    assert labels.all_inner_texts() == ["A", "B"]
    mark_the_uppermost_words(page)
    page.get_by_text("More labels").click()
    assert labels.all_inner_texts() == list("ABCDEFGH")
    page.keyboard.press("h")
    chosen = page.locator(".pw-palette .lsf-label_selected .lsf-label__text")
    assert chosen.all_inner_texts() == ["H", "H"]
    assert page.locator(".pw-hint > [data-pw-progress]").first.get_attribute("data-pw-progress") == "0 of 1 done"
    page.evaluate(
        "() => { const all = Htx.annotationStore.selected; const box = all.regions.find("
        "region => region.type === 'rectangleregion'); all.deleteRegion(box); }"
    )
    submit = page.locator('button[aria-label^="Submit"]').first
    submit.click()
    page.get_by_text("A has text in the caption, but no box.").wait_for()
    with page.expect_response(lambda answer: answer.request.method == "POST" and "annotations" in answer.url):
        page.keyboard.press("Control+Enter")


def mark_the_uppermost_words(page: Page) -> None:
    """In a caption that is scrolled, right below the figure's name, which stays: the drag scrolls nothing."""
    pane, marks = page.locator(".pw-text"), page.locator(".htx-highlight")
    before = marks.count()
    pane.evaluate("each => each.scrollTop = 47")
    title = page.locator(".pw-title").bounding_box()
    assert title is not None
    x, y = title["x"] + 40, title["y"] + title["height"] + 8
    page.keyboard.press("a")
    drag(page, (x, y), (x + 100, y))
    marks.nth(before).wait_for(state="attached")
    assert pane.evaluate("each => each.scrollTop") == 47
    page.keyboard.press("Escape")
