"""`agreement compare`: models' or annotators' work against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from annotator.cli.agreement.options import (
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
from annotator.cli.commandline import warn

EXAMPLES = """\b
Examples:
  agreement compare gold.jsonl predictions.jsonl --format json
  agreement compare gold.jsonl classic.jsonl trained.jsonl annotations.jsonl
  agreement compare gold.jsonl predictions.jsonl --images figures.jsonl --format html --out compared.html
  agreement compare ./campaign annotations.jsonl --annotator ann1 --annotator ann2
"""


@click.command(epilog=EXAMPLES)
@click.argument("gold", type=SOURCE)
@click.argument("predicted", metavar="PREDICTED...", nargs=-1, required=True, type=SOURCE)
@click.option(
    "--gold-annotator", metavar="NAME", help="Whose work in GOLD is the gold; needed where there are several."
)
@click.option(
    "--annotator",
    "annotators",
    metavar="NAME",
    multiple=True,
    help="Score only this annotator or model of PREDICTED; may be given again [default: each].",
)
@click.option("--gold-phase", metavar="NAME", help="The phase to take from GOLD; needed where it holds several.")
@click.option(
    "--phase",
    metavar="NAME",
    help="The phase to take from each PREDICTED; needed where one holds several. Predictions, which belong to no "
    "phase, are taken beside it.",
)
@click.option(
    "--sweep/--no-sweep",
    default=None,
    help="Other thresholds and average precision [default: for gold of up to 20,000 figures].",
)
@metric_options
@page_options
@output_options(
    "text", "json", HTML, what="For reading, for scripts (unrounded), or a page with the worst figures."
)
def compare(
    gold: Path,
    predicted: tuple[Path, ...],
    gold_annotator: str | None,
    annotators: tuple[str, ...],
    gold_phase: str | None,
    phase: str | None,
    sweep: bool | None,
    layout: str,
    out: Path | None,
    images: Path | None,
    view: str | None,
    worst: int,
    **options: Any,
) -> None:
    """Score each PREDICTED (models' or annotators' work) against GOLD, and rank them where there are several.

    Each is annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign's home; of a
    home GOLD takes the reviewers' decisions. The score is the mean over the gold subfigures that count, in the
    figures that both sides accepted. Figures that only one side has are left out and named.

    Several, whether in one PREDICTED or in more, are ranked over the gold figures that all of them cover, with the
    differences between neighbours and to the best. A name that is in two files gets the file's name added.
    """
    from agreement.report.json.comparison import comparison_json
    from agreement.report.text.comparison import comparison_text
    from annotator.measurement.compare import compare_sources
    from panelwise.files.jsonl import Problems

    shown = shown_worst(layout, worst)
    look_at(out, gold, *predicted)
    refuse_pictures(out, images)
    problems = Problems(report=warn)
    found = compare_sources(
        gold,
        predicted,
        problems,
        gold_annotator=gold_annotator,
        annotator=annotators,
        gold_phase=gold_phase,
        phase=phase,
        settings=settings_of(options),
        curves=sweep,
        worst=shown,
        warn=warn,
    )
    if layout == HTML:
        from agreement.report.html.comparison import comparison_html

        sources = (gold, *predicted)
        names = source_names(sources)
        page = render_page(
            lambda pictures: comparison_html(found, pictures=pictures, view=view, sources=names),
            sources,
            images=images,
            worst=worst,
        )
        give_out(page, out)
    else:
        give_out(comparison_json(found) if layout == "json" else comparison_text(found), out)
    tell_superseded(found.superseded)
    if problems.count:
        raise SystemExit(1)
