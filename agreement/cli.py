"""The `agreement` command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from annotator.commandline import OutPath, home_option, refuse_input, run, warn
from annotator.domain.counting import counted

if TYPE_CHECKING:
    from agreement.metrics.summary import Settings

Function = TypeVar("Function", bound=Callable[..., Any])
SOURCE = click.Path(path_type=Path)
#: What --csv writes.
TABLES = ("pairs.csv", "annotators.csv", "figures.csv")


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: agreement report annotations.jsonl",
)
@click.version_option(package_name="panelwise", prog_name="agreement")
def group() -> None:
    """How far annotators agree, with each other and with gold."""


def _finite(_context: click.Context, _option: click.Parameter, value: float) -> float:
    """NaN is in every range: it compares false."""
    if value != value:
        raise click.BadParameter("nan is no threshold; give a number from 0 to 1")
    return value


def _metric_options(function: Function) -> Function:
    """The options that say how a score is made and given out."""
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
            click.option(
                "--min-iou",
                type=click.FloatRange(0.0, 1.0),
                callback=_finite,
                default=0.5,
                show_default=True,
                help="A box answers to a gold box from this IoU on.",
            ),
            click.option(
                "--bootstrap",
                type=click.IntRange(0, 1_000_000),
                default=10_000,
                show_default=True,
                help="Resamples of figures for the 95% intervals; 0 for none.",
            ),
            click.option(
                "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the resamples."
            ),
            click.option(
                "--format",
                "layout",
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="For reading, or for scripts (unrounded).",
            ),
            click.option("--out", type=OutPath(), help="Write here, not to stdout."),
        )
    ):
        function = option(function)
    return function


@group.command(epilog="Example: agreement report annotations.jsonl --phase 1 --format json")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=SOURCE)
@click.option("--phase", help="The phase to measure; needed where the sources hold several.")
@click.option(
    "--csv",
    "tables",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write pairs.csv, annotators.csv and figures.csv into this folder too.",
)
@_metric_options
@home_option
def report(
    sources: tuple[Path, ...],
    phase: str | None,
    tables: Path | None,
    layout: str,
    out: Path | None,
    home: Path | None,
    **options: Any,
) -> None:
    """Agreement between all annotators of a phase: IAA, every ordered pair, intervals, what was left out.

    SOURCE is annotations JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign's home; several are taken
    together [default: the campaign's home]. Annotators are compared over the figures that both accepted, within
    one phase: where the sources hold several phases, choose one with --phase.
    """
    from agreement.report.csv import report_tables
    from agreement.report.json import report_json
    from agreement.report.text import report_text
    from annotator.formats.jsonl import Problems
    from annotator.formats.whole_files import write_whole
    from annotator.services.measuring import measure_sources

    _look_at(out, *sources)
    if tables is not None:
        for name in TABLES:
            _look_at(tables / name, *sources)
    problems = Problems(report=warn)
    found = measure_sources(sources, problems, home=home, phase=phase, settings=_settings(options), tell=warn)
    if tables is not None:
        for name, text in report_tables(found).items():
            write_whole(tables / name, text.encode())
    _give_out(report_json(found) if layout == "json" else report_text(found), out)
    _tell_superseded(found.counts.superseded)
    if problems.count:
        raise SystemExit(1)


@group.command(epilog="Example: agreement compare gold.jsonl predictions.jsonl --format json")
@click.argument("gold", type=SOURCE)
@click.argument("predicted", type=SOURCE)
@click.option(
    "--gold-annotator", metavar="NAME", help="Whose work in GOLD is the gold; needed where there are several."
)
@click.option("--annotator", metavar="NAME", help="Score this one of PREDICTED only [default: each].")
@click.option("--gold-phase", metavar="NAME", help="The phase to take from GOLD; needed where it holds several.")
@click.option("--phase", metavar="NAME", help="The phase to take from PREDICTED; needed where it holds several.")
@_metric_options
def compare(
    gold: Path,
    predicted: Path,
    gold_annotator: str | None,
    annotator: str | None,
    gold_phase: str | None,
    phase: str | None,
    layout: str,
    out: Path | None,
    **options: Any,
) -> None:
    """Score PREDICTED (a model's or annotators' work) against GOLD.

    Each is annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign's home; of a
    home GOLD takes the reviewers' decisions. The score is the mean over the gold subfigures that count, in the
    figures that both sides accepted. Figures that only one side has are left out and named.
    """
    from agreement.report.json import comparison_json
    from agreement.report.text import comparison_text
    from annotator.formats.jsonl import Problems
    from annotator.services.measuring import compare_sources

    _look_at(out, gold, predicted)
    problems = Problems(report=warn)
    found = compare_sources(
        gold,
        predicted,
        problems,
        gold_annotator=gold_annotator,
        annotator=annotator,
        gold_phase=gold_phase,
        phase=phase,
        settings=_settings(options),
        tell=warn,
    )
    _give_out(comparison_json(found) if layout == "json" else comparison_text(found), out)
    _tell_superseded(found.superseded)
    if problems.count:
        raise SystemExit(1)


def _settings(options: dict[str, Any]) -> Settings:
    from agreement.metrics.subfigure_f1 import Common, Mode
    from agreement.metrics.summary import Settings

    return Settings(
        mode=Mode(options["mode"]),
        common=None if options["common"] is None else Common(options["common"]),
        min_iou=options["min_iou"],
        resamples=options["bootstrap"],
        seed=options["seed"],
    )


def _look_at(out: Path | None, *sources: Path) -> None:
    """Refuse, before anything is computed, to write over a source or what a campaign keeps."""
    from annotator.services.kept_files import refuse_kept

    refuse_input(out, *sources)
    refuse_kept(out)


def _give_out(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    from annotator.formats.whole_files import write_whole

    write_whole(out, text.encode())


def _tell_superseded(superseded: tuple[tuple[str, str], ...]) -> None:
    if superseded:
        figure, name = superseded[0]
        left = counted(len(superseded), "annotation")
        warn(f"{left} left out, as a later one replaces them (first: {figure} by {name})")


def main() -> None:
    """Entry point of the console script."""
    run(group)
