"""Search the queue, worst figures first: filtered pages and the next figure, reading only the rows returned.

Of several conditions, the one that the fewest figures meet is followed in its index, and the others are looked up
per figure. Words are looked up in a full-text index first.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from math import prod
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    column,
    exists,
    false,
    literal,
    not_,
    or_,
    select,
    text,
    true,
    tuple_,
)
from sqlalchemy import table as a_table

from annotator.store.database.tables import (
    decisions,
    leases,
    queue,
    queue_counts,
    queue_facets,
    queue_texts,
    skips,
)
from annotator.store.database.values import Row, to_time
from annotator.store.queries.blind import BlindQueries, not_hidden
from annotator.store.queries.queue.entries import EntryQueries
from annotator.store.rows.records import EVERYTHING, Facet, Hidden, QueueCounts, QueueEntry, Sought
from annotator.store.rows.statements import these
from panelwise.domain import FigureState, Status, StoreError

#: Figures with the words looked for that are taken at most.
MOST_FOUND = 1000

_ENTRIES = select(queue).where(these(queue))
_STATES = select(queue_facets.c.figure_id, queue_facets.c.value).where(
    these(queue_facets), queue_facets.c.kind == Facet.STATE
)
_DECIDED = (
    select(queue_facets.c.figure_id)
    .where(queue_facets.c.kind == Facet.ALL, queue_facets.c.value == "", queue_facets.c.decided == true())
    .order_by(queue_facets.c.place, queue_facets.c.figure_id)
)
_PLACE = select(queue_facets.c.place).where(
    queue_facets.c.figure_id == bindparam("figure_id"),
    queue_facets.c.kind == bindparam("kind"),
    queue_facets.c.value == "",
)
_COUNTS = select(queue_counts).where(queue_counts.c.open + queue_counts.c.decided > 0)

#: The full-text index that SQLite has; see the migrations.
_WORDS = a_table("queue_words", column("rowid"))
_SQLITE_WORDS = (
    select(queue_texts.c.figure_id)
    .join(_WORDS, _WORDS.c.rowid == queue_texts.c.id)
    .where(text("queue_words MATCH :sought"))
)
_POSTGRES_WORDS = select(queue_texts.c.figure_id).where(
    text("to_tsvector('simple', words) @@ to_tsquery('simple', :sought)")
)

Place = tuple[float, str]


class QueueQueries(EntryQueries):
    """The reviewers' queries of the queue."""

    def page(
        self,
        sought: Sought = EVERYTHING,
        *,
        reviewer_done: bool | None = None,
        limit: int = 50,
        offset: int = 0,
        after: str | None = None,
        before: str | None = None,
    ) -> list[QueueEntry]:
        """Return a page of figures: those without agreement first, then by lowest agreement, then by id.

        With Facet.UNSURE among `sought`, by lowest certainty of the model. reviewer_done: True for those with a
        decision (of any status), False for those without, None for all. after, before: only those behind this
        figure, or the last ones before it, whether it is queued or not.
        """
        behind, ahead = (None if name is None else self._place(name, _order(sought)) for name in (after, before))
        back = ahead is not None
        names = self._walk(
            sought,
            reviewer_done,
            max(0, limit),
            offset=max(0, offset),
            beyond=ahead if back else behind,
            back=back,
        )
        if back:
            names.reverse()
        found = self.entries(names)
        return [found[name] for name in names]

    def next(
        self,
        after: str | None = None,
        *,
        sought: Sought = EVERYTHING,
        reviewer: str | None = None,
        now: datetime | None = None,
    ) -> str | None:
        """Return the worst figure without a decision, other than `after`; None if all are decided.

        reviewer: whose next figure it is. Figures that wait for another reviewer are left out. Figures that others
        have open come after all others, and skipped ones after those, in that order.
        """
        if reviewer is None:
            return next(iter(self._walk(sought, False, 1, extra=_other(after))), None)
        mine = not_(_for_another(reviewer))
        if sought.skipped_by is not None:
            return self._first_skipped(sought, reviewer, [*_other(after), mine])
        free = not_(exists().where(skips.c.figure_id == _FIGURE, skips.c.reviewer == reviewer))
        # Two looks rather than an order by what is free: that could not be read off the index.
        untaken = [] if now is None else [not_(_leased_by_others(reviewer, now))]
        for extra in ([*untaken, free], [free]):
            found = self._walk(sought, False, 1, extra=[*_other(after), mine, *extra])
            if found:
                return found[0]
        return self._first_skipped(sought, reviewer, [*_other(after), mine])

    def undisputed(self, reviewer: str, sought: Sought = EVERYTHING, *, limit: int) -> list[str]:
        """Return open figures on which all annotators agree and that have no decision, worst first.

        A reviewer who annotated none of them may adjudicate them together.
        """
        if any(kind is Facet.LOSS for kind, _ in sought.facets):
            return []  # Nothing is lost where all did the same; to look would be to go through all.
        facets = tuple(dict.fromkeys([*sought.facets, (Facet.AGREED, "")]))
        free = [not_(_has((Facet.SECOND, ""))), not_(_has((Facet.ANNOTATOR, reviewer)))]
        return self._walk(replace(sought, facets=facets), False, limit, extra=free)

    def entries(self, figure_ids: Sequence[str]) -> dict[str, QueueEntry]:
        """Return the entries of those figures that are in the queue, by id."""
        return {row["figure_id"]: _entry(row) for row in self._of_figures(_ENTRIES, figure_ids)}

    def decided(self) -> set[str]:
        """Return the ids of figures in the queue with a decision (of any status)."""
        with self._asking():
            # As plain values: of a large campaign's these come five times as fast as rows.
            return set(self._session.connection.execute(_DECIDED).scalars())

    def counts(self, facet: Facet = Facet.ALL, value: str = "") -> QueueCounts:
        """Count the figures of the queue with a facet, and those of them with a decision."""
        row = self._first(_COUNTS.where(queue_counts.c.kind == facet, queue_counts.c.value == value))
        return QueueCounts(0, 0) if row is None else _counts(row)

    def states(self, figure_ids: Sequence[str]) -> dict[str, FigureState]:
        """Return figure id -> state, for figures that are in the queue and scored."""
        rows = self._rows(_STATES, figure_ids=list(figure_ids))
        return {row["figure_id"]: FigureState(row["value"]) for row in rows}

    def facet_counts(self, hidden: Hidden | None = None) -> dict[tuple[str, str], QueueCounts]:
        """Return (kind, value) -> counts of figures, without hidden ones: what the queue can be filtered by."""
        found = {(row["kind"], row["value"]): _counts(row) for row in self._rows(_COUNTS)}
        for key, less in (BlindQueries(self._session).hidden_facets(hidden) if hidden is not None else {}).items():
            left = found.get(key, less)
            found[key] = QueueCounts(left.total - less.total, left.decided - less.decided)
        return {key: counts for key, counts in found.items() if counts.total > 0}

    def annotators(self) -> set[str]:
        """Return everybody with work on a figure in the queue."""
        return {row["value"] for row in self._rows(_COUNTS.where(queue_counts.c.kind == Facet.ANNOTATOR))}

    def with_words(self, words: Sequence[str]) -> tuple[list[str], bool]:
        """Return figures whose id and caption have all these words, by id; and whether there are more.

        If no figure has them, the last word may be the beginning of one: such a look-up takes longer the more
        figures match. Words consist of letters and digits only; at most MOST_FOUND figures are returned.
        """
        if not words:
            return [], False
        if not all(word.isalnum() for word in words):
            raise StoreError("words looked for are of letters and digits; cut the text first")
        key = tuple(words)
        if self._session.writable or key not in self._found:
            found = self._with_words(key, "") or self._with_words(key, "*")
            self._found[key] = (sorted(found[:MOST_FOUND]), len(found) > MOST_FOUND)
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[str, ...], tuple[list[str], bool]]:
        """Return the figures found by words; cached, since a page asks several times in one transaction."""
        return {}

    def _with_words(self, words: Sequence[str], last: str) -> list[str]:
        """last: "*" to take the last word for the beginning of one."""
        *others, end = words
        if self._session.connection.dialect.name == "sqlite":
            sought = " AND ".join([*(f'"{word}"' for word in others), f'"{end}" {last}'])
            statement = _SQLITE_WORDS
        else:
            sought = " & ".join([*others, f"{end}:*" if last else end])
            statement = _POSTGRES_WORDS
        return [row["figure_id"] for row in self._rows(statement.limit(MOST_FOUND + 1), sought=sought)]

    def _place(self, figure_id: str, kind: Facet) -> Place | None:
        row = self._first(_PLACE, figure_id=figure_id, kind=kind)
        return None if row is None else (row["place"], figure_id)

    def _walk(
        self,
        sought: Sought,
        decided: bool | None,
        limit: int,
        *,
        offset: int = 0,
        beyond: Place | None = None,
        back: bool = False,
        extra: Sequence[ColumnElement[bool]] = (),
    ) -> list[str]:
        """Ids in the order of the queue (`back`: the other way round), from the first behind `beyond` on."""
        among = self._among(sought)
        order = _order(sought)
        if among is not None:
            along = order, ""
        elif order is Facet.ALL:
            along = self._fewest(sought.facets, decided)
        else:
            along = self._along(sought.facets, decided, limit + offset)
        conditions = [*extra, *(_has(facet) for facet in sought.facets if facet != along)]
        if sought.hidden is not None:
            conditions.append(not_hidden(sought.hidden, _FIGURE))
        runs = []
        for state in (False, True) if decided is None else (decided,):
            statement = run(along, state, limit + offset, order=order, beyond=beyond, back=back, among=among)
            statement = statement.where(*conditions)
            runs.append([(row["place"], row["figure_id"]) for row in self._rows(statement)])
        merged = list(heapq.merge(*runs, reverse=back))
        return [name for _, name in merged[offset : offset + limit]]

    def _fewest(self, facets: Sequence[tuple[Facet, str]], decided: bool | None) -> tuple[Facet, str]:
        """Return the condition that the fewest figures meet."""
        if len(facets) < 2:
            return facets[0] if facets else (Facet.ALL, "")
        return min(facets, key=lambda facet: self._number(facet, decided))

    def _along(self, facets: Sequence[tuple[Facet, str]], decided: bool | None, limit: int) -> tuple[Facet, str]:
        """Return what to read for figures in a model's order, whichever is shorter.

        Either the model's own range, until enough figures meet the other conditions (assumed to be independent),
        or all figures that meet the rarest one, sorted.
        """
        own = (Facet.UNSURE, "")
        every = self._number(own, decided)
        others = {facet: self._number(facet, decided) for facet in facets if facet != own}
        if not others or not every:
            return own
        meeting = every * prod(min(1.0, number / every) for number in others.values())
        rarest = min(others, key=others.__getitem__)
        steps = every if meeting <= limit else limit * every / meeting
        return rarest if others[rarest] < steps else own

    def _number(self, facet: tuple[Facet, str], decided: bool | None) -> int:
        counts = self.counts(*facet)
        return {None: counts.total, True: counts.decided, False: counts.total - counts.decided}[decided]

    def _among(self, sought: Sought) -> list[str] | None:
        """Return the ids to search in, if they are known: those with the words, and skipped ones."""
        found = self.with_words(sought.words)[0] if sought.words else None
        if sought.skipped_by is None:
            return found
        skipped = self._skipped(sought.skipped_by)
        return skipped if found is None else sorted({*skipped} & {*found})

    def _skipped(self, reviewer: str) -> list[str]:
        """Return the reviewer's skipped figures in order."""
        statement = select(skips.c.figure_id).where(skips.c.reviewer == reviewer)
        return [row["figure_id"] for row in self._rows(statement.order_by(skips.c.at, skips.c.figure_id))]

    def _first_skipped(self, sought: Sought, reviewer: str, extra: Sequence[ColumnElement[bool]]) -> str | None:
        names = self._skipped(reviewer)
        there = set(self._walk(replace(sought, skipped_by=reviewer), False, len(names), extra=extra))
        return next((name for name in names if name in there), None)


