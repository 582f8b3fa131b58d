"""Another front end than Label Studio is one class: the services ask nothing but what the protocol says."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest
from builders import a_figure, a_subfigure, an_annotation
from services.plain_front_end import PlainFrontEnd

from annotator.annotation_server import AnnotationServer, Models, ServerTask
from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import push
from annotator.sync.push_tasks import Pushed
from panelwise.domain.campaign import Phase, Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

PHASE = Phase("1")


@pytest.fixture
def plain() -> PlainFrontEnd:
    return PlainFrontEnd()


def pushed(home: Home, store: Store, server: AnnotationServer) -> dict[str, Pushed]:
    return {step.annotator: step for step in push(home, store, server)}


def pulled(home: Home, store: Store, server: AnnotationServer) -> dict[str, PulledProject]:
    return {step.annotator: step for step in pull(home, store, server)}


def task_at(server: AnnotationServer, project_id: int, figure: str) -> ServerTask:
    [task] = server.tasks_of_sources(project_id, [figure])
    return task


def test_work_goes_to_another_front_end_and_comes_back(
    lungs: Home, given_out: Store, plain: PlainFrontEnd
) -> None:
    steps = pushed(lungs, given_out, plain)
    assert {name: (step.added, step.seeded, step.problems) for name, step in steps.items()} == {
        "ann1": (2, 1, []),
        "ann2": (2, 1, []),
    }
    again = pushed(lungs, given_out, plain)
    assert {(step.added, step.unchanged, step.seeded) for step in again.values()} == {(0, 2, 0)}
    work = an_annotation(a_figure("f1"), seconds=12.0)
    plain.submit(task_at(plain, steps["ann1"].project_id, "f1").id, work, PHASE)
    step = pulled(lungs, given_out, plain)["ann1"]
    assert (step.added, step.open, step.problems, step.findings) == (1, 1, [], [])
    with given_out.read() as tx:
        [back] = tx.annotations.all()
    assert (back.subfigures, back.seconds, back.annotator) == (work.subfigures, 12.0, "ann1")
    assert pulled(lungs, given_out, plain)["ann1"].added == 0


def test_an_untouched_task_follows_its_prediction_there_too(
    lungs: Home, given_out: Store, plain: PlainFrontEnd
) -> None:
    project = pushed(lungs, given_out, plain)["ann1"].project_id
    with given_out.transaction() as tx:
        older = tx.predictions.latest_of({"f1": a_figure("f1")})["f1"]
        tx.predictions.put(replace(older, model_version="newer", subfigures=(a_subfigure("C"),), scores=(0.5,)))
    step = pushed(lungs, given_out, plain)["ann1"]
    assert (step.added, step.unchanged, step.seeded) == (0, 1, 1)
    assert task_at(plain, project, "f1").content["prediction"].model_version == "newer"


def test_a_reassigned_task_is_withdrawn_there_unless_it_has_work(
    lungs: Home, given_out: Store, plain: PlainFrontEnd
) -> None:
    project = pushed(lungs, given_out, plain)["ann1"].project_id
    plain.submit(task_at(plain, project, "f1").id, an_annotation(a_figure("f1")), PHASE)
    with given_out.transaction() as tx:
        tx.tasks.remove([Task(figure, "ann1", "1") for figure in ("f1", "f2")])
        tx.tasks.add([Task("f3", "ann1", "1")] if tx.figures.add(a_figure("f3")) else [])
    step = pushed(lungs, given_out, plain)["ann1"]
    assert (step.added, step.withdrawn) == (1, 1)
    assert "started or done, so the tasks are left: f1" in step.notes[0]


def test_models_and_calls_that_a_front_end_lacks_are_reported(
    lungs: Home, given_out: Store, plain: PlainFrontEnd
) -> None:
    steps = list(push(lungs, given_out, plain, models=Models.read("http://127.0.0.1:9090")))
    assert all("it asks no models" in step.notes[-1] for step in steps)
    with pytest.raises(SyncError, match="it calls nobody"):
        plain.call_back(steps[0].project_id, "http://127.0.0.1:1")


METHODS = sorted(
    name for name, member in vars(AnnotationServer).items() if inspect.isfunction(member) and name[0] != "_"
)


@pytest.mark.parametrize("kind", [LabelStudioServer, FakeServer, PlainFrontEnd])
@pytest.mark.parametrize("method", METHODS)
def test_a_front_end_has_each_method_with_the_parameters_of_the_protocol(kind: type, method: str) -> None:
    own, asked = getattr(kind, method), getattr(AnnotationServer, method)
    assert own is not asked, "not implemented"
    names = [(each.name, each.kind, each.default) for each in inspect.signature(own).parameters.values()]
    assert names == [(each.name, each.kind, each.default) for each in inspect.signature(asked).parameters.values()]


def test_an_annotation_without_an_id_is_named_in_one_line(
    lungs: Home, given_out: Store, server: FakeServer
) -> None:
    project = pushed(lungs, given_out, server)["ann1"].project_id
    [task, *_] = server.tasks(project)
    server.add_annotation(task["id"], {"result": []})
    del server._tasks[task["id"]]["annotations"][0]["id"]
    with pytest.raises(SyncError, match=f"task {task['id']} has an annotation without an id; look at it") as error:
        pulled(lungs, given_out, server)
    assert "\n" not in str(error.value)
