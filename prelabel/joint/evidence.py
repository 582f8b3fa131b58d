"""Hypotheses of how to cut a figure, from all sources, and the features by which they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from panelwise.domain import Box, InvalidAnnotation
from prelabel.captions.enumerations import speaks_of_several
from prelabel.captions.parser import ParsedCaption
from prelabel.models.protocols import Detections
from prelabel.panels.canvas import Canvas
from prelabel.panels.letters.find import Letter, find_letters, find_run, names_up_to
from prelabel.panels.splitter import Split, split_canvas

#: Scores from which a detector's boxes make a hypothesis, without and with the caption's number of panels.
UNCOUNTED_FROM, COUNTED_FROM = (0.3, 0.4, 0.5), (0.3, 0.4)
#: Those that give the splitter another number of panels to try; and from which boxes should not be left out.
COUNT_UNCOUNTED, COUNT_COUNTED, COVERED_FROM = 0.4, 0.35, 0.3
#: The splitter tries no more panels than this.
MOST_PANELS = 41
#: Hypotheses are the same if each box has one of the other with this IoU.
SAME = 0.93
#: A letter may stand so many pixels outside of its box.
NEAR = 3.0
#: Pixels along a side of the small copy of the figure's ink.
_SMALL = 48

Corners = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """The boxes that a detector sees in a figure.

    uncounted, counted: without and with the caption's number of panels.
    """

    uncounted: Detections
    counted: Detections


@dataclass(frozen=True, eq=False, slots=True)
class Hypothesis:
    """A way to cut a figure. boxes: (N, 4), pixels of the image. from_splitter: whether it is the splitter's."""

    split: Split
    boxes: Corners
    from_splitter: bool


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """All that is known of a figure. size: width and height of the image.

    classic: the cut of the pre-labeller without weights. free: the splitter's without the caption. letters: middle
    of each panel letter found, and its label. printed: see `printed_labels`. ink: (48, 48), how much each place
    holds.
    """

    canvas: Canvas
    size: tuple[int, int]
    parsed: ParsedCaption
    text: str
    seen: Seen
    classic: Split
    free: Split
    letters: tuple[tuple[float, float, str], ...]
    printed: tuple[str, ...]
    ink: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls,
        canvas: Canvas,
        size: tuple[int, int],
        parsed: ParsedCaption,
        text: str,
        seen: Seen,
        classic: Split,
        letters: Sequence[Letter],
    ) -> Evidence:
        """Gather the evidence of a figure. letters: of `panel_letters`; the rest as above."""
        across, down = size[0] / canvas.ink.shape[1], size[1] / canvas.ink.shape[0]
        places = tuple(
            (
                (letter.rect[0] + letter.rect[2]) / 2 * across,
                (letter.rect[1] + letter.rect[3]) / 2 * down,
                letter.label,
            )
            for letter in letters
        )
        free = split_canvas(canvas, size) if parsed.labels or text.strip() else classic
        printed = printed_labels(parsed, letters)
        return cls(canvas, size, parsed, text, seen, classic, free, places, printed, _small(canvas.ink))

    def hypotheses(self) -> list[Hypothesis]:
        """Return the ways to cut the figure, each once; the classic one first."""
        found: list[Hypothesis] = []
        for split, from_splitter in self._proposed():
            boxes = corners_of(split.boxes)
            if not any(_same(boxes, other.boxes) for other in found):
                found.append(Hypothesis(split, boxes, from_splitter))
        return found

    def _proposed(self) -> Iterator[tuple[Split, bool]]:
        yield self.classic, True
        yield self.free, True
        named, seen = len(self.parsed.labels), self.seen
        counts = {
            named,
            len(self.printed),
            int((seen.uncounted.scores >= COUNT_UNCOUNTED).sum()),
            int((seen.counted.scores >= COUNT_COUNTED).sum()),
        }
        for count in sorted(counts - {0}):
            if count <= MOST_PANELS:
                yield self._lettered(split_canvas(self.canvas, self.size, count)), True
        if self.printed:
            # Cut along the letters too.
            yield split_canvas(self.canvas, self.size, len(self.printed), self.printed), True
        width, height = map(float, self.size)
        yield Split((Box(0.0, 0.0, width, height),), (0.5,), (None,), ("whole",)), False
        proposed = [(seen.uncounted, int((seen.uncounted.scores >= least).sum())) for least in UNCOUNTED_FROM]
        if named or self.printed:
            proposed += [(seen.counted, int((seen.counted.scores >= least).sum())) for least in COUNTED_FROM]
            proposed.append((seen.counted, named or len(self.printed)))
        for detections, count in proposed:
            split = self._detected(detections, count)
            if split is not None:
                yield split, False

    def _detected(self, detections: Detections, count: int) -> Split | None:
        """Return the detector's surest boxes as a split; None without any."""
        boxes, scores = [], []
        pairs = zip(detections.boxes[:count].tolist(), detections.scores[:count].tolist(), strict=True)
        for corners, score in pairs:
            try:
                boxes.append(Box(*corners).clamped(float(self.size[0]), float(self.size[1])))
            except InvalidAnnotation:
                continue
            scores.append(min(1.0, score))
        if not boxes:
            return None
        evidence = tuple(f"detector {score:.2f}" for score in scores)
        return self._lettered(Split(tuple(boxes), tuple(scores), (), evidence))

    def _lettered(self, split: Split) -> Split:
        """Return the split with the letter of each box that holds just one."""
        labels = []
        for box in split.boxes:
            within = [label for x, y, label in self.letters if _holds(box, x, y)]
            labels.append(within[0] if len(within) == 1 else None)
        return Split(split.boxes, split.scores, tuple(labels), split.evidence, split.further)


