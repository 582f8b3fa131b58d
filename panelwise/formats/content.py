"""Count what of a record's content could be read, for every layout: an odd value costs itself, not the record.

A harmless deviation (a flipped box, blanks around a label) is put right with a note. A part that can't be read is
left out and named. Where nothing of a kind could be read, the record is refused: it would pass for work without
content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import cos, radians, sin
from typing import Any, TypeVar

from panelwise.domain.annotation import EDGE_SLACK
from panelwise.domain.box import Corners, NoArea, area_of
from panelwise.domain.caption import Span
from panelwise.domain.errors import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Fields, Problems
from panelwise.runtime.messages import counted

Made = TypeVar("Made")
#: Called with what was put right.
Note = Callable[[str], None]
#: Pixels by which a box may pass the image's edge where its corner and its side were rounded apart.
ONE_ROUNDING = 1.0
#: Sides of an image, in pixels, from which boxes within its first pixel are no drawings.
_A_FEW_PIXELS = 8
#: A score beyond [0, 1] by less than this comes from rounding.
_SCORE_SLACK = 1e-6


class FlatBox(NoArea, FormatError):
    """A record's box without area, with its place in the file."""


class Content:
    """Counts the content of one record, by kind ("subfigure", "span"), and what of it was read.

    where: the record's place, for refusals that do not name one. lost: (kind, message) of each refused part.
    missing: the kind of each of these but boxes without area. notes: what was put right.
    """

    def __init__(self, where: str = "") -> None:
        self.lost: list[tuple[str, str]] = []
        self.missing: list[str] = []
        self.notes: list[str] = []
        self._where = where
        self._listed: Counter[str] = Counter()
        self._read: Counter[str] = Counter()

    def accept(self, kind: str) -> None:
        """Count a part that was read."""
        self._listed[kind] += 1
        self._read[kind] += 1

    def refuse(self, kind: str, problem: str | Exception) -> None:
        """Count a part that was not read; it is left out."""
        self._listed[kind] += 1
        if not isinstance(problem, NoArea):
            self.missing.append(kind)
        placed = isinstance(problem, FormatError) or not self._where
        self.lost.append((kind, str(problem) if placed else f"{self._where}: {problem}"))

    def leave_out(self, kind: str, problem: str | Exception) -> None:
        """Count a part that was read and belongs to nothing; it is left out too."""
        self.refuse(kind, problem)
        self._read[kind] += 1

    def note(self, where: str, text: str) -> None:
        """Add a note on a value that was put right."""
        self.notes.append(f"{where}: {text}")

    def read_list(self, fields: Fields, key: str, kind: str, read: Callable[[Fields, int], Made]) -> list[Made]:
        """Return what `read` makes of each object of a list, and its place in it; refused ones are left out."""
        return self.read_values(
            fields.sequence(key), kind, lambda value, place: read(fields.element(key, place, value), place)
        )

    def read_values(self, values: Sequence[Any], kind: str, read: Callable[[Any, int], Made]) -> list[Made]:
        """Return what `read` makes of each value, and its place in the list; refused ones are left out."""
        made = []
        for place, value in enumerate(values):
            try:
                made.append(read(value, place))
            except AnnotatorError as error:
                self.refuse(kind, error)
        if made:
            self._listed[kind] += len(made)
            self._read[kind] += len(made)
        return made

    @property
    def partly_read(self) -> bool:
        """Return True if a part was left out, so that what was read is not the whole work.

        A box without area, such as one of a stray click, is no part of the work.
        """
        return bool(self.missing)

    def unread(self) -> tuple[str, list[str]] | None:
        """Return the first kind of which nothing was read, and why; None if some of each was."""
        kind = next((kind for kind in self._listed if not self._read[kind]), None)
        return None if kind is None else (kind, [line for other, line in self.lost if other == kind])

    def report(self, problems: Problems, *, accepted: bool = True) -> None:
        """Report what was left out and put right; raise FormatError if nothing of a kind was read.

        accepted: the record's status; one that rejects or ignores its figure says so whatever else it lists.
        """
        if accepted and (unread := self.unread()):
            kind, lines = unread
            if len(lines) == 1:
                raise FormatError(f"{lines[0]}; left the annotation out")
            for line in lines:
                problems.add(f"{line}; left this {kind} out")
            raise FormatError(
                f"{self._where}: none of its {counted(len(lines), kind)} could be read; left the annotation out"
            )
        for kind, line in self.lost:
            problems.add(f"{line}; left this {kind} out")
        for line in self.notes:
            problems.note(line)