_FIGURE = queue_facets.c.figure_id


def _order(sought: Sought) -> Facet:
    """Return the facet whose places give the order."""
    return Facet.UNSURE if (Facet.UNSURE, "") in sought.facets else Facet.ALL


def run(
    facet: tuple[Facet, str],
    decided: bool,
    limit: int,
    *,
    order: Facet = Facet.ALL,
    beyond: Place | None = None,
    back: bool = False,
    among: Sequence[str] | None = None,
) -> Select[Any]:
    """Return the query of figures with a facet, worst first: a range of one index. among: only these ids.

    order: the facet whose places are used; if that is a model's and the facet is another, the figures are sorted.
    """
    kind, value = facet
    place = queue_facets.c.place
    conditions = [
        queue_facets.c.value == value,
        queue_facets.c.decided == (true() if decided else false()),
    ]
    if order is Facet.UNSURE and kind is not order:
        sure = queue_facets.alias()
        place = sure.c.place
        # As an expression, so that no database goes through the run of the order instead.
        conditions += [sure.c.figure_id == _FIGURE, sure.c.kind + literal("") == order, sure.c.value == ""]
    statement = select(place, _FIGURE).where(*conditions)
    if among is None:
        statement = statement.where(queue_facets.c.kind == kind)
    else:
        # As an expression, so that no database goes through the whole run and asks of each whether it is listed.
        statement = statement.where(_FIGURE.in_(among), queue_facets.c.kind + literal("") == kind)
    if beyond is not None:
        here = tuple_(place, _FIGURE)
        there = tuple_(literal(beyond[0], queue_facets.c.place.type), literal(beyond[1], _FIGURE.type))
        statement = statement.where(here < there if back else here > there)
    return statement.order_by(*(each.desc() if back else each for each in (place, _FIGURE))).limit(limit)


