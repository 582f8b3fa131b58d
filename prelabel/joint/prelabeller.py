"""The pre-labeller that sees: the likeliest of several cuts of a figure, by all evidence at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from prelabel.captions.parser import ParsedCaption
from prelabel.classic.alignment import Alignment
from prelabel.classic.prelabeller import FARTHEST, TEXT_COEFFICIENTS, VERSION, ClassicPrelabeller, logistic
from prelabel.classic.prelabeller import features as classic_features
from prelabel.joint.evidence import Evidence, Hypothesis, Seen, features, panel_letters, printed_labels
from prelabel.panels.canvas import Canvas
from prelabel.panels.letters.ocr import Recogniser
from prelabel.panels.splitter import Split

if TYPE_CHECKING:
    from PIL import Image


class Seer(Protocol):
    """A detector that looks at one picture, without and with the number of panels."""

    @property
    def version(self) -> str:
        """Name and short hash of the weights."""
        ...

    def see(self, picture: Image.Image, count: int) -> Seen:
        """Return all boxes it has an inkling of. count: panels that the caption names, 0 if unknown."""
        ...


#: Fitted by scripts/fit_joint.py, which prints them and names the sets: how good a way to cut a figure is.
COEFFICIENTS = (
    -5.7698,  # constant
    0.6689,  # support
    1.0423,  # least support
    0.8559,  # support with the count
    1.1861,  # least support with the count
    0.9521,  # nothing left out
    1.036,  # nothing left out with the count
    0.242,  # as many as named
    -0.3461,  # fewer than named
    -0.2234,  # more than named
    0.3243,  # as many, caption sure
    -0.3763,  # fewer, caption sure
    -0.4318,  # more, caption sure
    0.2397,  # panels, text of one picture
    0.1959,  # panels, text of several
    -0.0544,  # panels, no caption
    0.2887,  # like the free split
    0.4947,  # covers the free split
    0.8889,  # like the classic split
    0.9613,  # covers the classic split
    0.1545,  # least score of the splitter
    0.1204,  # mean score of the splitter
    -0.7233,  # cut further
    0.469,  # one letter each
    -0.2544,  # several letters in one
    0.6107,  # letters outside
    -0.7759,  # overlap
    0.8564,  # ink covered
    -0.4534,  # unlike in size
    0.225,  # panels
    -0.1117,  # whole image
    0.8036,  # as many, supported
    0.3139,  # as many as printed
    0.0538,  # fewer than printed
    -0.0428,  # more than printed
)
#: What that says of the likeliest way: constant, its log-odds, and by how much they exceed the second's.
CALIBRATION = (-0.1776, 1.3212, 0.224)
#: The second way counts for no less than this below the first.
MOST_AHEAD = 5.0


class JointPrelabeller(ClassicPrelabeller):
    """The classic pre-labeller with a detector as a further witness.

    Each cut proposed by the splitter (as the caption and the image have it, and for other numbers of panels), by
    the detector (at several thresholds) or by neither (the whole image) gets a score; the best is taken. The
    probability that it needs no edit, calibrated from that, is the score of the boxes.
    """

    def __init__(self, seer: Seer, recogniser: Recogniser | None = None, *, version: str | None = None) -> None:
        """version: None for one that names the detector's and the splitter's."""
        super().__init__(recogniser)
        self.seer = seer
        self.version = version or f"joint-2-{seer.version}-{VERSION}"

    def _split(self, picture: Image.Image, canvas: Canvas, parsed: ParsedCaption, text: str) -> Split:
        classic = super()._split(picture, canvas, parsed, text)
        letters = panel_letters(canvas, parsed)
        seen = self.seer.see(picture, len(parsed.labels) or len(printed_labels(parsed, letters)))
        evidence = Evidence.of(canvas, picture.size, parsed, text, seen, classic, letters)
        best, chance = likeliest(evidence)
        return Split(
            best.split.boxes,
            (chance,) * len(best.split.boxes),
            best.split.labels,
            best.split.evidence,
            best.split.further,
        )

    def _scores(
        self, split: Split, parsed: ParsedCaption, alignment: Alignment, size: tuple[int, int]
    ) -> tuple[float, ...]:
        """Return for each box the probability that the cut needs no edit, times that of its text."""
        found = []
        values = classic_features(split, parsed, alignment, width=size[0], height=size[1])
        for pair, (_, text) in zip(alignment.pairs, values, strict=True):
            chance = split.scores[pair.place] * logistic(TEXT_COEFFICIENTS, text)
            found.append(round(min(1 - FARTHEST, max(FARTHEST, chance)), 3))
        return tuple(found)


def likeliest(evidence: Evidence) -> tuple[Hypothesis, float]:
    """The likeliest way to cut a figure, and the probability that it needs no edit."""
    ways = evidence.hypotheses()
    odds = np.array([features(evidence, way) for way in ways]) @ np.array(COEFFICIENTS)
    best = int(np.argmax(odds))
    return ways[best], logistic(CALIBRATION, calibration_features(odds.tolist()))


def calibration_features(odds: list[float]) -> tuple[float, float, float]:
    """The values that CALIBRATION weighs. odds: of all ways."""
    first, *others = sorted(odds, reverse=True)
    return 1.0, first, min(MOST_AHEAD, first - others[0]) if others else MOST_AHEAD
