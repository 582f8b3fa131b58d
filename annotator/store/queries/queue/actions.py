"""Actions on figures that can be undone: decisions in bulk, work sent back to its annotator, withdrawals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, exists, func, select

from annotator.store.database.tables import (
    annotation_table,
    bulk_figures,
    bulks,
    decisions,
    sent_back,
    withdrawals,
)
from annotator.store.database.values import to_time
from annotator.store.queries.annotations import CURRENT
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows.records import UNDONE, Bulk, SentBack, Withdrawal
from annotator.store.rows.statements import ONE_WORK, Queries, check_name, in_campaign, record_of, same, these
from panelwise.domain import Status

_IN_BULK = select(func.count()).where(bulk_figures.c.bulk == bulks.c.id).correlate(bulks).scalar_subquery()


_BULKS = select(bulks, _IN_BULK.label("figures"))


class BulkQueries(Queries):
    """Bulk decisions, by number."""

    def add(self, reviewer: str, at: datetime) -> int:
        """Add a bulk; returns its number."""
        check_name(reviewer)
        number = self._next_number(bulks)
        self._insert(bulks, {"id": number, "reviewer": reviewer, "at": to_time(at), "undone_at": None})
        return number

    def extend(self, bulk: int, versions: Mapping[str, int]) -> None:
        """Add adjudicated figures to the bulk. versions: figure id -> number of its decision."""
        self._insert_many(
            bulk_figures,
            [{"bulk": bulk, "figure_id": name, "version": version} for name, version in versions.items()],
        )

    def set_undone(self, bulk: int, at: datetime) -> None:
        """Mark the bulk as undone."""
        self._put(bulks, {"id": bulk}, {"undone_at": to_time(at)})

    def newest(self, *, limit: int = 20) -> list[Bulk]:
        """Return the last bulks, newest first."""
        return [record_of(Bulk, row) for row in self._rows(_BULKS.order_by(bulks.c.id.desc()).limit(limit))]

    def get(self, number: int) -> Bulk | None:
        """Return the bulk with that number."""
        row = self._first(_BULKS.where(bulks.c.id == number))
        return None if row is None else record_of(Bulk, row)

    def versions(self, bulk: int) -> dict[str, tuple[int, int]]:
        """Return figure id -> (number of its decision in the bulk, number of its last decision)."""
        last = (
            select(func.max(decisions.c.version))
            .where(decisions.c.figure_id == bulk_figures.c.figure_id)
            .correlate(bulk_figures)
            .scalar_subquery()
        )
        statement = select(bulk_figures, last.label("last")).where(bulk_figures.c.bulk == bulk)
        found = {}
        for page in self._pages(statement, bulk_figures.c.figure_id):
            found.update({row["figure_id"]: (row["version"], row["last"]) for row in page})
        return found


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


_CORRECTIONS = select(sent_back.c.figure_id, sent_back.c.phase).where(_DUE)


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

    def figures(self, figure_ids: Sequence[str] | None = None, *, without: Collection[str] = ()) -> set[str]:
        """Return those of the figures, or of all (None), with work that an annotator is to correct.

        without: phases whose work is not counted.
        """
        rows = self._rows(_CORRECTIONS) if figure_ids is None else self._of_figures(_CORRECTIONS_ON, figure_ids)
        return {row["figure_id"] for row in rows if row["phase"] not in without}

    def _found(self, *conditions: ColumnElement[Any]) -> tuple[SentBack, ...]:
        return tuple(record_of(SentBack, row) for row in self._rows(_SENT_BACK.where(*conditions)))


_WITHDRAWALS = select(withdrawals).order_by(withdrawals.c.id)


_STANDING = _WITHDRAWALS.where(withdrawals.c.restored_at.is_(None))


_STANDING_OF = _STANDING.where(these(withdrawals))


class WithdrawalQueries(Queries):
    """Withdrawals of figures, by number; they leave the queue. The rest of the store leaves them out, too."""

    def add(self, figure_ids: Sequence[str], person: str, reason: str, at: datetime) -> None:
        """Withdraw figures. Raises StoreError for an unknown one."""
        check_name(person)
        self._check_known(figure_ids)
        first = self._next_number(withdrawals)
        common = {"person": person, "at": to_time(at), "reason": reason, "restored_at": None, "restored_by": ""}
        rows = [{"id": number, "figure_id": name, **common} for number, name in enumerate(figure_ids, first)]
        self._insert_many(withdrawals, rows)
        EntryQueries(self._session).remove(figure_ids)

    def end(self, numbers: Sequence[int], person: str, at: datetime) -> None:
        """Take figures back into the campaign; to be scored then, for their place in the queue."""
        check_name(person)
        for number in numbers:
            self._put(withdrawals, {"id": number}, {"restored_at": to_time(at), "restored_by": person})

    def standing(self, figure_ids: Sequence[str] | None = None) -> dict[str, Withdrawal]:
        """Return figure id -> its withdrawal, of these figures or of all (None) that are withdrawn."""
        rows = self._rows(_STANDING) if figure_ids is None else self._of_figures(_STANDING_OF, figure_ids)
        return {row["figure_id"]: record_of(Withdrawal, row) for row in rows}

    def on_figure(self, figure_id: str) -> tuple[Withdrawal, ...]:
        """Return all withdrawals of a figure, oldest first."""
        return tuple(
            record_of(Withdrawal, row)
            for row in self._rows(_WITHDRAWALS.where(withdrawals.c.figure_id == figure_id))
        )
