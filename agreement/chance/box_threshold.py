"""The box match threshold that annotators' boxes suggest: where matched and other pairs part cleanest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.chance.token_panels import MergedPanels, NotMerged, pairs_within
from agreement.primitives.iou import Vector
from agreement.primitives.matching import overlaps, ranges
from agreement.resampling.estimate import Estimate
from agreement.score.detection import best_matching

_NO_MATCH = "no two boxes of a figure overlap"


@dataclass(frozen=True, slots=True)
class BoxThreshold:
    """The IoU that parts the pairs of boxes that match one to one from the others that overlap.

    min_iou: in the middle of the thresholds, above low and up to high, that part the pairs equally well. clean:
    share of the matched pairs from there on, less that of the others; 1 if all are parted. matched, others: pairs.
    """

    min_iou: Estimate
    low: float | None
    high: float | None
    clean: float | None
    matched: int
    others: int


def box_threshold(merged: MergedPanels | NotMerged) -> BoxThreshold:
    """Return the threshold of figures that two or more accepted, all pairs of annotators together."""
    if isinstance(merged, NotMerged):
        return BoxThreshold(Estimate(None, merged.reason), None, None, None, 0, 0)
    work = merged.work
    one, other = pairs_within(merged.starts)
    ours, theirs = work.panels[one], work.panels[other]
    left, right = ranges(work.panel_starts[one], ours), ranges(work.panel_starts[other], theirs)
    met = overlaps(work.boxes[left], ours, work.boxes[right], theirs)
    matches = best_matching(met, ours, theirs)
    own = np.isin(met.one * len(right) + met.other, matches.one * len(right) + matches.other)
    matched, others = met.iou[own], met.iou[~own]
    if not len(matched):
        return BoxThreshold(Estimate(None, _NO_MATCH), None, None, None, 0, 0)
    low, high, clean = _cleanest(matched, others)
    return BoxThreshold(Estimate((low + high) / 2), low, high, clean, len(matched), len(others))


def _cleanest(matched: Vector, others: Vector) -> tuple[float, float, float]:
    """Return the ends of the widest range of thresholds that part best, and how well."""
    steps = np.unique(np.concatenate([[0.0], matched, others]))
    # All thresholds above one step and up to the next part the same pairs.
    above = [len(part) - np.searchsorted(np.sort(part), steps[1:]) for part in (matched, others)]
    gain = above[0] / len(matched) - above[1] / max(len(others), 1)
    best = np.flatnonzero(gain == gain.max())
    widest = best[np.argmax(np.diff(steps)[best])]
    return float(steps[widest]), float(steps[widest + 1]), float(gain[widest])
