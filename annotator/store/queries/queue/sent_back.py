"""Work that reviewers sent back to its annotator, and whether it came back since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, exists, select

from annotator.store.database.tables import annotation_table, sent_back
from annotator.store.database.values import to_time
from annotator.store.queries.annotations import CURRENT
from annotator.store.rows.records import UNDONE, SentBack
from annotator.store.rows.statements import ONE_WORK, Queries, check_name, in_campaign, record_of, same, these
from panelwise.domain import Status

#: Whether the annotator's current work was saved after it was sent back, and is neither a skip nor an undone one.
_CORRECTED = exists(
    select(annotation_table.c.id)
    .where(
        same(annotation_table, sent_back, *ONE_WORK),
        annotation_table.c.saved_at > sent_back.c.at,
        annotation_table.c.status != Status.IGNORED.value,
        annotation_table.c.origin != UNDONE,
        annotation_table.c.id == CURRENT,
    )
    .correlate(sent_back)
)


_OPEN = sent_back.c.ended_at.is_(None) & ~_CORRECTED


#: Nothing is to be corrected on a withdrawn figure.
_DUE = _OPEN & in_campaign(sent_back.c.figure_id)


_SENT_BACK = select(sent_back, _OPEN.label("open")).order_by(sent_back.c.id)


_CORRECTIONS = select(sent_back.c.figure_id).where(_DUE)


_CORRECTIONS_ON = _CORRECTIONS.where(these(sent_back))


class SentBackQueries(Queries):
    """Work that was sent back, by number."""

    def add(self, figure_id: str, phase: str, annotator: str, reviewer: str, reason: str, at: datetime) -> None:
        """Send an annotator's work of a phase back. Raises StoreError for an unknown figure."""
        for name in (phase, annotator, reviewer):
            check_name(name)
        self._check_known([figure_id])
        row = {
            "id": self._next_number(sent_back),
            "figure_id": figure_id,
            "phase": phase,
            "annotator": annotator,
            "reviewer": reviewer,
        }
        self._insert(sent_back, {**row, "at": to_time(at), "reason": reason, "ended_at": None, "ended_by": ""})

    def end(self, number: int, person: str, at: datetime) -> None:
        """End it: withdrawn by a reviewer, or handed in unchanged by the annotator."""
        check_name(person)
        self._put(sent_back, {"id": number}, {"ended_at": to_time(at), "ended_by": person})

    def on_figure(self, figure_id: str) -> tuple[SentBack, ...]:
        """Return all that was sent back on a figure, oldest first."""
        return self._found(sent_back.c.figure_id == figure_id)

    def open_for(self, annotator: str) -> tuple[SentBack, ...]:
        """Return what the annotator is to correct, oldest first."""
        return self._found(sent_back.c.annotator == annotator, _DUE)

    def mark(self) -> str:
        """Return a text that changes with what annotators are to correct."""
        return " ".join(str(row["id"]) for row in self._rows(select(sent_back.c.id).where(_DUE)))

    def figures(self, figure_ids: Sequence[str] | None = None) -> set[str]:
        """Return those of the figures, or of all (None), with work that an annotator is to correct."""
        rows = self._rows(_CORRECTIONS) if figure_ids is None else self._of_figures(_CORRECTIONS_ON, figure_ids)
        return {row["figure_id"] for row in rows}

    def _found(self, *conditions: ColumnElement[Any]) -> tuple[SentBack, ...]:
        return tuple(record_of(SentBack, row) for row in self._rows(_SENT_BACK.where(*conditions)))
