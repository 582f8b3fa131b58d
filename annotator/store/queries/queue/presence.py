"""What reviewers do with figures without deciding on them: look at one, skip one, settle many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import false, func, select, true

from annotator.store.database.tables import bulk_figures, bulks, decisions, leases, skips
from annotator.store.database.values import Row, from_time, to_time
from annotator.store.rows.records import Bulk, Lease
from annotator.store.rows.statements import Queries, check_name

_COUNTED = select(func.count()).where(bulk_figures.c.bulk == bulks.c.id).correlate(bulks).scalar_subquery()
_BULKS = select(bulks, _COUNTED.label("figures"))


class SettingAsideQueries(Queries):
    """Leases, figures skipped, and figures settled together."""

    def put_lease(self, figure_id: str, reviewer: str, until: datetime) -> None:
        """Keep that the reviewer looks at this figure, which must be known, and at no other, until then."""
        self._write(leases.delete().where(leases.c.reviewer == reviewer, leases.c.figure_id != figure_id))
        self._put(leases, {"figure_id": figure_id, "reviewer": reviewer}, {"until": to_time(until)})

    def end_leases(self, reviewer: str, *, figure_id: str | None = None) -> None:
        """Keep that the reviewer does not look at the figure, or at any (None)."""
        statement = leases.delete().where(leases.c.reviewer == reviewer)
        if figure_id is not None:
            statement = statement.where(leases.c.figure_id == figure_id)
        self._write(statement)

    def leases(self, figure_ids: Sequence[str] | None, *, now: datetime) -> list[Lease]:
        """Who looks at one of these figures now, or at any (None), by figure and name."""
        statement = select(leases).where(leases.c.until > to_time(now))
        if figure_ids is not None:
            statement = statement.where(leases.c.figure_id.in_(figure_ids))
        statement = statement.order_by(leases.c.figure_id, leases.c.reviewer)
        return [Lease(row["figure_id"], row["reviewer"], from_time(row["until"])) for row in self._rows(statement)]

    def put_skip(self, figure_id: str, reviewer: str, at: datetime) -> None:
        """Keep that the reviewer skipped the figure then."""
        self._check_known([figure_id])
        check_name(reviewer)
        self._put(skips, {"figure_id": figure_id, "reviewer": reviewer}, {"at": to_time(at)})

    def end_skips(self, *, reviewer: str | None = None, figure_id: str | None = None) -> int:
        """Forget what was skipped: by a reviewer, of a figure, or both; returns how much that was."""
        statement = skips.delete()
        for column, value in ((skips.c.reviewer, reviewer), (skips.c.figure_id, figure_id)):
            if value is not None:
                statement = statement.where(column == value)
        return self._write(statement)

    def skipped(self, reviewer: str) -> dict[str, datetime]:
        """Figures that the reviewer skipped -> when, the first at the front."""
        statement = select(skips).where(skips.c.reviewer == reviewer).order_by(skips.c.at, skips.c.figure_id)
        return {row["figure_id"]: from_time(row["at"]) for row in self._rows(statement)}

    def presence(self, figure_id: str, reviewer: str, *, now: datetime) -> tuple[list[Lease], bool]:
        """Which others look at the figure now, by name, and whether the reviewer skipped it."""
        looking = select(leases.c.reviewer, leases.c.until, false().label("skipped")).where(
            leases.c.figure_id == figure_id, leases.c.reviewer != reviewer, leases.c.until > to_time(now)
        )
        skipped = select(skips.c.reviewer, skips.c.at, true()).where(
            skips.c.figure_id == figure_id, skips.c.reviewer == reviewer
        )
        rows = self._rows(looking.union_all(skipped).order_by("reviewer"))
        others = [Lease(figure_id, row["reviewer"], from_time(row["until"])) for row in rows if not row["skipped"]]
        return others, len(others) < len(rows)

    # figures settled together

    def add_bulk(self, reviewer: str, at: datetime) -> int:
        """Begin a bulk; returns its number."""
        check_name(reviewer)
        number = int(self._scalar(select(func.coalesce(func.max(bulks.c.id), 0)))) + 1
        self._insert(bulks, {"id": number, "reviewer": reviewer, "at": to_time(at), "undone_at": None})
        return number

    def add_to_bulk(self, bulk: int, versions: Mapping[str, int]) -> None:
        """Keep that these figures were settled in it. versions: figure id -> the number of its decision."""
        self._insert_many(
            bulk_figures,
            [{"bulk": bulk, "figure_id": name, "version": version} for name, version in versions.items()],
        )

    def set_undone(self, bulk: int, at: datetime) -> None:
        """Keep that it was taken back."""
        self._put(bulks, {"id": bulk}, {"undone_at": to_time(at)})

    def bulks(self, *, limit: int = 20) -> list[Bulk]:
        """The last bulks, the newest first."""
        return [_bulk(row) for row in self._rows(_BULKS.order_by(bulks.c.id.desc()).limit(limit))]

    def bulk(self, number: int) -> Bulk | None:
        """The bulk of that number."""
        row = self._first(_BULKS.where(bulks.c.id == number))
        return None if row is None else _bulk(row)

    def bulk_versions(self, bulk: int) -> dict[str, tuple[int, int]]:
        """Figure id -> (number of the decision that it was given in the bulk, number of its last one)."""
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


def _bulk(row: Row) -> Bulk:
    return Bulk(
        id=row["id"],
        reviewer=row["reviewer"],
        at=from_time(row["at"]),
        figures=row["figures"],
        undone_at=None if row["undone_at"] is None else from_time(row["undone_at"]),
    )
