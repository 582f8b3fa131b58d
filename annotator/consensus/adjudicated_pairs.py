"""The question-answer pairs for human evaluation, with the gold's changes if there are any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.consensus.gold_rule import GoldTally, gold_in, gold_of_figure
from panelwise.domain import IMPOSSIBLE, Campaign, Figure, Gold, GoldSource, QAItem
from panelwise.formats import PAIRS, pair_record

if TYPE_CHECKING:
    from annotator.store.store import Store, Transaction

#: Figure id -> the gold's pairs that differ from the imported ones, by id.
Edits = Mapping[str, Mapping[str, QAItem]]


def adjudicated_edits(store: Store, campaign: Campaign) -> Edits:
    """Return the gold's changes (including single work) to the pairs of all figures that have any."""
    with store.read() as tx:
        return adjudicated_edits_in(tx, campaign)


def adjudicated_edits_in(tx: Transaction, campaign: Campaign) -> Edits:
    """As `adjudicated_edits`, in an open transaction."""
    golds = gold_in(tx, campaign, GoldTally(), include=tuple(GoldSource))
    changes = ((gold.figure.id, _changed(gold)) for gold in golds)
    return {figure: changed for figure, changed in changes if changed}


def adjudicated_figure(tx: Transaction, campaign: Campaign, figure: Figure) -> Figure:
    """Return a figure with the pairs that human evaluation asks: the gold's."""
    gold = gold_of_figure(tx, campaign, figure.id)
    return figure if gold is None else apply_edits(figure, {figure.id: _changed(gold)})


def _changed(gold: Gold) -> dict[str, QAItem]:
    return {each.item: each.edited for each in gold.items.verdicts if each.edited is not None}


def apply_edits(figure: Figure, edits: Edits) -> Figure:
    """Return the figure with the gold's pairs, without those that the gold rejected."""
    changed = edits.get(figure.id)
    if not changed:
        return figure
    edited = (changed.get(pair.id, pair) for pair in figure.imported.pairs)
    pairs = tuple(pair for pair in edited if (pair.question, pair.answer) != (IMPOSSIBLE, IMPOSSIBLE))
    record = {**figure.imported.record, PAIRS: [pair_record(pair) for pair in pairs]}
    return replace(figure, imported=replace(figure.imported, pairs=pairs, record=record))
