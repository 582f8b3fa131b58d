"""Finding the panels of a figure without a model: gutters, seams and panel letters, weighed together.

The caption's count and labels are evidence among other: the image may outweigh them.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from annotator.domain.geometry import Box
from prelabel.classic.anchors import Anchored, anchored_split
from prelabel.classic.canvas import Canvas, Rect, on_white
from prelabel.classic.lattice import lattice
from prelabel.classic.layout import Cutter, Part
from prelabel.classic.letters import Letter, find_letters
from prelabel.classic.strips import figure_area

#: A caption less sure of the count than this is not heeded.
DOUBTFUL = 0.4

#: By so much must letters stand better in a split along them for it to replace parts that hold one letter each.
BETTER = 0.08

#: What a letter's distance from the left, and ink cut through, count beside its distance from the top.
ASIDE, CROSSED = 0.5, 5.0

#: Panels of like size: the largest is at most so many times the smallest.
LIKE_SIZE = 1.5

#: Score of a whole figure taken for one panel: where the caption says so, does not say, or says more.
ONE, ONE_UNTOLD, ONE_OF_MORE = 0.9, 0.7, 0.3


@dataclass(frozen=True, slots=True)
class Split:
    """The panels found. boxes: in no particular order, pixels of the image given; never none.

    scores: one each, in [0, 1], higher is surer. labels: the panel letter found in each box, as the caption writes
    it; None where none was found. evidence: for each box, in a few words, what speaks for it: "gutter 0.94, letter
    b".
    """

    boxes: tuple[Box, ...]
    scores: tuple[float, ...]
    labels: tuple[str | None, ...] = ()
    evidence: tuple[str, ...] = ()


def split_image(
    image: Image.Image, expected: int | None = None, labels: tuple[str, ...] = (), *, certainty: float = 1.0
) -> Split:
    """The panels of an image of any mode. expected: how many the caption names; None where it does not say.

    labels: the panels' names in the caption, in order; their letters are looked for in the image. certainty: how
    sure the caption is of the count, in [0, 1]. Both are evidence among other, and the image may outweigh them.
    A transparent image is laid on white. Margins, and lines of a caption cropped in below, belong to no box.
    """
    canvas = Canvas.of(on_white(image))
    letters = find_letters(canvas, labels)
    counted = expected if certainty >= DOUBTFUL or letters else None
    parts = _with_letters(canvas, _parts(canvas, counted), letters)
    across, down = image.width / canvas.ink.shape[1], image.height / canvas.ink.shape[0]
    boxes, scores, evidence = [], [], []
    for part, letter in parts:
        x0, y0, x1, y1 = part.rect
        box = Box(x0 * across, y0 * down, x1 * across, y1 * down)
        boxes.append(box.clamped(float(image.width), float(image.height)))
        scores.append(_score(part, expected, len(parts)))
        evidence.append(f"{part.kind} {part.score:.2f}" + (f", letter {letter}" if letter is not None else ""))
    return Split(tuple(boxes), tuple(scores), tuple(letter for _, letter in parts), tuple(evidence))


def _parts(canvas: Canvas, expected: int | None) -> list[Part]:
    """Parts by cutting; where no count is known, those of a grid of pictures if it shows."""
    parts = Cutter(canvas, expected).split(figure_area(canvas))
    grid = lattice(canvas) if expected is None else None
    if grid is None:
        return parts
    # Clear gutters that leave panels of like size, no fewer, bound them more closely.
    areas = [part.area for part in parts]
    clear = all(part.kind == "gutter" for part in parts) and max(areas) <= LIKE_SIZE * min(areas)
    if clear and len(parts) >= len(grid[0]):
        return parts
    score = min(0.95, 0.6 + 0.05 * grid[1])
    return [Part(cell, score, "grid") for cell in grid[0]]


def _score(part: Part, expected: int | None, found: int) -> float:
    """How sure a box is, in [0.05, 0.99]."""
    if part.kind == "whole":
        return ONE_UNTOLD if expected is None else ONE if expected == 1 else ONE_OF_MORE
    fit = 1.0 if expected is None or expected == found else 0.6
    return round(min(0.99, max(0.05, part.score * fit)), 3)


def _with_letters(canvas: Canvas, parts: list[Part], letters: tuple[Letter, ...]) -> list[tuple[Part, str | None]]:
    """Each part with its letter; parts give way to a split along the letters where these stand better in that."""
    owners = [[each for each in letters if _holds(part.rect, each.rect)] for part in parts]
    alone = [found[0] if len(found) == 1 else None for found in owners]
    plain = [(part, letter.label if letter else None) for part, letter in zip(parts, alone, strict=True)]
    if not letters:
        return plain
    as_found = tuple(Anchored(part.rect, one, 0.0) for part, one in zip(parts, alone, strict=True) if one)
    whole = len(as_found) == len(parts) == len(letters)
    if whole and min(_misfit(as_found, False), _misfit(as_found, True)) <= BETTER:
        return plain
    splits: list[tuple[float, bool, tuple[Anchored, ...]]] = []
    for below in (False, True):
        split = anchored_split(canvas, letters, below=below)
        if split:
            splits.append((_misfit(split, below), below, split))
            if splits[-1][0] <= BETTER:
                break
    if not splits:
        return plain
    misfit, below, split = min(splits, key=lambda option: option[0])
    if whole and _misfit(as_found, below) <= misfit + BETTER:
        return plain
    return [(Part(each.rect, 0.95 - 3.0 * each.crossed, "letter"), each.letter.label) for each in split]


def _misfit(split: tuple[Anchored, ...], below: bool) -> float:
    """How badly letters stand in their parts, and how much ink is cut through: 0 is best."""
    total = 0.0
    for each in split:
        x0, y0, x1, y1 = each.rect
        away = max(0, y1 - each.letter.rect[3] if below else each.letter.rect[1] - y0) / (y1 - y0)
        aside = 0.0 if below else max(0, each.letter.rect[0] - x0) / (x1 - x0)
        total += away + ASIDE * aside + CROSSED * each.crossed
    return total / len(split)


def _holds(rect: Rect, letter: Rect) -> bool:
    """Whether a rectangle holds the middle of a letter."""
    x, y = (letter[0] + letter[2]) / 2, (letter[1] + letter[3]) / 2
    return rect[0] <= x <= rect[2] and rect[1] <= y <= rect[3]
