"""Counts and times over a whole campaign, grouped by the database: for the lead's dashboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Column, ColumnElement, Select, Table, and_, exists, func, not_, select

from annotator.store.database.tables import annotation_table, decisions, figures, queue, settings, tasks
from annotator.store.database.values import Row, to_time
from annotator.store.queries.annotations import CURRENT
from annotator.store.queries.blind import outside
from annotator.store.queries.tasks import submitted
from annotator.store.rows.mapping import REOPENED
from annotator.store.rows.records import SUBMITTED, TASK_CHANGES, DayCount, Hidden, TaskCounts
from annotator.store.rows.statements import ONE_WORK, Queries, Session, in_campaign, matching, same
from panelwise.domain import Attention, Status, WorkKey, by_annotator

_ADJUDICATING = decisions.c.status != REOPENED


class StatisticsQueries(Queries):
    """Progress, pace and durations of a campaign. hidden: figures that are not counted."""

    def __init__(self, session: Session, hidden: Hidden | None = None) -> None:
        super().__init__(session)
        self._hidden = hidden

    def without(self, hidden: Hidden | None) -> StatisticsQueries:
        """Return the same statistics over all but the hidden figures."""
        return StatisticsQueries(self._session, hidden)

    def _counts(self, table: Table) -> ColumnElement[bool]:
        return outside(self._hidden, table.c.figure_id)

    def mark(self) -> str:
        """Another text whenever decisions or tasks may be others than before; annotations have `work_mark`."""
        last, given = self._scalar(select(func.max(decisions.c.id))), self._scalar(select(func.max(tasks.c.id)))
        changed = self._scalar(select(settings.c.value).where(settings.c.name == TASK_CHANGES))
        waiting = self._scalar(select(func.count()).select_from(queue))
        return f"{last} {given} {changed} {waiting}"

    def task_counts(self) -> dict[tuple[str, str], TaskCounts]:
        """Of each phase and annotator: figures done, waiting, and to be redone.

        Done is what was submitted on the figures' present revision, given out or not; to be redone what was
        submitted on another one only; waiting what was given out and not submitted at all.
        """
        counts = self._counts(annotation_table)
        done = self._grouped(_of_work(present=True).where(counts))
        redo = self._grouped(_of_work(present=False).where(not_(_has_present()), counts))
        open_tasks = _group(tasks, func.count()).where(
            not_(submitted()), in_campaign(tasks.c.figure_id), self._counts(tasks)
        )
        waiting = self._grouped(open_tasks)
        return {
            key: TaskCounts(done.get(key, 0), waiting.get(key, 0), redo.get(key, 0))
            for key in sorted({*done, *waiting, *redo})
        }

    def annotators(self) -> set[str]:
        """Whoever submitted anything."""
        return {row["annotator"] for row in self._rows(select(annotation_table.c.annotator).distinct())}

    def submitted_by_day(self, since: datetime | None) -> list[DayCount]:
        """Count each annotator's submitted figures by day (UTC), from `since` on; None: all."""
        return self._by_day(annotation_table, annotation_table.c.saved_at, annotation_table.c.annotator, since)

    def adjudicated_by_day(self, since: datetime | None) -> list[DayCount]:
        """Count each reviewer's decided figures by day (UTC), from `since` on; None: all."""
        return self._by_day(decisions, decisions.c.decided_at, decisions.c.reviewer, since, _ADJUDICATING)

    def adjudicated_by_reviewer(self) -> dict[str, int]:
        """Count each reviewer's decided figures."""
        count = func.count(decisions.c.figure_id.distinct()).label("count")
        statement = (
            select(decisions.c.reviewer, count)
            .where(_ADJUDICATING, self._counts(decisions))
            .group_by(decisions.c.reviewer)
        )
        return {row["reviewer"]: int(row["count"]) for row in self._rows(statement)}

    def annotation_seconds(self) -> Iterator[tuple[str, str, float]]:
        """Phase, annotator and seconds spent of every submission that says how long it took."""
        table = annotation_table
        for row in self._seconds(table, table.c.phase, table.c.annotator):
            yield row["phase"], row["annotator"], row["seconds"]

    def attention(self, annotator: str | None = None) -> dict[tuple[str, str], Attention]:
        """Return (phase, annotator) -> how they worked, as Panelwise's own screen recorded it; of one or all."""
        return by_annotator(self.figures_attention(annotator))

    def figures_attention(self, annotator: str | None = None) -> Iterator[tuple[WorkKey, Attention]]:
        """Yield the attention of each current submission that recorded it, by one annotator or all."""
        table = annotation_table
        keys = (table.c.phase, table.c.annotator, table.c.figure_id, table.c.revision)
        current = select(*keys, table.c.seconds, table.c.payload).where(
            table.c.origin == SUBMITTED,
            table.c.status == Status.ACCEPTED.value,
            table.c.id == CURRENT,
            self._counts(table),
        )
        for row in self._rows(matching(current, (table.c.annotator, annotator))):
            payload = msgspec.json.decode(row["payload"], type=_Viewed)
            if payload.viewed is not None:
                own = Attention.of_figure(
                    *(payload.parts, len(payload.viewed)), unchanged=payload.unchanged, seconds=row["seconds"]
                )
                yield (row["phase"], row["annotator"], row["figure_id"], int(row["revision"])), own

    def seconds_by_day(self) -> Iterator[tuple[str, float]]:
        """Day (UTC) and seconds spent of every submission that says how long it took."""
        table = annotation_table
        for row in self._seconds(table, func.substr(table.c.saved_at, 1, 10).label("day")):
            yield row["day"], row["seconds"]

    def agreement_by_day(self) -> Iterator[tuple[str, float]]:
        """Day (UTC) of the last annotation, and agreement, of each figure in the queue that several annotated."""
        table = annotation_table
        statement = (
            select(func.substr(func.max(table.c.saved_at), 1, 10).label("day"), queue.c.agreement)
            .join(table, table.c.figure_id == queue.c.figure_id)
            .where(queue.c.judged, queue.c.annotators > 1, self._counts(queue))
            .group_by(queue.c.figure_id, queue.c.agreement)
        )
        for row in self._rows(statement):
            yield row["day"], float(row["agreement"])

    def decision_seconds(self) -> Iterator[tuple[str, float]]:
        """Reviewer and seconds spent of every decision that says how long it took."""
        for row in self._seconds(decisions, decisions.c.reviewer):
            yield row["reviewer"], row["seconds"]

    def _grouped(self, statement: Select[Any]) -> dict[tuple[str, str], int]:
        return {(row["phase"], row["annotator"]): int(row["count"]) for row in self._rows(statement)}

    def _by_day(
        self,
        table: Table,
        moment: Column[Any],
        name: Column[Any],
        since: datetime | None,
        *also: ColumnElement[bool],
    ) -> list[DayCount]:
        # Times are text whose first ten characters are the day. Made inside: PostgreSQL takes the bounds of two
        # calls of a function for two of them, and would not group by one.
        done = select(func.substr(moment, 1, 10).label("day"), name.label("name"), table.c.figure_id).where(
            *also, self._counts(table)
        )
        if since is not None:
            done = done.where(moment >= to_time(since))
        each = done.subquery()
        count = func.count(each.c.figure_id.distinct()).label("count")
        statement = (
            select(each.c.day, each.c.name, count)
            .group_by(each.c.day, each.c.name)
            .order_by(each.c.day, each.c.name)
        )
        return [DayCount(row["day"], row["name"], int(row["count"])) for row in self._rows(statement)]

    def _seconds(self, table: Table, *columns: ColumnElement[Any]) -> Sequence[Row]:
        statement = select(*columns, table.c.seconds).where(table.c.seconds.is_not(None), self._counts(table))
        return self._rows(statement)


