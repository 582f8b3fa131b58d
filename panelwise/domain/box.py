"""Boxes in pixels of the stored image: origin top left, x to the right, y down, continuous coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from panelwise.domain.errors import InvalidAnnotation

#: Boxes of one subfigure that overlap less than this (IoU) differ.
CLOSE_IOU = 0.75

#: x0 y0 x1 y1 in pixels; not necessarily a valid box.
Corners = tuple[float, float, float, float]


class NoArea(InvalidAnnotation):
    """A box without area: a slip of the mouse, or sides so short that their product underflows to 0."""


def area_of(corners: Corners) -> float:
    """Return the area in square pixels (float64); 0 for a side without length or a product that underflows."""
    x0, y0, x1, y1 = corners
    return max(x1 - x0, 0.0) * max(y1 - y0, 0.0)


def iou(one: Corners, other: Corners) -> float:
    """Return the intersection over union of two boxes, in [0, 1]; 0 if either has no area.

    Bitwise equal to `agreement.primitives.iou.box_iou`, which computes it for arrays.
    """
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0.0 or height <= 0.0:
        return 0.0
    shared = width * height
    if shared <= 0.0:
        return 0.0
    areas = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1])
    return shared / (areas - shared)


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel rectangle with x0 < x1, y0 < y1 and an area above 0, in float pixels.

    Raises InvalidAnnotation for coordinates that are not finite or inverted, NoArea for an area of 0.
    """

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if not (isfinite(self.x0) and isfinite(self.y0) and isfinite(self.x1) and isfinite(self.y1)):
            raise InvalidAnnotation(f"box {self.as_list()} has a coordinate that is not a finite number")
        if self.x0 > self.x1 or self.y0 > self.y1:
            raise InvalidAnnotation(f"box {self.as_list()} is inverted; give x0 y0 x1 y1 with x0 < x1 and y0 < y1")
        if not self.area > 0.0:
            raise NoArea(f"box {self.as_list()} has no area; draw it larger or remove it")

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Area in square pixels, above 0."""
        return self.width * self.height

    @property
    def corners(self) -> Corners:
        """x0 y0 x1 y1."""
        return (self.x0, self.y0, self.x1, self.y1)

    def iou(self, other: Box) -> float:
        """Return the intersection over union with another box, in [0, 1]."""
        return iou(self.corners, other.corners)

    def as_list(self) -> list[float]:
        """Return `[x0, y0, x1, y1]`, as the file formats write it."""
        return [self.x0, self.y0, self.x1, self.y1]

    def inside(self, width: float, height: float, *, slack: float = 0.0) -> bool:
        """Return True if the box lies within an image of `width` x `height` pixels, with a tolerance of `slack`
        pixels.
        """
        return self.x0 >= -slack and self.y0 >= -slack and self.x1 <= width + slack and self.y1 <= height + slack

    def clamped(self, width: float, height: float) -> Box:
        """Return the part of the box inside the image. Raises InvalidAnnotation if no part of it is inside."""
        return Box(
            min(max(self.x0, 0.0), width),
            min(max(self.y0, 0.0), height),
            min(max(self.x1, 0.0), width),
            min(max(self.y1, 0.0), height),
        )
