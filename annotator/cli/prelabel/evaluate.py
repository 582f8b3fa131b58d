"""`prelabel evaluate`: score pre-labels against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.agreement.options import GoldAnnotator, GoldPhase, PeopleOptions
from annotator.cli.commandline import campaign_at, exit_on, progress, typed, warn, warned_problems, write_output
from annotator.cli.layouts import PredictionOptions
from annotator.cli.parameters import Option, SignatureCommand, names_of
from annotator.cli.paths import refuse_input
from annotator.cli.prelabel.assistant_options import AssistantOptions
from annotator.cli.prelabel.learning import MaterialOptions
from annotator.cli.prelabel.options import FOLDER, ImagesOfGold
from annotator.cli.prelabel.output import CSV, JSON, MARKDOWN, IntervalOptions, Worst
from annotator.cli.prelabel.table import NOT_OURS, TableOptions, written_table
from annotator.cli.shared_options import OutText, Processes

if TYPE_CHECKING:
    from panelwise.files import Problems
    from prelabel.assistant import AssistedEngine
    from prelabel.runs import Engine

#: Options of the table that are those of `--matching` too.
_OF_MATCHING = frozenset({"device", "split_keys", "split_seed", "include", "force"})
#: Those of the pre-labeller that is scored, with --table or without.
_OF_BOXES = ("detector", "device", "threshold")
EXAMPLES = """\b
Examples:
  prelabel evaluate gold.jsonl --figures figures.jsonl
  prelabel evaluate gold.jsonl --figures figures.jsonl --captions captions.jsonl --apart-least 4
  prelabel evaluate gold.jsonl --figures figures.jsonl --predictions trained.jsonl --format json
  prelabel evaluate --table gold.jsonl --images figures --text-crf text --box-crf box --detector boxes
  prelabel evaluate --table subcaptions_public.jsonl --split-keys subcaption_split_keys.json
  prelabel evaluate figures.jsonl --matching models/matcher-0 --matching models/matcher-1
