"""Blind phases: the boxes that they show, the work handed in, and the figures hidden from reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Delete, and_, bindparam, delete, exists, func, not_, select, true

from annotator.store.database.tables import annotation_table, blind_boxes, figures, handed_in, queue_facets, tasks
from annotator.store.database.values import to_time
from annotator.store.rows import mapping
from annotator.store.rows.records import BlindBoxes, Facet, Hidden, QueueCounts
from annotator.store.rows.statements import ONE_REVISION, Queries, check_name, in_campaign, same, these

_GIVEN = (
    select(blind_boxes)
    .join(figures, same(figures, blind_boxes, *ONE_REVISION))
    .where(blind_boxes.c.phase == bindparam("phase"), these(blind_boxes))
)
#: Whether the reviewer of a row of `handed_in` ever wrote anything there.
_OWN = select(annotation_table.c.id).where(
    same(annotation_table, handed_in, "figure_id", "phase"),
    annotation_table.c.annotator == handed_in.c.reviewer,
)
_WROTE = exists(_OWN.correlate(handed_in))
#: Whether what was handed in then is on the figure's present revision.
_HOLDS = exists(
    _OWN.where(annotation_table.c.saved_at <= handed_in.c.at)
    .join(figures, same(figures, annotation_table, *ONE_REVISION))
    .correlate(handed_in)
)
#: Of rows of `handed_in`: the work is on an earlier caption or image, so it is to be done, and handed in, again.
_OUTDATED = and_(_WROTE, not_(_HOLDS))


class BlindQueries(Queries):
    """Boxes and hand-ins of blind phases."""

    def put_boxes(self, phase: str, found: BlindBoxes, at: datetime) -> None:
        """Store the boxes that a phase shows on a revision of a figure; boxes already stored stay."""
        check_name(phase)
        known = select(blind_boxes.c.revision).where(
            blind_boxes.c.phase == phase,
            blind_boxes.c.figure_id == found.figure_id,
            blind_boxes.c.revision == found.revision,
        )
        if self._first(known) is not None:
            return
        row = mapping.blind_boxes_row(found)
        self._insert(blind_boxes, {**row, "phase": phase, "at": to_time(at)})

    def boxes(self, phase: str, figure_ids: Sequence[str]) -> dict[str, BlindBoxes]:
        """Return figure id -> the boxes that the phase shows on its current revision, if stored."""
        rows = self._of_figures(_GIVEN, figure_ids, phase=phase)
        return {row["figure_id"]: mapping.blind_boxes_from(row) for row in rows}

    def hand_in(self, phase: str, reviewer: str, figure_ids: Iterable[str], at: datetime) -> int:
        """Store that the reviewer handed in these figures; returns the number of new hand-ins."""
        check_name(phase)
        check_name(reviewer)
        there = self.handed_in(phase, reviewer)
        new = sorted(set(figure_ids) - there)
        self._check_known(new)
        for figure_id in new:
            key = {"phase": phase, "reviewer": reviewer, "figure_id": figure_id}
            self._put(handed_in, key, {"at": to_time(at)})
        return len(new)

    def handed_in(self, phase: str, reviewer: str) -> set[str]:
        """Return the figures of the phase that the reviewer handed in, on their current caption and image."""
        return self._handed_in(phase, reviewer, not_(_OUTDATED))

    def handed_in_before(self, phase: str, reviewer: str) -> set[str]:
        """Return the figures that the reviewer handed in before their caption or image was replaced."""
        return self._handed_in(phase, reviewer, _OUTDATED)

    def _handed_in(self, phase: str, reviewer: str, condition: ColumnElement[bool]) -> set[str]:
        column = handed_in.c
        wanted = select(column.figure_id).where(column.phase == phase, column.reviewer == reviewer, condition)
        return {row["figure_id"] for row in self._rows(wanted)}

    def hidden_figures(self, hidden: Hidden) -> set[str]:
        """Return the hidden figures."""
        return {row["figure_id"] for row in self._rows(_hidden(hidden))}

    def hides(self, hidden: Hidden, figure_ids: Sequence[str] | None = None) -> bool:
        """Return True if one of these figures, or any figure (None), is hidden."""
        if not hidden.phases:
            return False
        statement = _hidden(hidden).limit(1)
        if figure_ids is None:
            return self._first(statement) is not None
        return any(True for _ in self._of_figures(statement.where(these(tasks)), figure_ids))

    def hidden_facets(self, hidden: Hidden) -> dict[tuple[str, str], QueueCounts]:
        """Return (kind, value) -> number of hidden figures in the queue with that facet, if any."""
        facets = queue_facets.c
        statement = (
            select(facets.kind, facets.value, facets.decided, func.count().label("figures"))
            .where(facets.figure_id.in_(_hidden(hidden)))
            .group_by(facets.kind, facets.value, facets.decided)
        )
        found: dict[tuple[str, str], QueueCounts] = {}
        for row in self._rows(statement):
            key, number = (Facet(row["kind"]).value, row["value"]), int(row["figures"])
            before = found.get(key, QueueCounts(0, 0))
            found[key] = QueueCounts(before.total + number, before.decided + (number if row["decided"] else 0))
        return found


def closed_unwritten(figure_id: str) -> Delete:
    """Delete hand-ins of a figure on which the reviewer wrote nothing, as it had no subfigures to describe.

    For a figure whose caption or image is replaced. Written work names its revision itself.
    """
    return delete(handed_in).where(handed_in.c.figure_id == figure_id, not_(_WROTE))


def not_hidden(hidden: Hidden, figure_id: Column[Any]) -> ColumnElement[bool]:
    """Return the condition that a figure is not hidden: one or two index look-ups per figure."""
    return not_(exists().where(_open(hidden), tasks.c.figure_id == figure_id))


def outside(hidden: Hidden | None, figure_id: Column[Any]) -> ColumnElement[bool]:
    """Return the same condition for a whole table, whose statement may read tasks itself; None hides nothing."""
    return true() if hidden is None else figure_id.not_in(_hidden(hidden).correlate(None))


def _open(hidden: Hidden) -> ColumnElement[bool]:
    done = exists().where(
        same(handed_in, tasks, "figure_id", "phase"),
        handed_in.c.reviewer == tasks.c.annotator,
        not_(_OUTDATED),
    )
    own = and_(tasks.c.annotator == hidden.reviewer, tasks.c.phase.in_(hidden.phases))
    return and_(own, in_campaign(tasks.c.figure_id), not_(done))


def _hidden(hidden: Hidden) -> Any:
    return select(tasks.c.figure_id).where(_open(hidden))
