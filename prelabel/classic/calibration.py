"""Scores that mean something: the chance that a subfigure's box and most of its text are right.

The score is the product of two chances. The first is that the box matches a panel of the truth at an IoU of .5
(each panel matched once); the second that, given such a match, the token F1 of the two subcaptions is at least .5
(words only; no text on both sides counts as right). Each is a logistic function of a few features of the figure
and the box. The coefficients are fitted on simulated figures by scripts/fit_scores.py, which also prints how often
subfigures of each score are right, on simulated and on real figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import median

from prelabel.captions.parser import ParsedCaption
from prelabel.classic.alignment import Alignment, Pairing
from prelabel.panels.splitter import Split

#: Scores stay this far from 0 and 1: there is always something that is not seen.
FARTHEST = 0.01

#: Names of the features, in the order of the coefficients; the first of each is always 1.
BOX_FEATURES = (
    "constant",
    "splitter's score",
    "whole image",
    "no panels named",
    "count differs",
    "caption's confidence",
    "panels",
    "letter agrees",
    "letter differs",
    "letters elsewhere",
    "unlike the others in size",
    "long and thin",
    "cut further",  # log-odds of a cut across the box that was not made
    "others cut further",  # the greatest of the figure
)
TEXT_FEATURES = (
    "constant",
    "caption's confidence",
    "no panels named",
    "whole image",
    "count differs",
    "panels",
    "letter agrees",
    "letter differs",
    "letters elsewhere",
    "sureness of the order",
    "text shared by boxes",
    "no text",
    "long text",
    "splitter's score",
)

BOX_COEFFICIENTS = (
    0.556,  # constant
    0.401,  # splitter's score
    0.085,  # whole image
    -0.972,  # no panels named
    -0.709,  # count differs
    0.119,  # caption's confidence
    0.246,  # panels
    0.98,  # letter agrees
    -0.228,  # letter differs
    -0.421,  # letters elsewhere
    -1.25,  # unlike the others in size
    -2.182,  # long and thin
    -0.212,  # cut further
    -0.179,  # others cut further
)
TEXT_COEFFICIENTS = (
    0.158,  # constant
    -0.229,  # caption's confidence
    2.344,  # no panels named
    0.051,  # whole image
    -0.852,  # count differs
    -0.18,  # panels
    1.795,  # letter agrees
    0.547,  # letter differs
    -0.456,  # letters elsewhere
    0.559,  # sureness of the order
    -1.315,  # text shared by boxes
    -1.776,  # no text
    1.312,  # long text
    0.266,  # splitter's score
)


def scores(
    split: Split, parsed: ParsedCaption, alignment: Alignment, *, width: int, height: int
) -> tuple[float, ...]:
    """The score of each pair of the alignment, in its order. width, height: of the image, in pixels."""
    found = []
    for box, text in features(split, parsed, alignment, width=width, height=height):
        chance = logistic(BOX_COEFFICIENTS, box) * logistic(TEXT_COEFFICIENTS, text)
        found.append(round(min(1 - FARTHEST, max(FARTHEST, chance)), 3))
    return tuple(found)


def logistic(coefficients: Sequence[float], values: Sequence[float]) -> float:
    """The chance that the features' values stand for."""
    total = sum(one * other for one, other in zip(coefficients, values, strict=True))
    return 1.0 / (1.0 + exp(-min(30.0, max(-30.0, total))))


def features(
    split: Split, parsed: ParsedCaption, alignment: Alignment, *, width: int, height: int
) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """For each pair of the alignment the values of BOX_FEATURES and those of TEXT_FEATURES."""
    count, named = len(split.boxes), len(parsed.labels)
    letters = split.labels or (None,) * count
    further = split.further or (0.0,) * count
    lettered = sum(letter is not None for letter in letters) / count
    usual = median(box.area for box in split.boxes)
    whole = float(count == 1 and split.boxes[0].area > 0.9 * width * height)
    unnamed = float(named == 0)
    differs = min(2.0, abs(log(count / named))) if named else 0.0
    sure = _logit(parsed.confidence) if named else 0.0
    panels = log(count)
    sources = [pair.source for pair in alignment.pairs]
    found: list[tuple[tuple[float, ...], tuple[float, ...]]] = []
    for pair in alignment.pairs:
        box = split.boxes[pair.place]
        agrees, contradicts = _letter(letters[pair.place], pair)
        elsewhere = lettered if letters[pair.place] is None else 0.0
        score = _logit(split.scores[pair.place])
        unlike = min(3.0, abs(log(box.area / usual)))
        # A strip is no panel, unless it has the letter of one.
        thin = 0.0 if agrees else max(0.0, min(3.0, abs(log(box.width / box.height))) - 0.7)
        tokens = parsed.tokens[pair.source] if pair.source is not None else frozenset()
        cuts = further[pair.place], max(further)
        found.append(
            (
                (
                    1.0,
                    score,
                    whole,
                    unnamed,
                    differs,
                    sure,
                    panels,
                    agrees,
                    contradicts,
                    elsewhere,
                    unlike,
                    thin,
                    *cuts,
                ),
                (
                    1.0,
                    sure,
                    unnamed,
                    whole,
                    differs,
                    panels,
                    agrees,
                    contradicts,
                    elsewhere,
                    min(3.0, alignment.margin),
                    float(pair.source is not None and sources.count(pair.source) > 1),
                    float(not tokens and named > 0),
                    log(1 + len(tokens)) / 3 if tokens else 1.0,
                    score,
                ),
            )
        )
    return found


def _letter(letter: str | None, pair: Pairing) -> tuple[float, float]:
    """Return whether the letter found at a box is that of the label it got, and whether it is another."""
    if letter is None:
        return 0.0, 0.0
    agrees = letter.casefold() in (pair.label.casefold(), (pair.source or "").casefold())
    return float(agrees), float(not agrees)


def _logit(chance: float) -> float:
    chance = min(0.98, max(0.02, chance))
    return log(chance / (1 - chance))
