"""The score of one annotator against another: per gold subfigure, by two named sets of rules.

`paper` is the metric as the MedICaT paper tells it, `official-code` what its authors' code computes. Both work on
raw values, before domain types, because the second one counts boxes without area and repeated token ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from agreement.metrics.iou import Boxes, Vector, as_boxes, box_area
from agreement.metrics.matching import Indices, best_matches
from agreement.metrics.token_f1 import token_f1

#: A box answers to a gold box from this IoU on.
MIN_IOU = 0.5


class Mode(StrEnum):
    """Whose rules hold where the paper and its authors' code differ."""

    PAPER = "paper"
    OFFICIAL = "official-code"


class Common(StrEnum):
    """From whose subcaptions the common tokens of a figure go: no one's, the gold's, or each from their own."""

    NONE = "none"
    GOLD = "gold"
    BOTH = "both"

    @classmethod
    def default(cls, mode: Mode) -> Common:
        """What each mode does where nothing is said: `none` for paper, `gold` for official-code."""
        return cls.NONE if mode is Mode.PAPER else cls.GOLD


class LeftOut(StrEnum):
    """Why a gold subfigure has no score."""

    NO_SUBCAPTION = "no subcaption"
    ONLY_COMMON_TOKENS = "only common tokens"
    NO_COUNTED_TOKEN = "no counted token"
    NO_AREA = "a box without area"


@dataclass(frozen=True, slots=True)
class Panel:
    """One subfigure as raw values. box: pixels x0 y0 x1 y1, may lack area. tokens: ids, may repeat."""

    box: tuple[float, float, float, float]
    tokens: Collection[int]


@dataclass(frozen=True, slots=True)
class Panels:
    """The subfigures of F figures by one annotator, made ready by `prepare`, one figure after the other.

    boxes: (N, 4). sizes: (F,), how many of the N each figure has. tokens: N collections of counted tokens, the
    common ones gone; sets in paper mode, lists in official-code. left_out: N reasons why a subfigure could not be
    scored as gold, None where it can. zero_if_missed: N, whether such a one scores 0 all the same where no box
    answers to it.
    """

    boxes: Boxes
    sizes: Indices
    tokens: list[Collection[int]]
    left_out: list[LeftOut | None]
    zero_if_missed: list[bool]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of N gold subfigures.

    f1: (N,), NaN where left out. matches: (N,), places in the other's panels, -1 where no box reaches the
    threshold. iou: (N,), the largest IoU. left_out: N reasons, None where a score is given.
    """

    f1: Vector
    matches: Indices
    iou: Vector
    left_out: list[LeftOut | None]


@dataclass(frozen=True, slots=True)
class FigureScore:
    """The score of one figure. f1s: one per gold subfigure in stored order, None where left out.

    reasons: why, None where scored. matches: place of the answering subfigure, None where no box passes.
    """

    f1s: tuple[float | None, ...]
    reasons: tuple[LeftOut | None, ...]
    matches: tuple[int | None, ...]
    mode: Mode

    @property
    def counted(self) -> tuple[float, ...]:
        """The F1s of the gold subfigures that count."""
        return tuple(f1 for f1 in self.f1s if f1 is not None)

    @property
    def mean(self) -> float | None:
        """Mean over the gold subfigures that count; of none: None in paper mode, 0.0 in official-code."""
        if not self.counted:
            return nothing_to_count(self.mode)
        return sum(self.counted) / len(self.counted)


def nothing_to_count(mode: Mode) -> float | None:
    """The score where no gold subfigure counts: undefined in the paper, 0.0 in the authors' code."""
    return None if mode is Mode.PAPER else 0.0


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

    counted: ids of the tokens that count (`counted_words`). *_common: tokens to take from that side first
    (`common_tokens`).
    """
    scores = score_panels(
        prepare([gold], [counted], [gold_common], mode=mode),
        prepare([other], [counted], [other_common], mode=mode),
        min_iou=min_iou,
    )
    return FigureScore(
        tuple(None if reason else float(f1) for f1, reason in zip(scores.f1, scores.left_out, strict=True)),
        tuple(scores.left_out),
        tuple(None if match < 0 else int(match) for match in scores.matches),
        mode,
    )


def prepare(
    figures: Iterable[Sequence[Panel]],
    counted: Iterable[frozenset[int]],
    common: Iterable[frozenset[int]],
    *,
    mode: Mode,
    as_read: bool = False,
) -> Panels:
    """The figures' subfigures, flat. counted, common: one set of token ids per figure: to count, to take away.

    as_read: as the authors' reader hands them over, which takes away the common tokens and then drops the gold
    subfigures without any token, before the metric could count them as missed.
    """
    boxes: list[tuple[float, float, float, float]] = []
    sizes: list[int] = []
    tokens: list[Collection[int]] = []
    left_out: list[LeftOut | None] = []
    zero_if_missed: list[bool] = []
    for panels, count, remove in zip(figures, counted, common, strict=True):
        sizes.append(len(panels))
        keep = count - remove if remove else count
        for panel in panels:
            boxes.append(panel.box)
            kept: Collection[int]
            if mode is Mode.PAPER:
                kept = keep.intersection(panel.tokens)
            else:
                kept = [token for token in panel.tokens if token in keep]
            tokens.append(kept)
            reason = None if kept else _why_not_counted(panel, remove)
            left_out.append(reason)
            # The authors' code looks at the box before it looks at the tokens.
            zero_if_missed.append(
                mode is Mode.OFFICIAL and not kept and (reason is LeftOut.NO_COUNTED_TOKEN or not as_read)
            )
    array = as_boxes(boxes)
    if mode is Mode.PAPER:
        # The paper's boxes enclose something: the readers refuse others, this keeps raw arrays to the same rule.
        for place in np.flatnonzero(box_area(array) <= 0.0):
            left_out[place] = LeftOut.NO_AREA
    return Panels(array, np.array(sizes, dtype=np.int64), tokens, left_out, zero_if_missed)


def _why_not_counted(panel: Panel, common: frozenset[int]) -> LeftOut:
    if not panel.tokens:
        return LeftOut.NO_SUBCAPTION
    return LeftOut.ONLY_COMMON_TOKENS if common.issuperset(panel.tokens) else LeftOut.NO_COUNTED_TOKEN


def score_panels(gold: Panels, other: Panels, *, min_iou: float) -> Scores:
    """Score each gold subfigure against the other annotator's panels of the same figures (same F, same order)."""
    matches, iou = best_matches(gold.boxes, gold.sizes, other.boxes, other.sizes)
    matches[iou < min_iou] = -1
    f1 = np.zeros(len(matches))
    left_out: list[LeftOut | None] = list(gold.left_out)
    for place, match in enumerate(matches.tolist()):
        if left_out[place] is None:
            if match >= 0:
                # Both cannot be empty here, so there is an F1.
                f1[place] = token_f1(gold.tokens[place], other.tokens[match]) or 0.0
        elif match < 0 and gold.zero_if_missed[place]:
            left_out[place] = None
        else:
            f1[place] = np.nan
    return Scores(f1, matches, iou, left_out)
