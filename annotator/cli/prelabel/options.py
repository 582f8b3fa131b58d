"""Paths, options and the last line, shared by the commands of `prelabel`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.parameters import Number, Option, OptionGroup
from annotator.cli.paths import InPath, OutPath
from annotator.cli.shared_options import Processes
from panelwise.domain import AnnotatorError

FOLDER = InPath(file_okay=False)
#: Which gold to learn from, or to score against.
IncludeSingle = Annotated[
    Literal["none", "single"],
    Option(
        "Gold besides adjudicated and unanimous figures: none, or unreviewed ones of a single annotator.",
        "--include",
        default="single",
    ),
]
Decode = Annotated[
    Literal["crf", "span"], Option("A box-crf's words: by its CRF, or the best single span.", default="crf")
]
Device = Annotated[str, Option("auto (a GPU, else the CPU), cpu, cuda or cuda:1.", metavar="NAME", default="auto")]
Threshold = Annotated[float, Option("Minimum score of the detector's boxes.", type=Number(0.0, 1.0), default=0.7)]
Detector = Annotated[
    str | None,
    Option(
        "Model for boxes: classic (the splitter), panel-net (shipped), both (decide by both), a checkpoint of "
        "`prelabel train detector`, a transformers model, or both:NAME with one of these [default: both].",
        metavar="NAME|FOLDER",
    ),
]
ImagesOfFigures = Annotated[
    Path | None,
    Option("Base folder of image paths [default: the folder of FIGURES].", "--images", type=FOLDER),
]
ImagesOfGold = Annotated[
    Path | None,
    Option("Base folder of image paths [default: of --figures, else of GOLD].", "--images", type=FOLDER),
]
NoAmp = Annotated[bool, Option("Use full precision on CUDA too.")]


class SplitOptions(OptionGroup):
    """Options of the splits by article into training, validation and test."""

    split_keys: Annotated[Path | None, Option("MedICaT's subcaption_split_keys.json.")]
    split_seed: Annotated[
        int,
        Option("Seed of the splits; the same in training and scoring.", type=click.IntRange(0), default=0),
    ]


class DrawingOptions(OptionGroup):
    """Options of commands that draw figures."""

    processes: Processes
    sheet: Annotated[
        Path | None, Option("Also draw the first 60 figures on one sheet (PNG, JPEG).", type=OutPath())
    ]
    sheet_boxes: Annotated[bool, Option("Draw true boxes on it.")]

    def check(self) -> None:
        """Raise UsageError for an option of the sheet without the sheet."""
        if self.sheet_boxes and self.sheet is None:
            raise click.UsageError("--sheet-boxes needs --sheet FILE")


@contextmanager
def simulator_required() -> Iterator[None]:
    """Raise AnnotatorError with the install command if the simulator, a separate distribution, is not installed.

    Put only imports into this block.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "panelwise_simulator":
            raise
        raise AnnotatorError(
            "the simulator is not installed; run pip install panelwise-simulator "
            "(from a checkout: pip install ./simulator)"
        ) from None


def count_lines(path: Path) -> int | None:
    """Count the lines of a JSONL file for a progress bar; None for other files, or if no bar is drawn."""
    if not sys.stderr.isatty() or not path.is_file():
        return None
    with path.open("rb") as file:
        if file.read(1) == b"[":
            return None
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
