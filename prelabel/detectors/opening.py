"""Choice of the kind of detector by a name or folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prelabel.detectors.batched import BatchedDetector
from prelabel.models.checkpoints import is_checkpoint
from prelabel.models.devices import choose_device
from prelabel.models.protocols import THRESHOLD


def detector_of(
    name_or_folder: str | Path,
    *,
    device: str = "auto",
    threshold: float = THRESHOLD,
    batch: int | None = None,
    amp: bool = True,
    warn: Callable[[str], None] | None = None,
) -> BatchedDetector:
    """As `prelabel.runs.opening.open_detector`, with more to say.

    amp: mixed precision on CUDA. warn: called about memory that ran out, and of checkpoints of another version.
    """
    where = choose_device(device)
    folder = Path(name_or_folder)
    if is_checkpoint(folder):
        from prelabel.detectors.torchvision_detector import TorchvisionDetector

        return TorchvisionDetector.open(folder, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn)
    from prelabel.detectors.transformers_detector import TransformersDetector

    return TransformersDetector.open(
        name_or_folder, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn
    )
