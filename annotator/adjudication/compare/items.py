"""The figure type and pairs of two decisions, one by one, merged against what both started from.

Of the figure's type, flag, count and each type are merged for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from annotator.adjudication.draft import KindValue, PairWord, Panel
from annotator.adjudication.items.state import kind_of, kind_value, verdict_of
from panelwise.domain.box import Corners, iou
from panelwise.domain.items import kind_key, verdict_key

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One field of two decisions. clash: both changed it, each otherwise."""

    mine: T
    theirs: T
    merged: T
    clash: bool


def choice(mine: T, theirs: T, base: T | None) -> Choice[T]:
    """One field of two decisions, merged against what both started from."""
    if mine == theirs or theirs == base:
        return Choice(mine, theirs, mine, clash=False)
    if mine == base:
        return Choice(mine, theirs, theirs, clash=False)
    return Choice(mine, theirs, mine, clash=True)


def text_choice(mine: str, theirs: str, base: str) -> Choice[str]:
    """Two texts are one below the other where both were changed: neither is lost."""
    found = choice(mine, theirs, base)
    if not found.clash:
        return found
    if not mine or not theirs:
        return Choice(mine, theirs, mine or theirs, clash=True)
    return Choice(mine, theirs, f"{theirs}\n{mine}", clash=True)


Value = TypeVar("Value", KindValue, PairWord)


@dataclass(frozen=True, slots=True)
class ItemPart(Generic[Value]):
    """One item of two decisions. id: the pair's, "" for the figure's type. differs: they do not say the same."""

    id: str
    mine: Value | None
    theirs: Value | None
    merged: Value | None
    differs: bool
    clash: bool


def pair_parts(
    mine: Iterable[PairWord], theirs: Iterable[PairWord], base: Iterable[PairWord]
) -> Iterator[ItemPart[PairWord]]:
    """Each pair that either decision speaks of, merged."""
    of_mine, of_theirs, of_base = ({each.item: each for each in words} for words in (mine, theirs, base))
    for name in dict.fromkeys([*of_mine, *of_theirs]):
        yield _pair(name, of_mine.get(name), of_theirs.get(name), of_base.get(name))


def _pair(name: str, mine: PairWord | None, theirs: PairWord | None, base: PairWord | None) -> ItemPart[PairWord]:
    if mine is None or theirs is None:
        # A side that says nothing of a pair takes nothing away.
        return ItemPart(name, mine, theirs, mine or theirs, differs=True, clash=False)
    of_mine, of_theirs = _verdict_and_note(mine), _verdict_and_note(theirs)
    of_base = None if base is None else _verdict_and_note(base)
    if of_mine == of_theirs:
        return ItemPart(name, mine, theirs, mine, differs=False, clash=False)
    if of_mine == of_base:
        return ItemPart(name, mine, theirs, theirs, differs=True, clash=False)
    return ItemPart(name, mine, theirs, mine, differs=True, clash=of_theirs != of_base)


def _verdict_and_note(word: PairWord) -> tuple[object, str]:
    return verdict_key(verdict_of(word)), word.note.strip()


def kind_part(
    mine: KindValue | None, theirs: KindValue | None, base: KindValue | None
) -> ItemPart[KindValue] | None:
    """The figure's type, merged; None if neither decision has one."""
    if mine is None and theirs is None:
        return None
    if mine is None or theirs is None:
        return ItemPart("", mine, theirs, mine or theirs, differs=True, clash=False)
    start = base or KindValue(None, None, ())
    compound = choice(mine.compound, theirs.compound, start.compound if base else None)
    count = choice(mine.count, theirs.count, start.count if base else None)
    note = text_choice(mine.note.strip(), theirs.note.strip(), start.note)
    came, own, other = set(start.types), set(mine.types), set(theirs.types)
    types = came ^ ((own ^ came) | (other ^ came)) if base else own
    merged = kind_value(kind_of(KindValue(compound.merged, count.merged, tuple(types), note.merged)))
    same = kind_key(kind_of(mine)) == kind_key(kind_of(theirs)) and mine.note.strip() == theirs.note.strip()
    clash = compound.clash or count.clash or note.clash or (base is None and own != other)
    return ItemPart("", mine, theirs, merged, differs=not same, clash=clash)


#: Edges of boxes that are no further apart than this, in pixels, are the same.
SAME_EDGE = 1.0
#: What a subfigure of one side shares at least with that of the other: one label, or half of the box.
PARTNERS = 0.5


@dataclass(frozen=True, slots=True)
class Part:
    """A subfigure of two decisions; None on a side without it, and in `merged` if it is removed.

    differs: "only mine", "only theirs", or some of "label", "box", "tokens"; empty if both are alike.
    only_mine, only_theirs: tokens, where both have the subfigure. iou: of the boxes. line: what differs, in words.
    """

    id: str
    label: str
    mine: Panel | None
    theirs: Panel | None
    merged: Panel | None
    differs: tuple[str, ...]
    clash: bool
    only_mine: tuple[int, ...] = ()
    only_theirs: tuple[int, ...] = ()
    iou: float | None = None
    line: str = ""


def pairs(mine: Sequence[Panel], theirs: Sequence[Panel]) -> dict[int, int]:
    """Match subfigures: place in `mine` -> place in `theirs`, the best pairs first, each used once."""
    scores = []
    for here, one in enumerate(mine):
        for there, other in enumerate(theirs):
            score = (one.label == other.label) + iou(one.box, other.box)
            if score >= PARTNERS:
                scores.append((-score, here, there))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, here, there in sorted(scores):
        if here not in found and there not in taken:
            found[here] = there
            taken.add(there)
    return found


