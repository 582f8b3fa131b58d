"""Scores of many pairs of annotations, in parts small enough for memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.columns.panels import Panels
from agreement.primitives.iou import Vector
from agreement.primitives.matching import Indices
from agreement.score.detection import match_by_assignment, match_mutual_best
from agreement.score.kernel import Lineup, Tally, meet, score, tally, turned
from agreement.score.losses import CAUSES, Covered, split_losses

#: Pairs of boxes compared at a time, so that their data fits in the processor's cache.
BOXES_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The scores of K pairs of annotations.

    matched: (M,) IoUs of the one-to-one box matches. groups: (M,) pair of annotators of each. Both are empty
    without details.
    """

    tally: Tally
    matched: Vector
    groups: Indices


def outcome(panels: Panels, lineup: Lineup, min_iou: float, *, both_ways: bool, details: bool) -> Outcome:
    """Score all pairs of annotations, in both directions if `both_ways`."""
    made = Tally.empty(1 + both_ways, len(lineup), lineup.groups, len(CAUSES), details)
    covered = _covered(panels) if details else None
    ious: list[Vector] = [np.zeros(0)]
    groups: list[Indices] = [np.zeros(0, dtype=np.int64)]
    contested: list[Indices] = [np.zeros(0, dtype=np.int64)]
    for part in _parts(panels, lineup):
        own = lineup[part]
        meeting = meet(panels, own)
        sides = ((meeting, own), (turned(meeting), own.turned()))
        for way, (met, line) in enumerate(sides[: len(made.totals)]):
            scores = score(panels, met, min_iou)
            tally(made, way, part, panels, scores, line)
            if covered is not None:
                made.losses[way, part] = split_losses(panels, scores, line, *covered)
        if details:
            owners = np.repeat(np.arange(len(own)), meeting.one_sizes)
            places, doubtful = match_mutual_best(meeting.found, owners, len(meeting.others))
            ious.append(meeting.found.iou[places])
            groups.append(own.group[owners[meeting.found.one[places]]])
            contested.append(doubtful + part.start)
    doubtful = np.concatenate(contested)
    if len(doubtful):
        meeting = meet(panels, lineup[doubtful])
        rest = match_by_assignment(meeting.found, meeting.one_sizes, meeting.other_sizes)
        ious.append(rest.iou)
        groups.append(np.repeat(lineup.group[doubtful], meeting.one_sizes)[rest.one])
    return Outcome(made, np.concatenate(ious), np.concatenate(groups))


def _covered(panels: Panels) -> tuple[Covered, Covered]:
    gold = Covered.by(panels.gold, panels.starts)
    return gold, gold if panels.other is panels.gold else Covered.by(panels.other, panels.starts)


def _parts(panels: Panels, lineup: Lineup) -> Iterator[slice]:
    """Slices of the lineup with some `BOXES_AT_ONCE` pairs of boxes each."""
    sizes = np.diff(panels.starts)
    # A pair of annotations takes time even without boxes.
    work = np.cumsum(1 + sizes[lineup.one] * sizes[lineup.other])
    begin = 0
    while begin < len(work):
        before = int(work[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(work, before + BOXES_AT_ONCE, side="right")))
        yield slice(begin, end)
        begin = end
