"""What reviewers do with figures without deciding on them: look at one, or skip one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import false, select, true

from annotator.store.database.tables import leases, skips
from annotator.store.database.values import from_time, to_time
from annotator.store.rows.records import Lease
from annotator.store.rows.statements import Queries, check_name


class PresenceQueries(Queries):
    """Leases, and figures that reviewers skipped."""

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

    def on(self, figure_id: str, reviewer: str, *, now: datetime) -> tuple[list[Lease], bool]:
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

    # figures adjudicated together
