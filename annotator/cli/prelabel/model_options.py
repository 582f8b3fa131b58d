"""Options of the models, shared by `prelabel run` and `prelabel serve`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from annotator.cli.commandline import options
from annotator.cli.prelabel.options import DECODE, DEVICE, FOLDER, THRESHOLD

_OPTIONS = options(
    click.option(
        "--detector",
        metavar="NAME|FOLDER",
        help="Model for boxes: a checkpoint of `prelabel train detector`, or a transformers model "
        "[default: the splitter without weights].",
    ),
    click.option(
        "--tagger",
        type=FOLDER,
        help="Model for subcaptions: a checkpoint of `prelabel train text-crf` or `box-crf` "
        "[default: the caption parser].",
    ),
    click.option(
        "--classifier",
        type=FOLDER,
        help="Model for figure types: a checkpoint of `prelabel train classifier`.",
    ),
    DECODE,
    DEVICE,
    click.option(
        "--batch",
        type=click.IntRange(1, 4096),
        help="Images per batch [default: by device].",
    ),
    click.option("--no-amp", is_flag=True, help="Use full precision on CUDA too."),
    THRESHOLD,
    click.option(
        "--ocr",
        type=click.Choice(["auto", "off"]),
        default="auto",
        show_default=True,
        envvar="PANELWISE_OCR",
        help="auto: with panelwise[ocr], read panel letters not found by shape; not with --detector.",
    ),
)


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--detector`, `--tagger` and so on, passed to the command as one `recipe` (`prelabel.runs.opening`)."""

    @wraps(function)
    def with_recipe(
        *arguments: Any,
        detector: str | None,
        tagger: Path | None,
        classifier: Path | None,
        decode: str,
        device: str,
        batch: int | None,
        threshold: float,
        ocr: str,
        no_amp: bool,
        **values: Any,
    ) -> Any:
        from prelabel.panels import ocr_installed
        from prelabel.runs import Recipe

        reads = ocr == "auto" and ocr_installed()
        recipe = Recipe(detector, tagger, classifier, decode, device, batch, threshold, reads, not no_amp)
        return function(*arguments, recipe=recipe, **values)

    return _OPTIONS(with_recipe)
