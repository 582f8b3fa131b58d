"""Figures that are taken out of the campaign, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from annotator.store.database.tables import withdrawals
from annotator.store.database.values import Row, from_time, to_time
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows.records import Withdrawal
from annotator.store.rows.statements import PAGE, Queries, check_name

_EVERY = select(withdrawals).order_by(withdrawals.c.id)
_STANDING = _EVERY.where(withdrawals.c.restored_at.is_(None))


class WithdrawalQueries(Queries):
    """Withdrawals of figures, by number; they leave the queue. The rest of the store leaves them out, too."""

    def add(self, figure_ids: Sequence[str], person: str, reason: str, at: datetime) -> None:
        """Withdraw figures. Raises StoreError for an unknown one."""
        check_name(person)
        self._check_known(figure_ids)
        number = int(self._scalar(select(func.coalesce(func.max(withdrawals.c.id), 0))))
        common = {"person": person, "at": to_time(at), "reason": reason, "restored_at": None, "restored_by": ""}
        rows = [
            {"id": number + place, "figure_id": name, **common} for place, name in enumerate(figure_ids, start=1)
        ]
        self._insert_many(withdrawals, rows)
        EntryQueries(self._session).remove(figure_ids)

    def end(self, numbers: Sequence[int], person: str, at: datetime) -> None:
        """Take figures back into the campaign; to be scored then, for their place in the queue."""
        check_name(person)
        for number in numbers:
            self._put(withdrawals, {"id": number}, {"restored_at": to_time(at), "restored_by": person})

    def standing(self, figure_ids: Sequence[str] | None = None) -> dict[str, Withdrawal]:
        """Return figure id -> its withdrawal, of these figures or of all (None) that are withdrawn."""
        if figure_ids is None:
            return {row["figure_id"]: _withdrawal(row) for row in self._rows(_STANDING)}
        found: dict[str, Withdrawal] = {}
        for start in range(0, len(figure_ids), PAGE):
            some = withdrawals.c.figure_id.in_(figure_ids[start : start + PAGE])
            found.update({row["figure_id"]: _withdrawal(row) for row in self._rows(_STANDING.where(some))})
        return found

    def on_figure(self, figure_id: str) -> tuple[Withdrawal, ...]:
        """Return all withdrawals of a figure, oldest first."""
        return tuple(_withdrawal(row) for row in self._rows(_EVERY.where(withdrawals.c.figure_id == figure_id)))


def _withdrawal(row: Row) -> Withdrawal:
    restored = row["restored_at"]
    return Withdrawal(
        **{name: row[name] for name in ("id", "figure_id", "person", "reason", "restored_by")},
        at=from_time(row["at"]),
        restored_at=None if restored is None else from_time(restored),
    )
