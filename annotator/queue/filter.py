"""The filter of the queue in addresses: `?phase=..&annotator=..&loss=..&state=..&reviewer=..&q=..`.

An address has the whole filter, so that it can be bookmarked and sent to a colleague. Annotators are named
by pseudonyms in it; reviewers do not see whose work they judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Pseudonyms, annotators_by_number, stored_pseudonyms
from annotator.campaign.visibility import hidden_from
from annotator.queue.ranking import KINDS, cut_words
from annotator.store.rows.records import Facet, Hidden, QueueCounts, Sought
from annotator.store.store import Transaction
from panelwise.domain import Campaign, FigureState, Person, Role, Status, StoreError, one_line

#: Parts of an address that filter, in their order there.
PARTS = (
    "phase",
    "annotator",
    "loss",
    "agreed",
    "state",
    "status",
    "reviewer",
    "second",
    "sent_back",
    "findings",
    "unchanged",
    "skipped",
    "q",
    "order",
)
#: Annotators that one may ask for together: a pair.
MOST_ANNOTATORS = 2
#: Characters of a search, and of a value that messages repeat.
MOST_TEXT, _SHOWN = 200, 80

#: How an address asks for the figures that a model has predicted, those first that it is least sure of.
UNCERTAINTY = "uncertainty"

#: What no figure has.
_NO_FIGURE = (Facet.ALL, "none")


class UnknownFilter(StoreError):
    """An address filters by something that the campaign does not have."""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """A filter. address: its part of an address, annotators under pseudonyms. text: what is searched, "" for none.

    facets: everything else that figures must have. skipped: only what the viewer skipped. hidden: what they do
    not see at all, for they annotate it blind.
    """

    facets: tuple[tuple[Facet, str], ...] = ()
    text: str = ""
    skipped: bool = False
    address: Mapping[str, str | list[str]] = field(default_factory=dict, hash=False)
    hidden: Hidden | None = None

    @property
    def conditions(self) -> int:
        """Return the number of conditions."""
        return len(self.facets) + bool(self.text) + self.skipped

    @property
    def beyond_open(self) -> bool:
        """Return whether figures with a decision can match the filter."""
        return any(kind in (Facet.STATE, Facet.STATUS, Facet.REVIEWER) for kind, _ in self.facets)

    @property
    def nothing_sought(self) -> bool:
        """Return whether the search has no word in it, so that it finds nothing."""
        return bool(self.text) and not cut_words(self.text)

    def sought(self, reviewer: str) -> Sought:
        """Return the store's query for this reviewer."""
        facets = (*self.facets, _NO_FIGURE) if self.nothing_sought else self.facets
        return Sought(facets, cut_words(self.text), reviewer if self.skipped else None, self.hidden)


#: No filter.
EVERYTHING = QueueFilter()


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a part of the filter may take. counts: figures of the queue with it. chosen: it is taken."""

    value: str
    label: str
    counts: QueueCounts
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The filter values offered to a person: part of the address -> values, in order."""

    parts: Mapping[str, tuple[Choice, ...]] = field(hash=False)
    filtered: QueueFilter = EVERYTHING

    def of(self, part: str) -> tuple[Choice, ...]:
        """The values of a part."""
        return self.parts.get(part, ())


def filter_arguments(arguments: Mapping[str, Sequence[str]]) -> dict[str, str | list[str]]:
    """The filter's part of an address as it was given, without what is empty."""
    address: dict[str, str | list[str]] = {}
    for part in PARTS:
        values = [value for value in arguments.get(part, ()) if value.strip()]
        if values:
            address[part] = values if part == "annotator" else values[0]
    return address


def chosen_filter(
    tx: Transaction, home: Home, person: Person, arguments: Mapping[str, Sequence[str]]
) -> QueueFilter:
    """The filter of an address, for a person. Raises UnknownFilter for a value that the campaign does not have."""
    asked = filter_arguments(arguments)
    hidden = hidden_from(tx, home, person.name)
    if not asked:
        return QueueFilter(hidden=hidden) if hidden is not None else EVERYTHING
    counts = tx.queue.facet_counts(hidden)
    facets: list[tuple[Facet, str]] = []
    address: dict[str, str | list[str]] = {}
    for part, value in asked.items():
        if part == "annotator":
            keys = annotator_keys(tx, home, counts)
            names = [_annotator(key, keys, person) for key in dict.fromkeys(value)]
            if len(names) > MOST_ANNOTATORS:
                raise UnknownFilter(f"{len(names)} annotators together; give one, or two for their pair")
            facets += [(Facet.ANNOTATOR, name) for name in dict.fromkeys(names)]
            address[part] = [keys[name] for name in dict.fromkeys(names)]
        elif isinstance(value, str):
            facets += _facet(part, value, home.campaign, counts)
            address[part] = value[:MOST_TEXT].strip() if part == "q" else value
    text = address.get("q", "")
    assert isinstance(text, str)
    return QueueFilter(tuple(facets), text, "skipped" in address, address, hidden)


