"""Pushing tasks and pre-labels: nothing twice, nothing that was worked on overwritten."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import NOON, a_figure, an_annotation
from services.pushed_and_pulled import pulled, pushed, task_of

from annotator.annotation_server import Imported
from annotator.campaign.home import Home
from annotator.label_studio.payload.figures import annotation_payload, regions
from annotator.store.queries.links import LinkQueries
from annotator.store.store import Store
from annotator.sync import marked_projects as projects
from annotator.sync import push_tasks
from label_config import names
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Role, Task
from panelwise.domain.caption import Caption
from panelwise.domain.errors import SyncError
from prelabel.captions.parser import ParsedCaption, parse_caption
from tests.label_studio.fake import FakeServer


@pytest.fixture
def home(lungs: Home) -> Home:
    return lungs


@pytest.fixture
def store(given_out: Store) -> Store:
    return given_out


def test_every_annotator_gets_a_project_with_their_tasks(home: Home, store: Store, server: FakeServer) -> None:
    steps = pushed(home, store, server, phase="1")
    assert {name: (step.added, step.seeded, step.problems) for name, step in steps.items()} == {
        "ann1": (2, 1, []),
        "ann2": (2, 1, []),
    }
    assert [project.title for project in server.projects()] == ["ann1 · phase 1", "ann2 · phase 1"]
    with store.read() as tx:
        assert {(link.annotator, link.figure_id) for link in tx.links.all(phase="1")} == {
            (name, figure) for name in ("ann1", "ann2") for figure in ("f1", "f2")
        }
        assert [link.project_id for link in tx.links.projects()] == [step.project_id for step in steps.values()]


@pytest.mark.parametrize("times", [5, pytest.param(100, marks=pytest.mark.soak)])
def test_pushed_again_and_again_every_task_stays_the_one_it_was(
    home: Home, store: Store, server: FakeServer, times: int
) -> None:
    def tasks() -> dict[int, list[int]]:
        return {
            project.id: sorted(task["id"] for task in server.tasks(project.id)) for project in server.projects()
        }

    pushed(home, store, server)
    first = tasks()
    for _ in range(times):
        assert all((step.added, step.seeded) == (0, 0) for step in pushed(home, store, server).values())
        assert tasks() == first


def test_pushing_twice_changes_nothing(home: Home, store: Store, server: FakeServer) -> None:
    pushed(home, store, server)
    server.calls.clear()
    again = pushed(home, store, server)
    assert server.calls == []
    assert {(step.added, step.seeded, step.unchanged) for step in again.values()} == {(0, 0, 2)}


def test_a_figure_assigned_later_is_added(home: Home, store: Store, server: FakeServer) -> None:
    pushed(home, store, server)
    with store.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.tasks.add([Task("f3", "ann1", "1")])
    assert {name: step.added for name, step in pushed(home, store, server).items()} == {"ann1": 1, "ann2": 0}


def test_only_the_named_annotators_are_pushed(home: Home, store: Store, server: FakeServer) -> None:
    assert list(pushed(home, store, server, annotators=["ann2"])) == ["ann2"]


def test_an_annotator_without_tasks_is_named(home: Home, store: Store, server: FakeServer) -> None:
    with pytest.raises(SyncError, match='"ann9"; run annotator status'):
        pushed(home, store, server, annotators=["ann9"])
    with pytest.raises(SyncError, match='phase "9"'):
        pulled(home, store, server, phase="9")


def test_a_new_prediction_replaces_that_of_an_untouched_task(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    newer = Prediction(a_figure(), "model-2", (Subfigure("C", Box(0, 0, 8, 6)),), (1.0,))
    with store.transaction() as tx:
        tx.predictions.put(newer)
    assert pushed(home, store, server)["ann1"].seeded == 1
    task = task_of(server, project)
    assert [each["result"] for each in task["predictions"]] == [regions(a_figure(), newer.subfigures)]
    assert task["data"][names.DATA_SEED] == "model-2"


def test_a_task_with_work_in_it_keeps_its_prediction(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    server.add_annotation(task_of(server, project)["id"], annotation_payload(an_annotation()))
    before = task_of(server, project)
    with store.transaction() as tx:
        tx.predictions.put(Prediction(a_figure(), "model-2", (), ()))
    assert pushed(home, store, server)["ann1"].seeded == 0
    assert task_of(server, project) == before


def test_without_prelabels_tasks_are_bare(home: Home, store: Store, server: FakeServer) -> None:
    step = pushed(home, store, server, seeded=False)["ann1"]
    assert step.seeded == 0
    assert task_of(server, step.project_id)["predictions"] == []


def test_prelabels_that_come_late_are_shown(home: Home, store: Store, server: FakeServer) -> None:
    pushed(home, store, server, seeded=False)
    step = pushed(home, store, server)["ann1"]
    assert step.seeded == 1
    assert {project.shown_version for project in server.projects()} == {names.SHOWN_VERSION}


def test_a_label_outside_the_palette_is_left_out_and_named(home: Home, store: Store, server: FakeServer) -> None:
    subfigures = (Subfigure("A", Box(0, 0, 9, 9)), Subfigure("iv", Box(0, 0, 9, 9)))
    with store.transaction() as tx:
        tx.predictions.put(Prediction(a_figure(), "model-2", subfigures, (1.0, 1.0)))
    step = pushed(home, store, server)["ann1"]
    assert len(task_of(server, step.project_id)["predictions"][0]["result"]) == 1
    assert ['label "iv"' in line for line in step.problems] == [True]


def test_a_prediction_with_too_many_boxes_is_left_out_and_named(
    home: Home, store: Store, server: FakeServer
) -> None:
    subfigures = (Subfigure("A", Box(0, 0, 9, 9)), Subfigure("B", Box(0, 0, 9, 9)))
    with store.transaction() as tx:
        tx.predictions.put(Prediction(a_figure(), "model-2", subfigures, (1.0, 1.0)))
    few = replace(home, settings=replace(home.settings, campaign=replace(home.campaign, max_boxes=1)))
    step = pushed(few, store, server)["ann1"]
    assert task_of(server, step.project_id)["predictions"] == []
    assert [line for line in step.problems if "2 boxes, more than the 1 that max_boxes" in line]


def test_a_label_that_differs_in_case_is_written_as_the_campaigns(
    home: Home, store: Store, server: FakeServer
) -> None:
    subfigures = tuple(Subfigure(label, Box(0, 0, 9, 9)) for label in ("a", "B", "b"))
    with store.transaction() as tx:
        tx.predictions.put(Prediction(a_figure(), "model-2", subfigures, (1.0, 1.0, 1.0)))
    step = pushed(home, store, server)["ann1"]
    [prediction] = task_of(server, step.project_id)["predictions"]
    assert [region["value"]["rectanglelabels"] for region in prediction["result"]] == [["A"], ["B"]]
    assert ['label "b"' in line for line in step.problems] == [True]


def test_a_figure_without_an_image_is_named_and_the_rest_is_pushed(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("bare", image=""))
        tx.tasks.add([Task("bare", "ann1", "1")])
    step = pushed(home, store, server)["ann1"]
    assert step.added == 2
    assert ['figure "bare"' in line for line in step.problems] == [True]


def test_more_tasks_than_one_batch_are_all_pushed(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("push_tasks", "pull_tasks"):
        monkeypatch.setattr(f"annotator.sync.{module}.BATCH", 2)
    with store.transaction() as tx:
        for number in range(5):
            tx.figures.add(a_figure(f"g{number}"))
        tx.tasks.add([Task(f"g{number}", "ann1", "1") for number in range(5)])
    step = pushed(home, store, server)["ann1"]
    assert step.added == 7
    for task in server.tasks(step.project_id):
        server.add_annotation(task["id"], {"result": []})
    assert pulled(home, store, server)["ann1"].added == 7


@pytest.mark.slow
def test_a_server_that_makes_too_few_tasks_is_an_error(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "import_tasks", lambda _project, tasks: Imported((7,), 1))
    with pytest.raises(SyncError, match="made 1 of 2 tasks"):
        pushed(home, store, server)


def test_a_push_that_broke_off_is_taken_up(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(LinkQueries, "put", lambda *_: (_ for _ in ()).throw(SyncError("off")))
        with pytest.raises(SyncError, match="off"):
            pushed(home, store, server)
    steps = pushed(home, store, server)
    assert (steps["ann1"].added, steps["ann1"].unchanged) == (0, 2)
    assert (steps["ann2"].added, steps["ann2"].unchanged) == (2, 0)
    assert len(server.projects()) == 2


def test_long_names_give_titles_that_the_server_takes_and_that_differ() -> None:
    titles = {projects.title("a" * 60 + end, "1") for end in "xy"}
    assert {len(title) for title in titles} == {projects.TITLE_LIMIT}
    assert len(titles) == 2


def test_an_untouched_task_gets_the_new_caption_and_one_with_work_keeps_the_old(
    home: Home, store: Store, server: FakeServer
) -> None:
    steps = pushed(home, store, server)
    older = {name: task_of(server, step.project_id) for name, step in steps.items()}
    for task in older.values():
        server.set_task_data(task["id"], task["data"] | {names.DATA_CAPTION: "An older caption."})
    server.add_annotation(older["ann2"]["id"], {"result": []})
    pulled(home, store, server)  # tells that these tasks are not any more as they were sent
    steps = pushed(home, store, server)
    assert steps["ann1"].problems == []
    assert task_of(server, steps["ann1"].project_id)["data"] == older["ann1"]["data"]
    assert '"ann2" has worked on an older caption' in steps["ann2"].problems[0]
    assert "not the stored one" in pulled(home, store, server)["ann2"].problems[0]


def test_of_two_tasks_of_one_figure_the_one_with_work_counts(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann1"].project_id
    server.import_tasks(project, [{"data": task_of(server, project)["data"], "predictions": []}])
    twin = [task for task in server.tasks(project) if task["data"][names.DATA_SOURCE] == "f1"][1]
    server.add_annotation(twin["id"], annotation_payload(an_annotation()))
    assert "more than one task" in pushed(home, store, server)["ann1"].problems[0]
    with store.read() as tx:
        assert {link.figure_id: link.task_id for link in tx.links.all(annotator="ann1")}["f1"] == twin["id"]
    assert pulled(home, store, server)["ann1"].added == 1


def test_a_prediction_that_the_server_dropped_is_an_error(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = server.import_tasks
    monkeypatch.setattr(
        server,
        "import_tasks",
        lambda project, tasks: real(project, [{**each, "predictions": []} for each in tasks]),
    )
    with pytest.raises(SyncError, match='made 0 of 1 prediction of project "ann1 · phase 1"; push again'):
        pushed(home, store, server)


@pytest.mark.parametrize("seeded_at_first", [False, True])
def test_a_task_with_a_draft_is_left_alone_and_holds_up_nothing(
    home: Home, store: Store, server: FakeServer, seeded_at_first: bool
) -> None:
    project = pushed(home, store, server, seeded=seeded_at_first)["ann1"].project_id
    server.add_draft(task_of(server, project)["id"], [])
    before = task_of(server, project)
    steps = pushed(home, store, server)
    assert steps["ann1"].unchanged == 2
    assert list(steps) == ["ann1", "ann2"]
    assert task_of(server, project) == before


def test_a_palette_that_no_config_can_have_is_told_in_one_line(
    home: Home, store: Store, server: FakeServer
) -> None:
    none = Home(home.path, replace(home.settings, campaign=replace(home.campaign, labels=())))
    with pytest.raises(SyncError, match=r"^labels in campaign\.toml: a config needs at least one label"):
        pushed(none, store, server)


def test_a_wider_palette_reaches_projects_that_are_there(home: Home, store: Store, server: FakeServer) -> None:
    pushed(home, store, server)
    wider = Home(home.path, replace(home.settings, campaign=replace(home.campaign, labels=("A", "B", "C", "D"))))
    pushed(wider, store, server)
    assert all('value="D"' in project.config for project in server.projects())


def test_the_project_of_the_annotator_says_what_was_sent_back_until_it_is_corrected(
    home: Home, store: Store, server: FakeServer
) -> None:
    pushed(home, store, server, phase="1")
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1"))
        tx.sent_back.add("f1", "1", "ann1", "rev1", "the second panel", NOON + timedelta(hours=1))
        mark = tx.sent_back.mark()
    pushed(home, store, server, phase="1")
    first, other = server.projects()
    task = task_of(server, first.id)["id"]
    assert f'/data?task={task}">Task {task}</a>: the second panel</li>' in first.instructions
    assert "the second panel" not in other.instructions
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1", minutes=90, subfigures=()))
        assert tx.sent_back.mark() != mark
    pushed(home, store, server, phase="1")
    assert "the second panel" not in server.projects()[0].instructions


def test_the_project_of_the_annotator_says_what_reviewers_wrote_until_the_figure_is_saved_again(
    home: Home, store: Store, server: FakeServer
) -> None:
    pushed(home, store, server, phase="1")
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1"))
        for to, body in (("ann1", "B <too>?"), ("", "between reviewers")):
            tx.comments.add("f1", to, "rev1", body, NOON + timedelta(hours=1), thread=None)
        tx.comments.add("f1", "ann1", "ann1", "by myself", NOON + timedelta(hours=1), thread=1)
    pushed(home, store, server, phase="1")
    first, other = server.projects()
    task = task_of(server, first.id)["id"]
    assert f'/data?task={task}">Task {task}</a>: B &lt;too&gt;?</li>' in first.instructions
    assert "between reviewers" not in first.instructions + other.instructions
    assert "by myself" not in first.instructions
    assert "too" not in other.instructions
    closed = Home(
        home.path, replace(home.settings, campaign=replace(home.campaign, comments=frozenset({Role.LEAD})))
    )
    pushed(closed, store, server, phase="1")
    assert "too" not in server.projects()[0].instructions
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann1", minutes=90, subfigures=()))
    pushed(home, store, server, phase="1")
    assert "too" not in server.projects()[0].instructions


def test_a_caption_that_the_grammar_fails_on_is_pushed_with_all_labels_and_named(
    home: Home, store: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(caption: Caption) -> ParsedCaption:
        if caption.text:
            raise IndexError("tuple index out of range")
        return parse_caption(caption)

    monkeypatch.setattr(push_tasks, "parse_caption", broken)
    steps = pushed(home, store, server, phase="1")
    assert {name: step.added for name, step in steps.items()} == {"ann1": 2, "ann2": 2}
    (problem,) = steps["ann1"].problems
    assert problem.startswith('figure "f1": its labels are not read from the caption (IndexError: ')
    assert names.DATA_LABELS not in task_of(server, steps["ann1"].project_id)["data"]
    assert task_of(server, steps["ann1"].project_id, "f2")["data"][names.DATA_LABELS] == []


def test_the_labels_of_a_species_after_a_list_stop_no_push(home: Home, store: Store, server: FakeServer) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f3", caption="A1, A2, D. rerio on day 3."))
        tx.tasks.add([Task("f3", "ann1", "1")])
    steps = pushed(home, store, server, phase="1")
    assert (steps["ann1"].added, steps["ann1"].problems) == (3, [])