"""


@click.command("evaluate", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    gold: Path,
    table: Annotated[bool, Option("Print the paper's results table.")],
    rows: TableOptions,
    figures: Annotated[Path | None, Option("figures.jsonl with images, and articles for intervals.")],
    images: ImagesOfGold,
    predictions: Annotated[Path | None, Option("Score these predictions instead.")],
    reader: PredictionOptions,
    captions: Annotated[Path | None, Option("Captions with `panel_labels`, to score labels.")],
    matching: Annotated[
        tuple[Path, ...],
        Option(
            "Score only this matcher: Recall@1, 5, 10 and 20 of a test caption's image (repeatable).", type=FOLDER
        ),
    ],
    pairs: Annotated[int, Option("With --matching: figures drawn.", type=click.IntRange(2), default=2000)],
    gold_annotator: GoldAnnotator,
    gold_phase: GoldPhase,
    language_model: AssistantOptions,
    people: PeopleOptions,
    intervals: IntervalOptions,
    processes: Processes,
    worst: Worst,
    layout: Annotated[
        Literal["text", "json", "csv", "markdown"],
        Option("Text, unrounded JSON, or a row per figure. Markdown needs --table.", "--format", default="text"),
    ],
    out: OutText,
) -> None:
    """Score pre-labels on the accepted figures of GOLD: boxes, subcaptions, both together, work saved.

    GOLD is annotations or MedICaT JSONL, a Label Studio JSON export, or a campaign home; its figures are
    pre-labelled now, or read by --predictions. --table also reads gold JSONL, --matching also a file of figures.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.evaluate import GoldFiles, evaluate_source
    from prelabel.training import AGREEMENT_PHASE

    inputs = (gold, figures, predictions, captions, people.people, rows.splits.split_keys, rows.others)
    refuse_input(out, *(path for path in inputs if path is not None))
    refuse_protected(out)
    compared_with = people.chosen()
    problems = warned_problems()
    if matching:
        if surplus := typed(
            "table", *(name for name in names_of(TableOptions) if name not in _OF_MATCHING), *NOT_OURS
        ):
            raise click.UsageError(f"{surplus[0]} can't be combined with --matching; leave one of them out")
        if layout == CSV:
            raise click.UsageError("--format csv can't be combined with --matching; use text, markdown or json")
        material = MaterialOptions(
            gold=gold,
            figures=figures,
            images=images,
            include=rows.include,
            splits=rows.splits,
            gold_annotator=gold_annotator,
            gold_phase=gold_phase,
            agreement_phase=AGREEMENT_PHASE,
        )
        seed = intervals.resampling.seed
        write_output(_matching_text(material, rows, matching, problems, pairs, seed, layout), out)
        exit_on(problems)
        return
    if surplus := typed("pairs"):
        raise click.UsageError(f"{surplus[0]} needs --matching")
    source = GoldFiles(gold, gold_annotator, gold_phase, figures)
    drawing = intervals.drawing()
    if table:
        if surplus := typed(*NOT_OURS):
            raise click.UsageError(f"{surplus[0]} can't be combined with --table; leave one of them out")
        text = written_table(
            source,
            problems,
            rows,
            images=images,
            drawing=drawing,
            processes=processes,
            layout=layout,
        )
        write_output(text, out)
        exit_on(problems)
        return
    if surplus := typed(*(name for name in names_of(TableOptions) if name not in _OF_BOXES)):
        raise click.UsageError(f"{surplus[0]} needs --table")
    if layout == MARKDOWN:
        raise click.UsageError("--format markdown needs --table; use text, json or csv")
    if figures is None and predictions is None and not gold.is_dir():
        raise click.UsageError("no figures to pre-label; add --figures FILE, or --predictions FILE")
    if images is not None and figures is None:
        raise click.UsageError("--images needs --figures FILE")
    if language_model.assistant is not None and predictions is not None:
        raise click.UsageError("--assistant can't be combined with --predictions, which are made already")
    if predictions is None and (surplus := typed("min_score", "coco")):
        raise click.UsageError(f"{surplus[0]} needs --predictions FILE")
    if predictions is not None and (surplus := typed(*_OF_BOXES)):
        raise click.UsageError(f"{surplus[0]} can't be combined with --predictions, which are made already")
    engine = None if predictions is not None else rows.engine(processes)
    assisted = None if engine is None else _assisted(language_model, engine, gold, out)
    found = evaluate_source(
        source,
        problems,
        images=images,
        predictions=predictions,
        reading=reader.reading(gold=gold),
        captions=captions,
        people=compared_with,
        drawing=drawing,
        processes=processes,
        engine=assisted or engine,
        grammar=assisted is None,
        warn=warn,
        watch=lambda items, label, total: progress(items, label, total=total, unit="done"),
    )
    if assisted is not None:
        click.echo(assisted.tally.describe(), err=True)
    from agreement.report import json_text
    from panelwise.files import csv_text
    from prelabel.evaluation import COLUMNS, evaluation_record, evaluation_text, figure_rows

    if layout == JSON:
        text = json_text(evaluation_record(found))
    elif layout == CSV:
        text = csv_text(COLUMNS, figure_rows(found))
    else:
        text = evaluation_text(found, worst=worst)
    write_output(text, out)
    exit_on(problems)


def _matching_text(
    material: MaterialOptions,
    models: TableOptions,
    folders: tuple[Path, ...],
    problems: Problems,
    pairs: int,
    seed: int,
    layout: str,
) -> str:
    from agreement.report import json_text
    from annotator.prelabels.evaluate import evaluate_matching
    from prelabel.evaluation import matching_record, matching_text

    found = evaluate_matching(
        material.material(),
        folders,
        problems,
        pairs=pairs,
        seed=seed,
        device=models.device,
        force=models.force,
        watch=lambda items, label, total: progress(items, label, total=total, unit="captions"),
    )
    return json_text(matching_record(found)) if layout == JSON else matching_text(found)


def _assisted(
    language_model: AssistantOptions, engine: Engine, gold: Path, out: Path | None
) -> AssistedEngine | None:
    """Return the pre-labeller with the language model, if any; its answers lie beside `out`."""
    if gold.is_dir():
        return language_model.for_home(engine, campaign_at(gold))
    return language_model.for_file(engine, out or Path(gold.name))
