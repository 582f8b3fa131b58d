"""An annotator at work in the real editor: what they draw and mark is what arrives in the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import drag, log_in_to_studio, mark, open_task, submit
from builders import a_figure

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer, access_file, images_folder
from annotator.label_studio.isolation.rules import FILE_VARIABLE
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import push
from panelwise.domain.annotation import Prediction, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.live

EMAIL, PASSWORD = "ann1@example.org", "annotators-pass-1"
CAPTION = "Fig 1: (A) left lung 🫁. (B) right lung. (C) 😀 the heart,\nseen from above."
#: Behind two emoji, and across a newline.
START, END = CAPTION.index("the heart"), CAPTION.index(" from above")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(180_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def figure() -> Figure:
    return a_figure("f1", caption=CAPTION, references=("As Figure 1 shows, x < y.",))


@pytest.fixture
def home(studio_home: Path) -> Home:
    return Home.create(studio_home, name="browser", labels=("A", "B", "C", "D"))


@pytest.fixture
def store(home: Home, figure: Figure) -> Iterator[Store]:
    seed = Prediction(
        figure,
        "classic-1",
        (
            Subfigure("A", Box(20, 20, 300, 300), figure.caption.tokens_in([])),
            Subfigure("B", Box(420, 20, 780, 300), frozenset({11, 12})),
        ),
        (0.9, 0.8),
    )
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.predictions.put(seed)
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), EMAIL))
            tx.tasks.add([Task("f1", "ann1", "1")])
        yield store


def test_what_is_drawn_and_marked_arrives_exactly(
    page: Page, studio: EmbeddedServer, real: LabelStudioServer, home: Home, store: Store, figure: Figure
) -> None:
    real.ensure_account(EMAIL, PASSWORD)
    [pushed] = push(home, store, real)
    log_in_to_studio(page, studio.url, EMAIL, PASSWORD)
    image = open_task(page, f"{pushed.url}/data?labeling=1")
    scale = image["width"] / figure.width

    def at(x: float, y: float) -> tuple[float, float]:
        """The whole pixel of the screen nearest to a place of the image."""
        return (round(image["x"] + x * scale), round(image["y"] + y * scale))

    def drawn(x0: float, y0: float, x1: float, y1: float) -> list[float]:
        (left, top), (right, bottom) = at(x0, y0), at(x1, y1)
        return [
            *((left - image["x"]) / scale, (top - image["y"]) / scale),
            *((right - image["x"]) / scale, (bottom - image["y"]) / scale),
        ]

    # Move the pre-drawn box A by 40 pixels of the screen to the right and 80 down.
    drag(page, at(160, 160), (at(160, 160)[0] + 40, at(160, 160)[1] + 80))
    # One key arms both: a box on the figure, a passage in the caption.
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    drag(page, at(430, 330), at(770, 580))
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    mark(page, "the heart", "seen")
    if os.environ.get("PANELWISE_SCREENSHOT"):
        page.screenshot(path=os.environ["PANELWISE_SCREENSHOT"])
    page.get_by_test_id("bottombar-submit-button").click()
    page.get_by_text("A has a box but no text, and the caption names it.").wait_for()
    submit(page)

    [back] = pull(home, store, real)
    assert (back.added, back.problems, back.findings) == (1, [], [])
    with store.read() as tx:
        [annotation] = tx.annotations.all()
    assert annotation.status is Status.ACCEPTED
    assert annotation.seeded_by == "classic-1"
    assert annotation.seconds is not None
    assert annotation.seconds > 0
    found = {each.label: each for each in annotation.subfigures}
    assert set(found) == {"A", "B", "C"}
    moved = Box(20 + 40 / scale, 20 + 80 / scale, 300 + 40 / scale, 300 + 80 / scale)
    assert found["A"].box.as_list() == pytest.approx(moved.as_list(), abs=0.5)
    assert found["B"].box.as_list() == pytest.approx([420, 20, 780, 300], abs=1e-3)
    assert found["C"].box.as_list() == pytest.approx(drawn(430, 330, 770, 580), abs=0.5)
    assert found["B"].subcaption == {11, 12}
    [task] = real.tasks(pushed.project_id)
    [span] = [
        region["value"]
        for region in task["annotations"][0]["result"]
        if region["type"] == "labels" and region["value"]["labels"] == ["C"]
    ]
    assert (span["start"], span["end"]) == (START, END)
    assert [figure.caption.words[token] for token in sorted(found["C"].subcaption)] == [
        "the",
        "heart",
        ",",
        "seen",
    ]
    assert [step.added for step in pull(home, store, real)] == [0]


def test_draft_submission_and_update_of_ones_own_work_are_stored_and_nothing_is_refused(
    page: Page,
    studio: EmbeddedServer,
    studio_home: Path,
    real: LabelStudioServer,
    figure: Figure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(FILE_VARIABLE, str(access_file(studio_home)))
    home = Home.create(tmp_path / "another", name="again", labels=("A", "B", "C", "D"))
    email = "again@example.org"
    real.ensure_account(email, PASSWORD)
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
            tx.predictions.put(Prediction(figure, "classic-1", (Subfigure("A", Box(20, 20, 300, 300)),), (0.9,)))
            tx.people.put(Person("again", frozenset({Role.ANNOTATOR}), email))
            tx.tasks.add([Task("f1", "again", "1")])
        [pushed] = push(home, store, real, images=images_folder(studio_home, studio.url))
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status in (400, 403) else None)
    log_in_to_studio(page, studio.url, email, PASSWORD)
    [task] = real.tasks(pushed.project_id)
    url = f"{pushed.url}/data?task={task['id']}"

    def changed(method: str, part: str, press: str) -> None:
        button = page.get_by_test_id(f"bottombar-{press}-button")
        with page.expect_response(lambda answer: answer.request.method == method and part in answer.url) as sent:
            button.click()
        assert sent.value.status in (200, 201), sent.value.text()

    open_task(page, url)
    with page.expect_response(lambda answer: "/drafts" in answer.url and answer.request.method == "POST") as draft:
        page.keyboard.press("a")
        mark(page, "left lung")
    assert draft.value.status == 201, draft.value.text()
    changed("POST", "/annotations", "submit")
    open_task(page, url)
    page.keyboard.press("a")
    mark(page, "right lung")
    changed("PATCH", "/annotations/", "update")
    [record] = next(iter(real.tasks(pushed.project_id)))["annotations"]
    assert record["parent_prediction"] is not None
    assert refused == []
