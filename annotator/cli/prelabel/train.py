"""`prelabel train`: train a model on gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from annotator.cli.commandline import exit_on, see_above, warn
from annotator.cli.parameters import Argument, Number, Option, OptionGroup, SignatureCommand
from annotator.cli.prelabel.learning import (
    KINDS,
    Batch,
    LengthOptions,
    MaterialOptions,
    ModelOptions,
    speaks,
    training_of,
)
from annotator.cli.prelabel.options import NoAmp
from annotator.cli.shared_options import OutFolder
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.prelabels.train import Wishes

EXAMPLES = """\b
Examples:
  prelabel train detector gold.jsonl --out models/detector
  prelabel train box-crf lungs --out models/box-crf --epochs 60
  prelabel train text-crf subcaptions_public.jsonl --split-keys subcaption_split_keys.json --out models/text-crf
  prelabel train box-crf gold.jsonl --encoder tiny --out models/tiny
  prelabel train matcher figures.jsonl --images articles --references --out models/matcher
  torchrun --nproc-per-node 4 -m -- prelabel train detector gold.jsonl --out models/detector
"""


class TrainOptions(OptionGroup):
    """Options of the training itself."""

    name: Annotated[str, Option("Model name [default: KIND].", metavar="NAME", default="")]
    start: Annotated[
        Path | None,
        Option(
            "Start from this checkpoint; a detector or classifier also from weights. shipped: the package's "
            "panel-net.",
            metavar="PATH",
        ),
    ]
    lr: Annotated[float | None, Option("Learning rate [default: the paper's].", type=Number(0.0, min_open=True))]
    weight_decay: Annotated[float | None, Option("Weight decay [default: the paper's].", type=Number(0.0))]
    dropout: Annotated[
        float | None, Option("Dropout, but of detectors [default: the paper's].", type=Number(0.0, 0.95))
    ]
    batch: Batch
    warmup: Annotated[int | None, Option("Warm-up steps [default: 0].", type=click.IntRange(0))]
    clip: Annotated[
        float | None, Option("Maximum gradient norm; 0: no limit [default: by KIND].", type=Number(0.0))
    ]
    trial: Annotated[Path | None, Option("Settings in best.json of `prelabel tune`.")]
    length: LengthOptions
    no_amp: NoAmp

    def wishes(self, kind: str) -> Wishes:
        """Return the settings of the training, those of the trial where no option gives one.

        Raises FormatError for a trial that can't be read, or of another kind.
        """
        from annotator.prelabels.train import Wishes
        from prelabel.runs import SHIPPED_FOLDER
        from prelabel.training import read_chosen

        trial = {} if self.trial is None else read_chosen(self.trial, kind)
        own = {key: value for key, value in vars(self).items() if key not in ("trial", "length", "no_amp")}
        values: dict[str, Any] = {key: trial.get(key) if value is None else value for key, value in own.items()}
        if self.start == Path("shipped"):
            values["start"] = SHIPPED_FOLDER
        return Wishes(**values, **vars(self.length), amp=not self.no_amp)


@click.command("train", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    kind: Annotated[str, Argument(type=click.Choice(KINDS))],
    gold: MaterialOptions,
    out: OutFolder,
    model: ModelOptions,
    recipe: TrainOptions,
    fresh: Annotated[bool, Option("Don't resume.")],
) -> None:
    """Train a model of KIND on GOLD.

    A detector finds boxes, a text-crf subcaptions in reading order, a box-crf the words of a box, a classifier
    compound figures or types, a matcher the image of a caption. GOLD is gold JSONL, MedICaT's
    subcaptions_public.jsonl, annotations JSONL, or a campaign home; for a matcher also a file of figures. Splits
    are by article, 65 / 15 / 20. OUT/best gets the best epoch's checkpoint. An interrupted training resumes.
    """
    from annotator.campaign.protected_files import refuse_protected
    from annotator.prelabels.train import train

    refuse_protected(out)
    wishes = recipe.wishes(kind)
    training = training_of(kind, model.options(kind), wishes)
    problems = training.problems
    found = train(training, gold.material(), out, resume=not fresh)
    if speaks():
        scores = ", ".join(f"{key} {value:.3f}" for key, value in found.scores.items())
        click.echo(
            f"trained {found.about.version}, saved in {out / 'best'}: {counted(found.epochs, 'epoch')}, best: "
            f"{found.best} ({scores}); {found.why}{see_above(problems)}"
        )
        if found.doubt:
            warn(f"warning: {found.doubt}")
    exit_on(problems)
