"""The real Label Studio asks the models when a task is opened, and what it gets comes back with the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.annotation_server import Models
from annotator.campaign.home import Home
from annotator.imports.figures import import_figures
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer
from annotator.model_server.answers import Answers, ImageSource
from annotator.model_server.app import ModelServer
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task
from panelwise.files.jsonl import Problems
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe
from tests.live.label_studio.conftest import draw_panels

pytestmark = pytest.mark.live

CAPTION = "(A) The left lung. (B) The right lung."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    for name in ("f1", "f2"):
        draw_panels(tmp_path / f"{name}.png")
    lines = [
        f'{{"figure_id": "{name}", "image": "{name}.png", "caption": "{CAPTION}"}}\n' for name in ("f1", "f2")
    ]
    (tmp_path / "figures.jsonl").write_text("".join(lines))
    home = Home.create(tmp_path / "home", labels=("A", "B", "C"))
    with home.open_store() as store:
        assert sum(1 for _ in import_figures(home, store, tmp_path / "figures.jsonl", Problems())) == 2
        with store.transaction() as tx:
            tx.tasks.add([Task(name, "ann1", "1") for name in ("f1", "f2")])
    return home


def opened(server: LabelStudioServer, project_id: int, task_id: int) -> dict[str, Any]:
    """A task as the page asks for it when somebody opens it."""
    found: dict[str, Any] = server._ask("GET", f"/api/tasks/{task_id}/", {"project": project_id})
    return found


def test_opening_a_task_shows_what_the_models_find_and_the_work_knows_its_model(
    home: Home, real: LabelStudioServer, studio: EmbeddedServer
) -> None:
    told: list[str] = []
    answers = Answers(FigureModel(Recipe()), ImageSource(home.path), told.append)
    with home.open_store() as store, ModelServer(answers, password="open sesame") as models:
        where = Models.read(models.url, "open sesame")
        [step] = push(home, store, real, models=where)
        assert (step.added, step.seeded, step.problems, step.notes) == (2, 0, [], [])
        first, second = real.tasks(step.project_id)
        assert first["predictions"] == second["predictions"] == []

        task = opened(real, step.project_id, first["id"])
        [prediction] = task["predictions"]
        assert prediction["model_version"] == names.SHOWN_VERSION
        labels = [region["value"].get("rectanglelabels") for region in prediction["result"]]
        assert labels[:2] == [["A"], ["B"]]
        assert [each["id"] for each in opened(real, step.project_id, first["id"])["predictions"]] == [
            prediction["id"]
        ]

        following = real._ask("GET", f"/api/projects/{step.project_id}/next", {})
        assert len(following["predictions"]) == 1
        assert following["predictions"][0]["result"]

        work = {"result": prediction["result"], "was_cancelled": False, "parent_prediction": prediction["id"]}
        real.add_annotation(first["id"], work)
        [back] = pull(home, store, real)
        assert (back.added, back.problems) == (1, [])
        with store.read() as tx:
            [annotation] = tx.annotations.all(figure="f1")
        assert (annotation.status, annotation.seeded_by) == (Status.ACCEPTED, answers.version)
        assert [each.label for each in annotation.subfigures] == ["A", "B"]

        [again] = push(home, store, real, models=where)
        assert (again.added, again.unchanged, again.problems) == (0, 2, [])
        assert [each.connected for each in real.model_servers(step.project_id)] == [True]
        assert told == []

        [wrong] = push(home, store, real, models=Models.read("http://127.0.0.1:9"))
        assert len(wrong.problems) == 1
        assert "http://127.0.0.1:9" in wrong.problems[0]
        push_none = push(home, store, real, models=Models.read("none"))
        assert [each.problems for each in push_none] == [[]]
        assert real.model_servers(step.project_id) == []
