"""What syncing relies on; the server in memory and the real one must both do it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.annotation_server import Project, TaskCount
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import storage_path
from annotator.label_studio.payload.figures import annotation_payload, prediction_payload, task_data
from label_config import subfigure_config
from label_config.names import SHOWN_VERSION
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

CONFIG = subfigure_config(["A", "B", "C"])


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.live)])
def server(request: pytest.FixtureRequest) -> LabelStudioServer:
    return FakeServer() if request.param == "fake" else request.getfixturevalue("real")


@pytest.fixture
def project(server: LabelStudioServer) -> Iterator[Project]:
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


def test_the_token_names_an_account_that_is_listed(server: LabelStudioServer) -> None:
    assert server.check() in server.accounts()


def test_an_account_is_made_once(server: LabelStudioServer) -> None:
    made = server.ensure_account("Someone@Example.org", "long-enough-1")
    assert server.ensure_account("someone@example.org", "another-one-2") == made
    assert [each.email for each in server.accounts()].count("someone@example.org") == 1


def test_an_invitation_is_a_page_of_this_server(server: LabelStudioServer) -> None:
    assert server.invitation().startswith(f"{server.url}/user/signup/?token=")


def test_a_short_password_is_refused_in_one_line(server: LabelStudioServer) -> None:
    with pytest.raises(SyncError, match=r"no account for x@example\.org") as refusal:
        server.ensure_account("x@example.org", "x")
    assert "\n" not in str(refusal.value)


def test_a_project_is_listed_as_it_was_made(server: LabelStudioServer, project: Project) -> None:
    assert project in server.projects()
    assert (project.title, project.description, project.config) == ("contract", "a mark", CONFIG)


def test_a_title_beyond_fifty_characters_is_refused(server: LabelStudioServer) -> None:
    with pytest.raises(SyncError, match="title"):
        server.create_project("x" * 51, "", CONFIG)


def test_a_title_can_be_replaced_by_one_that_is_no_longer(server: LabelStudioServer, project: Project) -> None:
    server.set_title(project.id, "p-abcdefghij · phase 1")
    assert next(each for each in server.projects() if each.id == project.id).title == "p-abcdefghij · phase 1"
    with pytest.raises(SyncError, match="title"):
        server.set_title(project.id, "x" * 51)


def test_a_config_can_be_replaced(server: LabelStudioServer, project: Project) -> None:
    wider = subfigure_config(["A", "B", "C", "D"])
    server.set_config(project.id, wider)
    assert next(each for each in server.projects() if each.id == project.id).config == wider


def test_a_description_of_several_lines_can_be_replaced(server: LabelStudioServer, project: Project) -> None:
    lines = 'Mine, x < y.\nPanelwise campaign 0123456789abcdef: annotator "Zoë", phase "1". Do not edit this line.'
    server.set_description(project.id, lines)
    assert next(each for each in server.projects() if each.id == project.id).description == lines


def test_imported_tasks_come_back_with_data_and_predictions(server: LabelStudioServer, project: Project) -> None:
    tasks = [a_task("f1"), a_task("f2", seeded=False)]
    assert len(server.import_tasks(project.id, tasks).task_ids) == 2
    back = list(server.tasks(project.id))
    assert [task["data"] for task in back] == [task["data"] for task in tasks]
    assert [len(task["predictions"]) for task in back] == [1, 0]
    assert back[0]["predictions"][0]["result"] == tasks[0]["predictions"][0]["result"]
    assert all(task["annotations"] == [] and task["drafts"] == [] for task in back)
    shown = next(each for each in server.projects() if each.id == project.id).shown_version
    assert shown == SHOWN_VERSION


def test_a_prediction_with_an_unknown_label_is_refused(server: LabelStudioServer, project: Project) -> None:
    task = a_task()
    task["predictions"][0]["result"][0]["value"]["rectanglelabels"] = ["Z"]
    with pytest.raises(SyncError, match="predictions"):
        server.import_tasks(project.id, [task])
    assert list(server.tasks(project.id)) == []


def test_a_prediction_can_be_exchanged_and_shown(server: LabelStudioServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task(seeded=False)])
    [task] = server.tasks(project.id)
    server.add_prediction(task["id"], prediction_payload(a_prediction()))
    server.show_predictions(project.id, SHOWN_VERSION)
    [task] = server.tasks(project.id)
    server.delete_prediction(task["predictions"][0]["id"])
    [task] = server.tasks(project.id)
    assert task["predictions"] == []


def test_predictions_that_are_not_there_cannot_be_shown(server: LabelStudioServer, project: Project) -> None:
    with pytest.raises(SyncError, match=r"(?i)version"):
        server.show_predictions(project.id, "nobody's")


def test_task_data_can_be_replaced(server: LabelStudioServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task()])
    [task] = server.tasks(project.id)
    newer = task_data(a_figure("f1", caption="Another caption."))
    server.set_task_data(task["id"], newer)
    [task] = server.tasks(project.id)
    assert task["data"] == newer


def test_an_annotation_comes_back_whole(server: LabelStudioServer, project: Project) -> None:
    server.import_tasks(project.id, [a_task()])
    [task] = server.tasks(project.id)
    sent = annotation_payload(an_annotation(seconds=12.5)) | {"parent_prediction": task["predictions"][0]["id"]}
    made = server.add_annotation(task["id"], sent)
    [task] = server.tasks(project.id)
    [back] = task["annotations"]
    assert back["id"] == made
    assert {key: back[key] for key in sent} == sent
    assert back["completed_by"] == server.check().id


def test_what_changed_is_listed_in_the_order_in_which_it_changed(
    server: LabelStudioServer, project: Project
) -> None:
    made = server.import_tasks(project.id, [a_task(f"f{number}") for number in range(4)]).task_ids
    everything = list(server.changes(project.id, None))
    assert {mark.id: mark.source for mark in everything} == {
        task: f"f{number}" for number, task in enumerate(made)
    }
    assert [mark.updated_at for mark in everything] == sorted(mark.updated_at for mark in everything)
    latest = everything[-1].updated_at
    server.add_annotation(made[2], annotation_payload(an_annotation()))
    server.add_annotation(made[0], {"result": [], "was_cancelled": True})
    later = list(server.changes(project.id, latest))
    assert [(mark.id, mark.submitted, mark.skipped) for mark in later] == [(made[2], 1, 0), (made[0], 0, 1)]
    assert [mark.id for mark in server.changes(project.id, later[0].updated_at)] == [made[0]]
    assert list(server.changes(project.id, later[1].updated_at)) == []
    assert [(mark, task["id"]) for mark, task in server.whole_changes(project.id, latest)] == [
        (mark, mark.id) for mark in later
    ]
    first = everything[0].updated_at
    assert server.count_changed(project.id, first, latest) == 2
    assert server.count_changed(project.id, first, later[1].updated_at) == 4


def test_tasks_are_counted_listed_and_read_by_id_and_by_source(
    server: LabelStudioServer, project: Project
) -> None:
    made = server.import_tasks(project.id, [a_task("f1"), a_task("f,2 😀"), a_task("f3", seeded=False)]).task_ids
    server.add_annotation(made[1], {"result": []})
    assert server.count(project.id) == TaskCount(3, 1, 2)
    assert server.count(project.id, [made[0], made[2], 999_999]) == TaskCount(2, 0, 1)
    assert server.count(project.id, []) == TaskCount(0, 0, 0)
    assert [mark.id for mark in server.marks(project.id, [made[2], 999_999])] == [made[2]]
    [whole] = server.tasks_by_id(project.id, [made[1]])
    assert whole in list(server.tasks(project.id))
    assert len(whole["annotations"]) == len(whole["predictions"]) == 1
    assert server.tasks_by_id(project.id, []) == server.tasks_by_source(project.id, []) == []
    found = server.tasks_by_source(project.id, ["f,2 😀", "f3", "f"])
    assert [task["id"] for task in found] == [made[1], made[2]]


def test_a_prediction_can_be_replaced_and_a_task_removed(server: LabelStudioServer, project: Project) -> None:
    one, other = server.import_tasks(project.id, [a_task("f1"), a_task("f2")]).task_ids
    [task] = server.tasks_by_id(project.id, [one])
    newer = prediction_payload(a_prediction(scores=[0.1, 0.2]))
    server.update_prediction(one, task["predictions"][0]["id"], newer)
    [task] = server.tasks_by_id(project.id, [one])
    assert [(each["score"], each["result"]) for each in task["predictions"]] == [(newer["score"], newer["result"])]
    server.delete_task(one)
    assert [task["id"] for task in server.tasks(project.id)] == [other]


def test_instructions_are_listed_as_they_were_set(server: LabelStudioServer, project: Project) -> None:
    server.set_instructions(project.id, "<p>Mark every panel.</p>")
    told = next(each for each in server.projects() if each.id == project.id)
    assert told.instructions == "<p>Mark every panel.</p>"


def test_images_are_served_once_the_storage_is_there(
    server: LabelStudioServer, project: Project, request: pytest.FixtureRequest
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
    with httpx.Client(trust_env=False, timeout=600, headers={"Authorization": f"Token {studio.token}"}) as visitor:
        image = visitor.get(f"{server.url}/data/local-files/?d=images/f1.png")
        assert image.content == (home / "images" / "f1.png").read_bytes()
        for secret in ("../credentials.json", "images/../../credentials.json", "credentials.json"):
            assert visitor.get(f"{server.url}/data/local-files/", params={"d": secret}).status_code >= 400


def test_a_project_that_is_gone_is_an_error_in_one_line(server: LabelStudioServer, project: Project) -> None:
    server.delete_project(project.id)
    with pytest.raises(SyncError, match="404") as refusal:
        list(server.tasks(project.id))
    assert "\n" not in str(refusal.value)
    assert project.id not in [each.id for each in server.projects()]
