"""What somebody changed by hand in a Label Studio project: configs, locked regions, tasks of their own."""

from __future__ import annotations

import pytest
from builders import a_figure, a_prediction, an_annotation
from services.pushed_and_pulled import pulled, pushed, task_of

from annotator.campaign.home import Home
from annotator.label_studio.payload.figures import annotation_payload, prediction_payload, task_data
from annotator.store.store import Store
from panelwise.domain.campaign import Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

WORK = annotation_payload(an_annotation())


@pytest.fixture
def home(lungs: Home) -> Home:
    return lungs


@pytest.fixture
def store(given_out: Store) -> Store:
    return given_out


def test_a_moved_locked_region_is_refused_and_told(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server, seeded=False)["ann2"].project_id
    task = task_of(server, project)["id"]
    given = prediction_payload(a_prediction())
    for region in given["result"]:
        region["readonly"] = region["type"] == "rectanglelabels"
    server.add_prediction(task, given)
    moved = [dict(region) for region in WORK["result"]]
    moved[0] = moved[0] | {"value": moved[0]["value"] | {"x": 3.0}}
    made = server.add_annotation(task, {"result": moved})
    [problem] = pulled(home, store, server)["ann2"].problems
    assert 'figure "f1", annotator "ann2": the locked region "A" was changed; put it back' in problem
    server.edit_annotation(task, made, result=WORK["result"][1:])
    [problem] = pulled(home, store, server)["ann2"].problems
    assert 'the locked region "A" was removed' in problem
    server.edit_annotation(task, made, result=WORK["result"])
    step = pulled(home, store, server)["ann2"]
    assert (step.added, step.problems) == (1, [])


def test_a_config_whose_names_were_edited_is_told_put_back_and_costs_no_work(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    ours = next(each.config for each in server.projects() if each.id == project)
    server.set_config(project, ours.replace('name="subfig"', 'name="boxes"'))
    renamed = [
        region | {"from_name": "boxes"} if region["from_name"] == "subfig" else region for region in WORK["result"]
    ]
    server.add_annotation(task_of(server, project)["id"], {"result": renamed})
    for _ in range(2):
        edited, left = pulled(home, store, server)["ann2"].problems
        assert 'was edited by hand and lacks RectangleLabels "subfig" of "figure"' in edited
        assert "nothing of it is kept until the config is put back" in left
    with store.read() as tx:
        assert tx.annotations.count() == 0
    step = pushed(home, store, server)["ann2"]
    assert "was edited by hand" in step.notes[0]
    assert "the campaign's was put back" in step.notes[0]
    assert next(each.config for each in server.projects() if each.id == project) == ours
    assert pushed(home, store, server)["ann2"].notes == []


def test_an_edit_of_a_config_that_leaves_all_names_is_kept_and_told(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    ours = next(each.config for each in server.projects() if each.id == project)
    prettier = ours.replace("<View>", '<View><Header value="Mind the scale bars"/>', 1)
    server.set_config(project, prettier)
    assert pulled(home, store, server)["ann2"].problems == []
    for _ in range(2):
        assert "was edited by hand; it is left as it is" in pushed(home, store, server)["ann2"].notes[0]
    assert next(each.config for each in server.projects() if each.id == project) == prettier


def test_a_config_that_cannot_be_put_back_holds_up_that_project_only(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    server.set_config(project, "<View><Text name='t' value='$caption'/></View>")

    def refused(*_: object) -> None:
        raise SyncError("refused (400): created annotations are incompatible")

    monkeypatch.setattr(server, "set_config", refused)
    with store.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.tasks.add([Task("f3", name, "1") for name in ("ann1", "ann2")])
    steps = pushed(home, store, server)
    assert "cannot be put back, so nothing is pushed" in steps["ann1"].problems[0]
    assert {name: step.added for name, step in steps.items()} == {"ann1": 0, "ann2": 1}


def test_somebodys_own_task_in_a_project_does_no_harm(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    server.import_tasks(project, [{"data": task_data(a_figure("theirs")), "predictions": []}])
    step = pushed(home, store, server)["ann2"]
    assert (step.added, step.unchanged, step.problems) == (0, 2, [])
    assert pulled(home, store, server)["ann2"].open == 2
