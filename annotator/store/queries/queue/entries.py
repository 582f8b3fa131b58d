"""Store the queue: each figure's place, its facets, and the number of figures per facet.

A figure's row has what the queue shows of it. There is a further row for each of its facets, with the figure's
place, so that a filtered list is a range of one index; and `queue_counts` counts them, so that showing the queue
counts nothing. All three change together, and only here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from annotator.store.database.errors import quoted
from annotator.store.database.tables import decisions, figures, queue, queue_counts, queue_facets, queue_texts
from annotator.store.database.values import Row
from annotator.store.rows import mapping
from annotator.store.rows.records import Facet, QueuePlace, Revisions
from annotator.store.rows.statements import ONE_REVISION, PAGE, Queries, check_name, of_revisions, same, these
from panelwise.domain import FigureState, Status, StoreError, decided_state, figure_state
from panelwise.runtime import batches

_LATER = decisions.alias("later")
CURRENT = (
    select(func.max(_LATER.c.version))
    .where(same(_LATER, decisions, *ONE_REVISION))
    .correlate(decisions)
    .scalar_subquery()
)

#: The last decision on the figure's present revision: a row or none.
CURRENT_DECISION = (
    select(decisions)
    .join(figures, same(figures, decisions, *ONE_REVISION))
    .where(decisions.c.figure_id == bindparam("figure_id"))
    .order_by(decisions.c.version.desc())
    .limit(1)
)

#: Where a figure without an agreement stands: before the lowest that there is.
UNJUDGED = -2.0

_HOLDING = of_revisions(
    select(decisions).where(decisions.c.version == CURRENT, these(decisions)),
    decisions,
    Revisions.PRESENT,
)
_QUEUED = select(queue).where(these(queue))
_FACETS = select(queue_facets).where(these(queue_facets))
_TEXTS = select(queue_texts.c.figure_id, queue_texts.c.words).where(these(queue_texts))
_KEY = ("figure_id", "kind", "value")
_OF_KEY = [queue_facets.c[name] == bindparam(f"key_{name}") for name in _KEY]
_MOVE = (
    queue_facets.update().where(*_OF_KEY).values(decided=bindparam("now_decided"), place=bindparam("now_place"))
)
_REMOVE = queue_facets.delete().where(*_OF_KEY)
_STATE = ("decided", "status", "version", "reviewer", "needs_second")
_OF_FIGURE = queue.update().where(queue.c.figure_id == bindparam("key_figure_id"))
_REQUEUE = _OF_FIGURE.values({name: bindparam(f"now_{name}") for name in _STATE})
_REPLACE = _OF_FIGURE.values(
    {name: bindparam(f"now_{name}") for name in ("judged", "agreement", "annotators", "loss", "phases", *_STATE)}
)
_ADD_COUNTS = {
    dialect: statement.on_conflict_do_update(
        index_elements=["kind", "value"],
        set_={name: queue_counts.c[name] + statement.excluded[name] for name in ("open", "decided")},
    )
    for dialect, statement in (
        ("sqlite", sqlite.insert(queue_counts)),
        ("postgresql", postgresql.insert(queue_counts)),
    )
}

#: Facets that a decision or a change of tasks gives; measuring gives the others.
_DECIDED = frozenset({Facet.STATUS, Facet.REVIEWER, Facet.SECOND, Facet.STATE, Facet.WAITS})

#: Nothing is known of how sure a model is.
NO_VALUES: Mapping[str, float | None] = {}

_Name = tuple[str, str]


class EntryQueries(Queries):
    """Put figures into the queue and keep its entries up to date."""

    def put_places(self, places: Sequence[QueuePlace]) -> None:
        """Put figures into the queue or update their places.

        Figures without an agreement come first. Raises StoreError for an unknown figure, or an agreement that is
        not a number.
        """
        for place in places:
            if place.agreement is not None and not isfinite(place.agreement):
                raise StoreError(
                    f"figure {quoted(place.figure_id)}: agreement {place.agreement} is no number; "
                    "give None for unknown"
                )
        self._check_known(place.figure_id for place in places)
        for some in batches(places, PAGE):
            self._put_places({place.figure_id: place for place in some})

    def _put_places(self, places: Mapping[str, QueuePlace]) -> None:
        held = self._holding(places)
        known = {row["figure_id"]: row for row in self._rows(_QUEUED, figure_ids=list(places))}
        new, changed, wanted, standing = [], [], {}, {}
        for name, place in places.items():
            values = {
                "judged": place.agreement is not None,
                "agreement": None if place.agreement is None else float(place.agreement),
                "annotators": place.annotators,
                "loss": place.loss,
                "phases": f",{','.join(place.phases)}," if place.phases else "",
                **queue_state(held.get(name)),
            }
            if name not in known:
                new.append({"figure_id": name, **values})
            elif any(known[name][column] != value for column, value in values.items()):
                changed.append({"key_figure_id": name, **_now(values)})
            wanted[name] = {*_measured(place), *_decided(values), *_state(values, place.work, waits=place.waits)}
            standing[name] = (values["decided"], UNJUDGED if place.agreement is None else float(place.agreement))
        self._insert_many(queue, new)
        if changed:
            self._write(_REPLACE, changed)
        self._put_facets(wanted, standing, certainty={name: place.certainty for name, place in places.items()})
        self._put_texts(places.values())

    def requeue(self, figure_ids: Iterable[str]) -> None:
        """Update the queue after decisions were added or revisions changed.

        A figure without annotations enters the queue with its first decision, without disagreement.
        """
        self._requeue(figure_ids, {})

    def put_waiting(self, waits: Mapping[str, bool]) -> None:
        """Update for which of these figures work is missing; to be called when tasks change."""
        self._requeue(waits, waits)

    def _requeue(self, figure_ids: Iterable[str], waits: Mapping[str, bool]) -> None:
        for some in batches(sorted(set(figure_ids)), PAGE):
            held = self._holding(some)
            rows = self._rows(_QUEUED, figure_ids=some)
            new = held.keys() - {row["figure_id"] for row in rows}
            self.put_places([QueuePlace(name, 1.0, 0, work=FigureState.UNTOUCHED) for name in sorted(new)])
            states = {row["figure_id"]: queue_state(held.get(row["figure_id"])) for row in rows}
            if not states:
                continue
            there = self._facets_of(states)
            known = {name: dict(facets.keys()) for name, facets in there.items()}
            self._write(_REQUEUE, [{"key_figure_id": name, **_now(state)} for name, state in states.items()])
            self._put_facets(
                {name: _facets(state, known[name], waits.get(name)) for name, state in states.items()},
                {row["figure_id"]: (states[row["figure_id"]]["decided"], _place(row)) for row in rows},
                kinds=_DECIDED,
                there=there,
            )

    def remove(self, figure_ids: Iterable[str]) -> None:
        """Take figures out of the queue."""
        for some in batches(sorted(set(figure_ids)), PAGE):
            self._put_facets(dict.fromkeys(some, ()), dict.fromkeys(some, (False, UNJUDGED)))
            for table in (queue_texts, queue):
                self._write(table.delete().where(table.c.figure_id.in_(some)))

    def clear(self) -> None:
        """Empty the queue before it is rebuilt."""
        for table in (queue_facets, queue_counts, queue_texts, queue):
            self._write(table.delete())

    def put_certainty(self, certainty: Mapping[str, float | None]) -> None:
        """Update a model's certainty of these figures; those not in the queue are skipped."""
        for names in batches(sorted(certainty), PAGE):
            rows = self._rows(_QUEUED, figure_ids=names)
            standing = {row["figure_id"]: (row["decided"], _place(row)) for row in rows}
            if standing:
                wanted = {name: _predicted(certainty[name]) for name in standing}
                self._put_facets(wanted, standing, kinds=frozenset({Facet.UNSURE}), certainty=certainty)

    def _holding(self, figure_ids: Iterable[str]) -> dict[str, Row]:
        """The decisions that hold, by figure id."""
        return {row["figure_id"]: row for row in self._rows(_HOLDING, figure_ids=list(figure_ids))}

    # facets and their counts

    def _put_facets(
        self,
        wanted: Mapping[str, Iterable[_Name]],
        standing: Mapping[str, tuple[bool, float]],
        *,
        kinds: frozenset[Facet] = frozenset(Facet),
        certainty: Mapping[str, float | None] = NO_VALUES,
        there: Mapping[str, Mapping[_Name, tuple[bool, float]]] | None = None,
    ) -> None:
        """Make these the facets of the figures, as far as they are of `kinds`; the others only move along.

        standing: whether a figure is decided, and its place, which is that of all its facets but UNSURE: there it
        is the figure's certainty. there: of `_facets_of`, where they were read before.
        """
        there = self._facets_of(wanted) if there is None else there
        gone, moved, new = [], [], []
        more: Counter[tuple[str, str, bool]] = Counter()
        for name, facets in wanted.items():
            old, (decided, place) = there[name], standing[name]
            kept = {*facets, *(facet for facet in old if facet[0] not in kinds)}
            for kind, value in kept - old.keys():
                here = certainty.get(name) if kind == Facet.UNSURE else place
                new.append({"figure_id": name, "kind": kind, "value": value, "decided": decided, "place": here})
                more[kind, value, decided] += 1
            for (kind, value), (was_decided, was) in old.items():
                key = {"key_figure_id": name, "key_kind": kind, "key_value": value}
                here = certainty.get(name, was) if kind == Facet.UNSURE else place
                if (kind, value) not in kept:
                    gone.append(key)
                elif (was_decided, was) != (decided, here):
                    moved.append({**key, "now_decided": decided, "now_place": here})
                    more[kind, value, decided] += 1
                else:
                    continue
                more[kind, value, was_decided] -= 1
        if gone:
            self._write(_REMOVE, gone)
        if moved:
            self._write(_MOVE, moved)
        for row in new:
            check_name(row["value"])
        self._insert_many(queue_facets, new)
        self._add_counts(more)

    def _facets_of(self, names: Iterable[str]) -> dict[str, dict[_Name, tuple[bool, float]]]:
        """Figure id -> (kind, value) -> whether decided, and the place, of each of its facets."""
        found: dict[str, dict[_Name, tuple[bool, float]]] = {name: {} for name in names}
        for row in self._rows(_FACETS, figure_ids=list(found)):
            found[row["figure_id"]][row["kind"], row["value"]] = (row["decided"], row["place"])
        return found

    def _add_counts(self, more: Mapping[tuple[str, str, bool], int]) -> None:
        changed = [
            {"kind": kind, "value": value, "open": more[kind, value, False], "decided": more[kind, value, True]}
            for kind, value in sorted({(kind, value) for (kind, value, _), number in more.items() if number})
        ]
        if changed:
            self._write(_ADD_COUNTS[self._session.connection.dialect.name], changed)

    def _put_texts(self, places: Iterable[QueuePlace]) -> None:
        wanted = {place.figure_id: place.words for place in places if place.words}
        if not wanted:
            return
        there = {row["figure_id"]: row["words"] for row in self._rows(_TEXTS, figure_ids=list(wanted))}
        for name, words in wanted.items():
            if name in there and there[name] != words:
                self._put(queue_texts, {"figure_id": name}, {"words": words})
        new = [{"figure_id": name, "words": words} for name, words in wanted.items() if name not in there]
        if new:
            self._write(queue_texts.insert(), new)


