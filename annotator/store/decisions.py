"""Decisions of reviewers, append only, and the queue of figures that wait for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from sqlalchemy import and_, bindparam, false, func, select, true
from sqlalchemy.exc import IntegrityError

from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Status
from annotator.domain.errors import Conflict, StoreError
from annotator.store import mapping
from annotator.store.base import PAGE, Queries, check_name, of_revisions
from annotator.store.errors import quoted
from annotator.store.records import QueueCounts, QueueEntry, Revisions
from annotator.store.tables import decisions, figures, queue
from annotator.store.values import Row

_LATER = decisions.alias("later")
CURRENT = (
    select(func.max(_LATER.c.version))
    .where(_LATER.c.figure_id == decisions.c.figure_id, _LATER.c.revision == decisions.c.revision)
    .correlate(decisions)
    .scalar_subquery()
)

#: The last decision on the figure's present revision: a row or none.
DECISION_THAT_HOLDS = (
    select(decisions)
    .join(figures, and_(figures.c.figure_id == decisions.c.figure_id, figures.c.revision == decisions.c.revision))
    .where(decisions.c.figure_id == bindparam("figure_id"))
    .order_by(decisions.c.version.desc())
    .limit(1)
)

#: Worst first: no agreement at all, then the lowest; the id settles ties. Two indexes follow this order.
_WORST_FIRST = (queue.c.judged, queue.c.agreement, queue.c.figure_id)
_LAST_OF = (
    select(decisions)
    .where(decisions.c.figure_id == bindparam("figure_id"))
    .order_by(decisions.c.version.desc())
    .limit(1)
)
#: The worst figure without a decision, and the worst other than one: a row or two from one end of an index.
NEXT = select(queue.c.figure_id).where(queue.c.decided == false()).order_by(*_WORST_FIRST).limit(1)
NEXT_OTHER = NEXT.where(queue.c.figure_id != bindparam("after"))
_ENTRIES = select(queue).where(queue.c.figure_id.in_(bindparam("figure_ids", expanding=True)))
_DECIDED = select(queue.c.figure_id).where(queue.c.decided == true())


class DecisionQueries(Queries):
    """Decisions and the queue."""

    def add_decision(self, d: Decision) -> None:
        """Keep a decision as the figure's current one.

        Raises Conflict unless `d.version` is one above the last decision's, of whatever revision of the figure (1
        for the first): someone else was quicker. Raises StoreError if the figure is unknown or has another caption
        or size.
        """
        self._check_figure(d.figure, f"decision by {quoted(d.reviewer)}")
        there = self._last(d.figure.id)
        if d.version != (0 if there is None else there["version"]) + 1:
            raise _conflict(d, there)
        check_name(d.reviewer)
        row = mapping.decision_row(d)
        try:
            self._insert(decisions, row)
        except StoreError as error:
            # Writers queue up, so only a writer that is none of this program's gets here.
            if isinstance(error.__cause__, IntegrityError):
                raise _conflict(d, None) from error
            raise
        held = self._first(DECISION_THAT_HOLDS, figure_id=d.figure.id)
        self._write(queue.update().where(queue.c.figure_id == d.figure.id).values(queue_state(held)))

    def decision(self, figure_id: str) -> Decision | None:
        """The figure's current decision, None if there is none on its present caption and image."""
        row = self._first(DECISION_THAT_HOLDS, figure_id=figure_id)
        return None if row is None else self._decision(row)

    def last_version(self, figure_id: str) -> int:
        """The version of the last decision on whatever revision of the figure, 0 if there was none."""
        row = self._last(figure_id)
        return 0 if row is None else int(row["version"])

    def decisions(self, *, revisions: Revisions = Revisions.PRESENT) -> Iterator[Decision]:
        """The current decision of each figure that has one, by figure id, read as needed.

        revisions: what holds was decided on a figure's present caption and image; others are kept.
        """
        statement = of_revisions(select(decisions).where(decisions.c.version == CURRENT), decisions, revisions)
        for page in self._pages(statement, decisions.c.figure_id, decisions.c.revision):
            found = self._figures_of(page)
            for row in page:
                yield mapping.decision_from(row, found[row["figure_id"], row["revision"]])

    def count_decided(self, *, revisions: Revisions = Revisions.PRESENT) -> int:
        """How many figures have a decision (of any status) on such a revision, in the queue or not."""
        count = select(func.count(decisions.c.figure_id.distinct())).select_from(decisions)
        return int(self._scalar(of_revisions(count, decisions, revisions)))

    def count_superseded_decisions(self) -> int:
        """How many decisions were superseded by a later one on the same figure."""
        return int(
            self._scalar(
                select(func.count() - func.count(decisions.c.figure_id.distinct())).select_from(decisions)
            )
        )

    def count_timed_decisions(self) -> int:
        """How many decisions that are the last on their revision say how long they took."""
        timed = ~decisions.c.payload.like('%"seconds":null}')
        return int(
            self._scalar(select(func.count()).select_from(decisions).where(decisions.c.version == CURRENT, timed))
        )

    def decision_history(self, figure_id: str) -> list[Decision]:
        """Every decision on the figure, oldest first."""
        rows = self._rows(
            select(decisions).where(decisions.c.figure_id == figure_id).order_by(decisions.c.version)
        )
        found = self._figures_of(rows)
        return [mapping.decision_from(row, found[row["figure_id"], row["revision"]]) for row in rows]

    def _last(self, figure_id: str) -> Row | None:
        return self._first(_LAST_OF, figure_id=figure_id)

    def _decision(self, row: Row) -> Decision:
        return mapping.decision_from(row, self._figures_of([row])[row["figure_id"], row["revision"]])

    # queue

    def put_disagreement(self, figure_id: str, *, agreement: float | None, annotators: int) -> None:
        """Put a figure into the queue, or bring its place up to date.

        agreement: in [0, 1], None where it could not be computed (such figures come first). annotators: how many
        worked on it. Raises StoreError if the figure is unknown or the agreement is no number.
        """
        if agreement is not None and not isfinite(agreement):
            raise StoreError(
                f"figure {quoted(figure_id)}: agreement {agreement} is no number; give None for unknown"
            )
        self._check_known([figure_id])
        values: dict[str, Any] = {
            "judged": agreement is not None,
            "agreement": None if agreement is None else float(agreement),
            "annotators": int(annotators),
            **queue_state(self._first(DECISION_THAT_HOLDS, figure_id=figure_id)),
        }
        self._put(queue, {"figure_id": figure_id}, values)

    def queue(self, *, reviewer_done: bool | None = None, limit: int = 50, offset: int = 0) -> list[QueueEntry]:
        """Figures worst first: no agreement, then lowest agreement, then by id.

        reviewer_done: True for those with a decision (of any status), False for those without, None for all.
        """
        statement = select(queue).order_by(*_WORST_FIRST).limit(max(0, limit)).offset(max(0, offset))
        if reviewer_done is not None:
            statement = statement.where(queue.c.decided == (true() if reviewer_done else false()))
        return [_entry(row) for row in self._rows(statement)]

    def queue_entries(self, figure_ids: Sequence[str]) -> dict[str, QueueEntry]:
        """Those of the figures that are in the queue, by id."""
        found: dict[str, QueueEntry] = {}
        for start in range(0, len(figure_ids), PAGE):
            for row in self._rows(_ENTRIES, figure_ids=list(figure_ids[start : start + PAGE])):
                found[row["figure_id"]] = _entry(row)
        return found

    def decided_in_queue(self) -> set[str]:
        """Ids of the figures in the queue that have a decision (of any status)."""
        with self._asking():
            # As plain values: of a large campaign's these come five times as fast as rows.
            return set(self._connection.execute(_DECIDED).scalars())

    def queue_counts(self) -> QueueCounts:
        """How many figures are in the queue, and how many of them have a decision."""
        total = self._scalar(select(func.count()).select_from(queue))
        decided = self._scalar(select(func.count()).select_from(queue).where(queue.c.decided == true()))
        return QueueCounts(total=int(total), decided=int(decided))

    def next_in_queue(self, after: str | None = None) -> str | None:
        """The worst figure without a decision, other than `after`; None when all are decided."""
        row = self._first(NEXT) if after is None else self._first(NEXT_OTHER, after=after)
        return None if row is None else str(row["figure_id"])


def queue_state(decision: Row | None) -> dict[str, Any]:
    """What the queue says of a figure with that decision; None for one to be settled."""
    return {
        "decided": decision is not None,
        "status": None if decision is None else decision["status"],
        "version": 0 if decision is None else decision["version"],
        "reviewer": "" if decision is None else decision["reviewer"],
    }


def _entry(row: Row) -> QueueEntry:
    return QueueEntry(
        figure_id=row["figure_id"],
        agreement=row["agreement"],
        annotators=row["annotators"],
        decided=None if row["status"] is None else Status(row["status"]),
        version=row["version"],
        reviewer=row["reviewer"],
    )


def _conflict(mine: Decision, there: Row | None) -> Conflict:
    name = quoted(mine.figure.id)
    if there is None:
        state = "has another decision by now" if mine.version == 1 else "has no such earlier decision"
    else:
        state = f"is at decision {there['version']} by {quoted(there['reviewer'])}"
    return Conflict(f"figure {name} {state}, this is number {mine.version}; load the figure again, then decide")
