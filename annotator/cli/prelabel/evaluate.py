"""`prelabel evaluate`: score pre-labels against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.agreement.options import people_options
from annotator.cli.commandline import campaign_at, exit_on, progress, typed, warn, warned_problems, write_output
from annotator.cli.layouts import predicted_options, reading_of
from annotator.cli.paths import refuse_input
from annotator.cli.prelabel.assistant_options import assistant_options
from annotator.cli.prelabel.options import FILE, FOLDER
from annotator.cli.prelabel.output import (
    CSV,
    JSON,
    MARKDOWN,
    TEXT,
    gold_options,
    interval_options,
    output_options_of,
)
from annotator.cli.prelabel.table import NOT_OURS, TableOptions, table_options, written_table

if TYPE_CHECKING:
    from annotator.cli.prelabel.assistant_options import AssistantOptions
    from panelwise.files import Problems
    from prelabel.assistant import AssistedEngine

#: Options of the table that are those of `--matching` too.
_OF_MATCHING = frozenset({"device", "split_keys", "split_seed", "include", "force"})
EXAMPLES = """\b
Examples:
  prelabel evaluate gold.jsonl --figures figures.jsonl
  prelabel evaluate gold.jsonl --figures figures.jsonl --captions captions.jsonl --apart-least 4
  prelabel evaluate gold.jsonl --figures figures.jsonl --predictions trained.jsonl --format json
  prelabel evaluate --table gold.jsonl --images figures --text-crf text --box-crf box --detector boxes
  prelabel evaluate --table subcaptions_public.jsonl --split-keys subcaption_split_keys.json
  prelabel evaluate figures.jsonl --matching models/matcher-0 --matching models/matcher-1
"""


@click.command("evaluate", epilog=EXAMPLES)
@click.argument("gold", type=FILE)
@table_options
@click.option("--figures", type=FILE, help="figures.jsonl with images, and articles for intervals.")
@click.option("--images", type=FOLDER, help="Base folder of image paths [default: of --figures, else of GOLD].")
@click.option("--predictions", type=FILE, help="Score these predictions instead.")
@predicted_options
@click.option("--captions", type=FILE, help="Captions with `panel_labels`, to score labels.")
@click.option(
    "--matching",
    type=FOLDER,
    multiple=True,
    help="Score only this matcher: Recall@1, 5, 10 and 20 of a test caption's image (repeatable).",
)
@click.option(
    "--pairs", type=click.IntRange(2), default=2000, show_default=True, help="With --matching: figures drawn."
)
@gold_options
@assistant_options
@people_options
@interval_options
@click.option("--processes", type=click.IntRange(min=1), help="Number of processes [default: one per core].")
@output_options_of(TEXT, JSON, CSV, MARKDOWN)
def command(
    gold: Path,
    table: bool,
    figures: Path | None,
    images: Path | None,
    predictions: Path | None,
    min_score: float,
    coco: Path | None,
    captions: Path | None,
    matching: tuple[Path, ...],
    pairs: int,
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
    **table_values: Any,
) -> None:
    """Score pre-labels on the accepted figures of GOLD: boxes, subcaptions, both together, work saved.

    GOLD is annotations or MedICaT JSONL, a Label Studio JSON export, or a campaign home; its figures are
    pre-labelled now, or read by --predictions. --table also reads gold JSONL, --matching also a file of figures.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.measurement.sources import People
    from annotator.prelabels.evaluate import Apart, Drawing, GoldFiles, evaluate_source

    refuse_input(
        out,
        *(path for path in (gold, figures, predictions, captions, people) if path is not None),
        *(table_values[name] for name in ("split_keys", "others") if table_values[name] is not None),
    )
    refuse_protected(out)
    if people_phase is not None and people is None:
        raise click.UsageError("--people-phase needs --people")
    problems = warned_problems()
    if matching:
        if surplus := typed("table", *(table_values.keys() - _OF_MATCHING), *NOT_OURS):
            raise click.UsageError(f"{surplus[0]} can't be combined with --matching; leave one of them out")
        if layout == CSV:
            raise click.UsageError("--format csv can't be combined with --matching; use text, markdown or json")
        chosen = {
            **table_values,
            "gold": gold,
            "figures": figures,
            "images": images,
            "gold_annotator": gold_annotator,
            "gold_phase": gold_phase,
        }
        write_output(_matching_text(chosen, matching, problems, pairs, seed, layout), out)
        exit_on(problems)
        return
    if surplus := typed("pairs"):
        raise click.UsageError(f"{surplus[0]} needs --matching")
    source = GoldFiles(gold, gold_annotator, gold_phase, figures)
    drawing = Drawing(Apart(apart, apart_least), bootstrap, seed)
    if table:
        if surplus := typed(*NOT_OURS):
            raise click.UsageError(f"{surplus[0]} can't be combined with --table; leave one of them out")
        text = written_table(
            source,
            problems,
            TableOptions(**table_values),
            images=images,
            drawing=drawing,
            processes=processes,
            layout=layout,
        )
        write_output(text, out)
        exit_on(problems)
        return
    if surplus := typed(*table_values):
        raise click.UsageError(f"{surplus[0]} needs --table")
    if layout == MARKDOWN:
        raise click.UsageError("--format markdown needs --table; use text, json or csv")
    if figures is None and predictions is None and not gold.is_dir():
        raise click.UsageError("no figures to pre-label; add --figures FILE, or --predictions FILE")
    if images is not None and figures is None:
        raise click.UsageError("--images needs --figures FILE")
    if assistant is not None and predictions is not None:
        raise click.UsageError("--assistant can't be combined with --predictions, which are made already")
    if predictions is None and (surplus := typed("min_score", "coco")):
        raise click.UsageError(f"{surplus[0]} needs --predictions FILE")
    assisted = None if assistant is None else _assisted(assistant, gold, out, processes)
    found = evaluate_source(
        source,
        problems,
        images=images,
        predictions=predictions,
        reading=reading_of(min_score, coco, gold=gold),
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
    chosen: dict[str, Any], folders: tuple[Path, ...], problems: Problems, pairs: int, seed: int, layout: str
) -> str:
    from agreement.report import json_text
    from annotator.cli.prelabel.learning import material_of
    from annotator.prelabels.evaluate import evaluate_matching
    from prelabel.evaluation import matching_record, matching_text
    from prelabel.training import AGREEMENT_PHASE

    found = evaluate_matching(
        material_of({**chosen, "agreement_phase": AGREEMENT_PHASE}),
        folders,
        problems,
        pairs=pairs,
        seed=seed,
        device=chosen["device"],
        force=chosen["force"],
        watch=lambda items, label, total: progress(items, label, total=total, unit="captions"),
    )
    return json_text(matching_record(found)) if layout == JSON else matching_text(found)


def _assisted(assistant: AssistantOptions, gold: Path, out: Path | None, processes: int | None) -> AssistedEngine:
    """Return the pre-labeller without weights with the language model; its answers lie beside `out`."""
    from prelabel.classic import CLASSIC
    from prelabel.runs import ClassicEngine

    engine = ClassicEngine(CLASSIC, processes)
    if gold.is_dir():
        return assistant.for_home(engine, campaign_at(gold))
    return assistant.for_file(engine, out or Path(gold.name))
