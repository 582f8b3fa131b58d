"""Protocols of models: a detector finds boxes, a tagger assigns words to each box.

Only NumPy and the domain are needed here, so that models can be referred to without torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from panelwise.domain import Box, Caption, Figure, Subfigure

if TYPE_CHECKING:
    from PIL import Image

#: Confidence from which the paper's alignment takes a box (appendix C).
THRESHOLD = 0.7


@dataclass(frozen=True, slots=True)
class Detections:
    """The boxes found in one image.

    boxes: (N, 4) float32, pixels x0 y0 x1 y1 of the image given; N may be 0. scores: (N,) in [0, 1], descending.
    labels: (N,) class numbers, 1 for a subfigure where a model knows no other.
    """

    boxes: npt.NDArray[np.float32]
    scores: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]

    @classmethod
    def of(cls, boxes: Any, scores: Any, labels: Any) -> Detections:
        """From anything array-like, put in order: highest score first, ties as they came."""
        corners = np.asarray(boxes, dtype=np.float32).reshape(-1, 4)
        sure = np.asarray(scores, dtype=np.float32).reshape(-1)
        order = np.argsort(-sure, kind="stable")
        return cls(corners[order], sure[order], np.asarray(labels, dtype=np.int64).reshape(-1)[order])

    @classmethod
    def none(cls) -> Detections:
        """No box at all."""
        return cls.of([], [], [])

    def __len__(self) -> int:
        return len(self.scores)


class Detector(Protocol):
    """Finds the panels of figures."""

    @property
    def version(self) -> str:
        """Name and short hash of the weights, stored with each prediction."""
        ...

    def detect(self, images: Sequence[Image.Image]) -> list[Detections]:
        """One each, in order. The images: upright and opaque, of any mode and size.

        What is found in an image does not depend on the others given with it, but for rounding.
        """
        ...


@dataclass(frozen=True, slots=True)
class CaptionedBoxes:
    """The input of a tagger: a caption, and boxes in pixels of an image of `width` x `height`."""

    caption: Caption
    boxes: tuple[Box, ...]
    width: int
    height: int

    @classmethod
    def of(cls, figure: Figure, subfigures: Iterable[Subfigure]) -> CaptionedBoxes:
        """Return a figure's caption with the boxes of these subfigures."""
        return cls(figure.caption, tuple(subfigure.box for subfigure in subfigures), figure.width, figure.height)


@dataclass(frozen=True, slots=True)
class Tagged:
    """Subcaptions, one for each box asked about, in order: ids of caption tokens; and scores in [0, 1]."""

    subcaptions: tuple[frozenset[int], ...]
    scores: tuple[float, ...]


class Tagger(Protocol):
    """Gives each box the words of the caption that describe it."""

    @property
    def version(self) -> str:
        """Name and short hash of the weights, stored with each prediction."""
        ...

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        """One each, in order; an empty caption or no box gives empty subcaptions."""
        ...
