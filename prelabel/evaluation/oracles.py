"""What no model of a kind can beat: the gold's own subcaptions, with one thing done as the model does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from panelwise.domain.annotation import Subfigure
from prelabel.taggers.reading_order import paired
from prelabel.training.tasks.longest_spans import longest_spans

#: The gold's subfigures of a figure -> what the oracle answers, over the same boxes.
Oracle = Callable[[Sequence[Subfigure]], tuple[Subfigure, ...]]


def captioned(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Those with a subcaption: what the paper gives its models as gold subfigures."""
    return tuple(each for each in subfigures if each.subcaption)


def by_heuristic(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """The right subcaptions in the caption's order, handed out to the boxes in reading order (appendix C)."""
    return _handed_out(subfigures, [each.subcaption for each in subfigures])


def single_spans(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Each box with the one span that a tagger of disjoint spans could learn for it; none where all is taken."""
    return tuple(
        replace(each, subcaption=tokens) for each, tokens in zip(subfigures, _spans(subfigures), strict=True)
    )


def single_spans_by_heuristic(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Both: these spans, handed out in reading order: the most that text CRF + heuristic can reach."""
    return _handed_out(subfigures, [tokens for tokens in _spans(subfigures) if tokens])


def _spans(subfigures: Sequence[Subfigure]) -> list[frozenset[int]]:
    found = longest_spans([each.subcaption for each in subfigures])
    return [frozenset() if span is None else frozenset(range(*span)) for span in found]


def _handed_out(subfigures: Sequence[Subfigure], subcaptions: Sequence[frozenset[int]]) -> tuple[Subfigure, ...]:
    """Subcaptions that begin with the same words stand in the order of what follows."""
    given = paired([each.box for each in subfigures], sorted(subcaptions, key=sorted), frozenset[int]())
    return tuple(replace(each, subcaption=own) for each, own in zip(subfigures, given, strict=True))
