"""The figure's type on the screen of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import msgspec

from annotator.adjudication.compare.fields import choice, text_choice
from annotator.adjudication.decision_fields import Name, Note
from annotator.adjudication.kinds.support import ItemOpinions, ItemPart, KindSupport, Voices, by_key, with_note
from panelwise.domain import (
    FIGURE_TYPES,
    TYPES,
    FigureKind,
    InvalidAnnotation,
    Phase,
    describe_unlisted,
    unlisted_types,
)
from panelwise.runtime import counted

_Plain = TypeVar("_Plain", bool, int)


class KindValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure's type: compound or not, of how many subfigures, of which types, in order; None if not said."""

    compound: bool | None
    count: Annotated[int, msgspec.Meta(ge=0, le=10_000)] | None
    types: Annotated[tuple[Name, ...], msgspec.Meta(max_length=100)]
    note: Note = ""


@dataclass(frozen=True, slots=True)
class KindReading:
    """One annotator's opinion on the figure's type."""

    annotator: str
    value: KindValue


@dataclass(frozen=True, slots=True)
class KindItem:
    """The figure's type to be adjudicated. original: what it came with. proposal: what the screen starts from.

    disputed: which of "compound", "count" and the types' names the voices differ in. conflict: for `reasons`.
    preselected: enough voices say what is proposed.
    """

    original: KindValue | None
    readings: tuple[KindReading, ...]
    proposal: KindValue
    supporters: tuple[str, ...]
    disputed: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool


def kind_value(kind: FigureKind) -> KindValue:
    """A figure's type in plain values."""
    return KindValue(kind.compound, kind.count, tuple(sorted(kind.types)), kind.note)


def kind_of(value: KindValue) -> FigureKind:
    """The figure's type that a reviewer sent."""
    types = frozenset(name.strip() for name in value.types if name.strip())
    return FigureKind(value.compound, value.count, types, value.note.strip())


def kind_item(voices: Voices, original: FigureKind | None) -> KindItem:
    """The figure's type to adjudicate."""
    opinions = ItemOpinions(voices, TYPES, "")
    disputed = tuple(_disputed(opinions.parts.values()))
    if len(opinions.groups) == 1:
        merged = opinions.majority[0]
        proposal = KindValue(merged.compound, merged.count, tuple(sorted(merged.types)), opinions.note)
    else:
        proposal = _majority([*opinions.parts.values()], original)
    tags = [each for each in disputed if each not in ("compound", "count")]
    return KindItem(
        original=None if original is None else kind_value(original),
        readings=by_key(KindReading(voices.key(name), kind_value(kind)) for name, kind in opinions.parts.items()),
        proposal=proposal,
        disputed=disputed,
        reasons=(
            *opinions.reasons,
            *(f"{what} differs" for what in ("compound", "count") if what in disputed),
            *([f"types differ: {', '.join(tags)}"] if tags else []),
        ),
        **opinions.fields,
    )


def _majority(given: Sequence[FigureKind], original: FigureKind | None) -> KindValue:
    """Take the majority's value of each field; the imported value in a tie or without any opinion."""
    if not given:
        return KindValue(None, None, ()) if original is None else kind_value(original)
    came = original or FigureKind()
    compound = _most([each.compound for each in given if each.compound is not None], came.compound)
    count = _most([each.count for each in given if each.count is not None], came.count)
    names = sorted(frozenset().union(*(each.types for each in given)))
    votes = Counter(name for each in given for name in each.types)
    kept = [
        name
        for name in names
        if 2 * votes[name] > len(given) or (2 * votes[name] == len(given) and name in came.types)
    ]
    return KindValue(compound, count, tuple(kept))


def _most(values: Sequence[_Plain], came: _Plain | None) -> _Plain | None:
    ordered = Counter(values).most_common()
    if not ordered:
        return came
    best = [value for value, count in ordered if count == ordered[0][1]]
    return came if came in best else best[0]


def _disputed(given: Iterable[FigureKind]) -> Iterable[str]:
    said = list(given)
    for what, values in (
        ("compound", {each.compound for each in said}),
        ("count", {each.count for each in said}),
    ):
        if len(values) > 1:
            yield what
    everywhere = frozenset.intersection(*(each.types for each in said)) if said else frozenset()
    anywhere = frozenset().union(*(each.types for each in said))
    yield from sorted(anywhere - everywhere, key=type_place)


def type_place(name: str, listed: Sequence[str] = FIGURE_TYPES) -> tuple[int, str]:
    """The listed types in their order, then others by name."""
    return (listed.index(name) if name in listed else len(listed), name)


def refuse_unlisted(kind: FigureKind | None, phase: Phase) -> None:
    """Raise InvalidAnnotation for a figure's type that the phase does not take."""
    unlisted = unlisted_types(kind.types, phase) if kind is not None else ()
    if unlisted:
        raise InvalidAnnotation(
            f"kind.types: {describe_unlisted(unlisted, phase.types)}; choose one, or ask the lead to list it"
        )


def _line(kind: FigureKind, _original: FigureKind | None = None) -> str:
    compound = {None: "not said whether compound", True: "compound", False: "not compound"}[kind.compound]
    count = "" if kind.count is None else f", {counted(kind.count, 'subfigure')}"
    return with_note(f"{compound}{count}, {', '.join(sorted(kind.types)) or 'no type'}", kind.note)


def _change(_original: FigureKind | None, old: FigureKind | None, new: FigureKind | None) -> str:
    now, before = ("not said" if kind is None else _line(kind) for kind in (new, old))
    return f"{now}; was {before}"


def _missing(value: KindValue | None) -> str:
    if value is None or value.compound is None:
        return "whether the figure is compound"
    return "the number of subfigures" if value.count is None else ""


def _merge(mine: KindValue, theirs: KindValue, base: KindValue | None) -> ItemPart[KindValue]:
    """Merge flag, count and each type for themselves."""
    start = base or KindValue(None, None, ())
    compound = choice(mine.compound, theirs.compound, start.compound)
    count = choice(mine.count, theirs.count, start.count)
    note = text_choice(mine.note.strip(), theirs.note.strip(), start.note)
    came, own, other = set(start.types), set(mine.types), set(theirs.types)
    types = came ^ ((own ^ came) | (other ^ came)) if base else own
    merged = kind_value(kind_of(KindValue(compound.merged, count.merged, tuple(types), note.merged)))
    differs = FIGURE_TYPE.sameness(mine) != FIGURE_TYPE.sameness(theirs)
    clash = compound.clash or count.clash or note.clash or (base is None and own != other)
    return ItemPart("", mine, theirs, merged, differs=differs, clash=clash)


FIGURE_TYPE = KindSupport(
    TYPES,
    sent=KindValue,
    value=kind_value,
    part=kind_of,
    line=_line,
    title="Type",
    shown="kind",
    state=KindItem,
    originals=lambda figure: {"": figure.imported.kind},
    untouched=lambda figure: [figure.imported.kind] if figure.imported.kind is not None else [],
    missing=_missing,
    item=lambda voices, _name, original: kind_item(voices, original),
    change=_change,
    merge=_merge,
)
