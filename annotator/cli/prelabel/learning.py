"""Options of training data and model, shared by `prelabel train` and `prelabel tune`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from annotator.cli.agreement.options import GoldAnnotator, GoldPhase
from annotator.cli.commandline import progress, typed, warned_lines
from annotator.cli.parameters import Number, Option, OptionGroup
from annotator.cli.paths import OutPath
from annotator.cli.prelabel.options import Decode, Device, ImagesOfGold, IncludeSingle, SplitOptions
from annotator.cli.shared_options import Seed

if TYPE_CHECKING:
    from annotator.prelabels.train import Material, Training, Wishes
    from prelabel.training import Options

KINDS = ("detector", "text-crf", "box-crf", "classifier", "matcher")


class MaterialOptions(OptionGroup):
    """Options of the training data."""

    gold: Path
    figures: Annotated[Path | None, Option("figures.jsonl with images and articles that GOLD lacks.")]
    images: ImagesOfGold
    include: IncludeSingle
    splits: SplitOptions
    gold_annotator: GoldAnnotator
    gold_phase: GoldPhase
    agreement_phase: Annotated[
        str,
        Option("Figures that several annotated in this phase are in the test split.", metavar="NAME", default="2"),
    ]

    def material(self) -> Material:
        """Return the training data."""
        from annotator.prelabels.train import Material
        from panelwise.domain import INCLUDE as SOURCES
        from prelabel.training import Chosen

        return Material(
            gold=self.gold,
            figures=self.figures,
            images=self.images,
            split_keys=self.splits.split_keys,
            chosen=Chosen(self.gold_annotator, self.gold_phase, self.agreement_phase),
            split_seed=self.splits.split_seed,
            include=SOURCES[self.include],
        )


class ModelOptions(OptionGroup):
    """Options of the model."""

    architecture: Annotated[
        str,
        Option(
            "Detector: resnet50 (the paper's, default), mobilenet-320 or panel-net (for CPUs), tiny, or a "
            "transformers model. Classifier: resnet18 (default), resnet50, resnet101 (the paper's). Matcher: "
            "resnet50 (default), resnet18.",
            metavar="NAME",
            default="",
        ),
    ]
    encoder: Annotated[
        str,
        Option(
            'Taggers, matcher: a transformers model; or "tiny", "base": random weights, no download [default: '
            "allenai/scibert_scivocab_cased].",
            metavar="NAME",
            default="",
        ),
    ]
    random_weights: Annotated[
        bool, Option('Start from random weights; a tagger without --encoder is then "base".')
    ]
    side: Annotated[
        int | None, Option("Longest side of images, in pixels [default: by model].", type=click.IntRange(32))
    ]
    common: Annotated[
        Literal["gold", "none"],
        Option(
            "Taggers: leave out tokens that all subcaptions of a figure share, as the paper, or learn them.",
            default="gold",
        ),
    ]
    decode: Decode
    target: Annotated[
        Literal["compound", "type", "both"],
        Option("Classifier: compound or not, type, or both.", default="compound"),
    ]
    softmax: Annotated[bool, Option("Classifier: one type per figure, as in the paper.")]
    crop: Annotated[bool, Option("Classifier: see a centre crop, as in the paper.")]
    references: Annotated[bool, Option("Matcher: learn from citing sentences too.")]
    like_the_authors: Annotated[
        bool,
        Option(
            "Taggers, classifier, matcher: all settings of the paper's code, but those that other options give."
        ),
    ]
    frozen_epochs: Annotated[
        int,
        Option(
            "panel-net: train in two stages: so many epochs with a frozen backbone, the rest with its upper half.",
            type=click.IntRange(0),
            default=0,
        ),
    ]
    features: Annotated[
        Path | None,
        Option(
            "With --frozen-epochs: folder that keeps the frozen layers' output, about 0.5 MB a figure; epochs are "
            "then several times faster.",
            type=OutPath(folder=True),
        ),
    ]
    device: Device
    workers: Annotated[int, Option("Processes that decode images.", type=click.IntRange(0, 64), default=2)]
    seed: Seed

    def options(self, kind: str) -> Options:
        """Return the options of a training. Raises UsageError for an option of another kind of model."""
        from prelabel.training import CONCERNS, Options

        for name, kinds in CONCERNS.items():
            if kind not in kinds and typed(name):
                *first, last = [each for each in KINDS if each in kinds]
                goes = f"{', '.join(first)} and {last}" if first else last
                raise click.UsageError(f"--{name.replace('_', '-')} is for {goes}, not for {kind}; leave it out")
        if self.features is not None and not self.frozen_epochs:
            raise click.UsageError("--features needs --frozen-epochs")
        features = "" if self.features is None else str(self.features)
        return Options(**vars(self) | {"side": self.side or 0, "features": features})


Batch = Annotated[
    int | None, Option("Batch, of figures, captions or boxes [default: the paper's].", type=click.IntRange(1))
]


class LengthOptions(OptionGroup):
    """Options of the length of a training."""

    epochs: Annotated[int, Option("Maximum epochs.", type=click.IntRange(1), default=100)]
    patience: Annotated[
        int, Option("Stop after N epochs without a better score.", type=click.IntRange(1), default=5)
    ]
    minutes: Annotated[float | None, Option("Stop after this many minutes.", type=Number(0.0, min_open=True))]


def training_of(kind: str, options: Options, wishes: Wishes) -> Training:
    """Return the training that a command was requested; of several processes only the first reports."""
    from annotator.prelabels.train import Training
    from panelwise.files import Problems
    from prelabel.training import AUTHORS_LENGTHS

    if options.like_the_authors:
        length: dict[str, Any] = {name: n for name, n in AUTHORS_LENGTHS[kind].items() if not typed(name)}
        wishes = replace(wishes, **length)
    report = warned_lines().add if speaks() else silent
    return Training(
        kind,
        options,
        Problems(report=report),
        wishes,
        report,
        watch=lambda items, label, total: progress(items, label, total=total, unit="batches"),
    )


def silent(_text: str) -> None:
    """Print nothing; the first process does."""


def speaks() -> bool:
    """Return whether this process prints: of several that torchrun started, only the first."""
    return os.environ.get("RANK", "0") == "0"