def subfigure_parts(mine: Sequence[Panel], theirs: Sequence[Panel], base: Sequence[Panel]) -> Iterator[Part]:
    """Each subfigure of either decision, merged."""
    of_mine, of_theirs = pairs(mine, base), pairs(theirs, base)
    partners = _partners(mine, theirs, of_mine, of_theirs)
    found: list[tuple[Panel | None, Panel | None, Panel | None]] = []
    for here, own in enumerate(mine):
        there = partners.get(here)
        other = None if there is None else theirs[there]
        place = of_mine.get(here, None if there is None else of_theirs.get(there))
        found.append((own, other, None if place is None else base[place]))
    for there, other in enumerate(theirs):
        if there not in partners.values():
            place = of_theirs.get(there)
            found.append((None, other, None if place is None else base[place]))
    made = [_part(f"p{number}", *each) for number, each in enumerate(found)]
    labels = [part.merged.label for part in made if part.merged]
    for part in made:
        # A label that each gave to a subfigure of their own would come twice.
        twice = part.merged is not None and labels.count(part.merged.label) > 1
        yield replace(part, clash=True) if twice else part


def _partners(
    mine: Sequence[Panel], theirs: Sequence[Panel], of_mine: Mapping[int, int], of_theirs: Mapping[int, int]
) -> dict[int, int]:
    """As `pairs`; what came of one subfigure of the base belongs together, however far it was changed."""
    there_of = {place: there for there, place in of_theirs.items()}
    found = {here: there_of[place] for here, place in of_mine.items() if place in there_of}
    left = [here for here in range(len(mine)) if here not in found]
    free = [there for there in range(len(theirs)) if there not in found.values()]
    others = pairs([mine[here] for here in left], [theirs[there] for there in free])
    return found | {left[here]: free[there] for here, there in others.items()}


def _part(key: str, mine: Panel | None, theirs: Panel | None, base: Panel | None) -> Part:
    if mine is None or theirs is None:
        there = mine or theirs
        assert there is not None
        # It is in the base: a side without it removed it, and the other side may have changed it.
        untouched = base is not None and not differences(there, base)
        clash = base is not None and not untouched
        merged = there if base is None else None if untouched else mine
        which = "only mine" if theirs is None else "only theirs"
        line = f"{there.label}: {'only yours' if theirs is None else 'only theirs'}"
        return Part(key, there.label, mine, theirs, merged, (which,), clash, line=line)
    differs = differences(mine, theirs)
    label: Choice[str] = choice(mine.label, theirs.label, base.label if base else None)
    box = _box(mine, theirs, base)
    tokens = _tokens(mine, theirs, base)
    return Part(
        key,
        mine.label,
        mine,
        theirs,
        Panel(label.merged, box.merged, tokens.merged),
        differs,
        label.clash or box.clash or tokens.clash,
        only_mine=tuple(sorted({*mine.tokens} - {*theirs.tokens})),
        only_theirs=tuple(sorted({*theirs.tokens} - {*mine.tokens})),
        iou=iou(mine.box, theirs.box),
        line=_line(mine, theirs, differs),
    )


def _box(mine: Panel, theirs: Panel, base: Panel | None) -> Choice[Corners]:
    if base is not None and same_box(theirs, base) and not same_box(mine, base):
        return Choice(mine.box, theirs.box, mine.box, clash=False)
    if same_box(mine, theirs):
        return Choice(mine.box, theirs.box, theirs.box, clash=False)
    if base is not None and same_box(mine, base):
        return Choice(mine.box, theirs.box, theirs.box, clash=False)
    return Choice(mine.box, theirs.box, mine.box, clash=True)


def _tokens(mine: Panel, theirs: Panel, base: Panel | None) -> Choice[tuple[int, ...]]:
    if base is None:
        return Choice(mine.tokens, theirs.tokens, mine.tokens, clash=set(mine.tokens) != set(theirs.tokens))
    start, own, other = set(base.tokens), set(mine.tokens), set(theirs.tokens)
    merged = tuple(sorted(start ^ ((own ^ start) | (other ^ start))))
    return Choice(mine.tokens, theirs.tokens, merged, clash=False)


def differences(one: Panel, other: Panel) -> tuple[str, ...]:
    """Return which of "label", "box" and "tokens" differ between two subfigures."""
    return tuple(
        what
        for what, differs in (
            ("label", one.label != other.label),
            ("tokens", set(one.tokens) != set(other.tokens)),
            ("box", not same_box(one, other)),
        )
        if differs
    )


def same_box(one: Panel, other: Panel) -> bool:
    """Return whether no edge of two boxes is further from the other's than `SAME_EDGE`."""
    return all(abs(a - b) <= SAME_EDGE for a, b in zip(one.box, other.box, strict=True))


def _line(mine: Panel, theirs: Panel, differs: Iterable[str]) -> str:
    """Describe a difference for the screen: "B: 2 tokens more in theirs; box differs (overlap 83 %)"."""
    more, fewer = {*theirs.tokens} - {*mine.tokens}, {*mine.tokens} - {*theirs.tokens}
    said = []
    for what in differs:
        if what == "label":
            said.append(f"labelled {theirs.label} by them")
        elif what == "box":
            said.append(f"box differs (overlap {iou(mine.box, theirs.box):.0%})".replace("%", " %"))
        else:
            said += [
                f"{len(ids)} {'token' if len(ids) == 1 else 'tokens'} {word} in theirs"
                for ids, word in ((more, "more"), (fewer, "fewer"))
                if ids
            ]
    return f"{mine.label}: {'; '.join(said)}" if said else ""
