"""Options of the metric and the output, shared by the commands of `agreement`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agreement.primitives import MIN_IOU, RESAMPLES
from annotator.cli.commandline import AnyFunction, options, warn
from annotator.cli.numbers import Number
from annotator.cli.paths import InPath, OutPath, refuse_input
from panelwise.runtime import counted

if TYPE_CHECKING:
    from agreement.primitives import Settings

SOURCE = InPath()
#: Key in click's context: --out ended in a separator, which pathlib drops.
NAMED_FOLDER = "panelwise.out_is_folder"


def min_iou_option(what: str) -> Callable[[AnyFunction], AnyFunction]:
    """Add `--min-iou`, a number from 0 to 1. what: its help."""
    return click.option(
        "--min-iou",
        type=Number(0.0, 1.0),
        default=MIN_IOU,
        show_default=True,
        help=what,
    )


#: Adds `--bootstrap` and `--seed`.
resample_options = options(
    click.option(
        "--bootstrap",
        type=click.IntRange(0, 1_000_000),
        default=RESAMPLES,
        show_default=True,
        help="Resamples for 95 % confidence intervals; 0: none.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed."),
)
#: Adds the options of the metric, for `settings_of`.
metric_options = options(
    click.option(
        "--mode",
        type=click.Choice(["paper", "official-code"]),
        default="paper",
        show_default=True,
        help="The MedICaT paper's metric, or its authors' code.",
    ),
    click.option(
        "--common",
        type=click.Choice(["none", "gold", "both"]),
        help="Leave out tokens that are in all of an annotator's subcaptions of a figure: "
        "on which sides [default: none; with official-code: gold].",
    ),
    min_iou_option("Minimum IoU of boxes that match."),
    resample_options,
)
#: Adds `--articles`.
articles_option = click.option(
    "--articles",
    metavar="FILE",
    type=SOURCE,
    help="figures.jsonl with each figure's article, for intervals that resample articles; a campaign home "
    "knows them.",
)
#: Adds `--people` and `--people-phase`.
people_options = options(
    click.option(
        "--people",
        metavar="SOURCE",
        type=SOURCE,
        help="Annotators whose agreement is printed beside each score, with the gap.",
    ),
    click.option("--people-phase", metavar="NAME", help="Phase of --people; needed if it has several."),
)


class _OutPath(OutPath):
    """A file to write, or a folder for several."""

    def __init__(self) -> None:
        super().__init__()
        self.dir_okay = True
        self._what = "file or folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, and note in the context whether the name ends in a separator.

        Fails with a usage error for a path that click refuses.
        """
        path = super().convert(value, param, ctx)
        if ctx is not None and os.fsdecode(value).endswith(os.sep):
            ctx.meta[NAMED_FOLDER] = True
        return path


def output_options(
    *layouts: str, what: str = "Text to read, or unrounded JSON for scripts."
) -> Callable[[AnyFunction], AnyFunction]:
    """Add `--format`, one of the layouts, the first by default, and `--out`. what: the help of `--format`.

    The layout csv has several tables, so `--out` may be a folder.
    """
    tables = "csv" in layouts
    where = (
        "Output file [default: stdout]; of csv a folder, required." if tables else "Output file [default: stdout]."
    )
    return options(
        click.option(
            "--format",
            "layout",
            type=click.Choice(layouts),
            default=layouts[0],
            show_default=True,
            help=what,
        ),
        click.option(
            "--out",
            type=_OutPath() if tables else OutPath(),
            help=where,
        ),
    )


def settings_of(chosen: dict[str, Any]) -> Settings:
    """Return the settings of `metric_options`."""
    from agreement.primitives import Common, Mode, Settings

    return Settings(
        mode=Mode(chosen["mode"]),
        common=None if chosen["common"] is None else Common(chosen["common"]),
        min_iou=chosen["min_iou"],
        resamples=chosen["bootstrap"],
        seed=chosen["seed"],
    )


def look_at(out: Path | None, *sources: Path) -> None:
    """Refuse to overwrite a source or a campaign's files, before computing anything."""
    from annotator.campaign.protected_files import refuse_protected

    refuse_input(out, *sources)
    refuse_protected(out)


def warn_of_superseded(superseded: tuple[tuple[str, str], ...]) -> None:
    """Print the number of superseded annotations on stderr. superseded: (figure, annotator)."""
    if superseded:
        figure, name = superseded[0]
        left = counted(len(superseded), "annotation")
        warn(f"{left} left out: replaced by later ones (first: {figure} by {name})")
