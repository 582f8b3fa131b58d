"""The metric, to read: IoU-gated token F1 of one annotator against another on one figure, one subfigure at a time.

This is the definition that everything fast is tested against (`kernel.py`, in arrays).
Source: MedICaT (Subramanian et al. 2020), section 3, "Evaluation"; mode `official-code` is what the authors'
published code computes, where it differs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agreement.primitives.rules import MIN_IOU, Mode
from agreement.primitives.token_f1 import token_f1
from panelwise.domain import Panel, area_of, iou


def best_match(box: tuple[float, float, float, float], others: Sequence[Panel]) -> tuple[int | None, float]:
    """Return the place of the panel that overlaps `box` most, and that IoU; (None, 0.0) if none overlaps it.

    Of equal overlaps the first in stored order wins. Several gold boxes may have the same best match.
    """
    best, most = None, 0.0
    for place, other in enumerate(others):
        overlap = iou(box, other.box)
        if overlap > most:
            best, most = place, overlap
    return best, most


def counted_tokens(panel: Panel, words: Sequence[str], common: Collection[int], mode: Mode) -> Collection[int]:
    """Return the ids of a panel's tokens that count: alphanumeric and not common to all of the figure's panels.

    Each counts once in mode `paper`, as often as it is listed in mode `official-code`.
    """
    counted = [token for token in panel.tokens if words[token].isalnum() and token not in common]
    return counted if mode is Mode.OFFICIAL else set(counted)


def figure_f1s(
    gold: Sequence[Panel],
    other: Sequence[Panel],
    words: Sequence[str],
    *,
    mode: Mode = Mode.PAPER,
    min_iou: float = MIN_IOU,
    gold_common: Collection[int] = (),
    other_common: Collection[int] = (),
) -> list[float | None]:
    """Score `other` against `gold` on one figure: an F1 in [0, 1] per gold panel, None if it does not count.

    words: the caption's words; a token's id is its place among them. gold_common, other_common: ids removed
    from all panels of that side first. Surplus panels of `other` cost nothing, so the score is not symmetric.

    >>> words = "Fig 1 : ( a ) left lung lesion ( b ) right lung".split()
    >>> gold = [Panel((0, 0, 100, 100), {4, 6, 7, 8}), Panel((100, 0, 200, 100), {10, 12, 13})]
    >>> other = [Panel((0, 0, 100, 90), {4, 6, 7}), Panel((150, 0, 250, 100), {10, 12, 13})]
    >>> figure_f1s(gold, other, words)  # IoU .9 passes, F1 2 * 3 / (4 + 3); IoU 1/3 does not pass
    [0.8571428571428571, 0.0]
    """
    f1s: list[float | None] = []
    for panel in gold:
        match, overlap = best_match(panel.box, other)
        ours = counted_tokens(panel, words, gold_common, mode)
        if mode is Mode.PAPER and (not ours or not area_of(panel.box) > 0.0):
            f1s.append(None)  # Nothing to find: left out before the boxes are looked at.
        elif match is None or overlap < min_iou:
            f1s.append(0.0)
        elif not ours:
            f1s.append(None)
        else:
            f1s.append(token_f1(ours, counted_tokens(other[match], words, other_common, mode)))
    return f1s
