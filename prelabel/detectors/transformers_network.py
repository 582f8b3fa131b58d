"""Any `AutoModelForObjectDetection` of transformers as a network that finds boxes, and that can be trained.

`vector-institute/pmc-18m-dab-detr` is one trained on compound figures. How images are scaled is read from the
model's own preprocessor_config.json; what its network predicts is read here, since all of these networks say it in
one of two ways: a probability of each class, or of each class and of none.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import CONFIG_MAPPING, AutoConfig, AutoModelForObjectDetection

from panelwise.domain import AnnotatorError, FormatError, one_line
from prelabel.models.checkpoints import read_settings
from prelabel.models.hub import NO_CODE, downloaded_commit, quiet_transformers, refuse_hostile
from prelabel.models.sizing import DEVIATION, MEAN, Shape, Sizing

PREPROCESSOR = "preprocessor_config.json"
#: The name of these architectures in checkpoints.
NAME = "transformers"
#: What DETR and its kin are trained at, where a folder does not say.
USUAL = Sizing(800, 1333, 64)
#: What such a network is trained to find.
CLASSES = {0: "subfigure"}
#: Canvases are a multiple of the largest stride, and of this part of the shorter side: few shapes, little waste.
_STRIDE, _PARTS = 32, 12
#: Characters of a commit in a version.
_SHORT = 8


class TransformersNetwork(nn.Module):
    """DETR, DAB-DETR, RT-DETR, RF-DETR, YOLOS, ...: what AutoModelForObjectDetection opens.

    net: the model. preprocessor: what its preprocessor_config.json says of sizes and colours.
    """

    def __init__(self, net: Any, preprocessor: Mapping[str, Any]) -> None:
        super().__init__()
        self.net = net
        self.preprocessor = dict(preprocessor)
        self.sizing = read_sizing(preprocessor)
        plain = preprocessor.get("do_normalize", True) is False
        self.colours: tuple[Sequence[float], Sequence[float]] = (
            (0.0, 0.0, 0.0) if plain else tuple(preprocessor.get("image_mean", MEAN)),
            (1.0, 1.0, 1.0) if plain else tuple(preprocessor.get("image_std", DEVIATION)),
        )
        self._masked = "pixel_mask" in inspect.signature(net.forward).parameters

    @property
    def architecture(self) -> dict[str, Any]:
        """All that is needed to build the network again: what a checkpoint keeps."""
        config = json.loads(self.net.config.to_json_string(use_diff=False))
        config.pop("_name_or_path", None)
        return {"name": NAME, "config": config, "preprocessor": self.preprocessor}

    def forward(
        self,
        batch: torch.Tensor,
        sizes: Sequence[Shape],
        targets: list[dict[str, torch.Tensor]] | None = None,
    ) -> Any:
        """As `prelabel.detectors.faster_rcnn.FasterRcnn.forward`: losses in training, else what is found.

        Found is the best class of each query; overlapping boxes are removed later.
        """
        more: dict[str, Any] = {}
        if self._masked:
            mask = torch.zeros(len(batch), *batch.shape[2:], dtype=torch.long, device=batch.device)
            for row, (down, across) in zip(mask, sizes, strict=True):
                row[:down, :across] = 1
            more["pixel_mask"] = mask
        extents = [self._extent(batch, size) for size in sizes]
        if self.training and targets is not None:
            return self._losses(batch, more, extents, targets)
        said = self.net(pixel_values=batch, **more)
        logits, places = said.logits.float(), said.pred_boxes.float()
        # With one more number than classes, the last says that there is nothing.
        none = logits.shape[-1] > self.net.config.num_labels
        chances = logits.softmax(-1)[..., :-1] if none else logits.sigmoid()
        scores, labels = chances.max(-1)
        centre, extent = places[..., :2], places[..., 2:]
        corners = torch.cat([centre - extent / 2, centre + extent / 2], dim=-1)
        return [
            {"boxes": boxes * whole, "scores": sure, "labels": label + 1}
            for whole, boxes, sure, label in zip(extents, corners, scores, labels, strict=True)
        ]

    def set_least_score(self, score: float) -> None:
        """Every query has its box: what is unsure or overlaps is left out by the detector."""

    def _extent(self, batch: torch.Tensor, size: Shape) -> torch.Tensor:
        """The unit of boxes: width and height, twice, of the image; of the canvas if the network sees no
        mask."""
        down, across = size if self._masked or self.sizing.exact else batch.shape[2:]
        return batch.new_tensor([across, down, across, down])

    def _losses(
        self,
        batch: torch.Tensor,
        more: Mapping[str, Any],
        extents: Sequence[torch.Tensor],
        targets: Sequence[Mapping[str, torch.Tensor]],
    ) -> dict[str, torch.Tensor]:
        """The model's own loss, weighted by its configuration; not a number where its predictions are none."""
        labels = []
        for whole, one in zip(extents, targets, strict=True):
            corners = one["boxes"] / whole
            centre, extent = (corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]
            labels.append({"class_labels": one["labels"] - 1, "boxes": torch.cat([centre, extent], dim=1)})
        try:
            return {"loss": self.net(pixel_values=batch, labels=labels, **more).loss}
        except ValueError:
            # Matching refuses predictions that are no numbers; the loop skips and counts such a step.
            with torch.no_grad():
                if torch.isfinite(self.net(pixel_values=batch, **more).pred_boxes).all():
                    raise
            return {"loss": sum(each.sum() for each in self.parameters() if each.requires_grad) * float("nan")}


