"""`prelabel tune`: search for hyperparameters, as in the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from annotator.cli.commandline import exit_on
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
from panelwise.runtime import counted

EXAMPLES = """\b
Examples:
  prelabel tune box-crf gold.jsonl --out search
  prelabel tune detector lungs --out search --trials 5 --sampler tpe
  prelabel train box-crf gold.jsonl --trial search/best.json --out models/box-crf
"""


@click.command("tune", epilog=EXAMPLES)
@click.argument("kind", type=click.Choice(KINDS))
@material_options
@click.option("--out", type=OutPath(folder=True), required=True, help="Output folder.")
@click.option("--trials", type=click.IntRange(1), help="Trials in total [default: the paper's 10 or 30].")
@click.option(
    "--sampler",
    type=click.Choice(["random", "tpe"]),
    default="random",
    show_default=True,
    help="random, as in the paper; tpe learns from earlier trials (panelwise[tune]).",
)
@click.option("--prune", is_flag=True, help="Stop trials below the median of four others or more.")
@model_options
@click.option(
    "--batch", type=click.IntRange(1), help="Batch, of figures, captions or boxes [default: the paper's]."
)
@click.option("--epochs", type=click.IntRange(1), default=100, show_default=True, help="Maximum epochs.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Stop after N epochs without a better score.",
)
@click.option("--minutes", type=Number(0.0, min_open=True), help="Stop after this many minutes.")
def command(kind: str, out: Path, **given: Any) -> None:
    """Search for the best hyperparameters to train a model of KIND on GOLD, in the paper's ranges.

    Each trial is a training, scored on the validation split. OUT gets trials.jsonl, best.json for `prelabel train
    --trial`, and the best checkpoint. An interrupted search resumes; a larger --trials extends it.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.train import tune

    refuse_protected(out)
    training = training_of(kind, given)
    ranked = tune(
        training,
        material_of(given),
        out,
        trials=given["trials"],
        sampler=given["sampler"],
        prune=given["prune"],
        writes=speaks(),
    )
    if speaks():
        for trial in ranked:
            shown = ", ".join(f"{key} {value:.3g}" for key, value in trial.settings.items())
            score = "failed" if trial.score is None else f"{trial.score:.4f}"
            click.echo(f"{score:>7}  trial {trial.number}: {shown}; {counted(trial.epochs, 'epoch')}, {trial.why}")
        click.echo(f"best settings: {out / 'best.json'}, checkpoint: {out / 'best'}")
    exit_on(training.problems)
