"""`prelabel evaluate`: score pre-labels against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.agreement.options import GoldAnnotator, GoldPhase, PeopleOptions
from annotator.cli.commandline import (
    campaign_at,
    exit_on,
    progress,
    refuse_typed,
    warn,
    warned_problems,
    write_output,
)
from annotator.cli.layouts import PredictionOptions
from annotator.cli.parameters import Option, OptionGroup, SignatureCommand, names_of
from annotator.cli.paths import refuse_input
from annotator.cli.prelabel.assistant_options import AssistantOptions
from annotator.cli.prelabel.learning import MaterialOptions
from annotator.cli.prelabel.options import (
    FOLDER,
    Decode,
    Detector,
    Device,
    ImagesOfGold,
    IncludeSingle,
    SplitOptions,
    Threshold,
)
from annotator.cli.prelabel.output import CSV, JSON, MARKDOWN, IntervalOptions, Worst
from annotator.cli.shared_options import OutText, Processes

if TYPE_CHECKING:
    from annotator.prelabels.evaluate import Drawing, GoldFiles
    from panelwise.files import Problems
    from prelabel.assistant import AssistedEngine
    from prelabel.runs import Engine

#: Parameters that can't be combined with the table.
_NOT_OF_TABLE = (
    "predictions",
    "min_score",
    "coco",
    "boxes",
    "score",
    "captions",
    "people",
    "people_phase",
    "apart",
    "apart_least",
    "worst",
    "assistant",
)


class TableOptions(OptionGroup):
    """Options of `--table`."""

    text_crf: Annotated[tuple[Path, ...], Option("A text-crf checkpoint (repeatable).", type=FOLDER)]
    box_crf: Annotated[tuple[Path, ...], Option("A box-crf checkpoint (repeatable).", type=FOLDER)]
    detector: Detector
    decode: Decode
    threshold: Threshold
    device: Device
    column: Annotated[
        tuple[Literal["val", "test", "all"], ...],
        Option("Splits to score (repeatable) [default: val and test]."),
    ]
    splits: SplitOptions
    others: Annotated[Path | None, Option("Others' work on these figures, to find errors in the gold.")]
    mode: Annotated[
        Literal["paper", "official-code"],
        Option("The MedICaT paper's metric and order of boxes, or its authors' code.", default="paper"),
    ]
    common: Annotated[
        Literal["none", "gold", "both"] | None,
        Option(
            "Leave out tokens common to all subcaptions: on which sides [default: none; with official-code: gold]."
        ),
    ]
    classifier: Annotated[Path | None, Option("A classifier checkpoint to score.", type=FOLDER)]
    keep: Annotated[
        tuple[str, ...],
        Option(
            "With --classifier: precision and recall of figures kept for this type (repeatable).", metavar="TYPE"
        ),
    ]
    force: Annotated[bool, Option("Score models on their training figures, too.")]
    include: IncludeSingle

    def engine(self, processes: int | None) -> Engine:
        """Return what makes the predictions to score without `--table`."""
        from prelabel.runs import FigureModel, Recipe, default_detector, engine_of

        recipe = Recipe(self.detector or default_detector(), device=self.device, threshold=self.threshold)
        return engine_of(FigureModel(recipe, warn=warn), processes)

    def alone(self) -> str | None:
        """Return the detector of the table, None for the splitter. Raises UsageError for both together."""
        from prelabel.runs import parts_of

        with_splitter, name = parts_of(self.detector)
        if with_splitter and name is not None:
            raise click.UsageError(
                "--table measures a detector alone; give --detector panel-net, or leave out --table"
            )
        return name


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
        of_table = (name for name in names_of(TableOptions) if name not in _OF_MATCHING)
        refuse_typed(
            "can't be combined with --matching; leave one of them out", "table", *of_table, *_NOT_OF_TABLE
        )
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
    refuse_typed("needs --matching", "pairs")
    source = GoldFiles(gold, gold_annotator, gold_phase, figures)
    drawing = intervals.drawing()
    if table:
        refuse_typed("can't be combined with --table; leave one of them out", *_NOT_OF_TABLE)
        text = _table_text(
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
    refuse_typed("needs --table", *(name for name in names_of(TableOptions) if name not in _OF_BOXES))
    if layout == MARKDOWN:
        raise click.UsageError("--format markdown needs --table; use text, json or csv")
    if figures is None and predictions is None and not gold.is_dir():
        raise click.UsageError("no figures to pre-label; add --figures FILE, or --predictions FILE")
    if images is not None and figures is None:
        raise click.UsageError("--images needs --figures FILE")
    if language_model.assistant is not None and predictions is not None:
        raise click.UsageError("--assistant can't be combined with --predictions, which are made already")
    if predictions is None:
        refuse_typed("needs --predictions FILE", "min_score", "coco", "boxes", "score")
    else:
        refuse_typed("can't be combined with --predictions, which are made already", *_OF_BOXES)
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
    from prelabel.evaluation import FIGURES, evaluation_record, evaluation_text

    if layout == JSON:
        text = json_text(evaluation_record(found))
    elif layout == CSV:
        text = csv_text(FIGURES.headings, FIGURES.cells(found.figures))
    else:
        text = evaluation_text(found, worst=worst)
    write_output(text, out)
    exit_on(problems)


def _table_text(
    gold: GoldFiles,
    problems: Problems,
    options: TableOptions,
    *,
    images: Path | None,
    drawing: Drawing,
    processes: int | None,
    layout: str,
) -> str:
    """Format the table as text, JSON or Markdown."""
    from agreement.primitives import Common, Mode
    from annotator.prelabels.results_table import COLUMNS, Models, Scores, table_source
    from prelabel.evaluation import Column
    from prelabel.training import AGREEMENT_PHASE

    if layout == CSV:
        raise click.UsageError("--format csv can't be combined with --table; use text, json or markdown")
    if options.keep and options.classifier is None:
        raise click.UsageError("--keep needs --classifier")
    table = table_source(
        MaterialOptions(
            gold=gold.path,
            figures=gold.figures,
            images=images,
            include=options.include,
            splits=options.splits,
            gold_annotator=gold.annotator,
            gold_phase=gold.phase,
            agreement_phase=AGREEMENT_PHASE,
        ).material(),
        problems,
        models=Models(
            options.text_crf,
            options.box_crf,
            options.alone(),
            options.threshold,
            options.decode,
            options.device,
            options.classifier,
            options.keep,
            options.force,
        ),
        scores=Scores(
            options.others,
            tuple(dict.fromkeys(map(Column, options.column))) or COLUMNS,
            Mode(options.mode),
            Common.default(Mode(options.mode)) if options.common is None else Common(options.common),
            processes,
            drawing.resamples,
            drawing.seed,
        ),
        warn=warn,
        watch=lambda items, label, total: progress(items, label, total=total, unit="done"),
    )
    if layout == JSON:
        from agreement.report import json_text
        from prelabel.evaluation import table_record

        return json_text(table_record(table))
    from prelabel.evaluation import table_markdown, table_text

    return table_markdown(table) if layout == MARKDOWN else table_text(table)


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
