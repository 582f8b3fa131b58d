"""Comments on figures, and how far each person has read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select

from annotator.store.database.tables import comments, threads_read
from annotator.store.database.values import to_time
from annotator.store.rows.records import Comment
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