class _Viewed(msgspec.Struct):
    """The part of an annotation's payload that says how it was done."""

    subfigures: list[Any]
    items: dict[str, Any]
    viewed: list[str] | None = None
    unchanged: bool = False

    @property
    def parts(self) -> int:
        """Return the number of things that could be looked at: labels, or items."""
        judged = sum(len(self.items.get(kind) or ()) for kind in ("verdicts", "answers"))
        return len({label for label, *_ in self.subfigures}) + judged + (self.items.get("kind") is not None)


def _of_work(*, present: bool) -> Select[Any]:
    """Figures that were submitted, by phase and annotator: on their present revision, or on another."""
    table = annotation_table
    right = figures.c.revision == table.c.revision if present else figures.c.revision != table.c.revision
    return _group(table, func.count(table.c.figure_id.distinct())).join(
        figures, and_(figures.c.figure_id == table.c.figure_id, right, in_campaign(table.c.figure_id))
    )


def _group(table: Table, count: ColumnElement[int]) -> Select[Any]:
    return (
        select(table.c.phase, table.c.annotator, count.label("count"))
        .select_from(table)
        .group_by(table.c.phase, table.c.annotator)
    )


def _has_present() -> ColumnElement[bool]:
    """Return whether there is work of the same person, phase and figure on the figure's present revision."""
    other = annotation_table.alias("on_present")
    return exists(
        select(other.c.id)
        .where(
            same(other, annotation_table, *ONE_WORK),
            other.c.revision == figures.c.revision,
        )
        .correlate(annotation_table, figures)
    )
