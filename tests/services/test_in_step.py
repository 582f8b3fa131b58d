"""What a push and a pull cost follows what changed, and whatever was done by hand in between is found and told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation
from services.pushed_and_pulled import pulled, pushed, task_of

from annotator.assignment.assign import assign_phase
from annotator.campaign.home import Home
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.database import tables
from annotator.store.store import Store
from label_config import names
from panelwise.domain.campaign import Phase, Screen, Task
from panelwise.domain.errors import SyncError
from tests.label_studio.fake import FakeServer

WORK = annotation_payload(an_annotation())


@pytest.fixture
def home(lungs: Home) -> Home:
    return lungs


@pytest.fixture
def store(given_out: Store) -> Store:
    return given_out


@pytest.fixture
def many(store: Store) -> Store:
    """Thirty figures more for ann1."""
    with store.transaction() as tx:
        figures = [a_figure(f"g{number:02}") for number in range(30)]
        tx.figures.add_many(figures)
        tx.tasks.add([Task(figure.id, "ann1", "1") for figure in figures])
    return store


def submit(server: FakeServer, project: int, *figures: str) -> None:
    for figure in figures:
        server.add_annotation(task_of(server, project, figure)["id"], WORK)


def test_a_second_pull_reads_only_what_changed(home: Home, many: Store, server: FakeServer) -> None:
    project = pushed(home, many, server)["ann1"].project_id
    submit(server, project, "g01", "g02", "g03")
    assert pulled(home, many, server, annotators=["ann1"])["ann1"].read == 32
    server.read.clear()
    submit(server, project, "g07")
    server.edit_annotation(
        task_of(server, project, "g02")["id"],
        task_of(server, project, "g02")["annotations"][0]["id"],
        result=WORK["result"][:1],
    )
    step = pulled(home, many, server, annotators=["ann1"])["ann1"]
    assert (step.read, step.added, step.unchanged, step.open) == (2, 2, 2, 28)
    assert sorted(server.read) == sorted(task_of(server, project, each)["id"] for each in ("g02", "g07"))
    server.read.clear()
    assert pulled(home, many, server, annotators=["ann1"])["ann1"].read == 0
    assert server.read == []


def test_an_edit_after_the_pull_supersedes_and_the_earlier_work_stays_in_the_history(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    submit(server, project, "f1")
    pulled(home, store, server)
    task = task_of(server, project)
    edited = annotation_payload(an_annotation(subfigures=(a_subfigure("C"),)))
    server.edit_annotation(task["id"], task["annotations"][0]["id"], **edited)
    assert pulled(home, store, server)["ann2"].added == 1
    with store.read() as tx:
        first, second = tx.annotations.history("f1", "ann2", "1")
        assert list(tx.annotations.all(annotator="ann2")) == [second]
    assert [each.label for each in first.subfigures] == ["A", "B"]
    assert [each.label for each in second.subfigures] == ["C"]


@pytest.mark.parametrize("broken_after", [0, 1, 6, 15, 31])
@pytest.mark.slow
def test_a_pull_that_breaks_off_anywhere_is_taken_up_without_loss(
    home: Home, many: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch, broken_after: int
) -> None:
    project = pushed(home, many, server)["ann1"].project_id
    submit(server, project, *(f"g{number:02}" for number in range(30)))
    monkeypatch.setattr("annotator.sync.pull_tasks.BATCH", 4)
    whole = server.whole_changes

    def breaking(project_id: int, since: str | None) -> object:
        for place, each in enumerate(whole(project_id, since)):
            if place == broken_after:
                raise SyncError("the server went away")
            yield each

    with monkeypatch.context() as patch:
        patch.setattr(server, "whole_changes", breaking)
        with pytest.raises(SyncError, match="went away"):
            pulled(home, many, server, annotators=["ann1"])
    with many.read() as tx:
        half = tx.annotations.count(annotator="ann1")
    assert half <= broken_after
    step = pulled(home, many, server, annotators=["ann1"])["ann1"]
    assert (step.added, step.unchanged, step.open) == (30 - half, half, 2)
    assert step.read == 32 - broken_after // 4 * 4, "what was kept before the break is not read again"


def test_what_changed_in_one_moment_with_the_last_that_was_pulled_is_not_lost(
    home: Home, many: Store, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = pushed(home, many, server)["ann1"].project_id
    pulled(home, many, server)
    submit(server, project, "g03", "g04", "g05")
    moment = server.now
    for figure in ("g03", "g04", "g05"):  # as one statement of the server's database writes it
        server._moments[task_of(server, project, figure)["id"]] = moment
    monkeypatch.setattr("annotator.sync.pull_tasks.BATCH", 1)
    changes = server.changes

    def breaking(project_id: int, since: str | None) -> object:
        yield next(iter(changes(project_id, since)))
        raise SyncError("the server went away")

    with monkeypatch.context() as patch:
        patch.setattr(server, "changes", breaking)
        with pytest.raises(SyncError):
            pulled(home, many, server, annotators=["ann1"])
    assert pulled(home, many, server)["ann1"].added == 2


def test_a_server_whose_clock_was_set_back_loses_nothing(home: Home, many: Store, server: FakeServer) -> None:
    project = pushed(home, many, server)["ann1"].project_id
    submit(server, project, "g01")
    pulled(home, many, server)
    server.now -= timedelta(hours=3)
    submit(server, project, "g02")
    assert pulled(home, many, server)["ann1"].added == 1
    assert pulled(home, many, server)["ann1"].read == 0


def test_all_tasks_are_read_where_that_is_asked_for(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    submit(server, project, "f1")
    pulled(home, store, server)
    server.now -= timedelta(hours=3)
    task = task_of(server, project)
    server.edit_annotation(task["id"], task["annotations"][0]["id"], result=[])
    assert pulled(home, store, server)["ann2"].added == 0, "an edit in a time that was before tells nothing"
    with store.read() as tx:
        [before] = tx.annotations.all(annotator="ann2")
    step = pulled(home, store, server, whole=True)["ann2"]
    assert (step.read, step.added) == (2, 1)
    with store.read() as tx:
        [after] = [each for each in tx.annotations.history("f1", "ann2", "1") if each != before]
    assert after.subfigures == ()


def test_deleted_tasks_are_told_and_only_those_nobody_did_are_made_anew(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    submit(server, project, "f1")
    pulled(home, store, server)
    for figure in ("f1", "f2"):
        server.delete_task(task_of(server, project, figure)["id"])
    said = " ".join(pulled(home, store, server)["ann2"].findings)
    assert "1 task deleted in Label Studio, what was pulled of them is kept: f1" in said
    assert "1 task deleted in Label Studio, annotator push makes them again: f2" in said
    assert pulled(home, store, server)["ann2"].findings == []
    step = pushed(home, store, server)["ann2"]
    assert (step.added, step.done, step.notes) == (1, 1, [])
    assert [task["data"][names.DATA_SOURCE] for task in server.tasks(project)] == ["f2"]


def test_a_push_finds_deleted_tasks_by_itself(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    server.delete_task(task_of(server, project, "f2")["id"])
    step = pushed(home, store, server)["ann2"]
    assert step.added == 1
    assert step.notes == ['project "ann2 · phase 1": 1 task deleted in Label Studio: f2']


def test_a_deleted_annotation_is_told_and_what_was_pulled_is_kept(
    home: Home, store: Store, server: FakeServer
) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    submit(server, project, "f1")
    pulled(home, store, server)
    task = task_of(server, project)
    server.delete_annotation(task["id"], task["annotations"][0]["id"])
    step = pulled(home, store, server)["ann2"]
    assert "1 annotation deleted in Label Studio; what was pulled is kept" in step.findings[0]
    with store.read() as tx:
        assert tx.annotations.count(annotator="ann2") == 1


def test_what_cannot_be_read_is_told_at_every_pull_until_it_is_mended(
    home: Home, many: Store, server: FakeServer
) -> None:
    project = pushed(home, many, server)["ann1"].project_id
    task = task_of(server, project, "g05")["id"]
    bad = dict(WORK["result"][0], original_width=9)
    made = server.add_annotation(task, {"result": [bad]})
    for _ in range(3):
        [problem] = pulled(home, many, server)["ann1"].problems
        assert 'figure "g05", annotator "ann1": a box was drawn on an image of 9 x 600' in problem
    assert server.read.count(task) == 3
    server.edit_annotation(task, made, result=WORK["result"])
    step = pulled(home, many, server)["ann1"]
    assert (step.added, step.problems) == (1, [])
    assert pulled(home, many, server)["ann1"].read == 0


def test_only_figures_that_changed_are_asked_about_and_only_untouched_tasks_get_the_new_model(
    home: Home, many: Store, server: FakeServer
) -> None:
    for name in ("g00", "g01", "g02"):
        with many.transaction() as tx:
            tx.predictions.put(a_prediction(tx.figures.get(name)))
    project = pushed(home, many, server)["ann1"].project_id
    submit(server, project, "g00")
    server.begin(task_of(server, project, "g01")["id"])
    with many.transaction() as tx:
        for name in ("g00", "g01", "g02"):
            newer = a_prediction(tx.figures.get(name), model_version="m2")
            tx.predictions.put(replace(newer, subfigures=newer.subfigures[:1], scores=(0.5,)))
    server.asked_by_source = 0
    step = pushed(home, many, server, annotators=["ann1"])["ann1"]
    assert (step.added, step.seeded, step.unchanged) == (0, 1, 31)
    assert server.asked_by_source == 3
    seeds = {each: task_of(server, project, each)["data"][names.DATA_SEED] for each in ("g00", "g01", "g02")}
    assert seeds == {"g00": "classic-1", "g01": "classic-1", "g02": "m2"}
    server.asked_by_source = 0
    pushed(home, many, server, annotators=["ann1"])
    assert server.asked_by_source == 1, "a draft may be thrown away, submitted work is settled"


def test_only_released_batches_are_pushed(home: Home, store: Store, server: FakeServer) -> None:
    with store.transaction() as tx:
        tx.figures.add_many([a_figure("f3"), a_figure("f4")])
        tx.tasks.add(
            [Task("f3", "ann1", "1", batch=2, released=False), Task("f4", "ann3", "1", 2, released=False)]
        )
    steps = pushed(home, store, server)
    assert {name: step.added for name, step in steps.items()} == {"ann1": 2, "ann2": 2}
    with pytest.raises(SyncError, match='no batch of phase "1" is released for "ann3" yet'):
        pushed(home, store, server, phase="1", annotators=["ann3"])


def test_blind_phases_are_not_for_label_studio(home: Home, store: Store, server: FakeServer) -> None:
    phases = (Phase("1"), Phase("2", blind=True, given="gold"))
    blind = Home(home.path, replace(home.settings, campaign=replace(home.campaign, phases=phases)))
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "rev1", "2")])
    assert set(pushed(blind, store, server)) == {"ann1", "ann2"}
    with pytest.raises(SyncError, match='phase "2" is blind'):
        pulled(blind, store, server, phase="2")


def test_a_phase_of_panelwises_own_screen_is_not_for_label_studio(
    home: Home, store: Store, server: FakeServer
) -> None:
    phases = (Phase("1"), Phase("2", annotate_in=Screen.PANELWISE))
    mixed = Home(home.path, replace(home.settings, campaign=replace(home.campaign, phases=phases)))
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann4", "2")])
    assert set(pushed(mixed, store, server)) == {"ann1", "ann2"}
    with pytest.raises(SyncError, match="phase 2 is annotated in Panelwise"):
        pulled(mixed, store, server, phase="2")


def test_figures_of_the_overlap_are_bare_where_the_phase_says_so(
    home: Home, store: Store, server: FakeServer
) -> None:
    phase = Phase("1", overlap_seeded=False)
    sober = Home(home.path, replace(home.settings, campaign=replace(home.campaign, phases=(phase,))))
    with store.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.predictions.put(a_prediction(a_figure("f3")))
        tx.tasks.add([Task("f3", "ann1", "1")])
    project = pushed(sober, store, server)["ann1"].project_id
    seeds = {each: len(task_of(server, project, each)["predictions"]) for each in ("f1", "f3")}
    assert seeds == {"f1": 0, "f3": 1}


def test_tasks_given_to_somebody_else_are_taken_back_unless_begun(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.tasks.add([Task("f3", "ann1", "1")])
    project = pushed(home, store, server)["ann1"].project_id
    server.begin(task_of(server, project, "f3")["id"])
    with store.transaction() as tx:
        given = tables.tasks.update().where(tables.tasks.c.figure_id.in_(["f2", "f3"]))
        tx.figures._write(given.where(tables.tasks.c.annotator == "ann1").values(annotator="ann3"))
    steps = pushed(home, store, server)
    assert (steps["ann1"].withdrawn, steps["ann3"].added) == (1, 2)
    assert "1 figure no longer assigned, but started or done, so the tasks are left: f3" in steps["ann1"].notes[0]
    left = {task["data"][names.DATA_SOURCE] for task in server.tasks(project)}
    assert left == {"f1", "f3"}


@pytest.mark.parametrize("turns", [12, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.slow
def test_an_overlap_that_goes_up_and_down_leaves_each_task_once(
    home: Home, store: Store, server: FakeServer, turns: int
) -> None:
    campaign, phase = home.campaign, replace(home.campaign.phase("1"), annotators=("ann1", "ann2"))
    with store.transaction() as tx:
        tx.figures.add_many([a_figure(f"g{number}") for number in range(6)])
    assign_phase(store, campaign, replace(phase, overlap=2), change_overlap=True)
    project = pushed(home, store, server)["ann1"].project_id
    submit(server, project, "f1")
    for turn in range(turns):
        assign_phase(store, campaign, replace(phase, overlap=(1, 5, 3, 8)[turn % 4]), change_overlap=True)
        pulled(home, store, server)
        steps = pushed(home, store, server)
        with store.read() as tx:
            wanted = tx.tasks.all(phase="1")
        assert Counter(task.annotator for task in wanted) == {
            name: server.count(step.project_id).tasks for name, step in steps.items()
        }
        for name, step in steps.items():
            there = [task["data"][names.DATA_SOURCE] for task in server.tasks(step.project_id)]
            assert sorted(there) == sorted(task.figure for task in wanted if task.annotator == name)
            assert step.problems == []
    assert len(task_of(server, project, "f1")["annotations"]) == 1


def test_drafts_and_skips_are_counted_as_what_they_are(home: Home, store: Store, server: FakeServer) -> None:
    project = pushed(home, store, server)["ann2"].project_id
    server.begin(task_of(server, project, "f1")["id"])
    step = pulled(home, store, server)["ann2"]
    assert (step.open, step.started) == (2, 1)
    server.add_annotation(task_of(server, project, "f2")["id"], {"result": [], "was_cancelled": True})
    step = pulled(home, store, server)["ann2"]
    assert (step.added, step.open, step.unchanged) == (1, 1, 0)
    assert pulled(home, store, server)["ann2"].unchanged == 1
