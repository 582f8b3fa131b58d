"""Options of a training with their defaults, the paper's best trials (appendix C); what a task offers the loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from prelabel.models.checkpoints import About

#: The paper's encoders: of taggers, for which its authors' code uses the cased vocabulary, and of the matcher.
SCIBERT, SCIBERT_UNCASED = "allenai/scibert_scivocab_cased", "allenai/scibert_scivocab_uncased"
#: Random encoders that need no download: a small one, and one of SciBERT's size.
TINY, BASE = "tiny", "base"
PANEL_NET = "panel-net"
TAGGERS = frozenset({"text-crf", "box-crf"})
#: Kinds with an encoder of text.
WORDED = TAGGERS | {"matcher"}
#: Kinds that look at images; the others learn from captions and boxes alone.
PICTURED = frozenset({"detector", "classifier", "matcher"})
KINDS = ("detector", "text-crf", "box-crf", "classifier", "matcher")

#: The default architectures; the detector's is the paper's.
ARCHITECTURES = MappingProxyType({"detector": "resnet50", "classifier": "resnet18", "matcher": "resnet50"})

#: Which kinds an option speaks of; each of the others is every kind's.
CONCERNS = MappingProxyType(
    {
        "architecture": PICTURED,
        "side": PICTURED,
        "workers": PICTURED,
        "weights": PICTURED,
        "frozen_epochs": frozenset({"detector"}),
        "features": frozenset({"detector"}),
        "encoder": WORDED,
        "dropout": WORDED | {"classifier"},
        "like_the_authors": WORDED | {"classifier"},
        "references": frozenset({"matcher"}),
        "common": TAGGERS,
        "decode": frozenset({"box-crf"}),
        "target": frozenset({"classifier"}),
        "softmax": frozenset({"classifier"}),
        "crop": frozenset({"classifier"}),
    }
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a training. A kind ignores options of other kinds (CONCERNS).

    architecture: detectors "resnet50" (the paper's), "mobilenet-320" or "panel-net", the folder of a checkpoint,
    or the name or folder of a transformers model; classifiers "resnet18", "resnet50" or "resnet101" (the
    paper's), matchers "resnet18" or "resnet50"; "" for the first. encoder: of taggers and matchers, a name or
    folder, or "tiny" for a small random one; "" for SciBERT (see `default_encoder`). random_weights: begin from
    random weights even where there are trained ones. weights: of what looks at images, a file of weights to
    begin from, "" for ImageNet's. device: as given. batch: figures in one; of box CRFs, boxes; of matchers,
    texts. side: longest side of an image in pixels, 0 for the architecture's own. workers: threads or processes
    that decode images. common: of taggers, "gold" to learn subcaptions without the tokens that all of a figure
    share, "none" to learn these too. decode: of box CRFs, how words are chosen when validating, "crf" or "span".
    target: classifiers, "compound", "type" or "both". softmax: of classifiers, types exclude each other. crop:
    of classifiers, the middle of an image is seen only. references: matchers, learn from the sentences that cite
    a figure too. frozen_epochs: of panel-net, epochs in which its backbone stays as it is; after them its upper
    blocks learn too. features: a folder for what the frozen layers make of each training figure, "" for none.
    like_the_authors: as in the code of the paper, see the module of each kind.
    """

    architecture: str = ""
    encoder: str = ""
    random_weights: bool = False
    weights: str = ""
    device: str = "auto"
    batch: int = 8
    dropout: float = 0.1
    seed: int = 0
    side: int = 0
    workers: int = 2
    common: str = "gold"
    decode: str = "crf"
    target: str = "compound"
    softmax: bool = False
    crop: bool = False
    references: bool = False
    frozen_epochs: int = 0
    features: str = ""
    like_the_authors: bool = False

    def fixed(self, kind: str) -> dict[str, Any]:
        """Those of a kind that a training cannot change half-way; the seed the loop knows itself."""
        free = {"device", "workers", "seed", "features"}
        free |= {key for key, kinds in CONCERNS.items() if kind not in kinds}
        return {key: value for key, value in asdict(self).items() if key not in free}


@dataclass(frozen=True, slots=True)
class Recipe:
    """The default recipe of a kind. warmup: steps. clip: largest norm of a gradient, 0 for any."""

    lr: float
    weight_decay: float
    dropout: float
    batch: int
    warmup: int = 0
    clip: float = 0.0


#: The paper's best trials; "random": without pre-trained weights. The classifier's is ours.
RECIPES = MappingProxyType(
    {
        "detector": Recipe(lr=2.22e-4, weight_decay=0.0, dropout=0.0, batch=10, clip=10.0),
        "text-crf": Recipe(lr=2.60e-5, weight_decay=0.770, dropout=0.182, batch=8),
        "text-crf random": Recipe(lr=2.47e-5, weight_decay=0.574, dropout=0.499, batch=8),
        "box-crf": Recipe(lr=1.34e-5, weight_decay=0.699, dropout=0.404, batch=8),
        "classifier": Recipe(lr=1e-4, weight_decay=0.01, dropout=0.0, batch=32),
        "classifier authors": Recipe(lr=1e-3, weight_decay=0.0, dropout=0.1, batch=64),
        "matcher": Recipe(lr=1e-5, weight_decay=0.0, dropout=0.1, batch=16),
    }
)
#: The length of a training as in the authors' code, with `like_the_authors`; their classifier never stops early.
AUTHORS_LENGTHS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "text-crf": MappingProxyType({"epochs": 50, "patience": 5}),
        "box-crf": MappingProxyType({"epochs": 50, "patience": 5}),
        "classifier": MappingProxyType({"epochs": 50, "patience": 50}),
        "matcher": MappingProxyType({"epochs": 100, "patience": 5}),
    }
)
#: panel-net by stages; the second stage has a rate of its own, see `prelabel.training.loop.epochs`.
_STAGED = Recipe(lr=1.2e-3, weight_decay=0.02, dropout=0.0, batch=8, warmup=60, clip=5.0)
#: A tiny encoder learns nothing at the learning rate of a large trained one.
_TINY = Recipe(lr=1e-3, weight_decay=0.01, dropout=0.1, batch=8)