def _facet(
    part: str, value: str, campaign: Campaign, counts: Mapping[tuple[str, str], QueueCounts]
) -> list[tuple[Facet, str]]:
    known: Iterable[str]
    if part in ("skipped", "q"):
        return []
    if part in ("agreed", "second", "sent_back", "findings", "unchanged"):
        return [(Facet(part), "")]
    if part == "order":
        if value != UNCERTAINTY:
            raise UnknownFilter(f'there is no order "{one_line(value)[:_SHOWN]}"; give {UNCERTAINTY}, or none')
        return [(Facet.UNSURE, "")]
    kind = Facet(part)
    if kind is Facet.PHASE:
        known = {*(phase.name for phase in campaign.phases), *_values(counts, kind)}
    elif kind is Facet.LOSS:
        known = {*KINDS, *_values(counts, kind)}
    elif kind is Facet.STATE:
        known = [state.value for state in FigureState]
    elif kind is Facet.STATUS:
        known = [status.value for status in Status]
    else:
        known = _values(counts, kind)
    if value not in known:
        listed = ", ".join(sorted(known)[:8]) or "nothing yet"
        raise UnknownFilter(f'no figure can be filtered by {part} "{one_line(value)[:_SHOWN]}"; there is {listed}')
    return [(kind, value)]


def _values(counts: Mapping[tuple[str, str], QueueCounts], kind: Facet) -> list[str]:
    return sorted(value for facet, value in counts if facet == kind)


def annotator_keys(tx: Transaction, home: Home, counts: Mapping[tuple[str, str], QueueCounts]) -> dict[str, str]:
    """Annotator with work in the queue -> pseudonym, by name."""
    known = _pseudonyms(tx, home)
    return {name: known.of(name) for name in _values(counts, Facet.ANNOTATOR)}


def _pseudonyms(tx: Transaction, home: Home) -> Pseudonyms:
    return Pseudonyms(home.secret(), stored_pseudonyms(tx))


def _annotator(value: str, keys: Mapping[str, str], person: Person) -> str:
    if Role.LEAD in person.roles and value in keys:
        return value
    name = next((name for name, key in keys.items() if key == value), None)
    if name is None:
        raise UnknownFilter(
            f'no annotator named "{one_line(value)[:_SHOWN]}" has work in the queue; choose one from the list'
        )
    return name


def choices(tx: Transaction, home: Home, person: Person, filtered: QueueFilter, *, skipped: int = 0) -> Choices:
    """Return the filter values offered to a person, with counts. Leads see names, others "Annotator N"."""
    counts = tx.queue.facet_counts(filtered.hidden)
    keys = annotator_keys(tx, home, counts)
    phases = [phase.name for phase in home.campaign.phases]
    lead = Role.LEAD in person.roles

    def values(kind: Facet, order: Sequence[str]) -> list[str]:
        used = _values(counts, kind)
        return [*(value for value in order if value in used), *(value for value in used if value not in order)]

    def part(
        kind: Facet, order: Sequence[str], labels: Mapping[str, str], value_of: Mapping[str, str]
    ) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                value_of.get(value, value),
                labels.get(value, value),
                counts[kind, value],
                (kind, value) in filtered.facets,
            )
            for value in values(kind, order)
        )

    called = {} if lead else annotators_by_number(keys, _pseudonyms(tx, home).of)
    by_key = sorted(keys, key=lambda name: name if lead else keys[name])
    statuses = {status.value: status.decision_word for status in Status}
    states = {state.value: state.phrase for state in FigureState}
    parts = {
        "phase": part(Facet.PHASE, phases, {}, {}),
        "annotator": part(Facet.ANNOTATOR, by_key, called, keys),
        "loss": part(Facet.LOSS, list(KINDS), KINDS, {}),
        "state": part(Facet.STATE, list(states), states, {}),
        "status": part(Facet.STATUS, list(statuses), statuses, {}),
        "reviewer": part(Facet.REVIEWER, [person.name], {person.name: f"{person.name} (you)"}, {}),
        "agreed": part(Facet.AGREED, [], {"": "all annotators agree"}, {"": "yes"}),
        "order": part(Facet.UNSURE, [], {"": "least sure by the model first"}, {"": UNCERTAINTY}),
        "second": part(Facet.SECOND, [], {"": "a second reviewer is asked for"}, {"": "yes"}),
        "sent_back": part(Facet.SENT_BACK, [], {"": "sent back to an annotator"}, {"": "yes"}),
        "findings": part(Facet.FINDINGS, [], {"": "with guideline findings"}, {"": "yes"}),
        "unchanged": part(Facet.UNCHANGED, [], {"": "pre-labels unchanged by all"}, {"": "yes"}),
    }
    if skipped or filtered.skipped:
        label = "skipped by you"
        parts["skipped"] = (Choice("yes", label, QueueCounts(skipped, 0), filtered.skipped),)
    return Choices(parts, filtered)
