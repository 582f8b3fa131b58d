"""Figures that are taken out of the campaign, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from annotator.store.database.tables import withdrawals
from annotator.store.database.values import to_time
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows.records import Withdrawal
from annotator.store.rows.statements import Queries, check_name, record_of, these

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
