"""Scores of many pairs of annotations, in parts small enough for memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.panels import Panels, panels_of_corpus
from agreement.primitives.iou import Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import Common, Mode
from agreement.score.compiled import Loops, Matched
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


def outcome(
    panels: Panels, lineup: Lineup, min_iou: float, *, both_ways: bool, details: bool, loops: Loops | None = None
) -> Outcome:
    """Score all pairs of annotations, in both directions if `both_ways`.

    loops: None for NumPy; the outcome is bitwise the same.
    """
    made = Tally.empty(1 + both_ways, len(lineup), lineup.groups, len(CAUSES), details)
    score_all = _by_numpy if loops is None else loops.score
    ious, groups, contested = score_all(panels, lineup, min_iou, made, details)
    if not len(contested):
        return Outcome(made, ious, groups)
    meeting = meet(panels, lineup[contested])
    rest = match_by_assignment(meeting.found, meeting.one_sizes, meeting.other_sizes)
    owners = np.repeat(lineup.group[contested], meeting.one_sizes)[rest.one]
    return Outcome(made, np.concatenate([ious, rest.iou]), np.concatenate([groups, owners]))


def _by_numpy(panels: Panels, lineup: Lineup, min_iou: float, made: Tally, details: bool) -> Matched:
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
    return np.concatenate(ious), np.concatenate(groups), np.concatenate(contested)


def ready(corpus: Corpus, mode: Mode, common: Common, loops: Loops | None = None) -> Panels:
    """Prepare the panels of a corpus for scoring; see `panels_of_corpus`."""
    return panels_of_corpus(corpus, mode, common) if loops is None else loops.ready(corpus, mode, common)


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
