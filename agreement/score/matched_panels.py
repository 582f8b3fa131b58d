"""Two sides' work on the same figures, box by box: for what looks at one pair more closely than its score does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.panels import Panels, joined, panels_of_corpus
from agreement.columns.raw import Submitted
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.rules import Common, Mode
from agreement.score.kernel import Lineup, Meeting, Scores, meet, score
from agreement.score.losses import losses_of_each


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The predicted work on F figures held against the gold, work by work.

    panels: the gold's, then the predicted. lineup: F pairs. meeting: their boxes against each other.
    """

    panels: Panels
    lineup: Lineup
    meeting: Meeting

    @property
    def golds(self) -> int:
        """The gold's panels."""
        return len(self.meeting.ones)

    def scores(self, min_iou: float) -> Scores:
        """Score each gold subfigure."""
        return score(self.panels, self.meeting, min_iou)

    def losses(self, scores: Scores) -> Matrix:
        """(N, len(CAUSES)) what each gold subfigure lost, by cause."""
        return losses_of_each(self.panels, scores, self.lineup)


def held(gold: Iterable[Submitted], predicted: Iterable[Submitted], *, mode: Mode, common: Common) -> Held:
    """gold, predicted: F works each, of the same figures in the same order, on the same captions."""
    ours, theirs = Corpus.of(gold), Corpus.of(predicted)
    panels = joined(panels_of_corpus(ours, mode, common), panels_of_corpus(theirs, mode, common))
    rows = np.arange(len(ours), dtype=np.int64)
    lineup = Lineup(rows, rows + len(ours), np.zeros_like(rows), 1)
    return Held(panels, lineup, meet(panels, lineup))


def figure_totals(scores: Scores, f1: Vector, figures: int) -> Vector:
    """(F,) the sum of each figure's F1s. f1: (N,), 0 where not counted."""
    return np.bincount(scores.owners, weights=f1, minlength=figures).astype(np.float64)
