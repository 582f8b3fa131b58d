"""The default pre-labeller: splitter, caption grammar and reading order; no weights, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.annotation import Prediction, Subfigure
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from prelabel.classic.alignment import align
from prelabel.classic.caption_parser import parse_caption
from prelabel.classic.splitter import split_image

if TYPE_CHECKING:
    from PIL import Image


class ClassicPrelabeller:
    """Boxes by cutting along gutters, as many as the caption names panels; subcaptions by a grammar of markers.

    Labels are as the caption writes them; panels that it does not name are numbered from 1. A figure that is not
    compound gets one box over the whole image.
    """

    version = "classic-1"

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """Boxes in pixels of the figure, also where `image` has another size."""
        parsed = parse_caption(figure.caption)
        split = split_image(image, len(parsed.labels) or None)
        across, down = figure.width / image.width, figure.height / image.height
        subfigures, scores = [], []
        for place, label, source in align(split.boxes, parsed.labels, width=image.width, height=image.height):
            box = split.boxes[place]
            scaled = Box(box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down)
            tokens = parsed.tokens[source] if source is not None else frozenset()
            subfigures.append(Subfigure(label, scaled.clamped(float(figure.width), float(figure.height)), tokens))
            scores.append(split.scores[place])
        return Prediction(figure, self.version, tuple(subfigures), tuple(scores))


CLASSIC = ClassicPrelabeller()
