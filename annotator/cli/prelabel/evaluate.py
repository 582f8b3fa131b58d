"""`prelabel evaluate`: score pre-labels against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.agreement.options import people_options
from annotator.cli.commandline import progress, refuse_input, typed, warn, write_output
from annotator.cli.prelabel.assistant_options import assistant_options
from annotator.cli.prelabel.options import FILE, FOLDER
from annotator.cli.prelabel.output import (
    CSV,
    JSON,
    MARKDOWN,
    TEXT,
    apart_of,
    csv_text,
    interval_options,
    json_text,
    output_options_of,
)
from annotator.cli.prelabel.table import NOT_OURS, OWN, OWN_TOO, TableOptions, table_options, written_table

if TYPE_CHECKING:
    from annotator.cli.prelabel.assistant_options import AssistantOptions
    from prelabel.assistant.assisted import AssistedEngine

EXAMPLES = """\b
Examples:
  prelabel evaluate gold.jsonl --figures figures.jsonl
  prelabel evaluate gold.jsonl --figures figures.jsonl --captions captions.jsonl --apart-least 4
  prelabel evaluate gold.jsonl --figures figures.jsonl --predictions trained.jsonl --format json
  prelabel evaluate --table gold.jsonl --images figures --text-crf text --box-crf box --detector boxes
  prelabel evaluate --table subcaptions_public.jsonl --split-keys subcaption_split_keys.json
"""


@click.command("evaluate", epilog=EXAMPLES)
@click.argument("gold", type=FILE)
@table_options
@click.option(
    "--figures", type=FILE, help="figures.jsonl with the images, and the articles for confidence intervals."
)
@click.option(
    "--images", type=FOLDER, help="Base folder of image paths [default: the folder of --figures, else of GOLD]."
)
@click.option("--predictions", type=FILE, help="Score these predictions of one model instead of pre-labelling.")
@click.option("--captions", type=FILE, help="Captions with `panel_labels`, to score the labels found in them.")
@click.option(
    "--gold-annotator",
    metavar="NAME",
    help="Annotator whose work in GOLD is the gold; needed if GOLD has several.",
)
@click.option("--gold-phase", metavar="NAME", help="Phase of GOLD; needed if it has several.")
@assistant_options
@people_options
@interval_options
@click.option("--processes", type=click.IntRange(min=1), help="Number of processes [default: one per core].")
@output_options_of(TEXT, JSON, CSV, MARKDOWN)
def command(
    gold: Path,
    table: bool,
    text_crf: tuple[Path, ...],
    box_crf: tuple[Path, ...],
    detector: str | None,
    decode: str,
    threshold: float,
    device: str,
    column: tuple[str, ...],
    split_keys: Path | None,
    split_seed: int,
    others: Path | None,
    common: str,
    classifier: Path | None,
    include: str,
    figures: Path | None,
    images: Path | None,
    predictions: Path | None,
    captions: Path | None,
    gold_annotator: str | None,
    gold_phase: str | None,
    assistant: AssistantOptions | None,
    people: Path | None,
    people_phase: str | None,
    apart: tuple[str, ...],
    apart_least: int,
    bootstrap: int,
    seed: int,
    processes: int | None,
    worst: int,
    layout: str,
    out: Path | None,
) -> None:
    """Score pre-labels on the accepted figures of GOLD: boxes, subcaptions, both together, work saved.

    GOLD is annotations or MedICaT JSONL, a Label Studio JSON export, or a campaign home, which includes the
    figures. The figures are pre-labelled now unless you add --predictions, with --assistant by a language model as
    well, as in `prelabel run`. Confidence intervals resample articles;
    held-out articles are reported separately.

    With --table: the results table of the MedICaT paper for GOLD, which is then gold or annotations JSONL,
    MedICaT's own files, or a campaign home. Rows: oracles; each trained tagger, and the method without weights, on
    gold boxes and on predicted boxes. Columns: validation and test, split by article as in training.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.measurement.sources import People
    from annotator.prelabels.evaluate import Drawing, GoldFiles, evaluate_source
    from panelwise.files.jsonl import Problems

    refuse_input(
        out,
        *(path for path in (gold, figures, predictions, captions, people, split_keys, others) if path is not None),
    )
    refuse_protected(out)
    if people_phase is not None and people is None:
        raise click.UsageError("--people-phase needs --people")
    problems = Problems(report=warn)
    source = GoldFiles(gold, gold_annotator, gold_phase, figures)
    drawing = Drawing(apart_of(apart, apart_least), bootstrap, seed)
    if table:
        if surplus := typed(*NOT_OURS):
            raise click.UsageError(f"{surplus[0]} can't be combined with --table; leave one of them out")
        text = written_table(
            source,
            problems,
            TableOptions(
                text_crf,
                box_crf,
                detector,
                decode,
                threshold,
                device,
                column,
                split_keys,
                split_seed,
                others,
                common,
                classifier,
                include,
            ),
            images=images,
            drawing=drawing,
            processes=processes,
            layout=layout,
        )
        write_output(text, out)
        if problems.count:
            raise SystemExit(1)
        return
    if surplus := typed(*OWN, *OWN_TOO):
        raise click.UsageError(f"{surplus[0]} needs --table")
    if layout == MARKDOWN:
        raise click.UsageError("--format markdown needs --table; use text, json or csv")
    if figures is None and predictions is None and not gold.is_dir():
        raise click.UsageError("no figures to pre-label; add --figures FILE, or --predictions FILE")
    if images is not None and figures is None:
        raise click.UsageError("--images needs --figures FILE")
    if assistant is not None and predictions is not None:
        raise click.UsageError("--assistant can't be combined with --predictions, which are made already")
    assisted = None if assistant is None else _assisted(assistant, gold, out, processes)
    found = evaluate_source(
        source,
        problems,
        images=images,
        predictions=predictions,
        captions=captions,
        people=None if people is None else People(people, people_phase),
        drawing=drawing,
        processes=processes,
        engine=assisted,
        warn=warn,
        watch=lambda items, label, total: progress(items, label, total=total, unit="done"),
    )
    if assisted is not None:
        click.echo(assisted.tally.describe(), err=True)
    from prelabel.evaluation.records import COLUMNS, evaluation_record, figure_rows
    from prelabel.evaluation.text import evaluation_text

    if layout == JSON:
        text = json_text(evaluation_record(found))
    elif layout == CSV:
        text = csv_text(COLUMNS, figure_rows(found))
    else:
        text = evaluation_text(found, worst=worst)
    write_output(text, out)
    if problems.count:
        raise SystemExit(1)


def _assisted(assistant: AssistantOptions, gold: Path, out: Path | None, processes: int | None) -> AssistedEngine:
    """Return the pre-labeller without weights with the language model; its answers lie beside `out`."""
    from annotator.campaign.home import Home
    from prelabel.classic.prelabeller import CLASSIC
    from prelabel.runs.engines import ClassicEngine

    engine = ClassicEngine(CLASSIC, processes)
    if gold.is_dir():
        return assistant.for_home(engine, Home.find(gold))
    return assistant.for_file(engine, out or Path(gold.name))
