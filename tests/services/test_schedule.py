"""Deadlines: what is late, and which batch comes next."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import NOON

from annotator.assignment.schedule import batch_states, is_late, next_batches, waiting
from annotator.store.rows.records import TaskGroup
from panelwise.domain.campaign import Campaign, Phase

DAY = timedelta(days=1)
PHASE = Phase("p", batch=4, batch_deadlines=(NOON - DAY, NOON + DAY), deadline=NOON + 9 * DAY)
CAMPAIGN = Campaign("c", (Phase("z"), PHASE), ("A",))


def a_group(name: str, batch: int, *, done: int = 0, open: int = 0, redo: int = 0, later: int = 0) -> TaskGroup:
    tasks = done + open + redo + later
    return TaskGroup("p", name, batch, tasks, released=tasks - later, done=done, redo=redo, open=open)


GROUPS = [
    a_group("ann", 1, done=2),
    a_group("ann", 2, done=1, later=1),
    a_group("ann", 3, later=2),
    a_group("ben", 1, done=1, open=1, redo=1),
    a_group("ben", 2, later=2),
]


def test_only_what_is_past_its_own_batchs_deadline_is_late() -> None:
    states = batch_states(GROUPS, CAMPAIGN, NOON)
    assert [
        (each.number, each.tasks, each.done, each.open, each.late, each.redo, each.later) for each in states
    ] == [
        (1, 5, 3, 1, 1, 1, 0),
        (2, 4, 1, 0, 0, 0, 3),
        (3, 2, 0, 0, 0, 0, 2),
    ]
    assert [each.deadline for each in states] == [NOON - DAY, NOON + DAY, NOON + 9 * DAY]
    assert waiting(GROUPS, CAMPAIGN, NOON)["p", "ben"] == {"open": 1, "late": 1, "later": 2}
    assert waiting(GROUPS, CAMPAIGN, NOON - 2 * DAY)["p", "ben"]["late"] == 0


def test_a_deadline_is_past_once_it_has_come() -> None:
    assert [is_late(each, NOON) for each in (None, NOON - DAY, NOON, NOON + DAY)] == [False, True, False, False]


def test_the_next_batch_is_the_first_that_waits_and_early_is_who_has_nothing_open() -> None:
    (following,) = next_batches(GROUPS, CAMPAIGN, NOON - 2 * DAY)
    assert (following.phase, following.number, following.tasks, following.early) == ("p", 2, 3, ("ann",))
    assert not following.due
    (following,) = next_batches(GROUPS, CAMPAIGN, NOON - 2 * DAY, away={"ann"})
    assert following.early == ()


def test_the_next_batch_is_due_once_those_before_it_are_done_or_late() -> None:
    assert next_batches(GROUPS, CAMPAIGN, NOON)[0].due
    done = [a_group("ann", 1, done=2), a_group("ann", 2, later=2)]
    assert next_batches(done, CAMPAIGN, NOON - 2 * DAY)[0].due


def test_a_first_batch_that_is_not_out_is_due() -> None:
    assert next_batches([a_group("ann", 1, later=2)], CAMPAIGN, NOON)[0].due


@pytest.mark.parametrize("groups", [[], [a_group("ann", 1, open=3)]])
def test_where_everything_is_released_nothing_comes_next(groups: list[TaskGroup]) -> None:
    assert next_batches(groups, CAMPAIGN, NOON) == []


def test_phases_come_in_the_campaigns_order_and_others_behind() -> None:
    groups = [TaskGroup(name, "ann", 1, 1, 1, 0, 0, 1) for name in ("a", "p", "z")]
    assert [each.phase for each in batch_states(groups, CAMPAIGN, NOON)] == ["z", "p", "a"]