def panel_letters(canvas: Canvas, parsed: ParsedCaption) -> tuple[Letter, ...]:
    """Find the letters of the caption's panels; where it names none by letters, those printed from A or a on."""
    named = parsed.labels and parsed.lettered
    return find_letters(canvas, parsed.labels) if named else find_run(canvas)


def printed_labels(parsed: ParsedCaption, letters: Sequence[Letter]) -> tuple[str, ...]:
    """The labels from A or a to the last of `panel_letters`; () where the caption names panels by letters."""
    return () if parsed.labels and parsed.lettered else names_up_to(letters)


def corners_of(boxes: Sequence[Box]) -> Corners:
    """(N, 4) corners of boxes."""
    found: Corners = np.array([box.as_list() for box in boxes], dtype=np.float64).reshape(-1, 4)
    return found


def overlaps(one: Corners, other: Corners) -> Corners:
    """(N, M) IoU of each box with each other one."""
    shared = _shared(one, other)
    found: Corners = shared / (_areas(one)[:, None] + _areas(other)[None] - shared).clip(1e-9)
    return found


#: Names of the features, in the order of the coefficients.
FEATURES = (
    "constant",
    "support",  # a box's best overlap with what the detector sees, times its score: mean over boxes
    "least support",
    "support with the count",
    "least support with the count",
    "nothing left out",  # share of what the detector sees that the boxes cover
    "nothing left out with the count",
    "as many as named",
    "fewer than named",
    "more than named",
    "as many, caption sure",
    "fewer, caption sure",
    "more, caption sure",
    "panels, text of one picture",  # the caption has text, and names and hints at no panels
    "panels, text of several",
    "panels, no caption",
    "like the free split",
    "covers the free split",
    "like the classic split",
    "covers the classic split",
    "least score of the splitter",
    "mean score of the splitter",
    "cut further",
    "one letter each",
    "several letters in one",
    "letters outside",
    "overlap",
    "ink covered",
    "unlike in size",
    "panels",
    "whole image",
    "as many, supported",
    "as many as printed",  # letters that no caption names
    "fewer than printed",
    "more than printed",
)


def features(evidence: Evidence, hypothesis: Hypothesis) -> tuple[float, ...]:
    """The values of FEATURES for a way to cut the figure."""
    boxes, split, parsed, seen = hypothesis.boxes, hypothesis.split, evidence.parsed, evidence.seen
    count, named, sure = len(boxes), len(parsed.labels), parsed.confidence
    plain, counted = _support(boxes, seen.uncounted), _support(boxes, seen.counted)
    free = overlaps(boxes, corners_of(evidence.free.boxes))
    classic = overlaps(boxes, corners_of(evidence.classic.boxes))
    equal = float(named > 0 and count == named)
    fewer, more = _off(count, named)
    printed = len(evidence.printed)
    panels, areas = log(count), _areas(boxes)
    text, several = bool(evidence.text.strip()), speaks_of_several(evidence.text)
    scores, further = split.scores if hypothesis.from_splitter else (0.0,), split.further or (0.0,)
    return (
        1.0,
        float(plain.mean()),
        float(plain.min()),
        float(counted.mean()),
        float(counted.min()),
        _covered(boxes, seen.uncounted),
        _covered(boxes, seen.counted),
        equal,
        fewer,
        more,
        equal * sure,
        fewer * sure,
        more * sure,
        panels * (text and not named and not several),
        panels * (text and not named and several),
        panels * (not text),
        float(free.max(1).mean()),
        float(free.max(0).mean()),
        float(classic.max(1).mean()),
        float(classic.max(0).mean()),
        min(scores),
        sum(scores) / len(scores),
        max(further) / 6 if hypothesis.from_splitter else 0.0,
        *_letters(boxes, evidence.letters),
        _most_shared(boxes),
        _inked(boxes, evidence),
        log(areas.max() / max(1.0, areas.min())) if count > 1 else 0.0,
        panels,
        float(count == 1 and areas[0] > 0.9 * evidence.size[0] * evidence.size[1]),
        float(counted.mean()) * equal,
        float(count == printed),
        *_off(count, printed),
    )


