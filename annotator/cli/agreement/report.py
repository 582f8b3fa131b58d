"""`agreement report`: how far the annotators of a phase agree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.agreement.options import (
    NAMED_FOLDER,
    SOURCE,
    give_out,
    look_at,
    metric_options,
    output_options,
    settings_of,
    tell_superseded,
)
from annotator.cli.agreement.pages import (
    HTML,
    page_options,
    refuse_pictures,
    render_page,
    shown_worst,
    source_names,
)
from annotator.cli.commandline import home_option, warn

if TYPE_CHECKING:
    from agreement.report.full_report import Course
    from agreement.report.summary import Report

EXAMPLES = """\b
Examples:
  agreement report annotations.jsonl --phase 1 --format json
  agreement report --home ./campaign --phase 2 --against 1
  agreement report annotations.jsonl --drift 4 --format csv --out tables
  agreement report annotations.jsonl --images figures.jsonl --format html --out report.html
  agreement report answers.csv --pairs qa.jsonl
"""
#: More parts than this tell nothing: each would be of few figures.
_MOST_PARTS = 1000


def _drift(_context: click.Context, _option: click.Parameter, value: str) -> str | int:
    """The word, or the number of parts."""
    if value in ("week", "batch", "none"):
        return value
    if not (value.isascii() and value.isdigit()) or not 2 <= int(value) <= _MOST_PARTS:
        raise click.BadParameter(
            f"{value} is none of week, batch, none, and a number of parts from 2 to {_MOST_PARTS}"
        )
    return int(value)


@click.command(epilog=EXAMPLES)
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=SOURCE)
@click.option("--phase", help="The phase to measure; needed where the sources hold several.")
@click.option(
    "--against", metavar="PHASE", help="Another phase to compare it with: both IAAs and their difference."
)
@click.option(
    "--drift",
    metavar="[week|batch|N|none]",
    callback=_drift,
    default="week",
    show_default=True,
    help="Agreement over time: by ISO week, by batch as the figures name it, in N equal parts in order of work, "
    "or not at all.",
)
@click.option(
    "--batches",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="For --drift batch: a figures.jsonl that names each figure's batch (batch, or source.batch), where the "
    "sources do not.",
)
@click.option(
    "--pairs",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The question-answer pairs that the work is on (SciVQA's layout), where the sources come without; may be "
    "given again.",
)
@metric_options
@page_options
@output_options(
    *("text", "json", "csv", HTML),
    what="For reading, for scripts (unrounded), tables for a spreadsheet, or a page with the worst figures.",
)
@home_option
def report(
    sources: tuple[Path, ...],
    phase: str | None,
    against: str | None,
    drift: str | int,
    batches: Path | None,
    pairs: tuple[Path, ...],
    layout: str,
    out: Path | None,
    home: Path | None,
    images: Path | None,
    view: str | None,
    worst: int,
    **options: Any,
) -> None:
    """Agreement between all annotators of a phase: IAA, every ordered pair, intervals, what was left out.

    SOURCE is annotations JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign's home; several are taken
    together [default: the campaign's home]. Annotators are compared over the figures that both accepted, within
    one phase: where the sources hold several phases, choose one with --phase.

    Figures that somebody did in another phase too tell how far they agree with themselves.

    Figure types, verdicts on question-answer pairs and people's own answers are measured where the work holds any.
    Answers may also come as SciVQA's pairs with a person's answer each, or as a table (.csv) of instance_id and
    answer_pred, with --pairs.
    """
    from annotator.measurement.report import ReportOptions, measure_sources
    from panelwise.files.jsonl import Problems

    shown = shown_worst(layout, worst)
    if batches is not None and drift != "batch":
        raise click.UsageError("--batches goes with --drift batch")
    _look_at(layout, out, *sources, *([] if batches is None else [batches]), *pairs)
    refuse_pictures(out, images)
    problems = Problems(report=warn)
    found = measure_sources(
        sources,
        problems,
        options=ReportOptions(
            phase=phase, against=against, settings=settings_of(options), course=_course(drift), worst=shown
        ),
        home=home,
        batches=batches,
        pairs=pairs,
        warn=warn,
        side_by_side=True,
    )
    if layout == HTML:
        from agreement.report.html.report import report_html

        names = source_names(sources, home)
        give_out(
            render_page(
                lambda pictures: report_html(found, pictures=pictures, view=view, sources=names),
                sources,
                images=images,
                home=home,
                worst=worst,
            ),
            out,
        )
    else:
        _give_out(found, layout, out)
    tell_superseded(found.counts.superseded)
    if problems.count:
        raise SystemExit(1)


def _course(drift: str | int) -> Course:
    from agreement.report.full_report import Course
    from agreement.trends.drift import Grouping

    if isinstance(drift, int):
        return Course(Grouping.PART, parts=drift)
    return Course(None if drift == "none" else Grouping(drift))


def _look_at(layout: str, out: Path | None, *sources: Path) -> None:
    """Refuse what cannot be written to, before anything is computed."""
    from agreement.report.csv.report import TABLES

    if layout != "csv":
        if out is not None and (out.is_dir() or NAMED_FOLDER in click.get_current_context().meta):
            raise click.BadParameter(f"{out}{os.sep} names a folder; name a file in it", param_hint="'--out'")
        look_at(out, *sources)
        return
    if out is None or out.is_file():
        raise click.UsageError("--format csv writes several tables; name a folder for them with --out")
    for name in TABLES:
        look_at(out / name, *sources)


def _give_out(found: Report, layout: str, out: Path | None) -> None:
    from agreement.report.csv.report import report_tables
    from agreement.report.json.report import report_json
    from agreement.report.text.report import report_text
    from panelwise.runtime.atomic_write import write_whole

    if layout == "csv" and out is not None:
        for name, text in report_tables(found).items():
            write_whole(out / name, text.encode())
    else:
        give_out(report_json(found) if layout == "json" else report_text(found), out)
