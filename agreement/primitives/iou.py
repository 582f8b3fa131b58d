"""Intersection over union of axis-parallel boxes: continuous coordinates, float64."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from panelwise.domain import Subfigure

#: (N, 4) float64 pixels x0 y0 x1 y1, with x0 <= x1 and y0 <= y1.
Boxes = NDArray[np.float64]
#: (N, M) float64.
Matrix = NDArray[np.float64]
#: (N,) float64.
Vector = NDArray[np.float64]


def as_boxes(boxes: ArrayLike) -> Boxes:
    """Return the boxes as an (N, 4) float64 array, (0, 4) if empty; float32 misjudges pairs near a threshold."""
    return np.asarray(boxes, dtype=np.float64).reshape(-1, 4)


def boxes_of(subfigures: Iterable[Subfigure]) -> Boxes:
    """Return the boxes of subfigures, (N, 4)."""
    return as_boxes([each.box.corners for each in subfigures])


def box_area(boxes: Boxes) -> Vector:
    """Return the area of each box in square pixels, (N,); 0 without width or height. boxes: (N, 4)."""
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def box_iou(a: Boxes, b: Boxes) -> Matrix:
    """Return the IoU of each box in `a` with each in `b`.

    a: (N, 4), b: (M, 4), pixels x0 y0 x1 y1. Returns (N, M) in [0, 1]; N or M may be 0. A box without area has an
    IoU of 0, even with itself.
    """
    return aligned_iou(a[:, None], b[None])


def aligned_iou(a: Boxes, b: Boxes) -> Vector:
    """Return the IoU of each box in `a` with the same row of `b`. a, b: (N, 4). Returns (N,) in [0, 1]."""
    width = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    height = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    union = box_area(a) + box_area(b) - shared
    # Boxes without area share nothing, and two of them have no union to divide by.
    iou: Vector = np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0.0)
    return iou


def aligned_giou(a: Boxes, b: Boxes) -> Vector:
    """Return the generalised IoU (Rezatofighi 2019) of each box in `a` with the same row of `b`.

    IoU less the share of the smallest box around both that neither covers. a, b: (N, 4). Returns (N,) in (-1, 1];
    boxes that lie far apart are lower than boxes that touch.
    """
    iou = aligned_iou(a, b)
    hull = box_area(np.concatenate([np.minimum(a[..., :2], b[..., :2]), np.maximum(a[..., 2:], b[..., 2:])], -1))
    # union = (both areas) / (1 + IoU), as IoU = shared / union.
    union = (box_area(a) + box_area(b)) / (1 + iou)
    uncovered = np.divide(hull - union, hull, out=np.zeros_like(hull), where=hull > 0.0)
    giou: Vector = iou - uncovered
    return giou