def _off(count: int, expected: int) -> tuple[float, float]:
    """Return by how much fewer and how much more panels there are than expected (logarithms); 0 for unknown."""
    away = log(count / expected) if expected else 0.0
    return max(0.0, -away), max(0.0, away)


def _support(boxes: Corners, detections: Detections) -> npt.NDArray[np.float64]:
    if not len(detections):
        return np.zeros(len(boxes))
    found: npt.NDArray[np.float64] = (overlaps(boxes, detections.boxes.astype(float)) * detections.scores).max(1)
    return found


def _covered(boxes: Corners, detections: Detections) -> float:
    sure = detections.scores >= COVERED_FROM
    if not sure.any():
        return 1.0
    best = overlaps(detections.boxes[sure].astype(float), boxes).max(1)
    return float((best * detections.scores[sure]).sum() / detections.scores[sure].sum())


def _letters(boxes: Corners, letters: Sequence[tuple[float, float, str]]) -> tuple[float, float, float]:
    """Return the shares of boxes with one letter and with several, and of letters in no box."""
    if len(letters) < 2:
        return 0.0, 0.0, 0.0
    x, y = np.array([(x, y) for x, y, _ in letters]).T
    held = (x[:, None] >= boxes[:, 0] - NEAR) & (x[:, None] <= boxes[:, 2] + NEAR)
    held &= (y[:, None] >= boxes[:, 1] - NEAR) & (y[:, None] <= boxes[:, 3] + NEAR)
    count = held.sum(0)
    return float((count == 1).mean()), float((count > 1).mean()), float((held.sum(1) == 0).mean())


def _most_shared(boxes: Corners) -> float:
    """Return the largest part of a box that lies in another one."""
    if len(boxes) < 2:
        return 0.0
    areas = _areas(boxes)
    shared = _shared(boxes, boxes) / np.minimum(areas[:, None], areas[None]).clip(1e-6)
    np.fill_diagonal(shared, 0.0)
    return float(shared.max())


def _inked(boxes: Corners, evidence: Evidence) -> float:
    """Return the part of the figure's ink that lies in the boxes."""
    x = (np.arange(_SMALL) + 0.5) / _SMALL * evidence.size[0]
    y = (np.arange(_SMALL) + 0.5) / _SMALL * evidence.size[1]
    across = (x >= boxes[:, :1]) & (x <= boxes[:, 2:3])
    down = (y >= boxes[:, 1:2]) & (y <= boxes[:, 3:])
    inside = (down[:, :, None] & across[:, None, :]).any(0)
    return float((evidence.ink * inside).sum() / max(1e-6, evidence.ink.sum()))


def _small(ink: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """(48, 48): share of each place that is ink."""
    whole = np.zeros((ink.shape[0] + 1, ink.shape[1] + 1))
    whole[1:, 1:] = ink.cumsum(0).cumsum(1)
    rows = np.linspace(0, ink.shape[0], _SMALL + 1).round().astype(int)
    columns = np.linspace(0, ink.shape[1], _SMALL + 1).round().astype(int)
    at = whole[np.ix_(rows, columns)]
    sums = at[1:, 1:] - at[:-1, 1:] - at[1:, :-1] + at[:-1, :-1]
    sizes = np.diff(rows)[:, None] * np.diff(columns)[None]
    found: npt.NDArray[np.float64] = sums / sizes.clip(1)
    return found


def _same(one: Corners, other: Corners) -> bool:
    if len(one) != len(other):
        return False
    found = overlaps(one, other)
    return bool((found.max(1) > SAME).all() and (found.max(0) > SAME).all())


def _holds(box: Box, x: float, y: float) -> bool:
    return box.x0 - NEAR <= x <= box.x1 + NEAR and box.y0 - NEAR <= y <= box.y1 + NEAR


def _areas(boxes: Corners) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = (boxes[:, 2:] - boxes[:, :2]).clip(0).prod(1)
    return found


def _shared(one: Corners, other: Corners) -> Corners:
    low = np.maximum(one[:, None, :2], other[None, :, :2])
    high = np.minimum(one[:, None, 2:], other[None, :, 2:])
    found: Corners = (high - low).clip(0).prod(2)
    return found
