"""Options of training data and model, shared by `prelabel train` and `prelabel tune`."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commandline import options, progress, typed, warned_lines
from annotator.cli.prelabel.options import DECODE, DEVICE, FILE, FOLDER, INCLUDE, split_options

if TYPE_CHECKING:
    from annotator.prelabels.train import Material, Training, Wishes
    from prelabel.training import Options

#: Options of the training itself, which recipes have values for.
_OF_WISHES = ("batch", "dropout")
KINDS = ("detector", "text-crf", "box-crf", "classifier", "matcher")


#: Adds GOLD and the options of the training data.
material_options = options(
    click.argument("gold", type=FILE),
    click.option("--figures", type=FILE, help="figures.jsonl with images and articles that GOLD lacks."),
    click.option(
        "--images",
        type=FOLDER,
        help="Base folder of image paths [default: of --figures, else of GOLD].",
    ),
    INCLUDE,
    split_options,
    click.option(
        "--gold-annotator", metavar="NAME", help="Annotator whose work is the gold; needed if GOLD has several."
    ),
    click.option("--gold-phase", metavar="NAME", help="Phase of GOLD; needed if it has several."),
    click.option(
        "--agreement-phase",
        metavar="NAME",
        default="2",
        show_default=True,
        help="Figures that several annotated in this phase are in the test split.",
    ),
)


#: Adds the options of the model.
model_options = options(
    click.option(
        "--architecture",
        metavar="NAME",
        default="",
        help="Detector: resnet50 (the paper's, default), mobilenet-320 or panel-net (for CPUs), "
        "tiny, or a transformers model. Classifier: resnet18 (default), resnet50, resnet101 (the "
        "paper's). Matcher: resnet50 (default), resnet18.",
    ),
    click.option(
        "--encoder",
        metavar="NAME",
        default="",
        help='Taggers, matcher: a transformers model; or "tiny", "base": random weights, no '
        "download [default: allenai/scibert_scivocab_cased].",
    ),
    click.option(
        "--random-weights",
        is_flag=True,
        help='Start from random weights; a tagger without --encoder is then "base".',
    ),
    click.option("--side", type=click.IntRange(32), help="Longest side of images, in pixels [default: by model]."),
    click.option(
        "--common",
        type=click.Choice(["gold", "none"]),
        default="gold",
        show_default=True,
        help="Taggers: leave out tokens that all subcaptions of a figure share, as the paper, or learn them.",
    ),
    DECODE,
    click.option(
        "--target",
        type=click.Choice(["compound", "type", "both"]),
        default="compound",
        show_default=True,
        help="Classifier: compound or not, type, or both.",
    ),
    click.option("--softmax", is_flag=True, help="Classifier: one type per figure, as in the paper."),
    click.option("--crop", is_flag=True, help="Classifier: see a centre crop, as in the paper."),
    click.option("--references", is_flag=True, help="Matcher: learn from citing sentences too."),
    DEVICE,
    click.option(
        "--workers",
        type=click.IntRange(0, 64),
        default=2,
        show_default=True,
        help="Processes that decode images.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed."),
)


def training_of(kind: str, chosen: dict[str, Any]) -> Training:
    """Return the training that a command was requested; of several processes only the first reports."""
    from annotator.prelabels.train import Training
    from panelwise.files import Problems

    report = warned_lines().add if speaks() else silent
    return Training(
        kind,
        options_of(kind, chosen),
        Problems(report=report),
        wishes_of(chosen),
        report,
        watch=lambda items, label, total: progress(items, label, total=total, unit="batches"),
    )


def material_of(chosen: dict[str, Any]) -> Material:
    """Return the training data of `material_options`."""
    from annotator.prelabels.train import Material
    from panelwise.domain import INCLUDE as SOURCES
    from prelabel.training import Chosen

    return Material(
        gold=chosen["gold"],
        figures=chosen["figures"],
        images=chosen["images"],
        split_keys=chosen["split_keys"],
        chosen=Chosen(chosen["gold_annotator"], chosen["gold_phase"], chosen["agreement_phase"]),
        split_seed=chosen["split_seed"],
        include=SOURCES[chosen["include"]],
    )


def wishes_of(chosen: dict[str, Any]) -> Wishes:
    """Return the settings of the training itself, of those options that the command has."""
    from annotator.prelabels.train import Wishes

    named = {each.name: chosen[each.name] for each in fields(Wishes) if each.name in chosen}
    return Wishes(**named, amp=not chosen.get("no_amp", False))


def options_of(kind: str, chosen: dict[str, Any]) -> Options:
    """Return the settings of `model_options`. Raises UsageError for an option of another kind of model."""
    from prelabel.training import CONCERNS, Options

    for name in CONCERNS.keys() & chosen.keys():
        kinds = CONCERNS[name]
        if kind not in kinds and typed(name):
            *first, last = [each for each in KINDS if each in kinds]
            goes = f"{', '.join(first)} and {last}" if first else last
            raise click.UsageError(f"--{name} is for {goes}, not for {kind}; leave it out")
    own = [each.name for each in fields(Options) if each.name in chosen and each.name not in ("side", *_OF_WISHES)]
    return Options(**{name: chosen[name] for name in own}, side=chosen["side"] or 0)


def silent(_text: str) -> None:
    """Print nothing; the first process does."""


def speaks() -> bool:
    """Return whether this process prints: of several that torchrun started, only the first."""
    return os.environ.get("RANK", "0") == "0"


def inputs(chosen: dict[str, Any]) -> list[Path]:
    """Return the input files."""
    return [chosen[name] for name in ("gold", "figures", "split_keys") if chosen[name] is not None]
