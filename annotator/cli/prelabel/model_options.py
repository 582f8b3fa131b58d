"""Options of the models, shared by `prelabel run` and `prelabel serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.parameters import Option, OptionGroup
from annotator.cli.prelabel.options import FOLDER, Decode, Detector, Device, NoAmp, Threshold

if TYPE_CHECKING:
    from prelabel.runs import Recipe


class RecipeOptions(OptionGroup):
    """Options of the models of a run."""

    detector: Detector
    tagger: Annotated[
        Path | None,
        Option(
            "Model for subcaptions: a checkpoint of `prelabel train text-crf` or `box-crf` [default: the caption "
            "parser].",
            type=FOLDER,
        ),
    ]
    classifier: Annotated[
        Path | None,
        Option("Model for figure types: a checkpoint of `prelabel train classifier`.", type=FOLDER),
    ]
    decode: Decode
    device: Device
    batch: Annotated[int | None, Option("Images per batch [default: by device].", type=click.IntRange(1, 4096))]
    no_amp: NoAmp
    threshold: Threshold
    ocr: Annotated[
        Literal["auto", "off"],
        Option(
            "auto: with panelwise[ocr] and --detector classic, read panel letters not found by shape.",
            default="auto",
            envvar="PANELWISE_OCR",
        ),
    ]

    def recipe(self) -> Recipe:
        """Return the models of the run."""
        from prelabel.panels import ocr_installed
        from prelabel.runs import Recipe, default_detector

        return Recipe(
            self.detector or default_detector(),
            self.tagger,
            self.classifier,
            self.decode,
            self.device,
            self.batch,
            self.threshold,
            ocr=self.ocr == "auto" and ocr_installed(),
            amp=not self.no_amp,
        )
