"""Paths, options and the last line, shared by the commands of `prelabel`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from annotator.cli.commandline import options
from annotator.cli.numbers import Number
from annotator.cli.paths import InPath, OutPath
from panelwise.domain import AnnotatorError

FILE = InPath()
FOLDER = InPath(file_okay=False)
#: Which gold to learn from, or to score against.
INCLUDE = click.option(
    "--include",
    type=click.Choice(["none", "single"]),
    default="single",
    show_default=True,
    help="Gold besides adjudicated and unanimous figures: none, or unreviewed ones of a single annotator.",
)
DECODE = click.option(
    "--decode",
    type=click.Choice(["crf", "span"]),
    default="crf",
    show_default=True,
    help="A box-crf's words: by its CRF, or the best single span.",
)
DEVICE = click.option(
    "--device",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="auto (a GPU, else the CPU), cpu, cuda or cuda:1.",
)
THRESHOLD = click.option(
    "--threshold",
    type=Number(0.0, 1.0),
    default=0.7,
    show_default=True,
    help="Minimum score of the detector's boxes.",
)
#: How articles are split into training, validation and test.
split_options = options(
    click.option("--split-keys", type=FILE, help="MedICaT's subcaption_split_keys.json."),
    click.option(
        "--split-seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Seed of the splits; the same in training and scoring.",
    ),
)
#: Of commands that draw figures: in how many processes, and on which contact sheet.
drawing_options = options(
    click.option("--processes", type=click.IntRange(min=1), help="Number of processes [default: one per core]."),
    click.option("--sheet", type=OutPath(), help="Also draw the first 60 figures on one sheet (PNG, JPEG)."),
    click.option("--sheet-boxes", is_flag=True, help="Draw true boxes on it."),
)


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
