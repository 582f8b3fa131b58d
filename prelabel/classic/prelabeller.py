"""The default pre-labeller: splitter, caption grammar and their alignment; no weights, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import TYPE_CHECKING

from panelwise.domain import Box, Figure, Prediction, Subfigure
from prelabel.captions.enumerations import speaks_of_several
from prelabel.captions.parser import ParsedCaption, parse_caption, text_on_all
from prelabel.classic.alignment import Alignment, Pairing, align
from prelabel.panels.canvas import Canvas, on_white
from prelabel.panels.letters.ocr import RapidOcr, Recogniser, Word
from prelabel.panels.splitter import Split, split_canvas, with_row

if TYPE_CHECKING:
    from PIL import Image


#: Name and version of the pre-labeller, stored with each prediction.
VERSION = "classic-8"

#: The image's own panels are believed against a caption that names fewer if all have at least this score; the
#: second where the caption names them by letters.
PLAIN, PLAIN_OF_LETTERED = 0.8, 0.95

#: Of figures whose caption names no panel and has no word of several pictures, three of four are one picture: by
#: so much (log-odds) must the image speak for more. Of simulated single panels, more would keep no more whole.
ONE_PICTURE = 0.5

#: What a score is worth where a caption names no panels, so that each gets one sentence: of 26 such figures, 25
#: simulated and one real, the gold gives words to the panels of one.
ON_ALL = 0.05

#: Names that places in the caption give to two panels side by side, and to two one above the other.
SIDES, LEVELS = frozenset({"left", "right"}), frozenset({"top", "bottom"})


@dataclass(frozen=True, slots=True)
class Explained:
    """A prediction and what it comes from. split: boxes in pixels of the image, not of the figure.

    reasons: for each subfigure of the prediction, in a few words, what speaks for its box and its label.
    """

    prediction: Prediction
    parsed: ParsedCaption
    split: Split
    alignment: Alignment
    reasons: tuple[str, ...]


class ClassicPrelabeller:
    """Boxes by cutting along gutters and seams, as many as the caption names panels unless the image tells
    otherwise; subcaptions by a grammar of markers; labels by letters found in the image and by reading order.

    Labels are as the caption writes them; panels that it does not name have the letters printed in the image (A,
    B, ...) if each has one, else numbers from 1. Where it names none, each of several gets its first sentences,
    with a low score. A figure that is not compound gets one box over the whole image. The score of a subfigure is
    the chance that its box and most of its text are right, see `scores`.
    """

    def __init__(self, recogniser: Recogniser | None = None) -> None:
        """recogniser: reads the letters that are not found by their shape; none by default."""
        self.recogniser = recogniser
        #: How many images the recogniser has read.
        self.read = 0
        self.version = VERSION if recogniser is None else f"{VERSION}-{recogniser.version}"

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """Boxes in pixels of the figure, also where `image` has another size."""
        return self.explain(figure, image).prediction

    def explain(self, figure: Figure, image: Image.Image) -> Explained:
        """The prediction with what it comes from, for people to look at."""
        parsed = parse_caption(figure.caption)
        picture = on_white(image)
        canvas = Canvas.of(picture)
        split = self._split(picture, canvas, parsed, figure.caption.text)
        if not parsed.labels or not parsed.lettered:
            split = with_row(canvas, image.size, split)
        if parsed.listed and len(split.boxes) != len(parsed.labels):
            # Without places or letters, nothing tells which of the boxes an item is on.
            parsed = parse_caption("")
        alignment = align(split, parsed)
        alone = parsed.labels or len(split.boxes) == 1
        on_all = frozenset[int]() if alone else text_on_all(figure.caption)
        across, down = figure.width / image.width, figure.height / image.height
        subfigures = []
        for pair in alignment.pairs:
            box = split.boxes[pair.place]
            scaled = Box(box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down)
            tokens = parsed.tokens[pair.source] if pair.source is not None else on_all
            subfigures.append(
                Subfigure(pair.label, scaled.clamped(float(figure.width), float(figure.height)), tokens)
            )
        found = self._scores(split, parsed, alignment, image.size)
        if on_all:
            found = tuple(round(ON_ALL * score, 3) for score in found)
        prediction = Prediction(figure, self.version, tuple(subfigures), found)
        return Explained(
            prediction,
            parsed,
            split,
            alignment,
            _reasons(split, alignment, "text on all" if on_all else "no text"),
        )

    def _scores(
        self, split: Split, parsed: ParsedCaption, alignment: Alignment, size: tuple[int, int]
    ) -> tuple[float, ...]:
        """Return the score of each pair of the alignment, in its order. size: of the image, in pixels."""
        return scores(split, parsed, alignment, width=size[0], height=size[1])

    def _split(self, picture: Image.Image, canvas: Canvas, parsed: ParsedCaption, text: str) -> Split:
        """The image's panels, as many as the caption names, unless it plainly shows so many for each of them."""
        named = len(parsed.labels)
        letters = parsed.labels if parsed.lettered else ()
        words = None if self.recogniser is None else lambda: self._words(picture)
        one = bool(text.strip()) and not named and not speaks_of_several(text)
        doubt = ONE_PICTURE if one else 0.0
        split = split_canvas(
            canvas, picture.size, named or None, letters, certainty=parsed.confidence, words=words, doubt=doubt
        )
        plain = len(split.boxes) == named and min(split.scores) >= PLAIN
        if parsed.listed and not plain:
            # A list in words may be of other things than panels: it counts if the image plainly shows as many.
            return split_canvas(canvas, picture.size)
        if len(split.boxes) == 2 and _askew(split, parsed.labels):
            return split_canvas(canvas, picture.size)
        if not named or any(letter is not None for letter in split.labels):
            return split
        # "Scans before (left) and after (right) treatment." over two rows of two: people box the pictures.
        free = split_canvas(canvas, picture.size)
        needed = PLAIN_OF_LETTERED if parsed.lettered else PLAIN
        return free if len(free.boxes) > len(split.boxes) and min(free.scores) >= needed else split

    def _words(self, picture: Image.Image) -> Sequence[Word]:
        if self.recogniser is None:
            return ()
        self.read += 1
        return self.recogniser.words(picture)


