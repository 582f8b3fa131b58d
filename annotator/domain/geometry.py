"""Boxes in pixels of the stored image: origin top left, x to the right, y down, continuous coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from annotator.domain.errors import InvalidAnnotation


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel rectangle with x0 < x1 and y0 < y1, in float pixels.

    Raises InvalidAnnotation for coordinates that are not finite, inverted, or of zero area.
    """

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if not (isfinite(self.x0) and isfinite(self.y0) and isfinite(self.x1) and isfinite(self.y1)):
            raise InvalidAnnotation(f"box {self.as_list()} has a coordinate that is not a finite number")
        if not (self.x0 < self.x1 and self.y0 < self.y1):
            raise InvalidAnnotation(
                f"box {self.as_list()} is inverted or empty; give x0 y0 x1 y1 with x0 < x1 and y0 < y1"
            )

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Square pixels, greater than 0."""
        return self.width * self.height

    def as_list(self) -> list[float]:
        """`[x0, y0, x1, y1]`, as the file formats write it."""
        return [self.x0, self.y0, self.x1, self.y1]

    def inside(self, width: float, height: float, *, slack: float = 0.0) -> bool:
        """Whether the box lies within an image of `width` x `height` pixels, give or take `slack` pixels."""
        return self.x0 >= -slack and self.y0 >= -slack and self.x1 <= width + slack and self.y1 <= height + slack

    def clamped(self, width: float, height: float) -> Box:
        """The part of the box inside the image. Raises InvalidAnnotation where nothing is."""
        return Box(
            min(max(self.x0, 0.0), width),
            min(max(self.y0, 0.0), height),
            min(max(self.x1, 0.0), width),
            min(max(self.y1, 0.0), height),
        )
