"""Options and output of `prelabel evaluate --table`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import options, progress, warn
from annotator.cli.prelabel.options import DECODE, DEVICE, FILE, FOLDER, INCLUDE, THRESHOLD, split_options
from annotator.cli.prelabel.output import CSV, JSON, MARKDOWN

if TYPE_CHECKING:
    from annotator.prelabels.evaluate import Drawing, GoldFiles
    from panelwise.files import Problems

#: Parameters that can't be combined with the table.
NOT_OURS = ("predictions", "captions", "people", "people_phase", "apart", "apart_least", "worst", "assistant")


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Values of the options of `--table`."""

    text_crf: tuple[Path, ...]
    box_crf: tuple[Path, ...]
    detector: str | None
    decode: str
    threshold: float
    device: str
    column: tuple[str, ...]
    split_keys: Path | None
    split_seed: int
    others: Path | None
    common: str
    classifier: Path | None
    keep: tuple[str, ...]
    force: bool
    include: str


#: Adds `--table` and the options of `TableOptions`.
table_options = options(
    click.option(
        "--table",
        is_flag=True,
        help="Print the paper's results table.",
    ),
    click.option("--text-crf", type=FOLDER, multiple=True, help="A text-crf checkpoint (repeatable)."),
    click.option("--box-crf", type=FOLDER, multiple=True, help="A box-crf checkpoint (repeatable)."),
    click.option(
        "--detector",
        metavar="NAME|FOLDER",
        help="Model for boxes: a checkpoint of `prelabel train detector`, or a transformers model "
        "[default: the splitter without weights].",
    ),
    DECODE,
    THRESHOLD,
    DEVICE,
    click.option(
        "--column",
        type=click.Choice(["val", "test", "all"]),
        multiple=True,
        help="Splits to score (repeatable) [default: val and test].",
    ),
    split_options,
    click.option("--others", type=FILE, help="Others' work on these figures, to find errors in the gold."),
    click.option(
        "--common",
        type=click.Choice(["none", "gold", "both"]),
        default="none",
        show_default=True,
        help="Leave out tokens common to all subcaptions: on which sides.",
    ),
    click.option("--classifier", type=FOLDER, help="A classifier checkpoint to score."),
    click.option(
        "--keep",
        metavar="TYPE",
        multiple=True,
        help="With --classifier: precision and recall of figures kept for this type (repeatable).",
    ),
    click.option("--force", is_flag=True, help="Score models on their training figures, too."),
    INCLUDE,
)


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
    from annotator.prelabels.train import Material
    from panelwise.domain import INCLUDE as SOURCES
    from prelabel.evaluation import Column
    from prelabel.training import Chosen

    if layout == CSV:
        raise click.UsageError("--format csv can't be combined with --table; use text, json or markdown")
    if options.keep and options.classifier is None:
        raise click.UsageError("--keep needs --classifier")
    table = table_source(
        Material(
            gold.path,
            gold.figures,
            images,
            options.split_keys,
            Chosen(annotator=gold.annotator, phase=gold.phase),
            options.split_seed,
            SOURCES[options.include],
        ),
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
