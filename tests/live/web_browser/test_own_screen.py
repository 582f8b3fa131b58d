"""An annotator's own tasks in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Lend
from builders import a_figure, a_prediction
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.web.server import AdjudicationServer
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Role, Task

pytestmark = pytest.mark.live

BOXES = ".host svg.a9s-annotationlayer"


def test_an_agreed_prediction_is_one_key_and_u_takes_the_submission_back(lend: Lend, tmp_path: Path) -> None:
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    phase = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
    file.write_text(file.read_text(encoding="utf-8") + phase, encoding="utf-8")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    home = Home.find(made.path)
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
            page.keyboard.press("Enter")
            page.wait_for_url(server.url + second)
            page.wait_for_selector(BOXES, state="attached")
            page.keyboard.press("u")
            page.wait_for_url(server.url + first)
            page.wait_for_selector(BOXES, state="attached")
        with store.read() as tx:
            statuses = [each.status for each in tx.annotations.history("f1", "Bodo", "own")]
    assert (statuses, problems) == ([Status.ACCEPTED, Status.IGNORED], [])
