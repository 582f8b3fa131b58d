"""Figures that a reviewer adjudicated together, so that this can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, select

from annotator.store.database.tables import bulk_figures, bulks, decisions
from annotator.store.database.values import to_time
from annotator.store.rows.records import Bulk
from annotator.store.rows.statements import Queries, check_name, record_of

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
