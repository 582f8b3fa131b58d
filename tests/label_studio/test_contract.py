"""What syncing relies on; the server in memory and the real one must both do it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.domain.errors import SyncError
from annotator.label_studio.embedded import storage_path
from annotator.label_studio.payload import annotation_payload, prediction_payload, task_data
from annotator.label_studio.server import AnnotationServer, Project
from label_config import subfigure_config
from label_config.names import SHOWN_VERSION
from tests.label_studio.fake import FakeServer

CONFIG = subfigure_config(["A", "B", "C"])


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.live)])
def server(request: pytest.FixtureRequest) -> AnnotationServer:
    return FakeServer() if request.param == "fake" else request.getfixturevalue("real")


@pytest.fixture
def project(server: AnnotationServer) -> Iterator[Project]:
    made = server.create_project("contract", "a mark", CONFIG)
    yield made
    if any(each.id == made.id for each in server.projects()):
        server.delete_project(made.id)


def a_task(id: str = "f1", *, seeded: bool = True) -> dict[str, object]:
    figure = a_figure(id)
    return {
        "data": task_data(figure),
        "predictions": [prediction_payload(a_prediction(figure))] if seeded else [],
    }


def test_the_token_names_an_account_that_is_listed(server: AnnotationServer) -> None:
    assert server.check() in server.accounts()


def test_an_account_is_made_once(server: AnnotationServer) -> None:
    made = server.ensure_account("Someone@Example.org", "long-enough-1")
    assert server.ensure_account("someone@example.org", "another-one-2") == made
    assert [each.email for each in server.accounts()].count("someone@example.org") == 1


def test_a_short_password_is_refused_in_one_line(server: AnnotationServer) -> None:
    with pytest.raises(SyncError, match=r"no account for x@example\.org") as refusal:
        server.ensure_account("x@example.org", "x")
    assert "\n" not in str(refusal.value)


def test_a_project_is_listed_as_it_was_made(server: AnnotationServer, project: Project) -> None:
    assert project in server.projects()
    assert (project.title, project.description, project.config) == ("contract", "a mark", CONFIG)


def test_a_title_beyond_fifty_characters_is_refused(server: AnnotationServer) -> None:
    with pytest.raises(SyncError, match="title"):
        server.create_project("x" * 51, "", CONFIG)


def test_a_title_can_be_replaced_by_one_that_is_no_longer(server: AnnotationServer, project: Project) -> None:
    server.set_title(project.id, "p-abcdefghij · phase 1")
    assert next(each for each in server.projects() if each.id == project.id).title == "p-abcdefghij · phase 1"
    with pytest.raises(SyncError, match="title"):
        server.set_title(project.id, "x" * 51)


def test_a_config_can_be_replaced(server: AnnotationServer, project: Project) -> None:
    wider = subfigure_config(["A", "B", "C", "D"])
    server.set_config(project.id, wider)
    assert next(each for each in server.projects() if each.id == project.id).config == wider


def test_a_description_of_several_lines_can_be_replaced(server: AnnotationServer, project: Project) -> None:
    lines = 'Mine, x < y.\nPanelwise campaign 0123456789abcdef: annotator "Zoë", phase "1". Do not edit this line.'
    server.set_description(project.id, lines)
    assert next(each for each in server.projects() if each.id == project.id).description == lines


def test_imported_tasks_come_back_with_data_and_predictions(server: AnnotationServer, project: Project) -> None:
    tasks = [a_task("f1"), a_task("f2", seeded=False)]
    assert server.import_tasks(project.id, tasks) == 2
    back = list(server.tasks(project.id))
    assert [task["data"] for task in back] == [task["data"] for task in tasks]
    assert [len(task["predictions"]) for task in back] == [1, 0]
    assert back[0]["predictions"][0]["result"] == tasks[0]["predictions"][0]["result"]
    assert all(task["annotations"] == [] and task["drafts"] == [] for task in back)
    shown = next(each for each in server.projects() if each.id == project.id).shown_version
    assert shown == SHOWN_VERSION


def test_a_prediction_with_an_unknown_label_is_refused(server: AnnotationServer, project: Project) -> None:
    task = a_task()
    task["predictions"][0]["result"][0]["value"]["rectanglelabels"] = ["Z"]
    with pytest.raises(SyncError, match="predictions"):
        server.import_tasks(project.id, [task])
    assert list(server.tasks(project.id)) == []


def test_a_prediction_can_be_exchanged_and_shown(server: AnnotationServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task(seeded=False)])
    [task] = server.tasks(project.id)
    server.add_prediction(task["id"], prediction_payload(a_prediction()))
    server.show_predictions(project.id, SHOWN_VERSION)
    [task] = server.tasks(project.id)
    server.delete_prediction(task["predictions"][0]["id"])
    [task] = server.tasks(project.id)
    assert task["predictions"] == []


def test_predictions_that_are_not_there_cannot_be_shown(server: AnnotationServer, project: Project) -> None:
    with pytest.raises(SyncError, match=r"(?i)version"):
        server.show_predictions(project.id, "nobody's")


def test_task_data_can_be_replaced(server: AnnotationServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task()])
    [task] = server.tasks(project.id)
    newer = task_data(a_figure("f1", caption="Another caption."))
    server.set_task_data(task["id"], newer)
    [task] = server.tasks(project.id)
    assert task["data"] == newer


def test_an_annotation_comes_back_whole(server: AnnotationServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task()])
    [task] = server.tasks(project.id)
    sent = annotation_payload(an_annotation(seconds=12.5)) | {"parent_prediction": task["predictions"][0]["id"]}
    made = server.add_annotation(task["id"], sent)
    [task] = server.tasks(project.id)
    [back] = task["annotations"]
    assert back["id"] == made
    assert {key: back[key] for key in sent} == sent
    assert back["completed_by"] == server.check().id


def test_images_are_served_once_the_storage_is_there(
    server: AnnotationServer, project: Project, request: pytest.FixtureRequest
) -> None:
    if isinstance(server, FakeServer):
        server.ensure_image_storage(project.id, "/images")
        server.ensure_image_storage(project.id, "/images")
        assert server.calls.count("ensure_image_storage") == 1
        return
    import httpx

    home: Path = request.getfixturevalue("studio_home")
    studio = request.getfixturevalue("studio")
    server.ensure_image_storage(project.id, str(storage_path(home)))
    with httpx.Client(trust_env=False, headers={"Authorization": f"Token {studio.token}"}) as visitor:
        image = visitor.get(f"{server.url}/data/local-files/?d=images/f1.png")
        assert image.content == (home / "images" / "f1.png").read_bytes()
        for secret in ("../credentials.json", "images/../../credentials.json", "credentials.json"):
            assert visitor.get(f"{server.url}/data/local-files/", params={"d": secret}).status_code >= 400


def test_a_project_that_is_gone_is_an_error_in_one_line(server: AnnotationServer, project: Project) -> None:
    server.delete_project(project.id)
    with pytest.raises(SyncError, match="404") as refusal:
        list(server.tasks(project.id))
    assert "\n" not in str(refusal.value)
    assert project.id not in [each.id for each in server.projects()]
