"""Support of a kind of annotation by the screen of items: its values, words, opinions and merge.

A kind answers in a module of its own, and `kinds` lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec import UNSET

from annotator.consensus.items import Reading, notes
from annotator.consensus.outdated import listed
from panelwise.domain import Figure, HumanAnswer, InvalidAnnotation, Kind, Part, Verdict

#: Parts of a kind in one draft at most.
MOST_PARTS = 500
#: The reason shown for an item that no annotator judged.
UNJUDGED = "no annotator judged it"

Value = TypeVar("Value")
#: The values that two sides, and what they started from, have of one item.
Merge = Callable[[Any, Any, Any], "ItemPart[Any]"]


@dataclass(frozen=True, slots=True)
class ItemPart(Generic[Value]):
    """One item of two decisions. id: the pair's, "" for the figure's type. differs: they do not say the same."""

    id: str
    mine: Value | None
    theirs: Value | None
    merged: Value | None
    differs: bool
    clash: bool


@dataclass(frozen=True, slots=True)
class Voices:
    """The annotators whose work counts. key: a stand-in for a name. quorum: equal opinions that preselect one.

    answers: pair's id -> annotator -> their own answer in human evaluation.
    """

    readings: Sequence[Reading]
    key: Callable[[str], str]
    quorum: int
    answers: Mapping[str, Mapping[str, HumanAnswer]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class KindSupport:
    """A kind of annotation on the screen of items, where a draft has its values in the field `kind.field`.

    sent: class of a part in plain values, `value` and `part` between both. line: a part in words, beside what was
    imported. title: what its lines begin with, "" for the number of the pair.

    Only of a kind that is adjudicated: shown: the field of what the screen shows, and of a comparison; state: the
    class of its items there. originals: name -> what the figure was imported with, None for nothing. untouched:
    the parts of somebody who agrees with that. check: what is wrong with a value, beginning with its field, "" for
    nothing. missing: what a value lacks, None being none, of work that is submitted; "" for nothing. item: what
    voices say of the item of that name, beside the original. change: in words, how a part differs from that
    before. merge: two values merged, None for one as a whole.
    """

    kind: Kind
    sent: type[Any]
    value: Callable[[Any], Any]
    part: Callable[[Any], Any]
    line: Callable[[Any, Any], str]
    title: str = ""
    shown: str = ""
    state: type[Any] | None = None
    originals: Callable[[Figure], Mapping[str, Any]] = lambda _figure: {}
    untouched: Callable[[Figure], Iterable[Part]] = lambda _figure: ()
    check: Callable[[Any], str] = lambda _value: ""
    missing: Callable[[Any], str] = lambda value: "what is asked for" if value is None else ""
    item: Callable[[Voices, str, Any], Any] = lambda _voices, _name, _original: None
    change: Callable[[Any, Any, Any], str] = lambda _original, _old, _new: ""
    merge: Merge | None = None

    def values_in(self, work: Any) -> list[Any]:
        """Return the values in a draft, or in the view of a decision; none of a field that was not sent."""
        values = getattr(work, self.kind.field, UNSET)
        if values is UNSET or values is None:
            return []
        return list(values) if self.kind.on_pairs else [values]

    def parts_in(self, draft: Any, existing: Collection[str]) -> list[Part]:
        """Return the parts that a person sent. existing: names of the items that the screen has.

        Raises InvalidAnnotation, which begins with the field.
        """
        values = self.values_in(draft)
        for position, value in enumerate(values):
            place = f"{self.kind.field}[{position}]" if self.kind.on_pairs else self.kind.field
            if self.kind.on_pairs and value.item not in existing:
                raise InvalidAnnotation(f'{place}.item: the figure has no pair "{value.item}"; reload')
            if problem := self.check(value):
                raise InvalidAnnotation(f"{place}.{problem}")
        return [self.part(value) for value in values]

    def missing_pairs(self, judged: Iterable[Any], names: Collection[str]) -> str:
        """Name the pairs that are not among those judged, by their number and id; "" for none.

        judged: values or parts. names: of all pairs, in the order of the screen.
        """
        done = {value.item for value in judged}
        missing = [f'{number} ("{name}")' for number, name in enumerate(names, start=1) if name not in done]
        if len(missing) < 2:
            return f"pair {missing[0]} is missing" if missing else ""
        return f"pairs {listed(missing)} are missing"

    def as_field(self, values: Iterable[Any]) -> Any:
        """Return values as a field has them: all, or the figure's only one, None without."""
        return tuple(values) if self.kind.on_pairs else next(iter(values), None)

    def field_type(self, entry: Any) -> Any:
        """Return the type of a field with an entry for each item of the kind; see `as_field`."""
        return tuple[entry, ...] if self.kind.on_pairs else entry | None

    def merged(self, mine: Any, theirs: Any, base: Any) -> list[ItemPart[Any]]:
        """Return each item that either of two drafts or views speaks of, merged against what both started from."""
        own, other, before = (
            {value.item if self.kind.on_pairs else "": value for value in self.values_in(work)}
            for work in (mine, theirs, base)
        )
        return [
            self._merged(name, own.get(name), other.get(name), before.get(name))
            for name in dict.fromkeys([*own, *other])
        ]

    def _merged(self, name: str, mine: Any, theirs: Any, base: Any) -> ItemPart[Any]:
        if mine is None or theirs is None:
            # A side that says nothing of an item takes nothing away.
            return ItemPart(name, mine, theirs, mine or theirs, differs=True, clash=False)
        if self.merge is not None:
            return self.merge(mine, theirs, base)
        of_mine, of_theirs, of_base = map(self.sameness, (mine, theirs, base))
        if of_mine == of_theirs:
            return ItemPart(name, mine, theirs, mine, differs=False, clash=False)
        if of_mine == of_base:
            return ItemPart(name, mine, theirs, theirs, differs=True, clash=False)
        return ItemPart(name, mine, theirs, mine, differs=True, clash=of_theirs != of_base)

    def sameness(self, value: Any) -> Hashable:
        """Return a key that is equal for values that say and note the same; None for None."""
        return None if value is None else (self.kind.key(self.part(value)), value.note.strip())


