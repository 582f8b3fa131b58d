"""`prelabel train`: train a model on gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from annotator.cli.commandline import OutPath, exit_on, see_above, warn
from annotator.cli.prelabel.learning import (
    KINDS,
    material_of,
    material_options,
    model_options,
    speaks,
    training_of,
)
from annotator.cli.prelabel.options import FILE
from panelwise.runtime.plurals import counted

EXAMPLES = """\b
Examples:
  prelabel train detector gold.jsonl --out models/detector
  prelabel train box-crf lungs --out models/box-crf --epochs 60
  prelabel train text-crf subcaptions_public.jsonl --split-keys subcaption_split_keys.json --out models/text-crf
  prelabel train box-crf gold.jsonl --encoder tiny --out models/tiny
  prelabel train matcher figures.jsonl --images articles --references --out models/matcher
  torchrun --nproc-per-node 4 -m prelabel train detector gold.jsonl --out models/detector
"""


@click.command("train", epilog=EXAMPLES)
@click.argument("kind", type=click.Choice(KINDS))
@material_options
@click.option(
    "--out", type=OutPath(folder=True), required=True, help="Output folder for the checkpoint, log and curves."
)
@model_options
@click.option("--name", metavar="NAME", default="", help="Model name in predictions [default: KIND].")
@click.option(
    "--start",
    type=FILE,
    metavar="PATH",
    help="Start from this checkpoint of the same kind; a detector or classifier also from a file of weights.",
)
@click.option("--lr", type=click.FloatRange(0.0, min_open=True), help="Learning rate [default: the paper's].")
@click.option("--weight-decay", type=click.FloatRange(0.0), help="Weight decay [default: the paper's].")
@click.option("--dropout", type=click.FloatRange(0.0, 0.95), help="Dropout of taggers [default: the paper's].")
@click.option(
    "--batch", type=click.IntRange(1), help="Figures per batch, of a box-crf boxes [default: the paper's]."
)
@click.option("--warmup", type=click.IntRange(0), help="Steps of learning rate warm-up [default: 0].")
@click.option(
    "--clip", type=click.FloatRange(0.0), help="Maximum gradient norm, 0 for no limit [default: depends on KIND]."
)
@click.option("--trial", type=FILE, help="Use the settings in best.json of `prelabel tune`.")
@click.option("--epochs", type=click.IntRange(1), default=100, show_default=True, help="Maximum number of epochs.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Stop after this many epochs without a better score; from random weights, not in the first 200 steps.",
)
@click.option("--minutes", type=click.FloatRange(0.0, min_open=True), help="Stop after this many minutes.")
@click.option("--no-amp", is_flag=True, help="Use full precision on CUDA too.")
@click.option("--fresh", is_flag=True, help="Don't resume an earlier training in --out.")
def command(kind: str, out: Path, **given: Any) -> None:
    """Train a model of KIND on GOLD.

    GOLD is gold JSONL (`annotator export gold`, or MedICaT's subcaptions_public.jsonl), annotations JSONL, or a
    campaign home. Figures are split by article, 65 / 15 / 20; those of the agreement phase are in the test split.
    The best epoch's checkpoint is saved in OUT/best, with log.jsonl and curves.png beside it. An interrupted
    training resumes when run again and ends with the same weights.

    A detector predicts boxes. A text-crf finds subcaptions, matched to boxes in reading order. A box-crf finds the
    words of a box. A classifier predicts whether a figure is compound, or its type. A matcher finds the image of a
    caption; its GOLD may also be a file of figures.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.train import train

    refuse_protected(out)
    if given["trial"] is not None:
        from prelabel.training.tuning import read_chosen

        found_best = read_chosen(given["trial"], kind)
        given = {**given, **{key: value for key, value in found_best.items() if given[key] is None}}
    training = training_of(kind, given)
    problems = training.problems
    found = train(training, material_of(given), out, resume=not given["fresh"])
    if speaks():
        scores = ", ".join(f"{key} {value:.3f}" for key, value in found.scores.items())
        click.echo(
            f"trained {found.about.version}, saved in {out / 'best'}: {counted(found.epochs, 'epoch')}, best: "
            f"{found.best} ({scores}); {found.why}{see_above(problems)}"
        )
        if found.doubt:
            warn(f"warning: {found.doubt}")
    exit_on(problems)
