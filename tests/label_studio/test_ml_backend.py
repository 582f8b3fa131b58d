"""Projects and the models that they ask (`annotator push --ml-backend`)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_figure, an_annotation

from annotator.annotation_server import Models, Project
from annotator.label_studio.ml_backend import connect
from annotator.label_studio.payload.figures import prediction_payload
from annotator.label_studio.payload.reading import pulled, signed_by
from annotator.model_server.answers import signed
from label_config import names, subfigure_config
from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

URL = "http://127.0.0.1:9090"
PHASE = Phase("1")


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def project(server: FakeServer) -> Project:
    return server.create_project("ann · phase 1", "", subfigure_config(["A", "B"]))


def asked(server: FakeServer, project: Project) -> list[str]:
    return [each.url for each in server.model_servers(project.id)]


def test_a_project_is_connected_once_and_shows_what_the_models_say(server: FakeServer, project: Project) -> None:
    assert connect(server, project.id, Models.read(f"{URL}/", "word"), replace(PHASE, single_span=True)) == ""
    assert connect(server, project.id, Models.read(URL, "word"), PHASE) == ""
    assert server.calls.count("add_model_server") == 1
    [(_, settings)] = server.models.values()
    assert settings["title"] == names.SHOWN_VERSION
    assert (settings["basic_auth_user"], settings["basic_auth_pass"]) == ("panelwise", "word")
    assert settings["extra_params"] == {"single_span": True}
    assert [each.shown_version for each in server.projects()] == [names.SHOWN_VERSION]


def test_without_a_password_none_is_sent(server: FakeServer, project: Project) -> None:
    connect(server, project.id, Models.read(URL), PHASE)
    [(_, settings)] = server.models.values()
    assert "auth_method" not in settings


def test_another_address_takes_the_place_of_the_old_one_and_strangers_stay(
    server: FakeServer, project: Project
) -> None:
    server.add_model_server(project.id, {"url": "http://own.example", "title": "somebody's own"})
    connect(server, project.id, Models.read(URL), PHASE)
    connect(server, project.id, Models.read("http://other.example:1"), PHASE)
    assert asked(server, project) == ["http://own.example", "http://other.example:1"]
    connect(server, project.id, Models.read("none"), PHASE)
    assert asked(server, project) == ["http://own.example"]


def test_models_that_label_studio_does_not_reach_are_told(server: FakeServer, project: Project) -> None:
    connect(server, project.id, Models.read(URL), PHASE)
    server.unreachable.add(URL)
    with pytest.raises(SyncError, match="Can't connect"):
        connect(server, project.id, Models.read(URL), PHASE)


@pytest.mark.parametrize(
    ("phase", "why"),
    [
        (replace(PHASE, seeded=False), "without pre-labels"),
        (replace(PHASE, overlap_seeded=False), "overlap is done without"),
        (replace(PHASE, unseeded=0.1), "drawn to begin without"),
        (replace(PHASE, task_type=TaskType.FIGURE_QA), "no models for"),
        (replace(PHASE, task_type=TaskType.HUMAN_EVAL), "no models for"),
    ],
)
def test_a_phase_that_is_to_begin_from_nothing_is_not_connected_and_no_longer(
    server: FakeServer, project: Project, phase: Phase, why: str
) -> None:
    connect(server, project.id, Models.read(URL), PHASE)
    assert why in connect(server, project.id, Models.read(URL), phase)
    assert asked(server, project) == []


@pytest.mark.parametrize("text", ["", "127.0.0.1:9090", "ftp://x", "http://", "http://user:word@host"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(SyncError, match="no address of models"):
        Models.read(text)


def test_a_password_is_not_shown() -> None:
    assert "word" not in repr(Models.read(URL, "word"))


def test_work_that_began_from_a_live_prediction_knows_its_model() -> None:
    work = an_annotation(a_figure())
    from panelwise.domain.annotation import Prediction

    prediction = Prediction(work.figure, "m-7", work.subfigures, (0.5, 0.5))
    live = {"id": 5, **(signed(prediction_payload(prediction), "m-7") or {})}
    task = {"id": 1, "data": {names.DATA_CAPTION: work.figure.caption.text}, "predictions": [live]}
    record = {
        "id": 2,
        "result": live["result"],
        "parent_prediction": 5,
        "created_at": "2026-11-21T12:00:00Z",
        "updated_at": "2026-11-21T12:00:00Z",
        "was_cancelled": False,
    }
    assert signed_by(task, 5) == "m-7"
    assert signed_by(task, 6) is None
    found = pulled(task, record, work.figure, annotator="ann1", phase=Phase("1"))
    assert found.annotation.seeded_by == "m-7"
    assert found.annotation.subfigures == work.subfigures
