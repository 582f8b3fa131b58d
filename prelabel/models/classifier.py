"""The classifier of figures: compound or not, and their types. A ResNet with one yes or no for each.

A figure may be of several types, or of none that is known, so the answers are not made to add up to one; but where
types exclude each other, as the paper's do (softmax).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import nn
from torchvision.models import (
    ResNet18_Weights,
    ResNet50_Weights,
    ResNet101_Weights,
    resnet18,
    resnet50,
    resnet101,
)

from panelwise.domain import NO_ITEMS, AnnotatorError, FigureKind, FormatError, Items, one_line
from prelabel.models.checkpoints import CONFIG, fetch_weights, find_checkpoint, load_weights, read_about
from prelabel.models.devices import amp_of, choose_device, halving
from prelabel.models.sizing import DEVIATION, MEAN

#: The default, a larger one, and the paper's.
RESNET18, RESNET50, RESNET101 = "resnet18", "resnet50", "resnet101"
_NETS: Mapping[str, Callable[..., Any]] = {RESNET18: resnet18, RESNET50: resnet50, RESNET101: resnet101}
_TRAINED = {
    RESNET18: ResNet18_Weights.IMAGENET1K_V1,
    RESNET50: ResNet50_Weights.IMAGENET1K_V2,
    RESNET101: ResNet101_Weights.IMAGENET1K_V2,
}

#: Default side of the square that images are laid on, in pixels.
SIDE = 224
#: For a centre crop the shorter side of the image is scaled to this many times the square's, as ImageNet's are.
CROPPED = 256 / 224
#: Most that a checkpoint may ask for.
_MOST_SCALE = 4.0
#: A type is filled in for people from this probability on.
SURE = 0.5
#: The paper's filter for medical figures: one is selected if the class is among this many of the likeliest.
TOP = 4
#: Images given to the network at a time.
BATCH = 32

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Answers:
    """The questions to a classifier. compound: whether a figure is compound. types: the known types.

    softmax: whether a figure is of one type only, so that their probabilities add up to one.
    """

    compound: bool
    types: tuple[str, ...]
    softmax: bool = False

    def __len__(self) -> int:
        return self.compound + len(self.types)


@dataclass(frozen=True, slots=True)
class Kinds:
    """A classifier's answer for one image. compound: None if it was not asked. types: likeliest first."""

    compound: float | None
    types: tuple[tuple[str, float], ...]

    def kind(self, sure: float = SURE) -> FigureKind | None:
        """As people say it: what is at least so likely; None if that is nothing."""
        types = frozenset(name for name, likely in self.types if likely >= sure)
        compound = None if self.compound is None else self.compound >= SURE
        return FigureKind(compound=compound, types=types) if types or compound is not None else None

    def keeps(self, accepted: Collection[str], *, top: int = TOP) -> bool:
        """The paper's rule: whether one of these types is among the `top` likeliest."""
        return any(name in accepted for name, _ in self.types[:top])


class _Last(nn.Linear):
    """A linear layer behind dropout."""

    dropout = 0.0

    def forward(self, features: Any) -> Any:
        """features: (B, size). Returns (B, answers)."""
        return super().forward(nn.functional.dropout(features, self.dropout, self.training))


