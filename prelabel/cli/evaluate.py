"""`prelabel evaluate`: the pre-labeller against gold, in one table."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.commandline import progress, refuse_input, warn
from prelabel.cli.options import FILE, FOLDER
from prelabel.cli.output import (
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
  prelabel evaluate gold.jsonl --figures figures.jsonl
  prelabel evaluate gold.jsonl --figures figures.jsonl --captions captions.jsonl --apart-least 4
  prelabel evaluate gold.jsonl --figures figures.jsonl --predictions trained.jsonl --format json
"""


@click.command("evaluate", epilog=EXAMPLES)
@click.argument("gold", type=FILE)
@click.option("--figures", type=FILE, help="figures.jsonl: the images, and the articles that intervals go by.")
@click.option("--images", type=FOLDER, help="Folder that image paths start from [default: that of --figures].")
@click.option("--predictions", type=FILE, help="Score these, one model's, instead of pre-labelling anew.")
@click.option("--captions", type=FILE, help="Captions with `panel_labels`: are their labels read right?")
@click.option(
    "--gold-annotator", metavar="NAME", help="Whose work in GOLD is the gold; needed where there are several."
)
@click.option("--gold-phase", metavar="NAME", help="The phase to take from GOLD; needed where it holds several.")
@interval_options
@click.option("--processes", type=click.IntRange(min=1), help="Processes to use [default: one a core].")
@output_options
def command(
    gold: Path,
    figures: Path | None,
    images: Path | None,
    predictions: Path | None,
    captions: Path | None,
    gold_annotator: str | None,
    gold_phase: str | None,
    apart: tuple[str, ...],
    apart_least: int,
    bootstrap: int,
    seed: int,
    processes: int | None,
    worst: int,
    layout: str,
    out: Path | None,
) -> None:
    """Score the pre-labeller on the accepted figures of GOLD: boxes, subcaptions, both together, work saved.

    GOLD is annotations or MedICaT JSONL, a Label Studio JSON export, or a campaign's home, which has the figures
    itself. They are pre-labelled anew unless --predictions are given. Intervals are from resamples of articles;
    articles kept apart are told beside the rest.
    """
    from annotator.formats.jsonl import Problems
    from annotator.services.evaluating import evaluate_source
    from annotator.services.kept_files import refuse_kept

    if figures is None and predictions is None and not gold.is_dir():
        raise click.UsageError("--figures names the images to pre-label; give it, or --predictions")
    if images is not None and figures is None:
        raise click.UsageError("--images goes with --figures; name the file with the figures")
    refuse_input(out, *(path for path in (gold, figures, predictions, captions) if path is not None))
    refuse_kept(out)
    problems = Problems(report=warn)
    found = evaluate_source(
        gold,
        problems,
        figures=figures,
        images=images,
        predictions=predictions,
        captions=captions,
        gold_annotator=gold_annotator,
        gold_phase=gold_phase,
        apart=apart_of(apart, apart_least),
        processes=processes,
        resamples=bootstrap,
        seed=seed,
        tell=warn,
        watch=lambda items, label, total: progress(items, label, total=total, unit="done"),
    )
    from prelabel.evaluate.records import COLUMNS, evaluation_record, figure_rows
    from prelabel.evaluate.text import evaluation_text

    if layout == JSON:
        text = json_text(evaluation_record(found))
    elif layout == CSV:
        text = csv_text(COLUMNS, figure_rows(found))
    else:
        text = evaluation_text(found, worst=worst)
    give_out(text, out)
    if problems.count:
        raise SystemExit(1)
