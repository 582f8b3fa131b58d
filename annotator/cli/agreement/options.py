"""What the commands of `agreement` share: the options of the metric, where results go."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agreement.primitives.rules import MIN_IOU, RESAMPLES
from annotator.cli.commandline import OutPath, refuse_input, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from agreement.primitives.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])
SOURCE = click.Path(path_type=Path)
#: Where a context keeps that --out was written as a folder, which a path does not tell.
NAMED_FOLDER = "panelwise.out_is_folder"


def _finite(_context: click.Context, _option: click.Parameter, value: float) -> float:
    """NaN is in every range: it compares false."""
    if value != value:
        raise click.BadParameter("nan is no threshold; give a number from 0 to 1")
    return value


def min_iou_option(what: str) -> Callable[[Function], Function]:
    """`--min-iou`, a number from 0 to 1. what: its help."""
    return click.option(
        "--min-iou",
        type=click.FloatRange(0.0, 1.0),
        callback=_finite,
        default=MIN_IOU,
        show_default=True,
        help=what,
    )


def metric_options(function: Function) -> Function:
    """The options that say how a score is made."""
    for option in reversed(
        (
            click.option(
                "--mode",
                type=click.Choice(["paper", "official-code"]),
                default="paper",
                show_default=True,
                help="The metric as the MedICaT paper tells it, or as its authors' code computes it.",
            ),
            click.option(
                "--common",
                type=click.Choice(["none", "gold", "both"]),
                default=None,
                help="Take away tokens that are in all of an annotator's subcaptions of a figure: not at all, "
                "from the gold only, or from each side its own [default: none; with official-code: gold].",
            ),
            min_iou_option("A box answers to a gold box from this IoU on."),
            click.option(
                "--bootstrap",
                type=click.IntRange(0, 1_000_000),
                default=RESAMPLES,
                show_default=True,
                help="Resamples of figures for the 95% intervals; 0 for none.",
            ),
            click.option(
                "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the resamples."
            ),
        )
    ):
        function = option(function)
    return function


class _OutPath(OutPath):
    """A file to write, or a folder for several."""

    def __init__(self) -> None:
        super().__init__()
        self.dir_okay = True
        self._what = "file or folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails with wrong usage; a name that ends as a folder's does is kept in mind."""
        path = super().convert(value, param, ctx)
        if ctx is not None and os.fsdecode(value).endswith(os.sep):
            ctx.meta[NAMED_FOLDER] = True
        return path


def output_options(
    *layouts: str, what: str = "For reading, or for scripts (unrounded)."
) -> Callable[[Function], Function]:
    """`--format`, one of the layouts, the first by default, and `--out`. what: the help of `--format`.

    Layout csv is of several tables: `--out` may name a folder then.
    """
    tables = "csv" in layouts
    where = (
        "Write here, not to stdout; for csv a folder, which it needs." if tables else "Write here, not to stdout."
    )

    def decorate(function: Function) -> Function:
        function = click.option("--out", type=_OutPath() if tables else OutPath(), help=where)(function)
        return click.option(
            "--format",
            "layout",
            type=click.Choice(layouts),
            default=layouts[0],
            show_default=True,
            help=what,
        )(function)

    return decorate


def settings_of(options: dict[str, Any]) -> Settings:
    """The settings that `metric_options` hands over."""
    from agreement.primitives.settings import Settings
    from agreement.score.subfigure_f1 import Common, Mode

    return Settings(
        mode=Mode(options["mode"]),
        common=None if options["common"] is None else Common(options["common"]),
        min_iou=options["min_iou"],
        resamples=options["bootstrap"],
        seed=options["seed"],
    )


def look_at(out: Path | None, *sources: Path) -> None:
    """Refuse, before anything is computed, to write over a source or what a campaign keeps."""
    from annotator.campaign.protected_files import refuse_protected

    refuse_input(out, *sources)
    refuse_protected(out)


def give_out(text: str, out: Path | None) -> None:
    """Write the text to `out`, to stdout where that is None."""
    if out is None:
        click.echo(text, nl=False)
        return
    from panelwise.runtime.atomic_write import write_whole

    write_whole(out, text.encode())


def tell_superseded(superseded: tuple[tuple[str, str], ...]) -> None:
    """Say on stderr how many annotations a later one replaces. superseded: (figure, annotator)."""
    if superseded:
        figure, name = superseded[0]
        left = counted(len(superseded), "annotation")
        warn(f"{left} left out, as a later one replaces them (first: {figure} by {name})")