class FigureClassifier(nn.Module):
    """A ResNet over (B, 3, side, side) uint8 images; gives (B, answers) logits, compound first if it is asked.

    crop: whether it sees the middle of an image only, or all of it. scale: of the shorter side of an image that is
    cropped, in sides of the square; the paper's is 1. dropout: of the features, in training.
    """

    def __init__(
        self,
        name: str,
        answers: Answers,
        *,
        side: int = SIDE,
        crop: bool = False,
        scale: float = CROPPED,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if name not in _NETS:
            raise AnnotatorError(f'no classifier "{one_line(name)}"; give {", ".join(_NETS)}')
        self.name, self.answers, self.side, self.crop, self.scale = name, answers, side, crop, scale
        self.net = _NETS[name](weights=None)
        self.net.fc = _Last(self.net.fc.in_features, len(answers))
        self.net.fc.dropout = dropout
        self.register_buffer("mean", 255 * torch.tensor(MEAN).view(3, 1, 1), persistent=False)
        self.register_buffer("deviation", 255 * torch.tensor(DEVIATION).view(3, 1, 1), persistent=False)

    @property
    def architecture(self) -> dict[str, Any]:
        """All that is needed to build it again."""
        return {
            "net": self.name,
            "compound": self.answers.compound,
            "types": list(self.answers.types),
            "softmax": self.answers.softmax,
            "side": self.side,
            "crop": self.crop,
            "scale": self.scale,
        }

    @classmethod
    def of(cls, architecture: Mapping[str, Any]) -> FigureClassifier:
        """From what `architecture` gave. Raises ValueError if it is of something else."""
        name, side, types = (architecture.get(key) for key in ("net", "side", "types"))
        compound, softmax, crop = (architecture.get(key, False) for key in ("compound", "softmax", "crop"))
        if (
            not isinstance(name, str)
            or name not in _NETS
            or type(side) is not int
            or side < 1
            or not isinstance(compound, bool)
        ):
            raise ValueError("no classifier")
        if not isinstance(types, list) or not all(isinstance(each, str) for each in types):
            raise ValueError("no types")
        scale = architecture.get("scale", CROPPED)
        if not isinstance(scale, int | float) or not 1.0 <= scale <= _MOST_SCALE:
            raise ValueError("no scale")
        answers = Answers(compound, tuple(types), softmax is True)
        return cls(name, answers, side=side, crop=crop is True, scale=float(scale))

    def begin_from(self, state: Mapping[str, Any]) -> None:
        """Take over weights of a network of this name, but for its last layer. Raises FormatError if none fit."""
        ours = self.net.state_dict()
        fitting = {
            key.removeprefix("net."): value
            for key, value in state.items()
            if key.removeprefix("net.") in ours and ours[key.removeprefix("net.")].shape == value.shape
        }
        if not fitting:
            raise FormatError(f"none of the weights fit {self.name}; give weights of the same network")
        self.net.load_state_dict(fitting, strict=False)

    def forward(self, pixels: Any) -> Any:
        """pixels: (B, 3, side, side) uint8. Returns (B, answers) logits."""
        return self.net((pixels.float() - self.mean) / self.deviation)

    def prepare(self, image: Image.Image) -> Pixels:
        """Prepare an upright, opaque image for the network."""
        return cropped(image, self.side, scale=self.scale) if self.crop else squared(image, self.side)

    def probabilities(self, logits: Any) -> Any:
        """(B, answers), of logits."""
        first = int(self.answers.compound)
        types = logits[:, first:].float()
        types = types.softmax(dim=1) if self.answers.softmax else types.sigmoid()
        return torch.cat([logits[:, :first].float().sigmoid(), types], dim=1)


class TrainedClassifier:
    """A classifier in use, in batches. version: name and short hash of its weights, stored with predictions.

    amp: mixed precision on CUDA.
    """

    def __init__(
        self,
        module: FigureClassifier,
        *,
        version: str,
        device: Any,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.amp = amp
        self.module, self.version, self.device, self.warn = module.to(device).eval(), version, device, warn
        self.batch = batch or BATCH

    @property
    def answers(self) -> Answers:
        """Return the questions that the classifier answers."""
        asked: Answers = self.module.answers
        return asked

    def kinds(self, images: Sequence[Image.Image]) -> list[Kinds]:
        """One each, in order. The images: upright and opaque, of any mode and size."""
        return self.kinds_of([self.module.prepare(image) for image in images])

    def kinds_of(self, pixels: Sequence[Pixels]) -> list[Kinds]:
        """The same of images that the module has prepared."""
        found: list[Kinds] = []
        for start in range(0, len(pixels), self.batch):
            found += halving(pixels[start : start + self.batch], self._run, warn=self.warn)
        return found

    def items(self, images: Sequence[Image.Image]) -> list[Items]:
        """Return the answer as items: the types that are likely enough, and compound or not."""
        kinds = [each.kind() for each in self.kinds(images)]
        return [NO_ITEMS if kind is None else Items(kind=kind) for kind in kinds]

    def _run(self, pixels: Sequence[Pixels]) -> list[Kinds]:
        with torch.inference_mode(), amp_of(self.device, enabled=self.amp):
            logits = self.module(pixel_batch(pixels).to(self.device, non_blocking=True))
            likely = self.module.probabilities(logits).cpu().tolist()
        return [_kinds(self.answers, row) for row in likely]


def squared(image: Image.Image, side: int) -> Pixels:
    """(side, side, 3): the image scaled so that its longer side fits, in the middle of white."""
    colours = image if image.mode == "RGB" else image.convert("RGB")
    scale = side / max(colours.size)
    width, height = (max(1, round(each * scale)) for each in colours.size)
    laid = Image.new("RGB", (side, side), "white")
    scaled = colours.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    laid.paste(scaled, ((side - width) // 2, (side - height) // 2))
    return np.asarray(laid)


def cropped(image: Image.Image, side: int, *, scale: float = CROPPED) -> Pixels:
    """(side, side, 3): the middle of the image, scaled so that its shorter side is `scale` times that."""
    colours = image if image.mode == "RGB" else image.convert("RGB")
    scale = scale * side / min(colours.size)
    width, height = (max(side, round(each * scale)) for each in colours.size)
    scaled = colours.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    left, top = (width - side) // 2, (height - side) // 2
    return np.asarray(scaled.crop((left, top, left + side, top + side)))


def pixel_batch(pixels: Sequence[Pixels]) -> Any:
    """(B, 3, side, side) uint8, of images of one side."""
    return torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2).contiguous()


def imagenet(name: str) -> dict[str, Any]:
    """The weights that torchvision has for a network. Raises AnnotatorError if they cannot be fetched."""
    return fetch_weights(_TRAINED[name])


def classifier_of(
    folder: Path, *, device: str, amp: bool, warn: Callable[[str], None] | None
) -> TrainedClassifier:
    """See `prelabel.runs.opening.open_classifier`."""
    about = read_about(folder, kind="classifier", warn=warn)
    where = choose_device(device)
    try:
        module = FigureClassifier.of(about.architecture)
    except ValueError:
        raise FormatError(
            f"{find_checkpoint(folder) / CONFIG}: the architecture of a classifier is missing; get a whole copy"
        ) from None
    load_weights(folder, module)
    return TrainedClassifier(module, version=about.version, device=where, amp=amp, warn=warn)


def _kinds(answers: Answers, likely: Iterable[float]) -> Kinds:
    row = list(likely)
    compound = row.pop(0) if answers.compound else None
    # Equal ones in the order of the classes, with any sort.
    order = sorted(range(len(row)), key=lambda place: (-row[place], place))
    return Kinds(compound, tuple((answers.types[place], row[place]) for place in order))
