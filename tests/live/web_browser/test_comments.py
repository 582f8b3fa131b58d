"""Comments on a figure in a browser: written by an annotator on the own screen, answered by a reviewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Lend
from builders import NOON, a_figure
from PIL import Image
from web_browser.signing_in import PASSWORD, signed_in

from annotator.accounts import people
from annotator.adjudication.messages import comments
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.web.server import AdjudicationServer
from panelwise.domain.campaign import Role, Task

pytestmark = pytest.mark.live

PHASE = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
ASKED, ANSWERED = "Is the scale bar a panel?\nThe guideline is silent.", "No: <b>not</b> a panel."


def test_a_question_is_answered_and_what_is_typed_does_nothing_to_the_figure(lend: Lend, tmp_path: Path) -> None:
    made = Home.create(tmp_path / "campaign")
    file = made.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + PHASE, encoding="utf-8")
    Image.new("RGB", (800, 600), "white").save(made.images / "f.png")
    home = Home.find(made.path)
    with home.open_store() as store:
        people.add_person(store, "Bodo", roles=[Role.ANNOTATOR], password=PASSWORD)
        people.add_person(store, "Rita", roles=[Role.REVIEWER], password=PASSWORD)
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1", image="images/f.png"))
            tx.tasks.add([Task("f1", "Bodo", "own")])
        task = f"tasks/{TaskKeys(home.secret()).of(Task('f1', 'Bodo', 'own'))}"
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(lend, server, "Bodo", at=task)
            page.wait_for_selector("#caption:focus")
            page.keyboard.press("o")
            page.wait_for_selector("#comment:focus")
            first, _, second = ASKED.partition("\n")
            page.keyboard.type(first)
            page.keyboard.press("Shift+Enter")
            page.keyboard.type(second)
            # Elsewhere this key saves the figure.
            page.keyboard.press("Control+Enter")
            page.locator(".thread", has_text="The guideline is silent.").wait_for()
            page.keyboard.press("Escape")
            page.wait_for_selector("#caption:focus")
            assert page.locator(".comments").count() == 0

            reviewer, others = signed_in(lend, server, "Rita", at="figures/f1")
            reviewer.get_by_role("button", name="Comments 1 new").click()
            reviewer.wait_for_selector("#comment:focus")
            reviewer.keyboard.type(ANSWERED)
            reviewer.keyboard.press("Enter")
            reviewer.locator(".thread", has_text=ANSWERED).wait_for()
            assert reviewer.locator(".aj-head").get_by_role("button", name="Comments", exact=True).count() == 1

            page.goto(f"{server.url}tasks")
            assert "1 new comment" in page.locator("#queue").inner_text()
            page.goto(server.url + task)
            page.wait_for_selector("#caption:focus")
            page.keyboard.press("o")
            page.locator(".thread", has_text=ANSWERED).wait_for()
            assert page.locator(".thread strong").all_inner_texts() == ["You", "Reviewer"]
        with store.read() as tx:
            assert [each.body for each in tx.comments.on_figure("f1")] == [ASKED, ANSWERED]
            assert tx.annotations.history("f1", "Bodo", "own") == []
            assert tx.decisions.get("f1") is None
    assert (problems, others) == ([], [])


def test_earlier_comments_come_in_front_of_those_shown(
    lend: Lend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comments, "COMMENTS_SHOWN", 2)
    home = Home.create(tmp_path / "campaign")
    Image.new("RGB", (800, 600), "white").save(home.images / "f.png")
    with home.open_store() as store:
        people.add_person(store, "Rita", roles=[Role.REVIEWER], password=PASSWORD)
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1", image="images/f.png"))
            for number in range(5):
                thread = 1 if number else None
                tx.comments.add("f1", "", "Rita", f"comment {number}", NOON, thread=thread)
        with AdjudicationServer(home, store) as server:
            page, problems = signed_in(lend, server, "Rita", at="figures/f1")
            page.wait_for_selector("#caption:focus")
            page.keyboard.press("o")
            bodies = page.locator(".thread p")
            earlier = page.get_by_role("button", name="Earlier comments")
            for least in (3, 1, 0):
                page.locator(".thread", has_text=f"comment {least}").wait_for()
                assert bodies.count() == 5 - least
                if least:
                    earlier.click()
            assert [each.split()[-1] for each in bodies.all_inner_texts()] == list("01234")
            assert (earlier.count(), page.locator(".thread").count()) == (0, 1)
            assert problems == []