class ItemOpinions:
    """The voices' opinions on one item. parts: annotator -> their part. majority: the parts of the largest group.

    note: of the majority. fields: those that the item of every kind has. reasons: for which to look at it.
    """

    def __init__(self, voices: Voices, kind: Kind, name: str) -> None:
        parts = {reading.annotator: kind.parts(reading.items).get(name) for reading in voices.readings}
        self.parts: dict[str, Any] = {who: part for who, part in parts.items() if part is not None}
        self.groups = _groups({who: kind.key(part) for who, part in self.parts.items()})
        supporters = self.groups[0] if self.groups else ()
        self.majority = [self.parts[who] for who in supporters]
        self.note = notes(self.majority)
        self.fields: dict[str, Any] = {
            "supporters": tuple(sorted(map(voices.key, supporters))),
            "conflict": len(self.groups) != 1,
            "preselected": bool(supporters) and len(supporters) >= min(voices.quorum, len(self.parts)),
        }
        missing = len(parts) - len(self.parts) if len(parts) > 1 else 0
        self.reasons = [] if self.parts else [UNJUDGED]
        if self.parts and missing:
            self.reasons.append(f"{'one' if missing == 1 else missing} of {len(parts)} did not judge it")


def by_key(readings: Iterable[Any]) -> tuple[Any, ...]:
    """Return readings in the order of their keys, which tells nothing of names."""
    return tuple(sorted(readings, key=lambda each: each.annotator))


def _groups(said: Mapping[str, Hashable]) -> list[tuple[str, ...]]:
    """The names that say the same, the largest group first; of equal ones that of the verdict that most give."""
    found: dict[Hashable, list[str]] = {}
    for name in sorted(said):
        found.setdefault(said[name], []).append(name)
    verdicts = Counter(_verdict_in(key) for key in said.values())
    ordered = sorted(found.items(), key=lambda each: (-len(each[1]), -verdicts[_verdict_in(each[0])], each[1]))
    return [tuple(names) for _, names in ordered]


def _verdict_in(key: Hashable) -> Hashable:
    """The verdict that a verdict's key holds; a figure type's key stands for itself."""
    return key[0] if isinstance(key, tuple) and key and isinstance(key[0], Verdict) else key


def short(text: str) -> str:
    """Return a text in one line of at most 120 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119]}…"


def quoted(text: str) -> str:
    """Return a text in one line, in quotation marks; "none" for an empty one."""
    line = short(text)
    return f"“{line}”" if line else "none"


def with_note(line: str, note: str) -> str:
    """Return a line with the note beside it, if there is one."""
    return f"{line} (note {quoted(note)})" if note else line
