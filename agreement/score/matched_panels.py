"""Match the panels of two sides' work on the same figures, for analyses beyond the score."""

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
class MatchedPanels:
    """The predicted work on F figures matched against the gold.

    panels: the gold's, then the predicted. lineup: F pairs. meeting: their overlapping boxes.
    """

    panels: Panels
    lineup: Lineup
    meeting: Meeting

    @property
    def golds(self) -> int:
        """Number of the gold's panels."""
        return len(self.meeting.ones)

    def scores(self, min_iou: float) -> Scores:
        """Score each gold subfigure."""
        return score(self.panels, self.meeting, min_iou)

    def losses(self, scores: Scores) -> Matrix:
        """Return the losses of each gold subfigure by cause, (N, len(CAUSES))."""
        return losses_of_each(self.panels, scores, self.lineup)


def match_panels(
    gold: Iterable[Submitted], predicted: Iterable[Submitted], *, mode: Mode, common: Common
) -> MatchedPanels:
    """Match gold and predicted work: F works each, on the same figures and captions in the same order."""
    ours, theirs = Corpus.of(gold), Corpus.of(predicted)
    panels = joined(panels_of_corpus(ours, mode, common), panels_of_corpus(theirs, mode, common))
    rows = np.arange(len(ours), dtype=np.int64)
    lineup = Lineup(rows, rows + len(ours), np.zeros_like(rows), 1)
    return MatchedPanels(panels, lineup, meet(panels, lineup))


def figure_totals(scores: Scores, f1: Vector, figures: int) -> Vector:
    """Return the sum of each figure's F1s, (F,). f1: (N,), 0 if not counted."""
    return np.bincount(scores.owners, weights=f1, minlength=figures).astype(np.float64)
