"""The figure type and pairs of two decisions, one by one, merged against what both started from.

Of the figure's type, flag, count and each type are merged for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from annotator.adjudication.compare.fields import choice, text_choice
from annotator.adjudication.draft import KindValue, PairWord
from annotator.adjudication.items.state import kind_of, kind_value, verdict_of
from panelwise.domain import kind_key, verdict_key

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
