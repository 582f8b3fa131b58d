"""A simulated figure with its exact truth, and what is written of it to files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from PIL import Image

from panelwise.domain import Annotation, Box, Caption, Figure, Span, Status, Subfigure
from panelwise.formats import annotation_record

#: Told in every record; another number means that the same seed gives other figures.
SYNTH_VERSION = 1

#: Truth is dated, so that the same seed gives the same files.
TRUTH_TIME = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TrueSubfigure:
    """A panel as drawn: its label, the pixels it takes with its letter, the caption spans written for it."""

    label: str
    box: Box
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SimulatedFigure:
    """A drawn figure (RGB) with its caption and truth.

    document: the made-up article, for splits. quality: that of the JPEG it is written as, 0 for a PNG. made: how
    it was made (difficulty, lettering, layout, ...), kept in its record under `source`.
    """

    figure_id: str
    image: Image.Image
    caption: str
    references: tuple[str, ...]
    subfigures: tuple[TrueSubfigure, ...]
    document: str
    quality: int = 0
    made: Mapping[str, Any] = field(default_factory=dict)

    @property
    def image_name(self) -> str:
        """File name of the picture."""
        return f"{self.figure_id}.{'jpg' if self.quality else 'png'}"

    def encoded(self) -> bytes:
        """The picture as a file: JPEG where it has a quality, else PNG, packed quickly rather than tightly."""
        out = io.BytesIO()
        if self.quality:
            self.image.save(out, "JPEG", quality=self.quality)
        else:
            self.image.save(out, "PNG", compress_level=2)
        return out.getvalue()

    def figure(self, image: str | None = None) -> Figure:
        """The domain's figure; image: its path in the campaign's home, default `image_name`."""
        return Figure(
            self.figure_id,
            self.image_name if image is None else image,
            self.image.width,
            self.image.height,
            Caption.cut(self.caption),
            self.references,
            self.document,
            {"document": self.document, "licence": "Apache-2.0", "simulated": True, "synth_version": SYNTH_VERSION}
            | dict(self.made),
        )

    def truth(self, figure: Figure | None = None, *, annotator: str = "truth", phase: str = "1") -> Annotation:
        """Return a faultless annotator's submission. figure: as stored in a campaign, default `figure()`."""
        figure = figure or self.figure()
        subfigures = tuple(
            Subfigure(panel.label, panel.box, figure.caption.tokens_in(panel.spans)) for panel in self.subfigures
        )
        return Annotation(figure, annotator, phase, Status.ACCEPTED, subfigures, TRUTH_TIME)


@dataclass(frozen=True, slots=True)
class FigureFiles:
    """The files of one figure: its picture and its lines in figures.jsonl and annotations.jsonl."""

    image_name: str
    image: bytes
    record: Mapping[str, Any]
    truth: Mapping[str, Any]

    @classmethod
    def of(cls, drawn: SimulatedFigure) -> FigureFiles:
        """The files of a drawn figure."""
        figure = drawn.figure()
        record = {
            "figure_id": figure.id,
            "image": figure.image,
            "width": figure.width,
            "height": figure.height,
            "caption": figure.caption.text,
            "references": list(figure.references),
            "source": dict(figure.source),
        }
        return cls(drawn.image_name, drawn.encoded(), record, annotation_record(drawn.truth(figure)))