def _has(facet: tuple[Facet, str]) -> ColumnElement[bool]:
    other = queue_facets.alias()
    kind, value = facet
    return exists().where(other.c.figure_id == _FIGURE, other.c.kind == kind, other.c.value == value)


def _other(figure_id: str | None) -> list[ColumnElement[bool]]:
    return [] if figure_id is None else [_FIGURE.not_in([figure_id])]


def _for_another(reviewer: str) -> ColumnElement[bool]:
    """Return the condition that a figure waits for a reviewer other than one who decided on or annotated it."""
    own = queue_facets.alias()
    return and_(
        _has((Facet.SECOND, "")),
        or_(
            exists().where(decisions.c.figure_id == _FIGURE, decisions.c.reviewer == reviewer),
            exists().where(own.c.figure_id == _FIGURE, own.c.kind == Facet.ANNOTATOR, own.c.value == reviewer),
        ),
    )


def _leased_by_others(reviewer: str, now: datetime) -> ColumnElement[bool]:
    return exists().where(
        leases.c.figure_id == _FIGURE, leases.c.reviewer != reviewer, leases.c.until > to_time(now)
    )


def _counts(row: Row) -> QueueCounts:
    return QueueCounts(total=int(row["open"] + row["decided"]), decided=int(row["decided"]))


def _entry(row: Row) -> QueueEntry:
    return QueueEntry(
        figure_id=row["figure_id"],
        agreement=row["agreement"],
        annotators=row["annotators"],
        decided=None if row["status"] is None else Status(row["status"]),
        version=row["version"],
        reviewer=row["reviewer"],
        loss=row["loss"],
        phases=tuple(row["phases"].strip(",").split(",")) if row["phases"] else (),
        needs_second=row["needs_second"],
    )