def queue_state(last: Row | None) -> dict[str, Any]:
    """Return what the queue stores for the last entry of a figure's history on its current revision, or None.

    A figure that waits for a second reviewer is open, with the first reviewer's name; a reopened one has no name.
    """
    if last is None or last["status"] == mapping.REOPENED:
        return {"decided": False, "status": None, "version": 0, "reviewer": "", "needs_second": False}
    waits = last["awaits"] is not None
    return {
        "decided": not waits,
        "status": last["status"],
        "version": last["version"],
        "reviewer": last["reviewer"],
        "needs_second": waits,
    }


def _place(row: Row) -> float:
    """Return the sort key of a figure's row in `queue`."""
    return float(row["agreement"]) if row["judged"] else UNJUDGED


def _now(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under the names that the statements above have for them."""
    return {f"now_{column}": value for column, value in values.items()}


def _decided(state: Mapping[str, Any]) -> set[_Name]:
    found: set[_Name] = {(Facet.SECOND, "")} if state["needs_second"] else set()
    if state["status"] is not None:
        found |= {(Facet.STATUS, state["status"]), (Facet.REVIEWER, state["reviewer"])}
    return found


def _facets(state: Mapping[str, Any], known: Mapping[str, str], waits: bool | None) -> set[_Name]:
    """Return the facets set by a decision or a change of tasks. known: kind -> value of existing facets.

    waits: None for unchanged.
    """
    waits = Facet.WAITS in known if waits is None else waits
    work = FigureState(known[Facet.WORK]) if Facet.WORK in known else None
    return {*_decided(state), *_state(state, work, waits=waits), *_waits(waits)}


def _state(state: Mapping[str, Any], work: FigureState | None, *, waits: bool) -> set[_Name]:
    """Return the facet of the figure's state; none without a decision or known work."""
    decision = None
    if state["status"] is not None:
        decision = decided_state(Status(state["status"]), awaits=state["needs_second"])
    if work is None and decision is None:
        return set()
    return {(Facet.STATE, figure_state(work or FigureState.UNTOUCHED, waits=waits, decision=decision).value)}


def _waits(waits: bool) -> set[_Name]:
    return {(Facet.WAITS, "")} if waits else set()


def _measured(place: QueuePlace) -> set[_Name]:
    found: set[_Name] = {(Facet.ALL, "")}
    found |= {(Facet.PHASE, name) for name in place.phases}
    found |= {(Facet.ANNOTATOR, name) for name in place.names}
    if place.loss is not None:
        found.add((Facet.LOSS, place.loss))
    if place.agreed:
        found.add((Facet.AGREED, ""))
    if place.work is not None:
        found.add((Facet.WORK, place.work.value))
    if place.sent_back:
        found.add((Facet.SENT_BACK, ""))
    if place.findings:
        found.add((Facet.FINDINGS, ""))
    if place.unchanged:
        found.add((Facet.UNCHANGED, ""))
    return found | _waits(place.waits) | _predicted(place.certainty)


def _predicted(certainty: float | None) -> set[_Name]:
    return set() if certainty is None else {(Facet.UNSURE, "")}
