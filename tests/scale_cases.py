"""Trained models as small as can be, with random weights, and figures for them; for tests of runs and servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from panelwise.domain.box import Box
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from prelabel.models.protocols import CaptionedBoxes, Detections, Tagged
from prelabel.runs.predict import Job, figure_of

CAPTION = "Figure {n}. (a) The left lung, seen from above. (b) The right lung {n} days later."


def draw_figures(folder: Path, count: int, *, bad: Sequence[int] = ()) -> Path:
    """Figures of two panels each, some wide and some high; those whose numbers are `bad` are no images."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        name = f"f{number:03d}.png"
        if number in bad:
            (folder / name).write_text("no image")
        else:
            size = (120, 60) if number % 2 else (60, 120)
            image = Image.new("RGB", size, "white")
            draw = ImageDraw.Draw(image)
            half = (0, 0, 55, 55)
            draw.rectangle(half, fill=(10 * number % 256, 90, 160))
            draw.rectangle((63, 3, 117, 57) if number % 2 else (3, 63, 57, 117), fill=(200, 40, number))
            image.save(folder / name)
        record = {"figure_id": f"f{number:03d}", "image": name, "caption": CAPTION.format(n=number)}
        if number in bad:
            record |= {"width": 60, "height": 120}
        lines.append(json.dumps(record))
    path = folder / "figures.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def jobs_of(figures: Path) -> list[Job]:
    return [figure_of(record, figures.parent) for record in read_figures(figures, Problems())]


def tiny_detector(folder: Path, *, seed: int = 0) -> Path:
    """A checkpoint of a Faster R-CNN that has learnt nothing: it finds boxes where its weights have it."""
    import torch

    from prelabel.detectors.faster_rcnn import FasterRcnn, architecture_of
    from prelabel.models.checkpoints import About, save_checkpoint

    torch.manual_seed(seed)
    architecture = architecture_of("faster-rcnn-tiny", shorter=64)
    save_checkpoint(folder, FasterRcnn(architecture), About("detector", "tiny", architecture))
    return folder


def tiny_tagger(folder: Path, *, seed: int = 0) -> Path:
    """A checkpoint of a Text+Box tagger that has learnt nothing."""
    import torch

    from prelabel.models.checkpoints import ENCODER, About, save_checkpoint
    from prelabel.taggers.encoders import tiny_encoder
    from prelabel.taggers.models import BoxCRF

    torch.manual_seed(seed)
    module = BoxCRF(tiny_encoder([CAPTION.format(n=n) for n in range(20)]))
    about = About("box-crf", "box-crf", module.architecture)
    save_checkpoint(folder, module, about, write_extra=lambda place: module.encoder.save(place / ENCODER))
    return folder


class Halves:
    """A detector that finds both halves of every image; it fails on those of one colour."""

    version = "halves-1"

    def __init__(self, fails_on: int | None = None) -> None:
        self.fails_on = fails_on
        self.calls: list[int] = []

    def detect(self, images: Sequence[Image.Image]) -> list[Detections]:
        self.calls.append(len(images))
        if any(
            image.getpixel((1, 1)) == (10 * (self.fails_on or 0), 90, 160) for image in images if self.fails_on
        ):
            raise RuntimeError("weights of lead")
        found = []
        for image in images:
            width, height = image.size
            one = (0, 0, width / 2, height) if width > height else (0, 0, width, height / 2)
            other = (width / 2, 0, width, height) if width > height else (0, height / 2, width, height)
            found.append(Detections.of(np.array([one, other]), [0.9, 0.8], [1, 1]))
        return found


class FirstWords:
    """A tagger that gives the box at place n the n-th token of the caption, half sure."""

    version = "words-1"

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        return [
            Tagged(tuple(frozenset({place}) for place in range(len(item.boxes))), (0.5,) * len(item.boxes))
            for item in items
        ]


class Sees:
    """A detector that finds what it is told to, in every image."""

    version = "sees-1"

    def __init__(self, *boxes: tuple[float, ...], score: float = 0.9) -> None:
        self.boxes, self.score = boxes, score

    def detect(self, images: Sequence[Image.Image]) -> list[Detections]:
        count = len(self.boxes)
        return [Detections.of(self.boxes, [self.score] * count, [1] * count) for _ in images]


def whole(width: int, height: int) -> Box:
    return Box(0, 0, width, height)