def default_encoder(kind: str, *, random_weights: bool) -> str:
    """Return the paper's encoder of a kind, or one of its size; "" for a kind without."""
    if kind not in WORDED:
        return ""
    if random_weights:
        return BASE
    return SCIBERT_UNCASED if kind == "matcher" else SCIBERT


def begins_random(kind: str, options: Options) -> bool:
    """Return whether a training begins from random weights; of a model with a text encoder, the encoder."""
    if kind in WORDED:
        return options.random_weights or options.encoder in (TINY, BASE)
    unstarted = options.architecture == PANEL_NET and not options.weights
    return options.random_weights or (kind == "detector" and (options.architecture == TINY or unstarted))


def began_random(about: About) -> bool:
    """Return whether a checkpoint, or the first one that it began from, began from random weights."""
    if about.random_weights is not None:
        return about.random_weights
    # A checkpoint of an earlier version: its options say so.
    other = about.settings.get("other")
    said = other if isinstance(other, Mapping) else {}
    names = (about.architecture.get("encoder"), said.get("encoder"), about.architecture.get("name"))
    return said.get("random_weights") is True or any(name in (TINY, BASE) for name in names)


def trained_as_in_the_paper(kind: str, about: About) -> bool:
    """Return whether a checkpoint's encoder or network was trained before, and its settings are the paper's."""
    return recipe_of(about.settings, RECIPES[kind]) == RECIPES[kind] and not began_random(about)


def models_to_open(kind: str, options: Options) -> Iterator[tuple[str, str]]:
    """Return the start of a training by folder or hub name: ("encoder", name) or ("detector", name)."""
    encoder = options.encoder or default_encoder(kind, random_weights=options.random_weights)
    if encoder not in ("", TINY, BASE):
        yield "encoder", encoder
    if kind == "detector" and "/" in options.architecture:
        yield "detector", options.architecture


#: Steps before patience counts. An epoch of the paper has 610; on few figures five epochs are few steps, and a
#: training would end with its first epoch as the best.
GRACE = 200


def recipe_for(kind: str, options: Options) -> Recipe:
    """The recipe of a kind with these options."""
    if options.encoder == TINY and kind in WORDED:
        return _TINY
    if options.frozen_epochs:
        return _STAGED
    if options.like_the_authors and kind == "classifier":
        return RECIPES["classifier authors"]
    random = options.random_weights or options.encoder == BASE
    return RECIPES.get(f"{kind} random" if random else kind, RECIPES[kind])


def recipe_of(settings: Mapping[str, Any], recipe: Recipe) -> Recipe:
    """The recipe that a checkpoint was trained by, as its settings say; `recipe` for what they do not say."""
    other = settings.get("other")
    said = {**settings, **(other if isinstance(other, dict) else {})}
    known = {each.name: said[each.name] for each in fields(Recipe) if isinstance(said.get(each.name), int | float)}
    return replace(recipe, **known)


def resolve_options(
    kind: str, options: Options, recipe: Recipe, *, batch: int | None, dropout: float | None
) -> Options:
    """The options with the recipe's batch and dropout where these are None, and the paper's encoder for none; from
    random weights one of its size."""
    encoder = default_encoder(kind, random_weights=options.random_weights)
    alike = options.like_the_authors and kind == "classifier"
    usual = "resnet101" if alike else ARCHITECTURES.get(kind, "")
    return replace(
        options,
        target="type" if alike and options.target == "compound" else options.target,
        softmax=alike or options.softmax,
        crop=alike or options.crop,
        batch=recipe.batch if batch is None else batch,
        dropout=recipe.dropout if dropout is None else dropout,
        encoder=options.encoder or encoder,
        architecture=options.architecture or usual,
    )


@runtime_checkable
class Staged(Protocol):
    """A task whose module learns in two stages."""

    def begin_stage(self, *, frozen: bool) -> None:
        """Freeze the parts of the module that don't learn in the stage that begins."""
        ...


class Task(Protocol):
    """A model to train, and its measurement.

    module: what is trained; the loop moves it to the device. better: the key of `validate` that is to grow, which
    early stopping watches; trivial: that score of an answer that looks at nothing. architecture: stored in the
    checkpoint, enough to build the module again.
    """

    @property
    def module(self) -> Any:
        """A torch module."""
        ...

    @property
    def better(self) -> str:
        """A key of `validate`."""
        ...

    @property
    def trivial(self) -> float:
        """On the scale of `better`."""
        ...

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Plain values."""
        ...

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Any]:
        """The batches of one epoch (from 1), in an order that hangs on the split, the epoch and the seed only."""
        ...

    def loss(self, batch: Any) -> Any:
        """The mean loss of a batch, a scalar tensor, with the module in training mode."""
        ...

    def validate(self) -> dict[str, float]:
        """Scores on the validation split by name, `better` among them; higher is better for that one."""
        ...

    def write_extra(self, folder: Path) -> None:
        """Write what the kind needs beside its weights (a tagger's encoder); may do nothing."""
        ...
