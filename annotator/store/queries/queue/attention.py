"""People's attention to figures: whom they are open for, who skipped or saw them, comments and who read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, bindparam, case, exists, func, insert, literal, or_, select

from annotator.store.database.tables import (
    annotation_table,
    comments,
    decisions,
    figures,
    figures_seen,
    leases,
    sent_back,
    skips,
    threads_read,
)
from annotator.store.database.values import from_time, to_time
from annotator.store.rows.records import Comment, Contact, Lease
from annotator.store.rows.statements import Queries, check_name, in_campaign, matching, record_of, these


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

    def on_figure(
        self, figure_id: str, annotator: str | None = None, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Comment, ...]:
        """Return the newest `limit` comments on a figure, of those with a number below `before`, oldest first.

        None for all.
        """
        statement = self._on(select(comments), figure_id, annotator)
        if before is not None:
            statement = statement.where(comments.c.id < before)
        rows = self._rows(statement.order_by(comments.c.id.desc()).limit(limit))
        return tuple(record_of(Comment, row) for row in reversed(rows))

    def count(self, figure_id: str) -> int:
        """Count all comments on a figure."""
        return int(self._scalar(self._on(select(func.count()), figure_id, None)))

    def thread_with(self, figure_id: str, thread: int, annotator: str | None = None) -> str | None:
        """Return with whom a thread on a figure is, "" for reviewers among themselves; None if there is none."""
        statement = self._on(select(comments.c.annotator), figure_id, annotator)
        found = self._scalar(statement.where(comments.c.id == thread, comments.c.thread == thread))
        return None if found is None else str(found)

    def last_of_threads(self, figure_id: str, annotator: str | None, last: int) -> dict[int, int]:
        """Return thread -> its newest comment with a number up to `last`, of the threads on a figure."""
        newest = select(comments.c.thread, func.max(comments.c.id).label("newest")).group_by(comments.c.thread)
        found = self._rows(self._on(newest, figure_id, annotator).where(comments.c.id <= last))
        return {row["thread"]: row["newest"] for row in found}

    def has_others(self, figure_id: str, annotator: str | None, last: int, person: str) -> bool:
        """Return whether another person wrote a comment with a number up to `last` in the threads on a figure."""
        by_others = self._on(select(comments.c.id), figure_id, annotator).where(
            comments.c.id <= last, comments.c.author != person
        )
        return self._first(by_others.limit(1)) is not None

    def to_annotator(self, annotator: str, figure_ids: Sequence[str]) -> tuple[Comment, ...]:
        """Return what others wrote to the annotator on these figures, oldest first."""
        every = select(comments).where(these(comments)).order_by(comments.c.id)
        written = every.where(comments.c.annotator == annotator, comments.c.author != annotator)
        return tuple(record_of(Comment, row) for row in self._of_figures(written, figure_ids))

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

    @staticmethod
    def _on(statement: Select[Any], figure_id: str, annotator: str | None) -> Select[Any]:
        """Restrict a statement to the comments on a figure; annotator: to the threads with that annotator."""
        return matching(statement.where(comments.c.figure_id == figure_id), (comments.c.annotator, annotator))


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


#: Every other time at which a person knows others' work on a figure: as its reviewer or as the recipient of a
#: return. Comments that a person has read are in `figures_seen`; who writes to another has seen their work.
_CONTACTS = (
    select(figures_seen.c.figure_id, figures_seen.c.person, figures_seen.c.at, literal(0).label("returned")),
    select(decisions.c.figure_id, decisions.c.reviewer, decisions.c.decided_at, literal(0)),
    select(sent_back.c.figure_id, sent_back.c.reviewer, sent_back.c.at, literal(0)),
    select(sent_back.c.figure_id, sent_back.c.annotator, sent_back.c.at, literal(1)),
    select(comments.c.figure_id, comments.c.author, comments.c.at, literal(0)).where(
        comments.c.annotator != comments.c.author
    ),
)

#: When a person last saved own work.
_SAVED = (
    select(annotation_table.c.figure_id, func.max(annotation_table.c.saved_at).label("last"))
    .where(these(annotation_table), annotation_table.c.annotator == bindparam("person"))
    .group_by(annotation_table.c.figure_id)
)
_SEEN = select(figures_seen.c.figure_id).where(these(figures_seen), figures_seen.c.person == bindparam("person"))


class SeenQueries(Queries):
    """Figures whose work or gold people have seen."""

    def add(self, person: str, figure_ids: Collection[str], at: datetime) -> None:
        """Record that the person has seen others' work on these figures, for those not recorded yet."""
        check_name(person)
        there = {row["figure_id"] for row in self._of_figures(_SEEN, figure_ids, person=person)}
        saved = {row["figure_id"]: row["last"] for row in self._of_figures(_SAVED, figure_ids, person=person)}
        # Not before the person's own work, even if the clock was set back since.
        new = [
            {"figure_id": name, "person": person, "at": max(to_time(at), saved.get(name, ""))}
            for name in set(figure_ids) - there
        ]
        self._insert_many(figures_seen, new)

    def add_all(self, person: str, at: datetime) -> None:
        """Record that the person has seen others' work on every figure that has some."""
        check_name(person)
        own = annotation_table.c.figure_id == figures.c.figure_id, annotation_table.c.annotator == person
        last = select(func.max(annotation_table.c.saved_at)).where(*own).scalar_subquery()
        moment = case((last > to_time(at), last), else_=to_time(at))
        rows = select(figures.c.figure_id, literal(person), moment).where(
            ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        self._write(insert(figures_seen).from_select(["figure_id", "person", "at"], rows))

    def unseen(self, person: str, figure_ids: Collection[str]) -> list[str]:
        """Return those of the figures that others have worked on and that the person has not seen so far."""
        wanted = select(figures.c.figure_id).where(
            these(figures), ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        return [row["figure_id"] for row in self._of_figures(wanted, figure_ids)]

    def any_unseen(self, person: str) -> bool:
        """Return whether `add_all` would record anything."""
        wanted = select(figures.c.figure_id).where(
            ~_seen_by(figures.c.figure_id, person), _worked_by_others(figures.c.figure_id, person)
        )
        return self._first(wanted.limit(1)) is not None

    def knew(self) -> set[tuple[str, str]]:
        """Return (figure, person) where the person knows the figure: from contacts, or from work in any phase."""
        worked = select(annotation_table.c.figure_id, annotation_table.c.annotator).distinct()
        found = {(figure, person) for figure, person in (tuple(row.values()) for row in self._rows(worked))}
        return found | {(figure, person) for person, figure in self.contacts()}

    def contacts(self) -> Mapping[tuple[str, str], list[Contact]]:
        """Return (person, figure) -> when others' work or a hint about it reached the person, oldest first."""
        found: dict[tuple[str, str], list[Contact]] = defaultdict(list)
        for statement in _CONTACTS:
            for figure, person, at, returned in (tuple(row.values()) for row in self._rows(statement)):
                found[person, figure].append(Contact(from_time(at), bool(returned)))
        for times in found.values():
            times.sort(key=lambda contact: contact.at)
        return found


def _seen_by(figure_id: Column[str], person: str) -> ColumnElement[bool]:
    return exists().where(figures_seen.c.figure_id == figure_id, figures_seen.c.person == person)


def _worked_by_others(figure_id: Column[str], person: str) -> ColumnElement[bool]:
    return or_(
        exists().where(annotation_table.c.figure_id == figure_id, annotation_table.c.annotator != person),
        exists().where(decisions.c.figure_id == figure_id, decisions.c.reviewer != person),
    )
