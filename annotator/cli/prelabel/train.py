"""`prelabel train`: train a model on gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from annotator.cli.commandline import exit_on, see_above, warn
from annotator.cli.numbers import Number
from annotator.cli.paths import OutPath
from annotator.cli.prelabel.learning import (
    KINDS,
    material_of,
    material_options,
    model_options,
    speaks,
    training_of,
)
from annotator.cli.prelabel.options import FILE
from panelwise.runtime import counted

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
@click.option("--out", type=OutPath(folder=True), required=True, help="Output folder.")
@model_options
@click.option("--name", metavar="NAME", default="", help="Model name [default: KIND].")
@click.option(
    "--start",
    type=FILE,
    metavar="PATH",
    help="Start from this checkpoint; a detector or classifier also from weights.",
)
@click.option("--lr", type=Number(0.0, min_open=True), help="Learning rate [default: the paper's].")
@click.option("--weight-decay", type=Number(0.0), help="Weight decay [default: the paper's].")
@click.option("--dropout", type=Number(0.0, 0.95), help="Dropout of taggers [default: the paper's].")
@click.option(
    "--batch", type=click.IntRange(1), help="Batch, of figures, captions or boxes [default: the paper's]."
)
@click.option("--warmup", type=click.IntRange(0), help="Warm-up steps [default: 0].")
@click.option("--clip", type=Number(0.0), help="Maximum gradient norm; 0: no limit [default: by KIND].")
@click.option("--trial", type=FILE, help="Settings in best.json of `prelabel tune`.")
@click.option("--epochs", type=click.IntRange(1), default=100, show_default=True, help="Maximum epochs.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Stop after N epochs without a better score.",
)
@click.option("--minutes", type=Number(0.0, min_open=True), help="Stop after this many minutes.")
@click.option("--no-amp", is_flag=True, help="Use full precision on CUDA too.")
@click.option("--fresh", is_flag=True, help="Don't resume.")
def command(kind: str, out: Path, **given: Any) -> None:
    """Train a model of KIND on GOLD.

    A detector finds boxes, a text-crf subcaptions in reading order, a box-crf the words of a box, a classifier
    compound figures or types, a matcher the image of a caption. GOLD is gold JSONL, MedICaT's
    subcaptions_public.jsonl, annotations JSONL, or a campaign home; for a matcher also a file of figures. Splits
    are by article, 65 / 15 / 20. OUT/best gets the best epoch's checkpoint. An interrupted training resumes.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.train import train

    refuse_protected(out)
    if given["trial"] is not None:
        from prelabel.training import read_chosen

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
