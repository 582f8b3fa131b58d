"""Options and output of `prelabel evaluate --table`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.commandline import progress, warn
from annotator.cli.parameters import Option, OptionGroup
from annotator.cli.prelabel.learning import MaterialOptions
from annotator.cli.prelabel.options import (
    FOLDER,
    Decode,
    Detector,
    Device,
    IncludeSingle,
    SplitOptions,
    Threshold,
)
from annotator.cli.prelabel.output import CSV, JSON, MARKDOWN

if TYPE_CHECKING:
    from annotator.prelabels.evaluate import Drawing, GoldFiles
    from panelwise.files import Problems

#: Parameters that can't be combined with the table.
NOT_OURS = (
    "predictions",
    "min_score",
    "coco",
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


def written_table(
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
            options.detector,
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