def _askew(split: Split, labels: tuple[str, ...]) -> bool:
    """Return whether two boxes are one above the other where the caption says left and right, or vice versa."""
    one, other = split.boxes
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    if set(labels) == SIDES:
        return across > max(0.0, down)
    return set(labels) == LEVELS and down > max(0.0, across)


def _reasons(split: Split, alignment: Alignment, unnamed: str) -> tuple[str, ...]:
    reasons = []
    for pair in alignment.pairs:
        parts = [split.evidence[pair.place]] if split.evidence else []
        if pair.source is not None and pair.source != pair.label:
            parts.append(f"text of {pair.source}")
        elif pair.source is None:
            parts.append(unnamed)
        reasons.append(", ".join(parts))
    return tuple(reasons)


CLASSIC = ClassicPrelabeller()


def open_classic(*, ocr: bool = False) -> ClassicPrelabeller:
    """The pre-labeller without weights. ocr: whether it may read letters; panelwise[ocr] must be installed."""
    return ClassicPrelabeller(RapidOcr()) if ocr else CLASSIC


# Scores that mean something: the chance that a subfigure's box and most of its text are right. The score is the
# product of two chances. The first is that the box matches a panel of the truth at an IoU of .5 (each panel
# matched once); the second that, given such a match, the token F1 of the two subcaptions is at least .5 (words
# only; no text on both sides counts as right). Each is a logistic function of a few features of the figure and the
# box. The coefficients are fitted on simulated figures by scripts/fit_scores.py, which also prints how often
# subfigures of each score are right, on simulated and on real figures.

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
