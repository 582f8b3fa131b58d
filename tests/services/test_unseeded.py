"""Tasks that are drawn to begin without pre-labels: how many, which, and that they begin so on both screens."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from builders import a_figure, a_prediction
from services.pushed_and_pulled import pushed, task_of

from annotator.assignment.assign import assign_phase
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Phase, Task
from tests.label_studio.fake import FakeServer

PEOPLE = ("ann", "ben")
PHASE = Phase("1", annotators=PEOPLE, unseeded=0.2)
CAMPAIGN = Campaign("c", (PHASE,), ("A",))


def with_figures(store: Store, first: int, last: int) -> None:
    """Figures f00 and on; the model is the surer of one the greater its number, and knows every figure but f00."""
    with store.transaction() as tx:
        for number in range(first, last):
            figure = a_figure(f"f{number:02}")
            tx.figures.add(figure)
            if number:
                tx.predictions.put(a_prediction(figure, scores=(number / 100, 1.0)))


def assigned(store: Store, phase: Phase = PHASE, seed: int = 0, *, dry_run: bool = False) -> list[Task]:
    return list(assign_phase(store, CAMPAIGN, phase, seed=seed, dry_run=dry_run).tasks)


def drawn(tasks: list[Task]) -> dict[str, list[str]]:
    return {
        name: sorted(task.figure for task in tasks if task.unseeded and task.annotator == name) for name in PEOPLE
    }


def test_each_annotator_has_the_share_and_one_of_each_stratum_of_certainty(store: Store) -> None:
    with_figures(store, 0, 20)
    chosen = drawn(assigned(store))
    for figures in chosen.values():
        assert [int(figure[1:]) // 5 for figure in figures] == [0, 1, 2, 3]


def test_a_shared_figure_begins_with_pre_labels_for_one_at_least(store: Store) -> None:
    with_figures(store, 0, 20)
    half = replace(PHASE, unseeded=0.5)
    chosen = drawn(assigned(store, half))
    assert len(chosen["ann"]) == len(chosen["ben"]) == 10
    assert not {*chosen["ann"]} & {*chosen["ben"]}


def test_figures_that_another_one_has_are_drawn_before_those_of_one(store: Store) -> None:
    with_figures(store, 0, 20)
    tasks = assigned(store, replace(PHASE, overlap=16))
    times = Counter(task.figure for task in tasks)
    assert all(times[figure] == 2 for figures in drawn(tasks).values() for figure in figures)


def test_the_draw_follows_the_seed_and_is_stored(store: Store) -> None:
    with_figures(store, 0, 20)
    plans = [drawn(assigned(store, seed=seed, dry_run=True)) for seed in (0, 0, 1)]
    assert plans[0] == plans[1] != plans[2]
    assigned(store)
    with store.read() as tx:
        assert drawn(tx.tasks.all(phase="1")) == plans[0]


def test_new_figures_complete_the_share_and_earlier_tasks_stay_as_they_are(store: Store) -> None:
    with_figures(store, 0, 10)
    before = drawn(assigned(store))
    assert [len(figures) for figures in before.values()] == [2, 2]
    with_figures(store, 10, 15)
    later = assigned(store)
    assert [len(figures) for figures in drawn(later).values()] == [1, 1]
    with store.read() as tx:
        stored = drawn(tx.tasks.all(phase="1"))
    assert all({*before[name]} < {*stored[name]} for name in PEOPLE)


def test_predictions_of_closed_figures_do_not_move_the_draw(store: Store) -> None:
    with_figures(store, 0, 20)
    closed = {"f07", "f12"}
    found = [assign_phase(store, CAMPAIGN, PHASE, dry_run=True, closed=closed).tasks]
    with store.transaction() as tx:
        for figure in closed:
            tx.predictions.put(a_prediction(a_figure(figure), model_version="later", scores=(0.999, 1.0)))
    assert [assign_phase(store, CAMPAIGN, PHASE, dry_run=True, closed=closed).tasks] == found


def test_the_assignment_says_how_many_begin_without(store: Store) -> None:
    with_figures(store, 0, 20)
    notes = assign_phase(store, CAMPAIGN, PHASE, dry_run=True).notes
    assert "8 tasks of 40 begin without pre-labels (unseeded = 0.2)" in notes
    assigned(store)
    assert not any("without pre-labels" in note for note in assign_phase(store, CAMPAIGN, PHASE).notes)
    assert not any(
        "without pre-labels" in note
        for note in assign_phase(store, CAMPAIGN, replace(PHASE, unseeded=0.0), dry_run=True).notes
    )


@pytest.fixture
def two(store: Store) -> Store:
    """A figure for two annotators, one of whom begins without pre-labels."""
    with store.transaction() as tx:
        tx.figures.add(a_figure("g1"))
        tx.predictions.put(a_prediction(a_figure("g1")))
        tx.tasks.add([Task("g1", "ann8", "1", unseeded=True), Task("g1", "ann9", "1")])
    return store


def test_label_studio_shows_no_pre_labels_to_those_drawn(home: Home, two: Store, server: FakeServer) -> None:
    steps = pushed(home, two, server)
    shown = {name: len(task_of(server, steps[name].project_id, "g1")["predictions"]) for name in ("ann8", "ann9")}
    assert shown == {"ann8": 0, "ann9": 1}
    again = pushed(home, two, server)
    assert [again[name].seeded for name in ("ann8", "ann9")] == [0, 0]
