"""The base of detectors in two steps: `prepare` an image, ahead in threads; `predict` images of one canvas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from panelwise.domain import InvalidAnnotation
from prelabel.captions.parser import parse_caption
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing, prepare

if TYPE_CHECKING:
    from PIL import Image

    from panelwise.domain import Caption


class StagedDetector(ABC):
    """A detector in two steps.

    version: name and short hash of its weights. batch: images at a time. threshold: least score of a box. counted:
    whether the network is given the number of panels that the caption names.
    """

    def __init__(self, *, version: str, sizing: Sizing, threshold: float, batch: int, counted: bool) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise InvalidAnnotation(f"a threshold of {threshold} cannot be; give one from 0 to 1")
        if batch < 1:
            raise InvalidAnnotation(f"a batch of {batch} images cannot be; give 1 or more")
        self.version, self.sizing = version, sizing
        self.threshold, self.batch, self.counted = threshold, batch, counted

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        """The first step, for worker threads. size: of the whole image where `image` is decoded at a fraction."""
        return prepare(image, self.sizing, size=size)

    def with_caption(self, item: Prepared, caption: Caption) -> Prepared:
        """The image with the number of panels that its caption names, if the network looks at it."""
        return replace(item, count=len(parse_caption(caption).labels)) if self.counted else item

    @abstractmethod
    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """The second step, for images of one canvas: the boxes of each in pixels of its image, surest first."""

    def with_counts(self, item: Prepared, counts: Sequence[int]) -> list[Detections]:
        """Return the boxes in one image for each number of panels, 0 if unknown."""
        return self.predict([replace(item, count=count) for count in counts])

    def detect(self, images: Sequence[Image.Image]) -> list[Detections]:
        """Both steps, for images at hand; see `prelabel.models.sizing` for files."""
        prepared = [self.prepare(image) for image in images]
        results: dict[int, Detections] = {}
        for places in by_canvas(prepared):
            for place, one in zip(places, self.predict([prepared[place] for place in places]), strict=True):
                results[place] = one
        return [results[place] for place in range(len(prepared))]


def by_canvas(items: Sequence[Prepared]) -> list[list[int]]:
    """Places of the items, those of one canvas together, in order of first sight."""
    groups: dict[Shape, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.canvas, []).append(place)
    return list(groups.values())
