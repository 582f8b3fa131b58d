"""Tasks that change hands or come out: the next batch, early finishers, and people who are away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from builders import a_figure, an_annotation

from annotator.assignment.assign import assign_phase
from annotator.assignment.reassign import describe, reassign, release_batch, top_up, withdraw
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Person, Phase, Role, Task
from panelwise.domain.errors import AnnotatorError

PHASE = Phase("1", annotators=("ann", "ben", "cho"), overlap=3, batch=9)
CAMPAIGN = Campaign("c", (PHASE, Phase("2")), ("A",))


@pytest.fixture
def dealt(store: Store) -> Store:
    """27 figures in three batches for three people, three figures shared."""
    with store.transaction() as tx:
        for number in range(27):
            tx.figures.add(a_figure(f"f{number:02}"))
    assign_phase(store, CAMPAIGN, PHASE)
    return store


def tasks(store: Store, name: str | None = None, *, released: bool | None = None) -> list[Task]:
    with store.read() as tx:
        return tx.tasks.all(annotator=name, phase="1", released=released)


def submit(store: Store, done: Iterable[Task]) -> None:
    with store.transaction() as tx:
        for task in done:
            tx.annotations.add(an_annotation(a_figure(task.figure), annotator=task.annotator, phase=task.phase))


def test_batches_are_released_one_after_the_other(dealt: Store) -> None:
    assert {old.batch for old, _ in release_batch(dealt, CAMPAIGN, "1", dry_run=True).changes} == {2}
    assert {task.batch for task in tasks(dealt, released=True)} == {1}
    found = release_batch(dealt, CAMPAIGN, "1")
    assert {task.batch for task in tasks(dealt, released=True)} == {1, 2}
    assert [line.split(" ", 3)[0] for line in describe(found)] == ["ann:", "ben:", "cho:"]
    assert "of batch 2 of phase 1 released" in describe(found)[0]
    release_batch(dealt, CAMPAIGN, "1")
    assert tasks(dealt, released=False) == []
    with pytest.raises(AnnotatorError, match="every task of phase 1 is released already"):
        release_batch(dealt, CAMPAIGN, "1")


def test_who_has_finished_gets_their_share_of_the_next_batch(dealt: Store) -> None:
    assert top_up(dealt, CAMPAIGN, "1").changes == ()
    submit(dealt, tasks(dealt, "ben", released=True))
    found = top_up(dealt, CAMPAIGN, "1", dry_run=True)
    assert {(new.annotator, new.batch, new.released) for _, new in found.changes} == {("ben", 2, True)}
    assert {task.batch for task in tasks(dealt, "ben", released=True)} == {1}
    assert top_up(dealt, CAMPAIGN, "1") == found
    assert {task.batch for task in tasks(dealt, "ben", released=True)} == {1, 2}
    assert {task.batch for task in tasks(dealt, "ann", released=True)} == {1}
    assert top_up(dealt, CAMPAIGN, "1").changes == ()


def test_who_has_nothing_left_takes_from_the_last_batches_of_those_who_have_most(dealt: Store) -> None:
    submit(dealt, tasks(dealt, "ben"))
    with dealt.transaction() as tx:
        own = tx.tasks.all(annotator="ben", released=False)
        tx.tasks.change([(task, Task(task.figure, "ben", "1", task.batch)) for task in own])
    before = Counter(task.figure for task in tasks(dealt))
    found = top_up(dealt, CAMPAIGN, "1")
    assert 0 < len(found.changes) <= 4
    assert {new.annotator for _, new in found.changes} == {"ben"}
    assert {old.batch for old, _ in found.changes} == {3}
    assert not any(old.released for old, _ in found.changes)
    assert Counter(task.figure for task in tasks(dealt)) == before
    assert all(before[new.figure] == 1 for _, new in found.changes)
    assert "of phase 1 taken over from ann" in "\n".join(describe(found))


def test_nobody_who_is_inactive_is_topped_up(dealt: Store) -> None:
    submit(dealt, tasks(dealt, "ben", released=True))
    with dealt.transaction() as tx:
        tx.people.put(Person("ben", frozenset({Role.ANNOTATOR}), active=False))
    assert top_up(dealt, CAMPAIGN, "1").changes == ()


def test_open_tasks_of_somebody_absent_go_to_the_others_and_done_ones_stay(dealt: Store) -> None:
    done = tasks(dealt, "ann")[:4]
    submit(dealt, done)
    whole = tasks(dealt)
    found = reassign(dealt, CAMPAIGN, "ann")
    # What all of them share stays: the others have these figures already.
    times = Counter(task.figure for task in whole)
    left = {task.figure for task in found.left}
    assert left == {task.figure for task in tasks(dealt, "ann") if times[task.figure] == 3} - {
        task.figure for task in done
    }
    assert {task.figure for task in tasks(dealt, "ann")} == {task.figure for task in done} | left
    assert len(tasks(dealt)) == len(whole)
    assert {task.figure for task in tasks(dealt)} == set(times)
    spread = Counter(new.annotator for _, new in found.changes)
    assert set(spread) == {"ben", "cho"}
    assert abs(spread["ben"] - spread["cho"]) <= 1
    assert [(old.batch, old.released) for old, _ in found.changes] == [
        (new.batch, new.released) for _, new in found.changes
    ]
    with dealt.read() as tx:
        assert tx.annotations.count(annotator="ann") == 4


def test_somebody_new_to_the_phase_may_take_over_and_becomes_an_annotator(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.people.put(Person("dan", frozenset({Role.LEAD})))
        tx.annotations.add(an_annotation(a_figure("f00"), annotator="dan"))
    planned = reassign(dealt, CAMPAIGN, "ann", ["dan"], phase="1", dry_run=True)
    assert tasks(dealt, "dan") == []
    found = reassign(dealt, CAMPAIGN, "ann", ["dan"], phase="1")
    assert found == planned
    # The figure that dan did without a task is not given again.
    assert {task.figure for task in found.left} <= {"f00"}
    assert len(tasks(dealt, "dan")) == len(found.changes)
    with dealt.read() as tx:
        assert tx.people.get("dan") == Person("dan", frozenset({Role.LEAD, Role.ANNOTATOR}))


def test_a_blind_phase_is_taken_over_by_a_reviewer(store: Store) -> None:
    phase = Phase("2", blind=True, given="gold", reviewers=("r1",))
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.people.put(Person("r2", frozenset()))
    campaign = Campaign("c", (phase,), ("A",))
    assign_phase(store, campaign, phase)
    reassign(store, campaign, "r1", ["r2"])
    with store.read() as tx:
        assert tx.tasks.all() == [Task("f1", "r2", "2")]
        assert tx.people.get("r2") == Person("r2", frozenset({Role.REVIEWER}))


def test_figures_of_a_document_go_to_one_person_together(store: Store) -> None:
    phase = Phase("1", annotators=("ann", "ben", "cho"), overlap=0, by_document=True)
    campaign = Campaign("c", (phase,), ("A",))
    with store.transaction() as tx:
        for number in range(24):
            document = f"d{number % 6}"
            tx.figures.add(a_figure(f"f{number:02}", document=document, source={"document": document}))
    assign_phase(store, campaign, phase)
    found = reassign(store, campaign, "ann", ["ben", "cho"])
    owners: dict[str, set[str]] = {}
    for old, new in found.changes:
        owners.setdefault(f"d{int(old.figure[1:]) % 6}", set()).add(new.annotator)
    assert owners
    assert {len(names) for names in owners.values()} == {1}


@pytest.mark.parametrize(
    ("giver", "takers", "phase", "complaint"),
    [
        ("ann", ["ann"], None, "cannot take over from"),
        ("nobody", [], None, '"nobody" has no open task of any phase'),
        ("ann", [], "2", '"ann" has no open task of phase 2'),
        ("ann", ["typo"], None, '"typo" has no tasks in this campaign'),
        ("ann", ["gone"], None, '"gone" is inactive'),
    ],
)
def test_what_cannot_be_handed_over_is_told(
    dealt: Store, giver: str, takers: list[str], phase: str | None, complaint: str
) -> None:
    with dealt.transaction() as tx:
        tx.people.put(Person("gone", frozenset({Role.ANNOTATOR}), active=False))
    before = tasks(dealt)
    with pytest.raises(AnnotatorError, match=complaint):
        reassign(dealt, CAMPAIGN, giver, takers, phase=phase)
    assert tasks(dealt) == before


def test_the_only_one_of_a_phase_has_to_say_who_takes_over(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.tasks.add([Task("f1", "ann", "1")])
    with pytest.raises(AnnotatorError, match="no other annotator works in phase 1; name who takes over with --to"):
        reassign(store, CAMPAIGN, "ann")


def test_what_nobody_worked_on_is_taken_back_and_may_be_dealt_out_anew(dealt: Store) -> None:
    done = tasks(dealt, "ann")[:3]
    submit(dealt, done)
    whole = tasks(dealt)
    assert len(withdraw(dealt, CAMPAIGN, "1", dry_run=True)) == len(whole) - 3
    assert tasks(dealt) == whole
    assert len(withdraw(dealt, CAMPAIGN, "1")) == len(whole) - 3
    assert tasks(dealt) == done
    again = assign_phase(dealt, CAMPAIGN, Phase("1", annotators=("ben", "dan"), overlap=0)).tasks
    assert {task.annotator for task in again} == {"ben", "dan"}
    assert {task.figure for task in again} == {task.figure for task in whole} - {task.figure for task in done}
    with dealt.read() as tx:
        assert tx.annotations.count() == 3
    with pytest.raises(AnnotatorError, match="phase 2 has no task that nothing was submitted for"):
        withdraw(dealt, CAMPAIGN, "2")


def test_whole_documents_are_taken_over_and_none_that_somebody_began(store: Store) -> None:
    """Documents of three figures, batches of four: one of each batch's documents goes on in the next."""
    phase = Phase("1", annotators=("ann", "ben"), overlap=0, batch=4, by_document=True)
    campaign = Campaign("c", (phase,), ("A",))
    with store.transaction() as tx:
        for number in range(36):
            document = f"d{number // 3}"
            tx.figures.add(a_figure(f"f{number:02}", document=document, source={"document": document}))
    assign_phase(store, campaign, phase)
    with store.transaction() as tx:
        own = tx.tasks.all(annotator="ben", released=False)
        tx.tasks.change([(task, Task(task.figure, "ben", "1", task.batch)) for task in own])
        for task in tx.tasks.all(annotator="ben"):
            tx.annotations.add(an_annotation(tx.figures.get(task.figure), annotator="ben", subfigures=()))
    begun = {int(task.figure[1:]) // 3 for task in tasks(store, "ann", released=True)}
    found = top_up(store, campaign, "1")
    taken = Counter(int(new.figure[1:]) // 3 for _, new in found.changes)
    assert taken
    assert set(taken.values()) == {3}
    assert not set(taken) & begun
