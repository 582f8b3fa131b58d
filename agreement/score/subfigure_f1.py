"""The score of one annotator against another on one figure, per gold subfigure, by two named sets of rules.

`paper` is the metric as the MedICaT paper defines it, `official-code` what its authors' code computes. Both use
raw values, because the second counts boxes without area and repeated token ids.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from agreement.columns.corpus import repeated
from agreement.columns.panels import REASONS, prepare
from agreement.primitives.iou import as_boxes
from agreement.primitives.matching import Indices
from agreement.primitives.rules import MIN_IOU, Common, LeftOut, Mode, nothing_to_count
from agreement.primitives.token_sets import TokenPlaces, TokenSets, starts_of
from agreement.score.kernel import Lineup, meet, score

__all__ = ["MIN_IOU", "Common", "FigureScore", "LeftOut", "Mode", "Panel", "nothing_to_count", "subfigure_f1"]
from panelwise.domain import Panel


@dataclass(frozen=True, slots=True)
class FigureScore:
    """The score of one figure. f1s: one per gold subfigure in stored order, None if left out.

    reasons: why, None if scored. matches: index of the matched subfigure, None if no box reaches the threshold.
    """

    f1s: tuple[float | None, ...]
    reasons: tuple[LeftOut | None, ...]
    matches: tuple[int | None, ...]
    mode: Mode

    @property
    def counted(self) -> tuple[float, ...]:
        """F1s of the gold subfigures that count."""
        return tuple(f1 for f1 in self.f1s if f1 is not None)

    @property
    def mean(self) -> float | None:
        """Mean over the gold subfigures that count; without any, None in paper mode, 0.0 in official-code."""
        if not self.counted:
            return nothing_to_count(self.mode)
        return sum(self.counted) / len(self.counted)


def subfigure_f1(
    gold: Sequence[Panel],
    other: Sequence[Panel],
    *,
    counted: frozenset[int],
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    gold_common: frozenset[int] = frozenset(),
    other_common: frozenset[int] = frozenset(),
) -> FigureScore:
    """Score `other` against `gold` on one figure. Not symmetric: surplus boxes in `other` cost nothing.

    counted: ids of the tokens that count (`counted_words`). *_common: tokens to remove from that side first
    (`common_tokens`).
    """
    sides = (gold, other)
    every = [*gold, *other]
    lists = [panel.tokens for panel in every]
    # Any ids will do: they are numbered in order, as tokens of one caption.
    known = sorted(counted.union(gold_common, other_common, *lists))
    numbers = {token: number for number, token in enumerate(known)}
    places = TokenPlaces.of(
        np.array([token in counted for token in known], dtype=np.bool_), np.array([0, len(known)])
    )

    def sets(lists: Sequence[Collection[int]]) -> tuple[TokenSets, tuple[Indices, Indices]]:
        tokens = np.array([numbers[token] for token in chain.from_iterable(lists)], dtype=np.int64)
        starts = starts_of(np.array([len(each) for each in lists], dtype=np.int64))
        captions = np.zeros(len(lists), dtype=np.int64)
        found = places.sets_of_lists(captions, tokens, starts)
        return found, repeated(places.places(np.zeros(len(tokens), dtype=np.int64), tokens), starts)

    text, again = sets(lists)
    panels = prepare(
        text,
        starts_of(np.array([len(side) for side in sides], dtype=np.int64)),
        as_boxes([panel.box for panel in every]),
        np.repeat(places.counted, 2),
        sets([gold_common, other_common])[0],
        again,
        mode=mode,
        gold_only=False,
        as_read=False,
    )
    one = np.zeros(1, dtype=np.int64)
    found = score(panels, meet(panels, Lineup(one, one + 1, one, 1)), min_iou)
    left_out = panels.left_out[found.golds].tolist()
    counting = found.counted.tolist()
    return FigureScore(
        tuple(f1 if counts else None for f1, counts in zip(found.f1.tolist(), counting, strict=True)),
        tuple(None if counts else REASONS[why] for why, counts in zip(left_out, counting, strict=True)),
        tuple(None if match < 0 else match - len(gold) for match in found.matches.tolist()),
        mode,
    )
