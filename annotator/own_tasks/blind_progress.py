"""Progress of blind phases for leads: of each reviewer, and who saw a figure before annotating it blind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.own_tasks.blind_boxes import find_boxes
from annotator.own_tasks.tasks import PhaseWork, State, done_before, own_phases
from annotator.store.store import Store, Transaction
from panelwise.domain import Campaign, Phase
from panelwise.runtime import counted


@dataclass(frozen=True, slots=True)
class BlindRow:
    """One reviewer in one blind phase, counted in figures.

    annotated_before: figures that they annotated in another phase, or handed in on an earlier caption or image;
    settled_before: that they decided on. What they write there is reported separately. not_ready: figures with
    nothing to give yet. left_out: without subfigures to describe.
    """

    phase: str
    reviewer: str
    figures: int
    written: int
    handed_in: int
    annotated_before: int
    settled_before: int
    not_ready: int
    left_out: int


def blind_rows(store: Store, campaign: Campaign) -> tuple[BlindRow, ...]:
    """Return every reviewer with tasks in a blind phase, by phase in the campaign's order, then by name."""
    with store.read() as tx:
        return tuple(row for phase in own_phases(campaign, blind=True) for row in _rows(tx, campaign, phase))


def _rows(tx: Transaction, campaign: Campaign, phase: Phase) -> Iterator[BlindRow]:
    every = tx.tasks.all(phase=phase.name)
    given = find_boxes(tx, campaign, phase, sorted({task.figure for task in every}))
    for reviewer in sorted({task.annotator for task in every}):
        tasks = [task for task in every if task.annotator == reviewer]
        work, before = PhaseWork.of(tx, phase, reviewer, tasks), done_before(tx, reviewer, phase)
        states = Counter(work.state_of(task, given[task.figure]) for task in tasks)
        known = [before[task.figure] for task in tasks if task.figure in before]
        yield BlindRow(
            phase=phase.name,
            reviewer=reviewer,
            figures=len(tasks),
            written=len(work.current),
            handed_in=states[State.HANDED_IN],
            annotated_before=sum(earlier.annotated for earlier in known),
            settled_before=sum(earlier.decided for earlier in known),
            not_ready=states[State.WAITING],
            left_out=states[State.LEFT_OUT],
        )


def waiting_lines(rows: Sequence[BlindRow]) -> Iterator[str]:
    """A line for each phase in which there is nothing to give on some figures, and what to do about it."""
    for phase in dict.fromkeys(row.phase for row in rows):
        waiting = max(row.not_ready for row in rows if row.phase == phase)
        bare = max(row.left_out for row in rows if row.phase == phase)
        parts = []
        if waiting:
            parts.append(
                f"{counted(waiting, 'figure')} without subfigures to show so far; a reviewer who does not "
                "annotate them blind adjudicates them: annotator serve"
            )
        if bare:
            parts.append(f"{counted(bare, 'figure')} with no subfigures to describe")
        if parts:
            yield f"phase {phase}, blind: {'; '.join(reversed(parts))}"
