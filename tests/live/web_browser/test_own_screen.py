"""An annotator's own tasks in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

import pytest
from browsing import Lend
from builders import a_figure, a_prediction, a_subfigure
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Prediction, Status, Subfigure
from panelwise.domain.campaign import Role, Task

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.live

BOXES = ".host svg.a9s-annotationlayer"


def own_home(tmp_path: Path) -> Home:
    """Create a campaign with one image and a phase, "own", on Panelwise's own screen."""
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    phase = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
    file.write_text(file.read_text(encoding="utf-8") + phase, encoding="utf-8")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    return Home.find(made.path)


def test_an_agreed_prediction_is_one_key_and_u_takes_the_submission_back(lend: Lend, tmp_path: Path) -> None:
    home = own_home(tmp_path)
    with home.open_store() as store:
        people.add_person(store, "Bodo", roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            for name in ("f1", "f2"):
                tx.figures.add(a_figure(name, image="images/f.png"))
                tx.predictions.put(a_prediction(a_figure(name, image="images/f.png")))
            tx.tasks.add([Task(name, "Bodo", "own") for name in ("f1", "f2")])
        first, second = (f"tasks/{TaskKeys(home.secret()).of(Task(name, 'Bodo', 'own'))}" for name in ("f1", "f2"))
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(lend, server, "Bodo", at=first)
            page.wait_for_selector(BOXES, state="attached")
            words = page.locator(".aj-head, .aj-foot, .panes").all_inner_texts()
            assert [each for each in ("conflict", "Save, next", "1 of 1", "1/1") if each in " ".join(words)] == []
            # The caption names a panel C that has no box: that is asked about once.
            page.keyboard.press("Enter")
            page.locator(".live").get_by_text("The figure: the caption describes").wait_for()
            page.keyboard.press("Enter")
            page.wait_for_url(server.url + second)
            page.wait_for_selector(BOXES, state="attached")
            page.keyboard.press("u")
            page.wait_for_url(server.url + first)
            page.wait_for_selector(BOXES, state="attached")
        with store.read() as tx:
            statuses = [each.status for each in tx.annotations.history("f1", "Bodo", "own")]
    assert (statuses, problems) == ([Status.ACCEPTED, Status.IGNORED], [])


def test_a_box_needs_no_mouse_and_what_is_unseen_or_missing_is_asked_about_before_it_goes_out(
    lend: Lend, tmp_path: Path
) -> None:
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    phase = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\nvisit = "all"\n'
    file.write_text(file.read_text(encoding="utf-8") + phase, encoding="utf-8")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    home = Home.find(made.path)
    figure = a_figure("f1", image="images/f.png")
    with home.open_store() as store:
        people.add_person(store, "Bodo", roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.predictions.put(a_prediction(figure))
            tx.tasks.add([Task("f1", "Bodo", "own")])
        with AdjudicationServer(home, store) as server:
            key = TaskKeys(home.secret()).of(Task("f1", "Bodo", "own"))
            page, problems = signed_in(lend, server, "Bodo", at=f"tasks/{key}")
            page.wait_for_selector(BOXES, state="attached")
            assert "that has no box" in page.locator(".aj-findings").inner_text()
            said = page.locator(".live")
            # Held down, the key passes over all: that is no look.
            page.wait_for_timeout(900)
            for _ in range(3):
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            said.get_by_text("Look at B a moment longer").wait_for()
            page.wait_for_timeout(900)
            page.keyboard.press("Enter")
            said.get_by_text("that has no box").wait_for()
            page.keyboard.press("n")
            page.keyboard.press("Enter")
            page.keyboard.press("Shift+ArrowRight")
            page.keyboard.press("Alt+ArrowLeft")
            page.wait_for_timeout(900)
            page.keyboard.press("Enter")
            page.wait_for_url(f"{server.url}tasks")
            page.get_by_text("All done").wait_for()
        with store.read() as tx:
            (work,) = tx.annotations.history("f1", "Bodo", "own")
    assert [each.label for each in work.subfigures] == ["A", "B", "C"]
    assert work.subfigures[2].box.as_list() == [210, 150, 609, 450]
    assert (work.viewed, work.unchanged, problems) == (("A", "B", "C"), False, [])


#: A figure of 30 panels in six columns; the prediction has 26 of them, lettered column by column.
COLUMNS = [(x * 130.0, y * 120.0, x * 130.0 + 120, y * 120.0 + 110) for x in range(6) for y in range(5)]


@pytest.fixture
def task(lend: Lend, tmp_path: Path) -> Iterator[tuple[Page, list[str], Store]]:
    """The open task of a figure of 30 panels, on its page; problems that the browser reports; and the store."""
    home = own_home(tmp_path)
    figure = a_figure("f1", image="images/f.png", caption="Views of (A) a cell, (B) a nucleus and (C) the rest.")
    predicted = tuple(
        a_subfigure(label, box=box, tokens=(n % 12,))
        for n, (label, box) in enumerate(zip(ascii_uppercase, COLUMNS, strict=False))
    )
    with home.open_store() as store:
        people.add_person(store, "Bodo", roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.predictions.put(Prediction(figure, "classic-1", predicted, (0.9,) * len(predicted)))
            tx.tasks.add([Task("f1", "Bodo", "own")])
        with AdjudicationServer(home, store) as server:
            key = TaskKeys(home.secret()).of(Task("f1", "Bodo", "own"))
            page, problems = signed_in(lend, server, "Bodo", at=f"tasks/{key}")
            page.wait_for_selector(BOXES, state="attached")
            yield page, problems, store


def submitted(page: Page, store: Store) -> tuple[Subfigure, ...]:
    """Submit whatever the checks find, and return what is stored."""
    page.keyboard.press("Control+Enter")
    page.get_by_text("All done").first.wait_for()
    with store.read() as tx:
        (work,) = tx.annotations.history("f1", "Bodo", "own")
    return work.subfigures


def test_thirty_panels_are_drawn_and_numbered_without_a_mouse(task: tuple[Page, list[str], Store]) -> None:
    page, problems, store = task
    # A new box is 400 x 300 in the middle: made as small as the others, and moved to their last column.
    for row in range(4):
        for press in ("n", "Enter", *["Alt+Shift+ArrowLeft"] * 28, *["Alt+Shift+ArrowUp"] * 19):
            page.keyboard.press(press)
        down = 12 * (row + 1) - 15
        for press in ["Shift+ArrowRight"] * 45 + ["Shift+ArrowDown" if down > 0 else "Shift+ArrowUp"] * abs(down):
            page.keyboard.press(press)
    page.keyboard.press("c")
    assert page.locator(".aj-label").all_inner_texts()[26:] == ["AA", "AB", "AC", "AD"]
    page.keyboard.press("Shift+L")
    page.locator(".live").get_by_text("30 numbered in reading order").wait_for()
    labels = [*ascii_uppercase, "AA", "AB", "AC", "AD"]
    assert page.locator(".aj-label").all_inner_texts() == labels
    assert page.locator(".aj-tag").count() == 30
    found = submitted(page, store)
    assert [each.label for each in found] == labels
    in_rows = sorted(found, key=lambda each: (round(each.box.y0 / 120), each.box.x0))
    assert [each.label for each in in_rows] == labels
    # Each text stays with its label, wherever the label went.
    assert [min(each.subcaption, default=None) for each in found[:26]] == [n % 12 for n in range(26)]
    assert problems == []


def test_a_typed_label_is_used_and_one_that_is_used_changes_places_with_its_text(
    task: tuple[Page, list[str], Store],
) -> None:
    page, problems, store = task
    page.keyboard.press("l")
    page.locator("select#label:focus").wait_for()
    page.select_option("#label", label="own label…")
    page.locator("input#label:focus").wait_for()
    page.keyboard.type("inset 1")
    page.keyboard.press("Escape")
    assert page.locator(".aj-label").first.inner_text() == "A"
    page.select_option("#label", label="own label…")
    page.keyboard.type("inset 1")
    # Tab uses what was typed, too.
    page.keyboard.press("Tab")
    page.locator(".live").get_by_text("Now labelled inset 1").wait_for()
    # So does a click on another panel, which is not itself labelled.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.select_option("#label", label="own label…")
    page.keyboard.type("inset 4")
    page.locator("[data-row]").nth(1).click()
    page.locator(".aj-label", has_text="inset 4").wait_for()
    assert page.locator(".aj-label").all_inner_texts()[:4] == ["inset 1", "B", "C", "inset 4"]
    page.select_option("#label", label="C (used)")
    page.locator(".live").get_by_text(
        "B and C are swapped, each with its text; W swaps the texts back."
    ).wait_for()
    found = {each.label: (each.box.as_list(), each.subcaption) for each in submitted(page, store)}
    boxes = [list(box) for box in COLUMNS[:3]]
    assert found["inset 1"] == (boxes[0], {0})
    assert (found["B"], found["C"]) == ((boxes[2], {1}), (boxes[1], {2}))
    assert ("A" in found, "D" in found, problems) == (False, False, [])


def test_a_double_click_takes_a_clause_in_and_out_and_the_guidelines_stand_beside_the_figure(
    task: tuple[Page, list[str], Store],
) -> None:
    page, problems, _ = task
    for within, word in (("in", "nucleus"), ("out", "nucleus")):
        page.locator(".chip", has_text=word).first.dblclick()
        chosen = page.locator(".chip", has_text=word).first.get_attribute("class") or ""
        assert ("in" in chosen.split()) == (within == "in")
    page.set_viewport_size({"width": 1024, "height": 768})
    page.keyboard.press("g")
    page.locator(".guideline").wait_for()
    rules, image, text = (page.locator(each).bounding_box() for each in (".guideline", ".aj-image", ".aj-side"))
    assert rules is not None
    assert image is not None
    assert text is not None
    assert rules["x"] + rules["width"] <= image["x"] + 1
    assert image["x"] + image["width"] <= text["x"] + 1
    assert problems == []
