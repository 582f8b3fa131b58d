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
