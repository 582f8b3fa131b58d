"""Choice of the kind of detector by a name or folder. A name is looked up before torch is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelwise.domain.errors import FormatError
from prelabel.models.checkpoints import is_checkpoint, read_about
from prelabel.models.hub import NotFetched, ask_hub_once
from prelabel.models.protocols import THRESHOLD

if TYPE_CHECKING:
    from prelabel.detectors.batched import BatchedDetector


def detector_of(
    name_or_folder: str | Path,
    *,
    device: str = "auto",
    threshold: float = THRESHOLD,
    batch: int | None = None,
    amp: bool = True,
    warn: Callable[[str], None] | None = None,
) -> BatchedDetector:
    """See `prelabel.runs.opening.open_detector`."""
    folder, name = Path(name_or_folder), str(name_or_folder)
    about = read_about(folder, kind="detector", warn=warn) if is_checkpoint(folder) else None
    cached = about is None and find_on_hub(name)
    from prelabel.detectors.batched import BatchedDetector
    from prelabel.models.devices import choose_device

    where = choose_device(device)
    module: Any
    if about is not None:
        from prelabel.detectors.networks import network_of
        from prelabel.models.checkpoints import load_weights
        from prelabel.models.fusing import fused

        module, version = network_of(about.architecture), about.version
        load_weights(folder, module)
        module = fused(module)
    else:
        from prelabel.detectors.transformers_network import open_network, version_of

        module, version = open_network(name, cached=cached), version_of(name)
    return BatchedDetector(
        module, version=version, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn
    )


def find_on_hub(name: str) -> bool:
    """As `ask_hub_once`. Raises FormatError, one line, where neither a folder nor a model has this name."""
    try:
        return ask_hub_once(name)
    except NotFetched as error:
        raise FormatError(f'detector "{name}": {error}; name a folder, or a model on the hub') from None
