"""`prelabel effort`: predictions against gold as editing work."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import refuse_input, warn
from annotator.cli.prelabel.options import FILE
from annotator.cli.prelabel.output import (
    CSV,
    JSON,
    apart_of,
    csv_text,
    give_out,
    interval_options,
    json_text,
    output_options,
)

EXAMPLES = """\b
Examples:
  prelabel effort gold.jsonl predictions.jsonl
  prelabel effort gold.jsonl predictions.jsonl --figures figures.jsonl --format csv --out work.csv
  prelabel effort gold.jsonl predictions.jsonl --operator K=0.28 --keep-iou 0.75
"""


@click.command("effort", epilog=EXAMPLES)
@click.argument("gold", type=FILE)
@click.argument("predicted", type=FILE)
@click.option("--figures", type=FILE, help="figures.jsonl: the articles that intervals go by.")
@click.option(
    "--gold-annotator", metavar="NAME", help="Whose work in GOLD is the gold; needed where there are several."
)
@click.option("--gold-phase", metavar="NAME", help="The phase to take from GOLD; needed where it holds several.")
@click.option(
    "--annotator", metavar="NAME", help="Whose work in PREDICTED to take; needed where there are several."
)
@click.option(
    "--keep-iou",
    type=click.FloatRange(0.0, 1.0, min_open=True),
    default=0.9,
    show_default=True,
    help="A box is left alone from this IoU with the gold's on.",
)
@click.option(
    "--operator",
    "operators",
    metavar="NAME=SECONDS",
    multiple=True,
    help="Another time for an operator of the keystroke-level model, as K=0.28; may be given again "
    "[default: K=0.2 P=1.1 M=1.35, Card, Moran and Newell 1980].",
)
@interval_options
@output_options
def command(
    gold: Path,
    predicted: Path,
    figures: Path | None,
    gold_annotator: str | None,
    gold_phase: str | None,
    annotator: str | None,
    keep_iou: float,
    operators: tuple[str, ...],
    apart: tuple[str, ...],
    apart_least: int,
    bootstrap: int,
    seed: int,
    worst: int,
    layout: str,
    out: Path | None,
) -> None:
    """Count the editing work from PREDICTED to GOLD, and what it saves against starting from nothing.

    Boxes to add, adjust, delete and relabel, words that join or leave a subcaption, and seconds by the
    keystroke-level model, a look at every figure included. Both are annotations or predictions JSONL, MedICaT
    JSONL, a Label Studio JSON export or a campaign's home. A gold figure that PREDICTED lacks is done from
    nothing.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.evaluate import Drawing, GoldFiles, effort_of_sources
    from panelwise.files.jsonl import Problems
    from prelabel.effort.keystrokes import read_operators
    from prelabel.effort.records import COLUMNS, effort_record, figure_rows
    from prelabel.effort.text import effort_text

    refuse_input(out, gold, predicted, *([] if figures is None else [figures]))
    refuse_protected(out)
    times = read_operators(operators)
    problems = Problems(report=warn)
    found = effort_of_sources(
        GoldFiles(gold, gold_annotator, gold_phase, figures),
        predicted,
        problems,
        annotator=annotator,
        keep=keep_iou,
        operators=times,
        drawing=Drawing(apart_of(apart, apart_least), bootstrap, seed),
        warn=warn,
    )
    if layout == JSON:
        text = json_text(effort_record(found))
    elif layout == CSV:
        text = csv_text(COLUMNS, figure_rows(found))
    else:
        text = effort_text(found, worst=worst)
    give_out(text, out)
    if problems.count:
        raise SystemExit(1)
