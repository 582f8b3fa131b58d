"""`agreement report`: measure the agreement of a phase's annotators."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.agreement.options import (
    NAMED_FOLDER,
    Articles,
    FileOrFolder,
    MetricOptions,
    Sources,
    look_at,
    warn_of_superseded,
)
from annotator.cli.agreement.pages import (
    HTML,
    PageOptions,
    refuse_pictures,
    render_page,
    shown_worst,
    source_names,
)
from annotator.cli.commandline import campaign_at, exit_on, warn, warned_problems, write_output
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption

if TYPE_CHECKING:
    from agreement.report import Course, Report

EXAMPLES = """\b
Examples:
  agreement report annotations.jsonl --phase 1 --format json
  agreement report --home ./campaign --phase 2 --against 1
  agreement report annotations.jsonl --drift 4 --format csv --out tables
  agreement report annotations.jsonl --images figures.jsonl --format html --out report.html
  agreement report annotations.jsonl --latex paper/agreement
  agreement report annotations.jsonl --names pseudonyms --out report.txt
  agreement report answers.csv --pairs qa.jsonl
"""
#: With more parts than this, each would have too few figures.
_MOST_PARTS = 1000


def _drift(_context: click.Context, _option: click.Parameter, value: str) -> str | int:
    """Return the word or the number of parts."""
    if value in ("week", "batch", "none"):
        return value
    if not (value.isascii() and value.isdigit()) or not 2 <= int(value) <= _MOST_PARTS:
        raise click.BadParameter(f"{value} is not week, batch, none, or a number of parts from 2 to {_MOST_PARTS}")
    return int(value)


@click.command(epilog=EXAMPLES, cls=SignatureCommand)
def report(
    sources: Sources,
    phase: Annotated[str | None, Option("Phase to measure; needed if there are several.")],
    against: Annotated[str | None, Option("Compare with this phase.", metavar="PHASE")],
    drift: Annotated[
        str | int,
        Option(
            "Agreement by ISO week, batch, N equal parts in order of work, or none.",
            metavar="[week|batch|N|none]",
            default="week",
            callback=_drift,
        ),
    ],
    batches: Annotated[
        Path | None,
        Option(
            "For --drift batch: figures.jsonl with batches (batch or source.batch), if the sources have none.",
            metavar="FILE",
        ),
    ],
    articles: Articles,
    pairs: Annotated[
        tuple[Path, ...],
        Option(
            "The annotations' question-answer pairs (SciVQA's format), if the sources have none (repeatable).",
            metavar="FILE",
        ),
    ],
    latex: Annotated[
        Path | None,
        Option(
            "Also write LaTeX tables, a Methods paragraph and figures to this folder, or ZIP archive (.zip).",
            metavar="DIR",
            type=FileOrFolder(),
        ),
    ],
    names: Annotated[
        Literal["real", "pseudonyms"] | None,
        Option("Annotators' names, or Annotator 1, 2, ... in their place [default: real; in LaTeX pseudonyms]."),
    ],
    metric: MetricOptions,
    page: PageOptions,
    layout: Annotated[
        Literal["text", "json", "csv", "html"],
        Option("Text, unrounded JSON, tables, or a page with the worst figures.", "--format", default="text"),
    ],
    out: Annotated[
        Path | None, Option("Output file [default: stdout]; of csv a folder, required.", type=FileOrFolder())
    ],
    home: HomeOption,
) -> None:
    """Measure the agreement of a phase's annotators: IAA, pairs, confidence intervals, left-out figures.

    SOURCE is annotations JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign home; several are combined
    [default: the campaign home]. Figure types, verdicts and human answers are measured too; answers may also be
    SciVQA's pairs with human_prediction, or a table (.csv) of instance_id and answer_pred, with --pairs.
    """
    from annotator.measurement.report import ReportOptions, measure_sources

    worst_shown = shown_worst(layout, page.worst)
    if batches is not None and drift != "batch":
        raise click.UsageError("--batches needs --drift batch")
    inputs = (*sources, *(each for each in (batches, articles) if each is not None), *pairs)
    _look_at(layout, out, *inputs)
    if latex is not None:
        _look_at_latex(latex, *inputs)
    refuse_pictures(out, page.images)
    problems = warned_problems()
    found = measure_sources(
        sources,
        problems,
        options=ReportOptions(
            phase=phase, against=against, settings=metric.settings(), course=_course(drift), worst=worst_shown
        ),
        home=home,
        batches=batches,
        articles=articles,
        pairs=pairs,
        warn=warn,
    )
    hidden = found
    if names == "pseudonyms" or (latex is not None and names is None):
        hidden = _without_names(found, sources, home)
    shown = hidden if names == "pseudonyms" else found
    if layout == HTML:
        from agreement.report import report_html

        # Files are often named after a person, and the slices of pairs are addressed by name.
        origin = [] if names == "pseudonyms" else source_names(sources, home)
        write_output(
            render_page(
                lambda pictures: report_html(
                    shown, pictures=pictures, view=page.view, sources=origin, slices=names != "pseudonyms"
                ),
                sources,
                images=page.images,
                home=home,
                worst=page.worst,
            ),
            out,
        )
    else:
        _give_out(shown, layout, out)
    if latex is not None:
        _give_latex(hidden, latex)
    warn_of_superseded(shown.counts.superseded)
    exit_on(problems)


def _without_names(found: Report, sources: Sequence[Path], home: Path | None) -> Report:
    """Return the report with numbers in place of names; warns of texts that still name an annotator."""
    from agreement.report import under_pseudonyms
    from annotator.measurement.pseudonyms import numbered_annotators, texts_with_names
    from annotator.measurement.report_pictures import homes_among
    from panelwise.runtime import first_of

    homes = homes_among(sources) if sources else [campaign_at(home)]
    numbers = numbered_annotators(found, homes)
    if texts := texts_with_names(found, numbers):
        warn(f"names of annotators remain in {first_of(texts, 5)}; rename these, or look before you publish")
    return under_pseudonyms(found, numbers)


def _course(drift: str | int) -> Course:
    from agreement.report import Course
    from agreement.trends import Grouping

    if isinstance(drift, int):
        return Course(Grouping.PART, parts=drift)
    return Course(None if drift == "none" else Grouping(drift))


def _look_at(layout: str, out: Path | None, *sources: Path) -> None:
    """Refuse outputs that can't be written, before computing anything."""
    if layout != "csv":
        if out is not None and (out.is_dir() or NAMED_FOLDER in click.get_current_context().meta):
            raise click.BadParameter(f"{out}{os.sep} names a folder; name a file in it", param_hint="'--out'")
        look_at(out, *sources)
        return
    if out is None or out.is_file():
        raise click.UsageError("--format csv writes several tables; name a folder for them with --out")
    from agreement.report import TABLES

    for name in TABLES:
        look_at(out / name, *sources)


