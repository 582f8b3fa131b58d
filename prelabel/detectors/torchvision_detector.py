"""A trained Faster R-CNN as a detector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from prelabel.detectors.batched import BatchedDetector, Found
from prelabel.detectors.faster_rcnn import NMS, FasterRcnn, sizes_of
from prelabel.models.checkpoints import load_weights, read_about
from prelabel.models.fusing import fused
from prelabel.models.protocols import THRESHOLD
from prelabel.models.sizing import Prepared


class TorchvisionDetector(BatchedDetector):
    """Faster R-CNN in batches. The module given is used as it is, and put into evaluation mode."""

    def __init__(
        self,
        module: FasterRcnn,
        *,
        version: str,
        device: torch.device,
        threshold: float = THRESHOLD,
        overlap: float = NMS,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(
            module,
            module.sizing,
            version=version,
            device=device,
            threshold=threshold,
            overlap=overlap,
            batch=batch,
            amp=amp,
            warn=warn,
        )
        module.set_thresholds(threshold, overlap)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        device: torch.device,
        threshold: float = THRESHOLD,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> TorchvisionDetector:
        """From a checkpoint of `prelabel train detector`. Raises FormatError, one line, where it is none."""
        about = read_about(folder, kind="detector", warn=warn)
        module = FasterRcnn(about.architecture)
        load_weights(folder, module)
        return cls(
            fused(module),
            version=about.version,
            device=device,
            threshold=threshold,
            batch=batch,
            amp=amp,
            warn=warn,
        )

    def found(self, batch: torch.Tensor, items: Sequence[Prepared]) -> list[Found]:
        """As torchvision has it: above the threshold, overlapping ones of a class removed."""
        return [(one["boxes"], one["scores"], one["labels"]) for one in self.module(batch, sizes_of(items))]
