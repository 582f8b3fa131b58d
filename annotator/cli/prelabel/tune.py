"""`prelabel tune`: search for hyperparameters, as in the paper."""

from __future__ import annotations

from typing import Annotated, Literal

import click

from annotator.cli.commandline import exit_on
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.prelabel.learning import (
    KINDS,
    Batch,
    LengthOptions,
    MaterialOptions,
    ModelOptions,
    speaks,
    training_of,
)
from annotator.cli.shared_options import OutFolder
from panelwise.runtime import counted

EXAMPLES = """\b
Examples:
  prelabel tune box-crf gold.jsonl --out search
  prelabel tune detector lungs --out search --trials 5 --sampler tpe
  prelabel train box-crf gold.jsonl --trial search/best.json --out models/box-crf
"""


@click.command("tune", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    kind: Annotated[str, Argument(type=click.Choice(KINDS))],
    gold: MaterialOptions,
    out: OutFolder,
    trials: Annotated[
        int | None, Option("Trials in total [default: the paper's 10 or 30].", type=click.IntRange(1))
    ],
    sampler: Annotated[
        Literal["random", "tpe"],
        Option("random, as in the paper; tpe learns from earlier trials (panelwise[tune]).", default="random"),
    ],
    prune: Annotated[bool, Option("Stop trials below the median of four others or more.")],
    model: ModelOptions,
    batch: Batch,
    length: LengthOptions,
) -> None:
    """Search for the best hyperparameters to train a model of KIND on GOLD, in the paper's ranges.

    Each trial is a training, scored on the validation split. OUT gets trials.jsonl, best.json for `prelabel train
    --trial`, and the best checkpoint. An interrupted search resumes; a larger --trials extends it.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.train import Wishes, tune

    refuse_protected(out)
    training = training_of(kind, model.options(kind), Wishes(batch=batch, **vars(length)))
    ranked = tune(
        training,
        gold.material(),
        out,
        trials=trials,
        sampler=sampler,
        prune=prune,
        writes=speaks(),
    )
    if speaks():
        for trial in ranked:
            shown = ", ".join(f"{key} {value:.3g}" for key, value in trial.settings.items())
            score = "failed" if trial.score is None else f"{trial.score:.4f}"
            click.echo(f"{score:>7}  trial {trial.number}: {shown}; {counted(trial.epochs, 'epoch')}, {trial.why}")
        click.echo(f"best settings: {out / 'best.json'}, checkpoint: {out / 'best'}")
    exit_on(training.problems)
