"""Open and skipped figures of reviewers, without decisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import literal, select

from annotator.store.database.tables import comments, leases, skips
from annotator.store.database.values import from_time, to_time
from annotator.store.queries.queue.comments import unread_by
from annotator.store.rows.records import Lease
from annotator.store.rows.statements import Queries, check_name, matching, record_of


class PresenceQueries(Queries):
    """Leases, and figures that reviewers skipped."""

    def put_lease(self, figure_id: str, reviewer: str, until: datetime) -> None:
        """Store that the reviewer has this known figure open, and no other, until then."""
        self._write(leases.delete().where(leases.c.reviewer == reviewer, leases.c.figure_id != figure_id))
        self._put(leases, {"figure_id": figure_id, "reviewer": reviewer}, {"until": to_time(until)})

    def end_leases(self, reviewer: str, *, figure_id: str | None = None) -> None:
        """End the reviewer's lease of the figure, or all of them (None)."""
        self._write(matching(leases.delete(), (leases.c.reviewer, reviewer), (leases.c.figure_id, figure_id)))

    def leases(self, figure_ids: Sequence[str] | None, *, now: datetime) -> list[Lease]:
        """Return the current leases of these figures, or of all (None), by figure and name."""
        statement = select(leases).where(leases.c.until > to_time(now))
        if figure_ids is not None:
            statement = statement.where(leases.c.figure_id.in_(figure_ids))
        statement = statement.order_by(leases.c.figure_id, leases.c.reviewer)
        return [record_of(Lease, row) for row in self._rows(statement)]

    def put_skip(self, figure_id: str, reviewer: str, at: datetime) -> None:
        """Store that the reviewer skipped the figure, and when."""
        self._check_known([figure_id])
        check_name(reviewer)
        self._put(skips, {"figure_id": figure_id, "reviewer": reviewer}, {"at": to_time(at)})

    def end_skips(self, *, reviewer: str | None = None, figure_id: str | None = None) -> int:
        """Delete skips: of a reviewer, of a figure, or both; returns their number."""
        return self._write(matching(skips.delete(), (skips.c.reviewer, reviewer), (skips.c.figure_id, figure_id)))

    def skipped(self, reviewer: str) -> dict[str, datetime]:
        """Return figure -> time of the reviewer's skips, oldest first."""
        statement = select(skips).where(skips.c.reviewer == reviewer).order_by(skips.c.at, skips.c.figure_id)
        return {row["figure_id"]: from_time(row["at"]) for row in self._rows(statement)}

    def on(self, figure_id: str, reviewer: str, *, now: datetime) -> tuple[list[Lease], bool, int]:
        """Return the other reviewers with the figure open, by name, whether this reviewer skipped it, and how many
        comments on it they have not read.
        """
        looking = select(leases.c.reviewer, leases.c.until, literal("looks").label("what")).where(
            leases.c.figure_id == figure_id, leases.c.reviewer != reviewer, leases.c.until > to_time(now)
        )
        skipped = select(skips.c.reviewer, skips.c.at, literal("skipped")).where(
            skips.c.figure_id == figure_id, skips.c.reviewer == reviewer
        )
        new = unread_by(reviewer, comments.c.author, comments.c.at, literal("wrote"))
        every = looking.union_all(skipped, new.where(comments.c.figure_id == figure_id))
        rows = self._rows(every.order_by("reviewer"))
        others = [
            Lease(figure_id, row["reviewer"], from_time(row["until"])) for row in rows if row["what"] == "looks"
        ]
        found = [row["what"] for row in rows]
        return others, "skipped" in found, found.count("wrote")
