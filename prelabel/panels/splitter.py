"""Finding the panels of a figure without a model: gutters, seams and panel letters, weighed together.

The caption's count and labels are evidence among other: the image may outweigh them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PIL import Image

from panelwise.domain import Box
from prelabel.panels.canvas import Canvas, on_white
from prelabel.panels.image_layout import image_layout
from prelabel.panels.lattice import lattice
from prelabel.panels.layout import Cutter, Part
from prelabel.panels.letters.find import Letter, find_letters
from prelabel.panels.letters.lettered import lettered, row_of
from prelabel.panels.letters.ocr import Word, merge_letters, read_letters
from prelabel.panels.strips import figure_area

#: A caption less sure of the count than this is not heeded.
DOUBTFUL = 0.4

#: A grid of pictures is believed from these log-odds on; its cells with no more ink than this share are blank.
PLAIN_GRID, BLANK = 6.0, 0.01

#: Parts that gutters bound are no cells of a grid of stitched pictures if each is as sure as this.
PARTED = 0.7

#: Score of a whole figure taken for one panel: where the caption says so, does not say, or says more.
ONE, ONE_UNTOLD, ONE_OF_MORE = 0.9, 0.7, 0.3


@dataclass(frozen=True, slots=True)
class Split:
    """The panels found. boxes: in no particular order, pixels of the image given; never none.

    scores: one each, in [0, 1], higher is surer. labels: the panel letter found in each box, as the caption writes
    it; None if none was found. evidence: for each box, in a few words, what speaks for it: "gutter 0.94, letter
    b". further: log-odds that each box is several panels, 0 if unknown; () if all are.
    """

    boxes: tuple[Box, ...]
    scores: tuple[float, ...]
    labels: tuple[str | None, ...] = ()
    evidence: tuple[str, ...] = ()
    further: tuple[float, ...] = ()


def split_image(
    image: Image.Image, expected: int | None = None, labels: tuple[str, ...] = (), *, certainty: float = 1.0
) -> Split:
    """The panels of an image of any mode. expected: how many the caption names; None if it does not say.

    labels: the panels' names in the caption, in order; their letters are looked for in the image. certainty: how
    sure the caption is of the count, in [0, 1]. Both are evidence among other, and the image may outweigh them.
    A transparent image is laid on white. Margins, and lines of a caption cropped in below, belong to no box.
    """
    return split_canvas(Canvas.of(on_white(image)), image.size, expected, labels, certainty=certainty)


def split_canvas(
    canvas: Canvas,
    size: tuple[int, int],
    expected: int | None = None,
    labels: tuple[str, ...] = (),
    *,
    certainty: float = 1.0,
    words: Callable[[], Sequence[Word]] | None = None,
    doubt: float = 0.0,
) -> Split:
    """The same of a picture made ready; size: width and height of the image that boxes are in.

    words: recognises what is printed in the image. It is called only where a letter was not found, or where the
    parts are not as many as the caption names. doubt: log-odds by which panels must be likelier than none, where
    the caption names none.
    """
    rows, columns = canvas.ink.shape
    letters = find_letters(canvas, labels)
    plain = _parts(canvas, _count(expected, certainty, letters), doubt)
    if words is not None and (not labels or len(letters) < len(labels) or len(plain) != expected):
        named = bool(labels)
        read, labels = read_letters(words(), labels, (rows, columns))
        letters = merge_letters(letters, read, labels)
        # Letters alone do not make the image's plain panels fewer.
        if named or len(labels) > len(plain):
            expected = expected if named else len(labels) or None
            plain = _parts(canvas, _count(expected, certainty, letters), doubt)
    parts = lettered(canvas, plain, letters, labels)
    width, height = size
    across, down = width / columns, height / rows
    boxes, scores, evidence = [], [], []
    for part, letter in parts:
        x0, y0, x1, y1 = part.rect
        box = Box(x0 * across, y0 * down, x1 * across, y1 * down)
        boxes.append(box.clamped(float(width), float(height)))
        scores.append(_score(part, expected, len(parts)))
        evidence.append(f"{part.kind} {part.score:.2f}" + (f", letter {letter}" if letter is not None else ""))
    found = tuple(letter for _, letter in parts)
    return Split(tuple(boxes), tuple(scores), found, tuple(evidence), tuple(part.further for part, _ in parts))


def with_row(canvas: Canvas, size: tuple[int, int], split: Split) -> Split:
    """The split with the letters printed in its boxes, where no caption names any: from A or a on, in every box.

    size: width and height of the image that boxes are in. A split with letters stays as it is, and so do boxes.
    """
    if len(split.boxes) < 2 or any(letter is not None for letter in split.labels):
        return split
    across, down = canvas.ink.shape[1] / size[0], canvas.ink.shape[0] / size[1]
    rects = [
        (round(box.x0 * across), round(box.y0 * down), round(box.x1 * across), round(box.y1 * down))
        for box in split.boxes
    ]
    row = row_of(canvas, rects)
    if not row:
        return split
    evidence = (
        each if letter is None else f"{each}, letter {letter}"
        for each, letter in zip(split.evidence, row, strict=True)
    )
    return replace(split, labels=row, evidence=tuple(evidence))


def _count(expected: int | None, certainty: float, letters: Sequence[Letter]) -> int | None:
    """Return the caption's number of panels; None if it is too uncertain and no letter confirms it."""
    return expected if certainty >= DOUBTFUL or letters else None


def _parts(canvas: Canvas, expected: int | None, doubt: float) -> list[Part]:
    """The parts that the image shows by itself, those of a grid where it shows; or cut to the count expected."""
    parts = image_layout(canvas, expected, doubt)
    if expected is not None:
        return parts if len(parts) == expected else Cutter(canvas, expected).split(figure_area(canvas))
    parted = all(part.kind == "gutter" and part.score >= PARTED for part in parts)
    grid = None if parted else lattice(canvas)
    if grid is None or grid[1] < PLAIN_GRID + doubt:
        return parts
    # Cells without ink fill the grid up.
    cells = [cell for cell in grid[0] if canvas.share(cell) > BLANK]
    score = min(0.95, 0.6 + 0.05 * grid[1])
    return parts if len(parts) >= len(cells) else [Part(cell, score, "grid") for cell in cells]


def _score(part: Part, expected: int | None, found: int) -> float:
    """Return the confidence of a box, in [0.05, 0.99]."""
    if part.kind == "whole":
        return ONE_UNTOLD if expected is None else ONE if expected == 1 else ONE_OF_MORE
    fit = 1.0 if expected is None or expected == found else 0.6
    return round(min(0.99, max(0.05, part.score * fit)), 3)
