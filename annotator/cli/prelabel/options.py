"""Paths, options and the last line, shared by the commands of `prelabel`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from panelwise.domain.errors import AnnotatorError

FILE = click.Path(path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
#: Which gold to learn from, or to score against.
INCLUDE = click.option(
    "--include",
    type=click.Choice(["none", "single"]),
    default="single",
    show_default=True,
    help="Gold besides adjudicated and unanimous figures: none, or single annotations too, which are unreviewed.",
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
