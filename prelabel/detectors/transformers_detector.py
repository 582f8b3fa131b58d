"""Any `AutoModelForObjectDetection` of transformers as a detector, by folder or by its name on the hub.

`vector-institute/pmc-18m-dab-detr` is one trained on compound figures. How images are scaled is read from the
model's own preprocessor_config.json; what its network says is read here, since all of these networks say it in one
of two ways: a probability of each class, or of each class and of none.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForObjectDetection

from panelwise.domain.errors import AnnotatorError, FormatError, one_line
from prelabel.detectors.batched import BatchedDetector, Found
from prelabel.detectors.faster_rcnn import NMS
from prelabel.models.hub import NotFetched, ask_hub_once, downloaded_commit, quiet_transformers
from prelabel.models.protocols import THRESHOLD
from prelabel.models.sizing import DEVIATION, MEAN, Prepared, Sizing

PREPROCESSOR = "preprocessor_config.json"
#: What DETR and its kin are trained at, where a folder does not say.
USUAL = Sizing(800, 1333, 64)
#: Canvases are a multiple of the largest stride, and of this part of the shorter side: few shapes, little waste.
_STRIDE, _PARTS = 32, 12
#: Characters of a commit in a version.
_SHORT = 8


class TransformersDetector(BatchedDetector):
    """DETR, DAB-DETR, RT-DETR, YOLOS, ...: what AutoModelForObjectDetection opens."""

    def __init__(
        self,
        module: Any,
        *,
        version: str,
        device: torch.device,
        preprocessor: Mapping[str, Any] | None = None,
        threshold: float = THRESHOLD,
        overlap: float = NMS,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        told = preprocessor or {}
        super().__init__(
            module,
            read_sizing(told),
            version=version,
            device=device,
            threshold=threshold,
            overlap=overlap,
            batch=batch,
            amp=amp,
            warn=warn,
        )
        plain = told.get("do_normalize", True) is False
        self.mean = (0.0, 0.0, 0.0) if plain else tuple(told.get("image_mean", MEAN))
        self.deviation = (1.0, 1.0, 1.0) if plain else tuple(told.get("image_std", DEVIATION))
        self._masked = "pixel_mask" in inspect.signature(module.forward).parameters

    @classmethod
    def open(
        cls,
        name_or_folder: str | Path,
        *,
        device: torch.device,
        threshold: float = THRESHOLD,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> TransformersDetector:
        """Raises FormatError, one line, where there is no such model, or it is of another kind or damaged."""
        name = str(name_or_folder)
        try:
            with quiet_transformers():
                cached = ask_hub_once(name)
                config = AutoConfig.from_pretrained(name, local_files_only=cached)
                module = AutoModelForObjectDetection.from_pretrained(name, config=config, local_files_only=cached)
                told = _preprocessor(name, cached=cached)
        except NotFetched as error:
            raise FormatError(f'detector "{name}": {error}; name a folder, or a model on the hub') from None
        except ImportError as error:
            raise AnnotatorError(f'detector "{name}": needs a further package ({one_line(error)[:200]})') from None
        except (OSError, ValueError, RuntimeError, KeyError, AttributeError, TypeError) as error:
            raise FormatError(_why(name, error)) from None
        except Exception as error:  # Damaged weights: an error of safetensors' or pickle's own.
            raise FormatError(
                f'detector "{name}": cannot be opened ({one_line(error)[:200]}); get a whole copy'
            ) from None
        return cls(
            module,
            version=_version(name),
            device=device,
            preprocessor=told,
            threshold=threshold,
            batch=batch,
            amp=amp,
            warn=warn,
        )

    def found(self, batch: torch.Tensor, items: Sequence[Prepared]) -> list[Found]:
        """The best class of each query, in corners of the scaled image; overlapping ones are removed later."""
        more = {}
        if self._masked:
            mask = torch.zeros(batch.shape[0], *batch.shape[2:], dtype=torch.long, device=batch.device)
            for row, item in zip(mask, items, strict=True):
                across, down = item.scaled
                row[:down, :across] = 1
            more["pixel_mask"] = mask
        said = self.module(pixel_values=batch, **more)
        logits, places = said.logits.float(), said.pred_boxes.float()
        # With one more number than classes, the last one means "no object".
        named = self.module.config.num_labels
        none = logits.shape[-1] > named
        chances = logits.softmax(-1)[..., :-1] if none else logits.sigmoid()
        scores, labels = chances.max(-1)
        centre, extent = places[..., :2], places[..., 2:]
        corners = torch.cat([centre - extent / 2, centre + extent / 2], dim=-1)
        found = []
        for item, boxes, sure, label in zip(items, corners, scores, labels, strict=True):
            across, down = item.scaled if self._masked or self.sizing.exact else item.canvas
            found.append((boxes * boxes.new_tensor([across, down, across, down]), sure, label + 1))
        return found

    def normalisation(self) -> tuple[Sequence[float], Sequence[float]]:
        """Mean and deviation that the network was trained with."""
        return self.mean, self.deviation


def read_sizing(preprocessor: Mapping[str, Any]) -> Sizing:
    """Read how images are scaled, from preprocessor_config.json. Raises FormatError if that is not supported."""
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
    """Read the model's preprocessor_config.json; empty if it has none. cached: do not ask the hub."""
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
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    return told if isinstance(told, dict) else {}


def _version(name: str) -> str:
    """The folder's name, or the hub's, with what tells one set of weights from another."""
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
