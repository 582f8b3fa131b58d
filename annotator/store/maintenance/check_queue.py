"""Check the reviewers' queue against the decisions, and its tables against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, and_, case, column, func, or_, select, table

from annotator.store.database.tables import queue, queue_counts, queue_facets, queue_texts
from annotator.store.maintenance.faults import MOST, Fault, Kind
from annotator.store.queries.queue.entries import UNJUDGED, EntryQueries, queue_state
from annotator.store.rows.records import Facet

#: The queue is made of the work, and can be made again.
_MEND = "run annotator store check --mend"

_COUNTED = (
    select(
        queue_facets.c.kind,
        queue_facets.c.value,
        func.sum(case((queue_facets.c.decided, 0), else_=1)).label("open"),
        func.sum(case((queue_facets.c.decided, 1), else_=0)).label("decided"),
    )
    .group_by(queue_facets.c.kind, queue_facets.c.value)
    .subquery()
)
_MISPLACED = (
    select(queue_facets.c.figure_id, queue_facets.c.kind, queue_facets.c.value)
    .join(queue, queue.c.figure_id == queue_facets.c.figure_id, isouter=True)
    .where(
        or_(
            queue.c.figure_id.is_(None),
            queue.c.decided != queue_facets.c.decided,
            and_(
                queue_facets.c.kind != Facet.UNSURE.value,  # that one stands by a model's certainty
                func.coalesce(queue.c.agreement, UNJUDGED) != queue_facets.c.place,
            ),
        )
    )
    .limit(MOST + 1)
)
_UNLISTED = (
    select(queue.c.figure_id)
    .join(
        queue_facets,
        and_(queue_facets.c.figure_id == queue.c.figure_id, queue_facets.c.kind == Facet.ALL.value),
        isouter=True,
    )
    .where(queue_facets.c.figure_id.is_(None))
    .limit(MOST + 1)
)
_SAME_NAME = and_(queue_counts.c.kind == _COUNTED.c.kind, queue_counts.c.value == _COUNTED.c.value)
_KEPT = (queue_counts.c.open, queue_counts.c.decided)
#: What there is and was counted otherwise, or not at all; and what was counted and is not there.
_MISCOUNTED: tuple[Select[Any], ...] = (
    select(_COUNTED.c.kind, _COUNTED.c.value)
    .join(queue_counts, _SAME_NAME, isouter=True)
    .where(
        or_(
            queue_counts.c.kind.is_(None),
            queue_counts.c.open != _COUNTED.c.open,
            queue_counts.c.decided != _COUNTED.c.decided,
        )
    )
    .limit(MOST + 1),
    select(queue_counts.c.kind, queue_counts.c.value)
    .join(_COUNTED, _SAME_NAME, isouter=True)
    .where(_COUNTED.c.kind.is_(None), or_(*(each != 0 for each in _KEPT)))
    .limit(MOST + 1),
)
#: SQLite's full-text index keeps a row for each text that it knows.
_UNINDEXED = (
    select(queue_texts.c.figure_id)
    .where(queue_texts.c.id.not_in(select(table("queue_words_docsize", column("id")).c.id)))
    .limit(MOST + 1)
)


class QueueChecks(EntryQueries):
    """The queue held against the decisions, and its tables against each other."""

    def queue_faults(self) -> Iterator[Fault]:
        """Find entries of the queue that contradict the store."""
        for page in self._pages(select(queue), queue.c.figure_id):
            held = self._holding(row["figure_id"] for row in page)
            for row in page:
                state = queue_state(held.get(row["figure_id"]))
                wrong = [name for name, value in state.items() if row[name] != value]
                if wrong:
                    yield Fault(
                        Kind.QUEUE,
                        f"queue {row['figure_id']}",
                        f"its {', '.join(wrong)} are not those of the decision that holds; {_MEND}",
                    )
        for row in self._rows(_UNLISTED):
            yield Fault(Kind.QUEUE, f"queue {row['figure_id']}", f"is in no list; {_MEND}")
        for row in self._rows(_MISPLACED):
            key = f"{row['figure_id']} {row['kind']} {row['value']}"
            yield Fault(Kind.QUEUE, f"queue_facets {key}", f"stands elsewhere than its figure; {_MEND}")
        for statement in _MISCOUNTED:
            for row in self._rows(statement):
                yield Fault(
                    Kind.QUEUE, f"queue_counts {row['kind']} {row['value']}", f"is another number; {_MEND}"
                )
        if self._session.connection.dialect.name == "sqlite":
            for row in self._rows(_UNINDEXED):
                yield Fault(
                    Kind.QUEUE, f"queue_texts {row['figure_id']}", f"cannot be found by its words; {_MEND}"
                )
