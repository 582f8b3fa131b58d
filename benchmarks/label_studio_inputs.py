"""Tasks done in the real editor of Label Studio, their inputs noted as on our own page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from browsing import log_in_to_studio, open_task, submit

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import label_studio
from annotator.sync.pull import pull
from annotator.sync.push import push
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EMAIL, PASSWORD = "ann1@example.org", "annotators-pass-1"

#: A place of the figure, as the page has it.
At = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True)
class StudioTask:
    """A figure, what a model predicts, and what the annotator does before they submit."""

    figure: Figure
    prediction: Prediction | None
    drive: Callable[[Page, At], None]


def do_in_label_studio(
    browser: Browser,
    folder: Path,
    labels: Sequence[str],
    tasks: Sequence[StudioTask],
    counter: str,
    draw_panels: Callable[[Path], None],
) -> Iterable[tuple[list[dict[str, Any]], Annotation]]:
    """For each task the events that the page noted, and what arrives in the store."""
    home = Home.create(folder / "studio", name="inputs", labels=tuple(labels))
    draw_panels(home.images / "panels.png")
    events: dict[str, list[dict[str, Any]]] = {}
    with home.open_store() as store, label_studio(home.path, password=PASSWORD) as studio:
        with store.transaction() as tx:
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), EMAIL))
            for task in tasks:
                tx.figures.add(task.figure)
                if task.prediction is not None:
                    tx.predictions.put(task.prediction)
            tx.tasks.add([Task(task.figure.id, "ann1", "1") for task in tasks])
        with LabelStudioServer(studio.url, studio.token) as server:
            server.ensure_account(EMAIL, PASSWORD)
            [pushed] = push(home, store, server)
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.set_default_timeout(120_000)
            page = context.new_page()
            page.add_init_script(counter)
            log_in_to_studio(page, studio.url, EMAIL, PASSWORD)
            by_id = {task.figure.id: task for task in tasks}
            for _ in tasks:
                image = open_task(page, f"{pushed.url}/data?labeling=1")
                shown = json.loads(page.evaluate("Htx.task.data"))["source_id"]
                task = by_id[shown]
                page.evaluate("sessionStorage.removeItem('inputs')")
                task.drive(page, _places(image, task.figure))
                page.wait_for_timeout(500)
                submit(page)
                events[shown] = json.loads(page.evaluate("sessionStorage.getItem('inputs')"))
            context.close()
            [pulled] = pull(home, store, server)
            assert not pulled.problems, pulled.problems
        with store.read() as tx:
            saved = {each.figure.id: each for each in tx.annotations.all()}
    return [(events[task.figure.id], saved[task.figure.id]) for task in tasks]


def _places(image: dict[str, float], figure: Figure) -> At:
    scale = image["width"] / figure.width
    return lambda x, y: (image["x"] + x * scale, image["y"] + y * scale)
