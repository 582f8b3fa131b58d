"""Upper bounds of kinds of models: the gold's own subcaptions, with one step done as the model does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from panelwise.domain import Subfigure
from prelabel.taggers.reading_order import paired
from prelabel.training.tasks.longest_spans import longest_spans


def captioned(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Return the subfigures with a subcaption: the paper's gold subfigures."""
    return tuple(each for each in subfigures if each.subcaption)


def by_heuristic(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Assign the gold subcaptions, in the caption's order, to the boxes in reading order (appendix C)."""
    return _handed_out(subfigures, [each.subcaption for each in subfigures])


def single_spans(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Give each box the one span that a tagger of disjoint spans could learn; none if all are used."""
    return tuple(
        replace(each, subcaption=tokens) for each, tokens in zip(subfigures, _spans(subfigures), strict=True)
    )


def single_spans_by_heuristic(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Combine both: these spans, assigned in reading order: the upper bound of text CRF + heuristic."""
    return _handed_out(subfigures, [tokens for tokens in _spans(subfigures) if tokens])


def _spans(subfigures: Sequence[Subfigure]) -> list[frozenset[int]]:
    found = longest_spans([each.subcaption for each in subfigures])
    return [frozenset() if span is None else frozenset(range(*span)) for span in found]


def _handed_out(subfigures: Sequence[Subfigure], subcaptions: Sequence[frozenset[int]]) -> tuple[Subfigure, ...]:
    """Order subcaptions that begin with the same words by what follows."""
    given = paired([each.box for each in subfigures], sorted(subcaptions, key=sorted), frozenset[int]())
    return tuple(replace(each, subcaption=own) for each, own in zip(subfigures, given, strict=True))
