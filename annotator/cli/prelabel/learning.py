"""Options that `prelabel train` and `prelabel tune` share: what to learn from, and what to train."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from annotator.cli.commandline import typed
from annotator.cli.prelabel.options import FILE, FOLDER, INCLUDE

if TYPE_CHECKING:
    from annotator.prelabels.train import Material
    from prelabel.training.loop.options import Options

Function = TypeVar("Function", bound=Callable[..., Any])
KINDS = ("detector", "text-crf", "box-crf", "classifier")


def material_options(function: Function) -> Function:
    """GOLD and what belongs to it."""
    for option in reversed(
        (
            click.argument("gold", type=FILE),
            click.option(
                "--figures", type=FILE, help="figures.jsonl, for images and articles that GOLD does not name."
            ),
            click.option(
                "--images",
                type=FOLDER,
                help="Folder that image paths start from, or MedICaT's figures [default: that of --figures, else "
                "of GOLD].",
            ),
            INCLUDE,
            click.option("--split-keys", type=FILE, help="MedICaT's subcaption_split_keys.json: the splits."),
            click.option(
                "--split-seed",
                type=click.IntRange(0),
                default=0,
                show_default=True,
                help="Another seed draws other articles for training, validation and test.",
            ),
            click.option("--gold-annotator", metavar="NAME", help="Whose work to learn from, of several."),
            click.option("--gold-phase", metavar="NAME", help="The phase to learn from, of several."),
            click.option(
                "--agreement-phase",
                metavar="NAME",
                default="2",
                show_default=True,
                help="Figures that two annotators or more did in this phase are kept for the test.",
            ),
        )
    ):
        function = option(function)
    return function


def model_options(function: Function) -> Function:
    """What is trained."""
    for option in reversed(
        (
            click.option(
                "--architecture",
                metavar="NAME",
                default="",
                help="Detector: resnet50 (the paper's, the default), mobilenet-320 (for CPUs) or tiny (to try "
                "things out). Classifier: resnet18 (the default) or resnet50.",
            ),
            click.option(
                "--encoder",
                metavar="NAME",
                default="",
                help='Taggers: a model of transformers by name or folder, or "tiny", a small random one that '
                "needs no download [default: allenai/scibert_scivocab_cased, the paper's].",
            ),
            click.option(
                "--random-weights", is_flag=True, help="Begin from random weights: the paper's ablation."
            ),
            click.option(
                "--side", type=click.IntRange(32), help="Longest side of images, in pixels [default: by model]."
            ),
            click.option(
                "--common",
                type=click.Choice(["gold", "none"]),
                default="gold",
                show_default=True,
                help="Taggers: leave out the tokens that all subcaptions of a figure share, as the paper does, "
                "or learn them too.",
            ),
            click.option(
                "--decode",
                type=click.Choice(["crf", "span"]),
                default="crf",
                show_default=True,
                help="Box CRF: choose words by the CRF, or the best single span, when validating.",
            ),
            click.option(
                "--target",
                type=click.Choice(["compound", "type", "both"]),
                default="compound",
                show_default=True,
                help="Classifier: whether a figure is compound, its type, or both.",
            ),
            click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:1."),
            click.option(
                "--workers",
                type=click.IntRange(0, 64),
                default=2,
                show_default=True,
                help="What decodes images beside the training.",
            ),
            click.option(
                "--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same model."
            ),
        )
    ):
        function = option(function)
    return function


def material_of(chosen: dict[str, Any]) -> Material:
    """What the options of `material_options` say."""
    from annotator.prelabels.train import Material
    from panelwise.domain.decision import INCLUDE as SOURCES
    from prelabel.training.data.examples import Chosen

    return Material(
        gold=chosen["gold"],
        figures=chosen["figures"],
        images=chosen["images"],
        split_keys=chosen["split_keys"],
        chosen=Chosen(chosen["gold_annotator"], chosen["gold_phase"], chosen["agreement_phase"]),
        split_seed=chosen["split_seed"],
        include=SOURCES[chosen["include"]],
    )


def options_of(kind: str, chosen: dict[str, Any]) -> Options:
    """What the options of `model_options` say. Raises UsageError for one that does not go with the kind."""
    from prelabel.training.loop.options import CONCERNS, Options

    for name in CONCERNS.keys() & chosen.keys():
        kinds = CONCERNS[name]
        if kind not in kinds and typed(name):
            goes = " and ".join(each for each in KINDS if each in kinds)
            raise click.UsageError(f"--{name} goes with {goes}, not with {kind}; leave it out")
    return Options(
        architecture=chosen["architecture"],
        encoder=chosen["encoder"],
        random_weights=chosen["random_weights"],
        device=chosen["device"],
        seed=chosen["seed"],
        side=chosen["side"] or 0,
        workers=chosen["workers"],
        common=chosen["common"],
        decode=chosen["decode"],
        target=chosen["target"],
    )


def speaks() -> bool:
    """Whether this process is to say anything: of several that torchrun started only the first."""
    return os.environ.get("RANK", "0") == "0"


def inputs(chosen: dict[str, Any]) -> list[Path]:
    """The files that are read."""
    return [chosen[name] for name in ("gold", "figures", "split_keys") if chosen[name] is not None]
