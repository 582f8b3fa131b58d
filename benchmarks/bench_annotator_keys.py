"""The cost of a task to its annotator, on Panelwise's own screen and in Label Studio: inputs, and seconds by the
keystroke-level model, from predictions and from nothing.

The real pages in Chromium; every case ends by comparing what is stored with the truth. Label Studio takes a minute
to start: --here leaves it out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench_reviewer_keys import (
    BOXES,
    CAPTION,
    COUNTER,
    TEXTS,
    Cost,
    cost_line,
    draw_panels,
    from_nothing,
    mark_words,
    press,
    subfigures,
)
from browsing import Pages, chromium, drag, mark
from builders import a_figure
from label_studio_inputs import At, StudioTask, do_in_label_studio
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.store import Store
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Annotation, Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Role, Task
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Drive = Callable[["Page", At], None]

#: The prediction of C's box that is wrong, and of D's text.
NARROW = (20, 320, 300, 500)
#: Milliseconds after which a chosen panel counts as looked at, and some.
LOOK = 800
SHORT = ("Survival over ninety",)
PHASES = """
[[phases]]
name = "own"
annotate_in = "panelwise"

[[phases]]
name = "looked"
annotate_in = "panelwise"
visit = "all"
"""


@dataclass(frozen=True)
class Case:
    """A task. predicted: None to start from nothing. here, there: what is done on our screen, and in Label Studio.

    Here the last key submits; there a click on Submit follows. at_most: inputs promised here. steps: mental ones.
    phase: "looked" asks for every panel to be looked at; Label Studio cannot.
    """

    name: str
    predicted: tuple[Subfigure, ...] | None
    here: Drive
    there: Drive
    at_most: int
    steps: int
    phase: str = "own"


def keys(*pressed: str) -> Drive:
    """Presses keys, one after the other."""
    pressing = press(*pressed)
    return lambda page, at: pressing(page)


def nothing(page: Page, at: At) -> None:
    """A case whose prediction is right."""


def look_at_all(page: Page, at: At) -> None:
    """Choose each panel for as long as a look takes, and submit."""
    for _ in range(len(BOXES) - 1):
        page.wait_for_timeout(LOOK)
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(LOOK)
    page.keyboard.press("Enter")


def stretch(page: Page, at: At) -> None:
    """Choose C by a click on it, and drag its corner out."""
    page.mouse.click(*at(150, 400))
    page.wait_for_timeout(400)
    drag(page, at(*NARROW[2:]), at(*BOXES["C"][2:]))


def stretch_here(page: Page, at: At) -> None:
    """The same, and submit."""
    stretch(page, at)
    page.keyboard.press("Enter")


def mark_again(page: Page, at: At) -> None:
    """Delete the short passage, and mark the whole one: an end of a passage cannot be moved there."""
    page.locator(".htx-highlight", has_text="Survival").first.click()
    page.keyboard.press("Backspace")
    page.wait_for_timeout(400)
    page.keyboard.press("d")
    mark(page, TEXTS["D"][0])


def draw_there(*labels: str) -> Drive:
    """A key and a drag for each box, and for each passage."""

    def drawn(page: Page, at: At) -> None:
        for label in labels:
            x0, y0, x1, y1 = BOXES[label]
            page.keyboard.press(label.lower())
            drag(page, at(x0, y0), at(x1, y1))
            for text in TEXTS[label]:
                page.keyboard.press(label.lower())
                mark(page, text)

    return drawn


def add_here(page: Page, at: At) -> None:
    """N, a drag for the box, one for each passage, and submit."""
    x0, y0, x1, y1 = BOXES["C"]
    page.keyboard.press("n")
    drag(page, at(x0, y0), at(x1, y1))
    page.wait_for_selector(".aj-row >> nth=3")
    mark_words(page, "C")
    page.keyboard.press("Enter")


def draw_all_here(page: Page, at: At) -> None:
    """Shift N, a drag for each box and each passage, and submit."""
    from_nothing(page)


ALL = subfigures(TEXTS)
CASES = (
    Case("prediction agreed with", ALL, keys("Enter"), nothing, 1, 1),
    Case(
        "one wrong box",
        tuple(replace(each, box=Box(*map(float, NARROW))) if each.label == "C" else each for each in ALL),
        stretch_here,
        stretch,
        3,
        2,
    ),
    Case("one wrong boundary", subfigures(TEXTS | {"D": SHORT}), keys("ArrowUp", "]", "Enter"), mark_again, 3, 2),
    Case(
        "missed panel, of two spans",
        tuple(each for each in ALL if each.label != "C"),
        add_here,
        draw_there("C"),
        5,
        4,
    ),
    Case("four panels, six spans from nothing", None, draw_all_here, draw_there(*BOXES), 12, 11),
    Case("prediction agreed with, every panel looked at", ALL, look_at_all, nothing, 4, 4, "looked"),
)


def figure_of(number: int) -> Figure:
    """The figure of a case."""
    return a_figure(f"case{number}", caption=CAPTION, image="images/panels.png")


def prediction_of(number: int) -> Prediction | None:
    """Return the model's prediction for a case."""
    found = CASES[number].predicted
    return None if found is None else Prediction(figure_of(number), "classic-1", found, (0.9,) * len(found))


