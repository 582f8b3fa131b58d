"""Models' work with a confidence for each subfigure, as thresholds and AP need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.columns.raw import RawAnnotation, Submitted
from agreement.primitives.iou import Vector
from panelwise.domain import Annotation, InvalidAnnotation

#: Why results that need scores are undefined for annotators' work.
NO_SCORES = "it carries no scores"


@dataclass(frozen=True, slots=True)
class ScoredAnnotation(Annotation):
    """A prediction as its model's work, to be scored like an annotation. scores: one per subfigure, in [0, 1]."""

    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        # No bare super(): a dataclass with slots is a new class, which that does not survive.
        Annotation.__post_init__(self)
        if len(self.scores) != len(self.subfigures):
            raise InvalidAnnotation(f"{len(self.scores)} scores for {len(self.subfigures)} subfigures")


def scores_of(work: Submitted) -> tuple[float, ...] | None:
    """Return the confidence of each subfigure, in stored order; None for work without scores."""
    return work.scores if isinstance(work, ScoredAnnotation | RawAnnotation) else None


def joined_scores(works: Sequence[Submitted]) -> Vector | None:
    """Return the scores of all subfigures, concatenated by work; None unless every work has scores."""
    every = [scores_of(work) for work in works]
    known = [scores for scores in every if scores is not None]
    if len(known) < len(every) or not every:
        return None
    return np.array([score for scores in known for score in scores], dtype=np.float64)
