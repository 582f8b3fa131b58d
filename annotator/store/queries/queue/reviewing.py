"""Skips, comments, flags and settled figures: work on the queue beside annotating and deciding.

Reviewers have them open, skip them, adjudicate several together and send work back; leads withdraw figures; all
comment on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, literal, select

from annotator.store.database.tables import (
    annotation_table,
    bulk_figures,
    bulks,
    comments,
    decisions,
    leases,
    sent_back,
    skips,
    threads_read,
    withdrawals,
)
from annotator.store.database.values import from_time, to_time
from annotator.store.queries.annotations import CURRENT
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows.records import UNDONE, Bulk, Comment, Lease, SentBack, Withdrawal
from annotator.store.rows.statements import (
    ONE_WORK,
    Queries,
    check_name,
    in_campaign,
    matching,
    record_of,
    same,
    these,
)
from panelwise.domain.annotation import Status


def unread_by(person: str, *columns: ColumnElement[Any]) -> Select[Any]:
    """Select columns of the comments by others that the person has not read."""
    read = (threads_read.c.thread == comments.c.thread) & (threads_read.c.person == person)
    new = (comments.c.author != person) & (comments.c.id > func.coalesce(threads_read.c.comment, 0))
    return select(*columns).select_from(comments.outerjoin(threads_read, read)).where(new)


_LAST = select(func.coalesce(func.max(comments.c.id), 0))


class CommentQueries(Queries):
    """Comments by number; annotator: only those of the threads with that annotator, all threads for None."""

    def add(
        self, figure_id: str, annotator: str, author: str, body: str, at: datetime, *, thread: int | None
    ) -> None:
        """Add a comment to a thread, or begin one (None). Raises StoreError for an unknown figure."""
        for name in (annotator, author):
            check_name(name)
        self._check_known([figure_id])
        number = self.last() + 1
        row = {"id": number, "figure_id": figure_id, "annotator": annotator, "thread": thread or number}
        self._insert(comments, {**row, "author": author, "at": to_time(at), "body": body})

    def on_figure(self, figure_id: str, annotator: str | None = None) -> tuple[Comment, ...]:
        """Return the comments on a figure, oldest first."""
        return self._found([figure_id], annotator)

    def to_annotator(self, annotator: str, figure_ids: Sequence[str]) -> tuple[Comment, ...]:
        """Return what others wrote to the annotator on these figures, oldest first."""
        return tuple(each for each in self._found(figure_ids, annotator) if each.author != annotator)

    def unread(self, person: str, annotator: str | None = None, figure_id: str | None = None) -> dict[str, int]:
        """Return figure id -> how many comments of others the person has not read, where there are any.

        figure_id: only of this figure; of all that are not withdrawn for None.
        """
        statement = unread_by(person, comments.c.figure_id, func.count().label("unread"))
        statement = statement.group_by(comments.c.figure_id)
        if annotator is not None:
            statement = statement.where(comments.c.annotator == annotator)
        here = in_campaign(comments.c.figure_id) if figure_id is None else comments.c.figure_id == figure_id
        return {row["figure_id"]: row["unread"] for row in self._rows(statement.where(here))}

    def put_read(self, thread: int, person: str, comment: int) -> None:
        """Store that the person has read a thread up to this comment, if not further."""
        key = (threads_read.c.thread == thread) & (threads_read.c.person == person)
        if comment > (self._scalar(select(threads_read.c.comment).where(key)) or 0):
            self._put(threads_read, {"thread": thread, "person": person}, {"comment": comment})

    def last(self) -> int:
        """Return the number of the last comment, 0 if there is none."""
        return int(self._scalar(_LAST))

    def _found(self, figure_ids: Sequence[str], annotator: str | None) -> tuple[Comment, ...]:
        every = select(comments).where(these(comments)).order_by(comments.c.id)
        found = self._of_figures(matching(every, (comments.c.annotator, annotator)), figure_ids)
        return tuple(record_of(Comment, row) for row in found)


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
