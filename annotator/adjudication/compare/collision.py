"""Conflicts: a draft based on an outdated decision, the decision saved meanwhile, and a merge of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.compare.fields import Choice, choice, text_choice
from annotator.adjudication.compare.items import ItemPart, kind_part, pair_parts
from annotator.adjudication.compare.subfigures import Part, subfigure_parts
from annotator.adjudication.draft import (
    DecisionView,
    Draft,
    ItemsDraft,
    ItemsView,
    KindValue,
    PairWord,
    Panel,
    SubfiguresDraft,
    SubfiguresView,
)
from annotator.adjudication.items.opinions import collect_opinions as heard_on_items
from annotator.adjudication.items.screen import items_decision
from annotator.adjudication.proposals import collect_opinions
from annotator.adjudication.standing import standing
from annotator.adjudication.subfigures import decision_view
from annotator.campaign.home import Home
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store
from panelwise.domain import Decision, ErrorKind, Reopening, Status


class ComparisonBasics(msgspec.Struct, frozen=True, kw_only=True):
    """Two decisions side by side. base: the version that both started from, None for the candidates.

    clashes: how many subfigures or items, and fields, somebody must look at.
    """

    base: int | None
    status: Choice[Status]
    note: Choice[str]
    error_kind: Choice[ErrorKind | None]
    guideline_flag: Choice[str | None]
    clashes: int


class SubfiguresComparison(ComparisonBasics, frozen=True, kw_only=True):
    """Two decisions on subfigures. merged: what is to be sent where the merge is taken."""

    merged: SubfiguresDraft
    subfigures: tuple[Part, ...]


class ItemsComparison(ComparisonBasics, frozen=True, kw_only=True):
    """Two decisions on type and pairs. merged: what is to be sent where the merge is taken."""

    merged: ItemsDraft
    kind: ItemPart[KindValue] | None
    pairs: tuple[ItemPart[PairWord], ...]


Comparison = SubfiguresComparison | ItemsComparison


class Collision(msgspec.Struct, frozen=True):
    """The conflict of a draft with a newer decision. version: of the history's last entry, for the next save.

    current: the decision that holds, with the draft compared to it; None if none does. error: in words.
    """

    version: int
    current: DecisionView | None
    comparison: Comparison | None = msgspec.field(name="conflict")
    error: str = ""


def collision(store: Store, home: Home, figure_id: str, draft: Draft, error: str = "") -> Collision:
    """Build the conflict of an outdated draft. error: the refused save. Raises UnknownFigure."""
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        work = tx.work.of(figure_id)
    current = standing(work.history, work.figure.revision)
    if current is None:
        return Collision(work.version, None, None, error)
    view: Callable[[Decision, Keys], DecisionView] = decision_view
    if isinstance(draft, ItemsDraft):
        view = items_decision
    loaded = loaded_decision(work.history, draft.version, work.figure.revision)
    base = _draft_of(view(loaded, keys)) if loaded else _start(work, home, keys, draft)
    theirs = view(current, keys)
    found = compare(draft, theirs, base, loaded=loaded.version if loaded else None, send=work.version)
    return Collision(work.version, theirs, found, error)


def loaded_decision(history: Sequence[Decision | Reopening], version: int, revision: int) -> Decision | None:
    """The decision that a draft of that version began from; None for none, or for one on another revision."""
    found = next((entry for entry in history if entry.version == version), None)
    if not isinstance(found, Decision) or found.figure.revision != revision:
        return None
    return standing([entry for entry in history if entry.version <= version], revision)


def _draft_of(found: DecisionView) -> Draft:
    """The draft that a decision would have come of."""
    basics: dict[str, Any] = {
        "version": found.version,
        "status": found.status,
        "based_on": found.based_on,
        "note": found.note,
        "error_kind": found.error_kind,
        "guideline_flag": found.guideline_flag,
    }
    if isinstance(found, ItemsView):
        return ItemsDraft(**basics, kind=found.kind, verdicts=found.verdicts)
    return SubfiguresDraft(**basics, subfigures=found.subfigures)


def _start(work: FigureWork, home: Home, keys: Keys, draft: Draft) -> Draft:
    """Return the screen's initial state for a figure without a decision, as if it had been saved."""
    if isinstance(draft, SubfiguresDraft):
        start = collect_opinions(work, home.campaign, keys).start()
        return SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=start)
    found = heard_on_items(work.figure, home.campaign, work.annotations, None, keys.of)
    kind = found.kind_item()
    return ItemsDraft(
        version=0,
        status=Status.ACCEPTED,
        kind=None if kind is None else kind.proposal,
        verdicts=tuple(each.proposal for each in found.pair_items()),
    )


def compare(draft: Draft, current: DecisionView, base: Draft, *, loaded: int | None, send: int) -> Comparison:
    """A draft beside the decision that came first.

    base: what both started from; of version `loaded`, None if that was no decision, so that its status is none.
    send: the version that the merge is to be sent over.
    """
    status = choice(draft.status, current.status, None if loaded is None else base.status)
    note = text_choice(draft.note.strip(), current.note, base.note)
    error_kind = choice(draft.error_kind, current.error_kind, base.error_kind)
    flags = (draft.guideline_flag or "").strip(), current.guideline_flag or "", base.guideline_flag or ""
    text = text_choice(*flags)
    flag: Choice[str | None] = Choice(text.mine or None, text.theirs or None, text.merged or None, text.clash)
    sent: dict[str, Any] = {
        "version": send,
        "status": status.merged,
        "based_on": tuple(dict.fromkeys((*current.based_on, *draft.based_on))),
        "note": note.merged,
        "seconds": draft.seconds,
        "error_kind": error_kind.merged,
        "guideline_flag": flag.merged,
        "second": draft.second,
    }
    clashes = sum(each.clash for each in (status, note, error_kind, flag))
    fields: dict[str, Any] = {
        "base": loaded,
        "status": status,
        "note": note,
        "error_kind": error_kind,
        "guideline_flag": flag,
    }
    match draft, current, base:
        case ItemsDraft(), ItemsView(), ItemsDraft():
            kind = kind_part(draft.kind, current.kind, base.kind)
            pairs = tuple(pair_parts(draft.verdicts, current.verdicts, base.verdicts))
            clashes += sum(each.clash for each in pairs) + (kind is not None and kind.clash)
            verdicts = tuple(each.merged for each in pairs if each.merged is not None)
            merged = ItemsDraft(**sent, kind=None if kind is None else kind.merged, verdicts=verdicts)
            return ItemsComparison(**fields, merged=merged, clashes=clashes, kind=kind, pairs=pairs)
        case SubfiguresDraft(), SubfiguresView(), SubfiguresDraft():
            mine = [Panel(one.label.strip(), one.box, tuple(sorted(set(one.tokens)))) for one in draft.subfigures]
            parts = tuple(subfigure_parts(mine, current.subfigures, base.subfigures))
            clashes += sum(part.clash for part in parts)
            drawn = SubfiguresDraft(**sent, subfigures=tuple(part.merged for part in parts if part.merged))
            return SubfiguresComparison(**fields, merged=drawn, clashes=clashes, subfigures=parts)
    raise TypeError("a draft is compared to decisions of its own kind")
