"""`agreement report`: how far the annotators of a phase agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agreement.cli.options import SOURCE, give_out, look_at, metric_options, settings_of, tell_superseded
from annotator.commandline import home_option, warn

#: What --csv writes.
TABLES = ("pairs.csv", "annotators.csv", "figures.csv")


@click.command(epilog="Example: agreement report annotations.jsonl --phase 1 --format json")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=SOURCE)
@click.option("--phase", help="The phase to measure; needed where the sources hold several.")
@click.option(
    "--csv",
    "tables",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write pairs.csv, annotators.csv and figures.csv into this folder too.",
)
@metric_options
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

    look_at(out, *sources)
    if tables is not None:
        for name in TABLES:
            look_at(tables / name, *sources)
    problems = Problems(report=warn)
    found = measure_sources(sources, problems, home=home, phase=phase, settings=settings_of(options), tell=warn)
    if tables is not None:
        for name, text in report_tables(found).items():
            write_whole(tables / name, text.encode())
    give_out(report_json(found) if layout == "json" else report_text(found), out)
    tell_superseded(found.counts.superseded)
    if problems.count:
        raise SystemExit(1)
