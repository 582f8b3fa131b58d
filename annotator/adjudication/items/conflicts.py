"""Two decisions on a figure's items compared, item by item, and merged against what both started from.

What only one of the two changed is taken from that one; what both changed alike is that; where they changed it
differently, `mine` stands and it is told as a clash. Of the figure's type, flag, count and each type are merged
for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.conflicts import Choice, choice, loaded_decision, text_choice
from annotator.adjudication.items.opinions import heard
from annotator.adjudication.items.screen import items_decision
from annotator.adjudication.items.state import (
    ItemsDecision,
    ItemsDraft,
    KindValue,
    PairWord,
    kind_of,
    kind_value,
    verdict_of,
)
from annotator.adjudication.standing import standing
from annotator.consensus.items import kind_key, verdict_key
from panelwise.domain.annotation import Status
from panelwise.domain.decision import ErrorKind

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store

Value = TypeVar("Value", KindValue, PairWord)


@dataclass(frozen=True, slots=True)
class Base:
    """What both sides started from. status: None where that was no decision."""

    status: Status | None
    kind: KindValue | None
    verdicts: dict[str, PairWord]
    note: str = ""
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""


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
class ItemsComparison:
    """Two decisions side by side; see `Comparison`. kind: None where neither has one."""

    base: int | None
    status: Choice[Status]
    note: Choice[str]
    error_kind: Choice[ErrorKind | None]
    guideline_flag: Choice[str]
    kind: ItemPart[KindValue] | None
    pairs: tuple[ItemPart[PairWord], ...]
    merged: ItemsDraft

    @property
    def clashes(self) -> int:
        """How many items and fields somebody must look at."""
        fields = (self.status, self.note, self.error_kind, self.guideline_flag)
        items = sum(each.clash for each in self.pairs) + (self.kind is not None and self.kind.clash)
        return items + sum(each.clash for each in fields)


@dataclass(frozen=True, slots=True)
class ItemsCollision:
    """What stands in the way of a draft; see `Collision`."""

    version: int
    current: ItemsDecision | None
    comparison: ItemsComparison | None


def items_collision(store: Store, home: Home, figure_id: str, draft: ItemsDraft) -> ItemsCollision:
    """What a draft that came too late is up against. Raises UnknownFigure."""
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        work = tx.work_of(figure_id)
    figure, history, version = work.figure, work.history, work.version
    current = standing(history, figure.revision)
    if current is None:
        return ItemsCollision(version, None, None)
    at = loaded_decision(history, draft.version, figure.revision)
    if at is not None:
        loaded = items_decision(at, keys)
        words = {each.item: each for each in loaded.verdicts}
        base = Base(loaded.status, loaded.kind, words, loaded.note, loaded.error_kind, loaded.guideline_flag)
    else:
        found = heard(figure, home.campaign, work.annotations, None, keys.of)
        kind = found.kind_item()
        base = Base(
            None,
            None if kind is None else kind.proposal,
            {each.id: each.proposal for each in found.pair_items()},
        )
    theirs = items_decision(current, keys)
    from_version = None if base.status is None else draft.version
    return ItemsCollision(version, theirs, compare(draft, theirs, base, loaded=from_version, send=version))


def compare(
    draft: ItemsDraft, theirs: ItemsDecision, base: Base, *, loaded: int | None, send: int
) -> ItemsComparison:
    """A draft beside the decision that came first; see `conflicts.compare`."""
    status = choice(draft.status, theirs.status, base.status)
    note = text_choice(draft.note.strip(), theirs.note, base.note)
    error_kind = choice(draft.error_kind, theirs.error_kind, base.error_kind)
    flag = text_choice((draft.guideline_flag or "").strip(), theirs.guideline_flag, base.guideline_flag)
    kind = _kind(draft.kind, theirs.kind, base.kind)
    mine_of = {each.item: each for each in draft.verdicts}
    theirs_of = {each.item: each for each in theirs.verdicts}
    pairs = tuple(
        _pair(name, mine_of.get(name), theirs_of.get(name), base.verdicts.get(name))
        for name in dict.fromkeys([*mine_of, *theirs_of])
    )
    merged = ItemsDraft(
        version=send,
        status=status.merged,
        kind=None if kind is None else kind.merged,
        verdicts=tuple(each.merged for each in pairs if each.merged is not None),
        based_on=tuple(dict.fromkeys((*theirs.based_on, *draft.based_on))),
        note=note.merged,
        seconds=draft.seconds,
        error_kind=error_kind.merged,
        guideline_flag=flag.merged or None,
        second=draft.second,
    )
    return ItemsComparison(loaded, status, note, error_kind, flag, kind, pairs, merged)


def _pair(name: str, mine: PairWord | None, theirs: PairWord | None, base: PairWord | None) -> ItemPart[PairWord]:
    if mine is None or theirs is None:
        # A side that says nothing of a pair takes nothing away.
        return ItemPart(name, mine, theirs, mine or theirs, differs=True, clash=False)
    of_mine, of_theirs = _said(mine), _said(theirs)
    of_base = None if base is None else _said(base)
    if of_mine == of_theirs:
        return ItemPart(name, mine, theirs, mine, differs=False, clash=False)
    if of_mine == of_base:
        return ItemPart(name, mine, theirs, theirs, differs=True, clash=False)
    return ItemPart(name, mine, theirs, mine, differs=True, clash=of_theirs != of_base)


def _said(word: PairWord) -> tuple[object, str]:
    return verdict_key(verdict_of(word)), word.note.strip()


def _kind(mine: KindValue | None, theirs: KindValue | None, base: KindValue | None) -> ItemPart[KindValue] | None:
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