def check_pixels(fields: Fields, key: str, boxes: Sequence[Corners], figure: Figure) -> None:
    """Raise FormatError if all boxes of a record lie within the image's first pixel: they are fractions of it.

    An image of a few pixels, or of unknown size, may have such boxes. Boxes without area say nothing.
    """
    drawn = [box for box in boxes if area_of(box) > 0.0]
    if not drawn or not figure.sized or min(figure.width, figure.height) <= _A_FEW_PIXELS:
        return
    if all(0.0 <= edge <= 1.0 for box in drawn for edge in box):
        raise fields.error(
            key,
            "holds only boxes within 0 to 1, which look like fractions of the image; give pixels "
            f"({figure.width} x {figure.height}); left the annotation out",
        )


def put_right_box(corners: Corners, figure: Figure, note: Note) -> Corners:
    """Return the corners in order, and within the image where they pass it by a rounding."""
    x0, y0, x1, y1 = corners
    if 0.0 <= x0 <= x1 <= figure.width and 0.0 <= y0 <= y1 <= figure.height:
        return corners
    ordered = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    if ordered != corners:
        note(f"box {list(corners)} has its corners swapped; read as {list(ordered)}")
    beyond = max(-ordered[0], -ordered[1], ordered[2] - figure.width, ordered[3] - figure.height)
    if not EDGE_SLACK < beyond <= ONE_ROUNDING:
        return ordered
    sides = (figure.width, figure.height, figure.width, figure.height)
    left, top, right, bottom = (
        min(max(edge, 0.0), float(side)) for edge, side in zip(ordered, sides, strict=True)
    )
    inside = (left, top, right, bottom)
    note(f"box {list(ordered)} passes the image's edge by a rounding; read as {list(inside)}")
    return inside


def put_right_rotation(corners: Corners, degrees: float, note: Note) -> Corners:
    """Return the upright rectangle around a box that is turned round its centre by so many degrees."""
    if not degrees % 180:
        return corners
    x0, y0, x1, y1 = corners
    sine, cosine = abs(sin(radians(degrees))), abs(cos(radians(degrees)))
    width, height = abs(x1 - x0), abs(y1 - y0)
    across, down = (width * cosine + height * sine) / 2, (width * sine + height * cosine) / 2
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    around = (x - across, y - down, x + across, y + down)
    note(f"a box is rotated by {degrees:g} degrees; read as the upright rectangle around it")
    return around


def put_right_span(start: int, end: int, length: int, note: Note) -> Span:
    """Return a span of a caption of `length` characters: in order, and within it where it ends one beyond.

    Raises InvalidAnnotation for a span that is empty or does not fit.
    """
    if start > end >= 0:
        note(f"span [{start}, {end}) has its ends swapped; read as [{end}, {start})")
        start, end = end, start
    if end == length + 1 > start + 1:
        note(f"span [{start}, {end}) ends one beyond the caption; read as [{start}, {length})")
        end = length
    span = Span(start, end)
    if end > length:
        raise InvalidAnnotation(
            f"span [{start}, {end}) ends beyond the caption's {length} characters; "
            "give the caption that the spans were marked in"
        )
    return span


def put_right_label(label: str, note: Note) -> str:
    """Return a label without blanks around it."""
    trimmed = label.strip()
    if trimmed != label and trimmed:
        note(f'label "{label}" has blanks around it; read as "{trimmed}"')
        return trimmed
    return label


def put_right_score(score: float, note: Note) -> float:
    """Return a score within [0, 1], where rounding took it beyond. Raises InvalidAnnotation for any other."""
    inside = min(max(score, 0.0), 1.0)
    if abs(score - inside) > _SCORE_SLACK:
        raise InvalidAnnotation(f"a score lies outside [0, 1]: {score:g}; give one within")
    if inside != score:
        note(f"score {score} is beyond [0, 1] by a rounding; read as {inside}")
    return inside