def build_network(architecture: Mapping[str, Any]) -> TransformersNetwork:
    """The network of a checkpoint, its weights still random. Raises FormatError where it cannot be built."""
    try:
        with quiet_transformers():
            config = dict(architecture["config"])
            made = CONFIG_MAPPING[config["model_type"]].from_dict(config)
            refuse_hostile(AutoModelForObjectDetection, made)
            net = AutoModelForObjectDetection.from_config(made, **NO_CODE)
    except ImportError as error:
        raise AnnotatorError(f"detector: needs a further package ({one_line(error)[:200]})") from None
    except Exception as error:  # Whatever a configuration of another version brings about.
        raise FormatError(
            f"detector: its configuration cannot be built ({one_line(error)[:200]}); update transformers to the "
            "version that it was trained with, or train again"
        ) from None
    return TransformersNetwork(net, architecture.get("preprocessor", {}))


def open_network(
    name: str, *, cached: bool = False, classes: Mapping[int, str] | None = None, pretrained: bool = True
) -> TransformersNetwork:
    """A network by its folder, or its name on the hub.

    cached: open a downloaded copy without asking the hub. classes: names of the classes that it is to be trained
    for, its own if None. pretrained: False for its architecture with random weights. Raises FormatError, one line,
    where there is no such model, or it is of another kind or damaged.
    """
    trained: dict[str, Any] = {}
    if classes is not None:
        trained = {"id2label": dict(classes), "label2id": {each: key for key, each in classes.items()}}
    try:
        with quiet_transformers():
            config = AutoConfig.from_pretrained(name, local_files_only=cached, **NO_CODE, **trained)
            refuse_hostile(AutoModelForObjectDetection, config, name)
            if pretrained:
                # The layers of other classes begin anew.
                net = AutoModelForObjectDetection.from_pretrained(
                    name, config=config, local_files_only=cached, ignore_mismatched_sizes=bool(trained), **NO_CODE
                )
            else:
                net = AutoModelForObjectDetection.from_config(config, **NO_CODE)
            preprocessor = _preprocessor(name, cached=cached)
    except ImportError as error:
        raise AnnotatorError(f'detector "{name}": needs a further package ({one_line(error)[:200]})') from None
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError, TypeError) as error:
        raise FormatError(_why(name, error)) from None
    except Exception as error:  # Damaged weights: an error of safetensors' or pickle's own.
        raise FormatError(
            f'detector "{name}": cannot be opened ({one_line(error)[:200]}); get a whole copy'
        ) from None
    return TransformersNetwork(net, preprocessor)


def with_longer(preprocessor: Mapping[str, Any], longer: int) -> dict[str, Any]:
    """Return the settings of preprocessor_config.json for images whose longer side has this many pixels."""
    usual = read_sizing(preprocessor)
    if usual.exact is not None:
        width, height = (round(side * longer / max(usual.exact)) for side in usual.exact)
        return {**preprocessor, "size": {"width": width, "height": height}}
    shorter = round(usual.shorter * longer / usual.longer)
    return {**preprocessor, "size": {"shortest_edge": shorter, "longest_edge": longer}}


def read_sizing(preprocessor: Mapping[str, Any]) -> Sizing:
    """Read the scaling of images from preprocessor_config.json. Raises FormatError if it is not supported."""
    size = preprocessor.get("size", {})
    if isinstance(size, int):
        size = {"shortest_edge": size, "longest_edge": preprocessor.get("max_size", USUAL.longer)}
    if not size:
        return USUAL
    try:
        if "height" in size and "width" in size:
            exact = int(size["width"]), int(size["height"])
            return Sizing(min(exact), max(exact), _STRIDE, exact)
        shorter = int(size["shortest_edge"])
        longer = int(size.get("longest_edge") or round(shorter * USUAL.longer / USUAL.shorter))
    except (KeyError, TypeError, ValueError):
        raise FormatError(
            f"{PREPROCESSOR}: size {one_line(json.dumps(size, default=str))} is not understood; give "
            "shortest_edge and longest_edge, or width and height"
        ) from None
    return Sizing(shorter, longer, max(_STRIDE, round(shorter / _PARTS / _STRIDE) * _STRIDE))


def _preprocessor(name: str, *, cached: bool) -> Mapping[str, Any]:
    """Read the model's preprocessor_config.json; empty where it has none. cached: do not ask the hub."""
    from transformers.utils import cached_file

    path = cached_file(
        name,
        PREPROCESSOR,
        local_files_only=cached,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    if path is None:
        return {}
    told = read_settings(Path(path))
    return told if isinstance(told, dict) else {}


def version_of(name: str) -> str:
    """Return the `model_version`: a folder's name and a hash of its weights, or a hub's name and commit."""
    folder = Path(name)
    if folder.is_dir():
        return f"{folder.resolve().name}-{_weights_hash(folder)}"
    commit = downloaded_commit(name)
    return f"{name}-{commit[:_SHORT]}" if commit else name


def _weights_hash(folder: Path) -> str:
    import hashlib

    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin")]):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:_SHORT]


def _why(name: str, error: Exception) -> str:
    """One line of what transformers tells in many."""
    if Path(name).is_dir():
        return (
            f'detector "{name}": is no model that finds objects ({one_line(error)[:200]}); name a folder of '
            "`prelabel train detector`, or one that transformers' AutoModelForObjectDetection opens"
        )
    return (
        f'detector "{name}": the model on the hub cannot be opened ({one_line(error)[:200]}); name one that '
        "transformers' AutoModelForObjectDetection opens, or a folder"
    )
