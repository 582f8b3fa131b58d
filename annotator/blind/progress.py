"""Progress of blind phases for leads: of each reviewer, and who saw a figure before annotating it blind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.blind.boxes import NoBoxes, find_boxes
from annotator.blind.tasks import Before, done_before, written_in
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
    """Every reviewer with tasks in a blind phase, by phase in the campaign's order, then by name."""
    with store.read() as tx:
        return tuple(row for phase in campaign.phases if phase.blind for row in _rows(tx, campaign, phase))


def _rows(tx: Transaction, campaign: Campaign, phase: Phase) -> Iterator[BlindRow]:
    dealt: dict[str, list[str]] = {}
    for task in tx.tasks.all(phase=phase.name):
        dealt.setdefault(task.annotator, []).append(task.figure)
    given = find_boxes(tx, campaign, phase, sorted({figure for figures in dealt.values() for figure in figures}))
    for reviewer in sorted(dealt):
        figures = dealt[reviewer]
        written = written_in(tx, phase.name, reviewer) & set(figures)
        before = done_before(tx, reviewer, phase)
        known = [before.get(figure, Before()) for figure in figures]
        left = [given[figure] for figure in figures if figure not in written]
        yield BlindRow(
            phase=phase.name,
            reviewer=reviewer,
            figures=len(figures),
            written=len(written),
            handed_in=len(tx.blind.handed_in(phase.name, reviewer) & written),
            annotated_before=sum(bool(each.phases) or each.handed_in for each in known),
            settled_before=sum(each.decided for each in known),
            not_ready=sum(each is NoBoxes.WAITING for each in left),
            left_out=sum(each is NoBoxes.LEFT_OUT for each in left),
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
