"""Which kind of detector a name or folder stands for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from panelwise.domain.errors import FormatError
from prelabel.detectors.batched import BatchedDetector
from prelabel.models.checkpoints import BEST, CONFIG
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
    if folder.is_dir() and not _of_transformers(folder):
        from prelabel.detectors.torchvision_detector import TorchvisionDetector

        return TorchvisionDetector.open(folder, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn)
    from prelabel.detectors.transformers_detector import TransformersDetector

    return TransformersDetector.open(
        name_or_folder, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn
    )


def _of_transformers(folder: Path) -> bool:
    """Whether a folder holds a model of transformers: its config.json names a `model_type`."""
    for place in (folder, folder / BEST):
        config = place / CONFIG
        if not config.is_file():
            continue
        try:
            record = msgspec.json.decode(config.read_bytes())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"{config}: not valid JSON ({error}); get a whole copy") from None
        return isinstance(record, dict) and "model_type" in record and "kind" not in record
    return False
