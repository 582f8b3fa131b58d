"""`prelabel effort`: measure the editing work from predictions to gold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.agreement.options import GoldAnnotator, GoldPhase
from annotator.cli.commandline import exit_on, warn, warned_problems, write_output
from annotator.cli.layouts import PredictionOptions
from annotator.cli.parameters import Number, Option, SignatureCommand
from annotator.cli.paths import refuse_input
from annotator.cli.prelabel.output import CSV, JSON, IntervalOptions, Worst
from annotator.cli.shared_options import OutText

EXAMPLES = """\b
Examples:
  prelabel effort gold.jsonl predictions.jsonl
  prelabel effort gold.jsonl predictions.jsonl --figures figures.jsonl --format csv --out work.csv
  prelabel effort gold.jsonl predictions.jsonl --operator K=0.28 --keep-iou 0.75
"""


@click.command("effort", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    gold: Path,
    predicted: Path,
    figures: Annotated[Path | None, Option("figures.jsonl with the articles, for intervals.")],
    gold_annotator: GoldAnnotator,
    gold_phase: GoldPhase,
    reader: PredictionOptions,
    annotator: Annotated[
        str | None, Option("Annotator or model; needed if PREDICTED has several.", metavar="NAME")
    ],
    keep_iou: Annotated[
        float,
        Option(
            "IoU with the gold box from which a box needs no editing.",
            type=Number(0.0, 1.0, min_open=True),
            default=0.9,
        ),
    ],
    operators: Annotated[
        tuple[str, ...],
        Option(
            "Duration of an operator of the keystroke-level model (repeatable) [default: K=0.2 P=1.1 M=1.35].",
            "--operator",
            metavar="NAME=SECONDS",
        ),
    ],
    intervals: IntervalOptions,
    worst: Worst,
    layout: Annotated[
        Literal["text", "json", "csv"],
        Option("Text, unrounded JSON, or a row per figure.", "--format", default="text"),
    ],
    out: OutText,
) -> None:
    """Measure the editing work from PREDICTED to GOLD, and the work saved compared with annotating from scratch.

    Both are annotations or predictions JSONL, MedICaT JSONL, a Label Studio JSON export or a campaign home. Gold
    figures missing from PREDICTED count as annotated from scratch.
    """
    from agreement.report import json_text
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.evaluate import GoldFiles, effort_of_sources
    from panelwise.files import csv_text
    from prelabel.effort import COLUMNS, effort_record, effort_text, figure_rows, read_operators

    refuse_input(out, gold, predicted, *([] if figures is None else [figures]))
    refuse_protected(out)
    times = read_operators(operators)
    problems = warned_problems()
    found = effort_of_sources(
        GoldFiles(gold, gold_annotator, gold_phase, figures),
        predicted,
        problems,
        annotator=annotator,
        reading=reader.reading(gold=gold),
        keep=keep_iou,
        operators=times,
        drawing=intervals.drawing(),
        warn=warn,
    )
    if layout == JSON:
        text = json_text(effort_record(found))
    elif layout == CSV:
        text = csv_text(COLUMNS, figure_rows(found))
    else:
        text = effort_text(found, worst=worst)
    write_output(text, out)
    exit_on(problems)
