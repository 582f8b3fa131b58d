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
    from prelabel.runs import Engine

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
    common: Annotated[
        Literal["none", "gold", "both"],
        Option("Leave out tokens common to all subcaptions: on which sides.", default="none"),
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
    from agreement.primitives import Common
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
            Common(options.common),
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
