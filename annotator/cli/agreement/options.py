"""Options of the metric, of gold and of the output, shared by the commands of `agreement`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from agreement.primitives import MIN_IOU, RESAMPLES
from annotator.cli.commandline import warn
from annotator.cli.parameters import Argument, Number, Option, OptionGroup
from annotator.cli.paths import OutPath, refuse_input
from annotator.cli.shared_options import Seed
from panelwise.runtime import counted

if TYPE_CHECKING:
    from agreement.primitives import Settings
    from annotator.measurement.sources import People

#: Key in click's context: --out ended in a separator, which pathlib drops.
NAMED_FOLDER = "panelwise.out_is_folder"

Sources = Annotated[tuple[Path, ...], Argument(metavar="[SOURCE]...")]
MinIou = Annotated[float, Option("Minimum IoU of boxes that match.", type=Number(0.0, 1.0), default=MIN_IOU)]
Articles = Annotated[
    Path | None,
    Option(
        "figures.jsonl with each figure's article, for intervals that resample articles; a campaign home knows "
        "them.",
        metavar="FILE",
    ),
]
GoldAnnotator = Annotated[
    str | None, Option("Annotator whose work is the gold; needed if GOLD has several.", metavar="NAME")
]
GoldPhase = Annotated[str | None, Option("Phase of GOLD; needed if it has several.", metavar="NAME")]


class ResampleOptions(OptionGroup):
    """Options of confidence intervals."""

    bootstrap: Annotated[
        int,
        Option(
            "Resamples for 95 % confidence intervals; 0: none.",
            type=click.IntRange(0, 1_000_000),
            default=RESAMPLES,
        ),
    ]
    seed: Seed


class MetricOptions(OptionGroup):
    """Options of the metric."""

    mode: Annotated[
        Literal["paper", "official-code"],
        Option("The MedICaT paper's metric, or its authors' code.", default="paper"),
    ]
    common: Annotated[
        Literal["none", "gold", "both"] | None,
        Option(
            "Leave out tokens that are in all of an annotator's subcaptions of a figure: on which sides "
            "[default: none; with official-code: gold]."
        ),
    ]
    min_iou: MinIou
    resampling: ResampleOptions

    def settings(self) -> Settings:
        """Return the settings of the metric."""
        from agreement.primitives import Common, Mode, Settings

        return Settings(
            mode=Mode(self.mode),
            common=None if self.common is None else Common(self.common),
            min_iou=self.min_iou,
            resamples=self.resampling.bootstrap,
            seed=self.resampling.seed,
        )


class PeopleOptions(OptionGroup):
    """Options of the annotators whose agreement is printed beside scores."""

    people: Annotated[
        Path | None,
        Option("Annotators whose agreement is printed beside each score, with the gap.", metavar="SOURCE"),
    ]
    people_phase: Annotated[str | None, Option("Phase of --people; needed if it has several.", metavar="NAME")]

    def chosen(self) -> People | None:
        """Return the annotators, if any. Raises UsageError for a phase without them."""
        from annotator.measurement.sources import People

        if self.people is not None:
            return People(self.people, self.people_phase)
        if self.people_phase is not None:
            raise click.UsageError("--people-phase needs --people")
        return None


class FileOrFolder(OutPath):
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
