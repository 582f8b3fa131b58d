"""The same figure drawn from nothing in the real editor of Label Studio, its inputs noted as on our own page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from browsing import drag, log_in_to_studio, mark, open_task, submit

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import label_studio
from annotator.sync.pull import pull
from annotator.sync.push import push
from panelwise.domain.annotation import Subfigure
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EMAIL, PASSWORD = "ann1@example.org", "annotators-pass-1"


def draw_in_label_studio(
    browser: Browser,
    folder: Path,
    figure: Figure,
    texts: Mapping[str, tuple[str, ...]],
    truth: tuple[Subfigure, ...],
    counter: str,
    draw_panels: Callable[[Path], None],
) -> list[dict[str, Any]]:
    """The events that the page noted. A key and a drag a box and a span: the fewest that the editor allows.

    What arrives in the store is compared with the truth.
    """
    home = Home.create(folder / "studio", name="inputs", labels=tuple(texts))
    draw_panels(home.images / "panels.png")
    with home.open_store() as store, label_studio(home.path, password=PASSWORD) as studio:
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), EMAIL))
            tx.tasks.add([Task(figure.id, "ann1", "1")])
        with LabelStudioServer(studio.url, studio.token) as server:
            server.ensure_account(EMAIL, PASSWORD)
            [pushed] = push(home, store, server)
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.set_default_timeout(120_000)
            page = context.new_page()
            page.add_init_script(counter)
            log_in_to_studio(page, studio.url, EMAIL, PASSWORD)
            image = open_task(page, f"{pushed.url}/data?labeling=1")
            scale = image["width"] / figure.width
            page.evaluate("sessionStorage.removeItem('inputs')")
            for part in truth:
                left, top, right, bottom = (edge * scale for edge in part.box.as_list())
                page.keyboard.press(part.label.lower())
                drag(page, (image["x"] + left, image["y"] + top), (image["x"] + right, image["y"] + bottom))
                for text in texts[part.label]:
                    page.keyboard.press(part.label.lower())
                    mark(page, text)
            page.wait_for_timeout(500)
            submit(page)
            events: list[dict[str, Any]] = json.loads(page.evaluate("sessionStorage.getItem('inputs')"))
            context.close()
            [pulled] = pull(home, store, server)
            assert not pulled.problems, pulled.problems
        with store.read() as tx:
            [annotation] = tx.annotations.all()
    kept = {part.label: part.subcaption for part in annotation.subfigures}
    assert kept == {part.label: part.subcaption for part in truth}, kept
    return events