def _give_out(found: Report, layout: str, out: Path | None) -> None:
    from agreement.report import report_json, report_tables, report_text
    from panelwise.runtime import write_all_whole

    if layout == "csv" and out is not None:
        write_all_whole({out / name: text.encode() for name, text in report_tables(found).items()})
    else:
        write_output(report_json(found) if layout == "json" else report_text(found), out)


def _look_at_latex(folder: Path, *sources: Path) -> None:
    from agreement.report import FIGURES, FILES

    if folder.suffix == ".zip":
        look_at(folder, *sources)
        return
    if folder.is_file():
        raise click.UsageError(f"--latex {folder} is a file; name a folder, or a ZIP archive (.zip)")
    for name in (*FILES, *FIGURES):
        look_at(folder / name, *sources)


def _give_latex(found: Report, folder: Path) -> None:
    from agreement.report import can_draw, report_figures, report_latex
    from panelwise.files import zip_of
    from panelwise.runtime import write_all_whole

    files = {name: text.encode() for name, text in report_latex(found).items()}
    if can_draw():
        files |= report_figures(found)
    if folder.suffix == ".zip":
        write_all_whole({folder: zip_of(files)})
    else:
        write_all_whole({folder / name: data for name, data in files.items()})
    if not can_draw():
        warn('note: no figures; pip install "panelwise[plots]" draws them')
