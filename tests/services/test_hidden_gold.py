"""Annotators measured against gold: hidden among their tasks, and in a training phase that opens the next one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation

from annotator.assignment.assign import Assignment, assign_phase
from annotator.assignment.reassign import reassign, release_batch, top_up
from annotator.campaign.home import Home
from annotator.checks.qualification import Qualification, admit, qualifications
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.dashboards.feedback import Feedback
from annotator.dashboards.lead import LiveDashboard
from annotator.dashboards.status import campaign_progress
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Phase, Task
from panelwise.domain.decision import Reopening
from panelwise.domain.errors import AnnotatorError

LATER = datetime(2027, 1, 1, tzinfo=UTC)
FULL, SHORT = a_subfigure(tokens=(4, 6, 7)), a_subfigure(tokens=(4,))
MEASURED = Phase("1", overlap=0, hidden_gold=0.2, pass_mark=0.75, annotators=("ann", "ben"))
CAMPAIGN = Campaign("c", (MEASURED,), ("A",))
TRAINING = Phase("0", figures=2, pass_mark=0.75, annotators=("ann", "ben"))
AFTER = Phase("1", figures=6, batch=2, overlap=0, annotators=("ann", "ben"), training_phase="0")
TRAINED = Campaign("c", (TRAINING, AFTER), ("A",))


def add_figures(store: Store, *names: str, gold: bool = False, reviewer: str = "rev") -> None:
    with store.transaction() as tx:
        for name in names:
            tx.figures.add(a_figure(name))
            if gold:
                tx.decisions.add(a_decision(a_figure(name), subfigures=(FULL,), reviewer=reviewer))


def do(store: Store, annotator: str, task: Task, *, well: bool = True) -> None:
    with store.transaction() as tx:
        figure = a_figure(task.figure)
        subfigures = (FULL if well else SHORT,)
        tx.annotations.add(
            an_annotation(figure, annotator=annotator, phase=task.phase, subfigures=subfigures, minutes=60)
        )


def tasks_of(store: Store, annotator: str, phase: str = "1", *, released: bool | None = None) -> list[Task]:
    with store.read() as tx:
        return tx.tasks.all(phase=phase, annotator=annotator, released=released)


@pytest.fixture
def dealt(store: Store) -> Assignment:
    """Eight figures for two annotators; of six with gold ann decided on one, and ben annotated one before."""
    add_figures(store, *(f"g{number}" for number in range(4)), gold=True)
    add_figures(store, "by-ann", gold=True, reviewer="ann")
    add_figures(store, "seen", gold=True)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("seen"), annotator="ben", phase="0"))
        tx.tasks.add([Task(name, "cho", "1") for name in ("by-ann", "seen", "g0", "g1", "g2", "g3")])
    add_figures(store, *(f"f{number}" for number in range(8)))
    return assign_phase(store, CAMPAIGN, MEASURED)


def test_a_share_of_everyones_tasks_has_gold_that_they_do_not_know(dealt: Assignment, store: Store) -> None:
    for name, unknown in (("ann", "by-ann"), ("ben", "seen")):
        own = tasks_of(store, name)
        hidden = [task for task in own if task.hidden]
        assert (len(own), len(hidden)) == (5, 1)
        assert hidden[0].figure not in {unknown, *(f"f{number}" for number in range(8))}
    assert dealt.notes == ()
    assert Counter(share.tasks for share in dealt.shares()) == {5: 2}


def test_assigning_again_adds_what_is_missing_of_the_share(dealt: Assignment, store: Store) -> None:
    assert assign_phase(store, CAMPAIGN, MEASURED).tasks == ()
    add_figures(store, *(f"x{number}" for number in range(56)))
    found = assign_phase(store, CAMPAIGN, MEASURED)
    # 32 figures each ask for 8 with gold; there are 5 that each does not know, and x figures have none.
    assert all(sum(task.hidden for task in tasks_of(store, name)) == 5 for name in ("ann", "ben"))
    assert [note.split(":")[0] for note in found.notes] == [
        f"{name} has 5 of 8 hidden gold figures" for name in ("ann", "ben")
    ]


def test_work_on_hidden_gold_changes_no_state_and_no_feedback(dealt: Assignment, store: Store, home: Home) -> None:
    (hidden,) = [task for task in tasks_of(store, "ann") if task.hidden]
    do(store, "ann", hidden, well=False)
    score_disagreement(store, CAMPAIGN)
    tally = GoldTally()
    figures = {each.figure.id for each in gold(store, CAMPAIGN, tally)}
    assert hidden.figure in figures
    assert tally.changed == []
    page = Feedback(lambda: home, store).page("ann")
    assert (page.compared, page.held_back) == (0, 0)


def test_a_reopened_figure_does_not_wait_for_work_on_hidden_gold(dealt: Assignment, store: Store) -> None:
    (hidden,) = [task for task in tasks_of(store, "ann") if task.hidden]
    do(store, "cho", Task(hidden.figure, "cho", "1"))
    with store.transaction() as tx:
        tx.decisions.add(Reopening(a_figure(hidden.figure), "rev", 2, LATER))
    tally = GoldTally()
    list(gold(store, CAMPAIGN, tally))
    assert hidden.figure in tally.single
    assert tally.waiting == []


def test_scores_on_hidden_gold_are_for_the_lead(dealt: Assignment, store: Store, home: Home) -> None:
    for name, well in (("ann", True), ("ben", False)):
        for task in tasks_of(store, name):
            do(store, name, task, well=well)
    found = {row["annotator"]: row for row in campaign_progress(store, CAMPAIGN).as_record("c")["qualifications"]}
    assert {name: (row["tasks"], row["compared"], row["passed"], row["below"]) for name, row in found.items()} == {
        "ann": (1, 1, True, False),
        "ben": (1, 1, False, True),
    }
    assert found["ann"]["score"] == 1
    assert found["ben"]["score"] < 0.75
    page = LiveDashboard(lambda: home, store).page()
    assert page.measured == ()  # The home's own campaign measures nobody.


def test_the_tasks_of_somebody_who_leaves_go_on_without_their_hidden_gold(dealt: Assignment, store: Store) -> None:
    reassign(store, CAMPAIGN, "ann", ["ben"])
    assert tasks_of(store, "ann") == []
    assert Counter(task.hidden for task in tasks_of(store, "ben")) == {False: 8, True: 1}


@pytest.fixture
def trained(store: Store) -> Store:
    """Two annotators in training on two figures with gold, and the phase after it."""
    add_figures(store, "t0", "t1", gold=True)
    assign_phase(store, TRAINED, TRAINING)
    add_figures(store, *(f"f{number}" for number in range(6)))
    found = assign_phase(store, TRAINED, AFTER)
    assert found.notes == ("the tasks of ann, ben are released once they reach the pass mark of phase 0",)
    return store


def test_who_passes_the_training_phase_gets_the_first_batch_of_the_next(trained: Store) -> None:
    assert tasks_of(trained, "ann", released=True) == []
    assert admit(trained, TRAINED) == 0
    first, second = tasks_of(trained, "ann", "0")
    do(trained, "ann", first)
    assert admit(trained, TRAINED) == 0
    do(trained, "ann", second)
    for task in tasks_of(trained, "ben", "0"):
        do(trained, "ben", task, well=False)
    assert admit(trained, TRAINED) == len(tasks_of(trained, "ann", released=True)) == 1
    assert {task.batch for task in tasks_of(trained, "ann", released=True)} == {1}
    assert tasks_of(trained, "ben", released=True) == []
    with trained.read() as tx:
        found = qualifications(tx, TRAINED)
        assert found[0] == Qualification("0", "ann", 2, 2, 1.0, 0.75)
        assert [each.below for each in found] == [False, True]


def test_batches_are_released_to_those_who_passed_only(trained: Store) -> None:
    with pytest.raises(AnnotatorError, match="wait for ann, ben to reach the pass mark of phase 0"):
        release_batch(trained, TRAINED, "1")
    assert top_up(trained, TRAINED, "1").changes == ()
    assert campaign_progress(trained, TRAINED).following == ()
    for task in tasks_of(trained, "ann", "0"):
        do(trained, "ann", task)
    admit(trained, TRAINED)
    release_batch(trained, TRAINED, "1")
    assert {task.batch for task in tasks_of(trained, "ann", released=True)} == {1, 2}
    assert tasks_of(trained, "ben", released=True) == []


def test_a_box_that_could_not_be_read_counts_against_no_annotator(trained: Store) -> None:
    """The figure is left out of the measured ones, with its number, as deferred ones are."""
    whole, partial = tasks_of(trained, "ann", "0")
    do(trained, "ann", whole)
    with trained.transaction() as tx:
        figure = a_figure(partial.figure)
        tx.annotations.add(
            replace(an_annotation(figure, annotator="ann", phase="0", subfigures=(SHORT,)), partly_read=True)
        )
    with trained.read() as tx:
        (found,) = [each for each in qualifications(tx, TRAINED) if each.annotator == "ann"]
    assert (found.tasks, found.compared, found.partly_read, found.score) == (1, 1, 1, 1.0)
    assert found.passed


def test_what_was_not_adjudicated_leaves_the_training_open(trained: Store) -> None:
    with trained.transaction() as tx:
        tx.decisions.add(Reopening(a_figure("t0"), "rev", 2, LATER))
    for task in tasks_of(trained, "ann", "0"):
        do(trained, "ann", task)
    assert admit(trained, TRAINED) == 0
    with trained.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("t0"), subfigures=(FULL,), version=3))
    assert admit(trained, TRAINED, "ben") == 0
    assert admit(trained, TRAINED, "ann") == 1
