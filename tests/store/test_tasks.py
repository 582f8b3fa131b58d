"""Tasks: who is to do what, in batches."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.store.rows.records import TaskGroup
from annotator.store.store import Store
from panelwise.domain.campaign import Task
from panelwise.domain.errors import StoreError

TASKS = [
    Task("f1", "ann", "1"),
    Task("f1", "ben", "1"),
    Task("f2", "ann", "1"),
    Task("f3", "ann", "1", batch=2, released=False),
    Task("f3", "ann", "2", batch=3),
]


@pytest.fixture
def dealt(store: Store) -> Store:
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        assert tx.tasks.add(TASKS) == 5
    return store


def test_tasks_come_back_with_their_batches_in_the_order_given(dealt: Store) -> None:
    with dealt.read() as tx:
        assert tx.tasks.all() == TASKS
        assert tx.tasks.all(phase="1", annotator="ann", released=True) == [TASKS[0], TASKS[2]]
        assert tx.tasks.all(released=False) == [TASKS[3]]
        assert (tx.tasks.has("ben", "1"), tx.tasks.has("ben", "2")) == (True, False)


def test_a_task_that_is_there_stays_as_it_is_whatever_batch_is_given(dealt: Store) -> None:
    with dealt.transaction() as tx:
        assert tx.tasks.add([replace(TASKS[0], batch=9), Task("f2", "ben", "1"), Task("f2", "ben", "1", 4)]) == 1
        assert tx.tasks.all() == [*TASKS, Task("f2", "ben", "1")]


def test_a_task_without_anything_submitted_is_open(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="ann"))
        tx.annotations.add(an_annotation(a_figure("f2"), annotator="cho"))
        assert tx.tasks.open(phase="1", annotator="ann") == [TASKS[2], TASKS[3]]
        assert tx.tasks.worked_on("1") == {("f1", "ann"), ("f2", "cho")}


def test_groups_count_what_is_done_open_to_be_redone_and_not_released(dealt: Store) -> None:
    with dealt.transaction() as tx:
        for name in ("f1", "f2"):
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann"))
        tx.figures.replace(a_figure("f2", caption="Another."))
        assert tx.tasks.groups() == [
            TaskGroup("1", "ann", 1, tasks=2, released=2, done=1, redo=1, open=0),
            TaskGroup("1", "ann", 2, tasks=1, released=0, done=0, redo=0, open=0),
            TaskGroup("1", "ben", 1, tasks=1, released=1, done=0, redo=0, open=1),
            TaskGroup("2", "ann", 3, tasks=1, released=1, done=0, redo=0, open=1),
        ]


def test_a_task_may_change_hands_and_the_dashboard_learns_of_it(dealt: Store) -> None:
    with dealt.transaction() as tx:
        mark = tx.statistics.mark()
        tx.tasks.change([(TASKS[3], replace(TASKS[3], annotator="ben", released=True))])
        tx.tasks.change([])
        assert tx.tasks.all(phase="1", annotator="ben") == [TASKS[1], Task("f3", "ben", "1", 2)]
        assert tx.statistics.mark() != mark


def test_a_task_that_went_meanwhile_is_told_and_nothing_changes(dealt: Store) -> None:
    gone = Task("f2", "ben", "1")
    changes = [(TASKS[2], replace(TASKS[2], annotator="cho")), (gone, replace(gone, annotator="cho"))]
    with pytest.raises(StoreError, match="given to somebody else meanwhile"), dealt.transaction() as tx:
        tx.tasks.change(changes)
    with pytest.raises(StoreError), dealt.transaction() as tx:
        tx.tasks.change([(TASKS[1], replace(TASKS[1], annotator="ann"))])
    with dealt.read() as tx:
        assert tx.tasks.all() == TASKS


def test_the_latest_prediction_on_the_present_caption_counts(store: Store) -> None:
    figure = a_figure("f1")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.predictions.put(a_prediction(figure))
        tx.predictions.put(replace(a_prediction(figure, model_version="m2"), subfigures=(), scores=()))
        assert tx.predictions.counts() == {"f1": 0}
        tx.figures.replace(a_figure("f1", caption="Another."))
        assert tx.predictions.counts() == {}


def test_tasks_may_be_taken_back_and_those_that_are_gone_are_told(dealt: Store) -> None:
    with dealt.transaction() as tx:
        mark = tx.statistics.mark()
        tx.tasks.remove([TASKS[1], TASKS[3]])
        tx.tasks.remove([])
        assert tx.tasks.all() == [TASKS[0], TASKS[2], TASKS[4]]
        assert tx.statistics.mark() != mark
    with pytest.raises(StoreError, match="meanwhile"), dealt.transaction() as tx:
        tx.tasks.remove([TASKS[0], TASKS[1]])
    with dealt.read() as tx:
        assert TASKS[0] in tx.tasks.all()