def do_here(folder: Path, browser: Browser) -> list[tuple[Cost, Annotation]]:
    """All cases on Panelwise's own screen."""
    made = Home.create(folder / "campaign", labels=tuple(BOXES))
    file = made.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + PHASES, encoding="utf-8")
    home = Home.find(made.path)
    draw_panels(home.images / "panels.png")
    found = []
    with home.open_store() as store:
        people.add_person(store, "Bodo", roles=[Role.ANNOTATOR], password=PASSWORD)
        tasks = [Task(figure_of(number).id, "Bodo", case.phase) for number, case in enumerate(CASES)]
        with store.transaction() as tx:
            for number in range(len(CASES)):
                tx.figures.add(figure_of(number))
                prediction = prediction_of(number)
                if prediction is not None:
                    tx.predictions.put(prediction)
            tx.tasks.add(tasks)
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(Pages(browser).lend, server, "Bodo", at="tasks")
            page.add_init_script(COUNTER)
            for case, task in zip(CASES, tasks, strict=True):
                address = f"{server.url}tasks/{TaskKeys(home.secret()).of(task)}"
                found.append((cost_of(page, address, case), saved(store, task)))
            assert problems == [], problems
    return found


def cost_of(page: Page, address: str, case: Case) -> Cost:
    """Do a task on the page, and count."""
    page.goto(address)
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    page.wait_for_selector("#caption:focus")
    page.evaluate("sessionStorage.removeItem('inputs')")
    here = page.url
    image = page.locator(".host img").bounding_box()
    assert image is not None
    scale = image["width"] / 800
    case.here(page, lambda x, y: (image["x"] + x * scale, image["y"] + y * scale))
    page.wait_for_url(lambda reached: reached != here)
    return Cost.of(json.loads(page.evaluate("sessionStorage.getItem('inputs')")))


def saved(store: Store, task: Task) -> Annotation:
    """Return the annotator's submission."""
    with store.read() as tx:
        return tx.annotations.history(task.figure, task.annotator, task.phase)[-1]


def check(case: Case, found: Annotation) -> None:
    """Refuse a case whose work is not the truth."""
    kept = {each.label: each.subcaption for each in found.subfigures}
    assert kept == {each.label: each.subcaption for each in ALL}, (case.name, kept)
    for each in found.subfigures:
        apart = [abs(a - b) for a, b in zip(each.box.as_list(), BOXES[each.label], strict=True)]
        assert max(apart) < 4, (case.name, each)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--here", action="store_true", help="leave Label Studio out")
    asked = parser.parse_args()
    broken = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        print(f"{'':<44}{'inputs':>7}{'promise':>9}{'seconds':>9}   keys, drags, clicks")
        here = do_here(Path(folder), browser)
        for case, (cost, work) in zip(CASES, here, strict=True):
            check(case, work)
            print(cost_line(case.name, cost, f"<= {case.at_most}", case.steps))
            if cost.inputs > case.at_most:
                broken.append(case.name)
        if not asked.here:
            tasks = [
                StudioTask(figure_of(n), prediction_of(n), case.there)
                for n, case in enumerate(CASES)
                if case.phase == "own"
            ]
            there = do_in_label_studio(browser, Path(folder), tuple(BOXES), tasks, COUNTER, draw_panels)
            compared = [(case, cost) for case, (cost, _) in zip(CASES, here, strict=True) if case.phase == "own"]
            for (case, cost), (events, work) in zip(compared, there, strict=True):
                check(case, work)
                counted = Cost.of(events)
                print(cost_line(f"{case.name}, in Label Studio", counted, "", case.steps))
                if cost.inputs > counted.inputs:
                    broken.append(f"{case.name}: more than in Label Studio")
    if broken:
        sys.exit(f"more inputs than promised: {', '.join(broken)}")


if __name__ == "__main__":
    main()
