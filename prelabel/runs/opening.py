"""Open a trained model by name or folder. A name is looked up before torch is imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelwise.domain import AnnotatorError
from prelabel.models.checkpoints import is_checkpoint, read_about
from prelabel.models.hub import find_on_hub
from prelabel.models.protocols import THRESHOLD

if TYPE_CHECKING:
    from prelabel.detectors.batched import BatchedDetector
    from prelabel.models.classifier import TrainedClassifier
    from prelabel.models.protocols import Tagger

#: The packages of the extra, as Python imports them.
NEEDED = ("torch", "torchvision", "transformers", "safetensors")


def need_models(what: str) -> None:
    """Raise AnnotatorError, one line, where the packages of panelwise[models] are missing. what: the subject."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    if absent:
        raise AnnotatorError(
            f'{what} needs panelwise[models] ({", ".join(absent)} missing); pip install "panelwise[models]"'
        )


def open_detector(
    name_or_folder: str | Path,
    *,
    device: str = "auto",
    threshold: float = THRESHOLD,
    batch: int | None = None,
    amp: bool = True,
    warn: Callable[[str], None] | None = None,
) -> BatchedDetector:
    """Open a detector: a folder written by `prelabel train detector`, or a transformers model, by folder or name.

    device: as in `choose_device`. threshold: drop boxes with a lower score. batch: images at a time, by device if
    None. amp: False for plain float32 on CUDA. warn: called on oddities of the folder, and on out of memory.
    Raises AnnotatorError, one line, if packages, weights or the device are missing, and FormatError if the folder
    contains something else.
    """
    need_models(f'detector "{name_or_folder}"')
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


def open_tagger(
    folder: Path,
    *,
    device: str = "auto",
    decode: str = "crf",
    amp: bool = True,
    warn: Callable[[str], None] | None = None,
) -> Tagger:
    """Open a tagger: a folder written by `prelabel train text-crf` or `prelabel train box-crf`.

    decode: "crf", or for a box-crf "span", the best single one (appendix C). Otherwise as `open_detector`.
    """
    need_models(f'tagger "{folder}"')
    from prelabel.taggers.opening import tagger_of

    return tagger_of(folder, device=device, decode=decode, amp=amp, warn=warn)


def open_classifier(
    folder: Path, *, device: str = "auto", amp: bool = True, warn: Callable[[str], None] | None = None
) -> TrainedClassifier:
    """Open a classifier of figure kinds: a folder written by `prelabel train classifier`; see `open_detector`."""
    need_models(f'classifier "{folder}"')
    from prelabel.models.classifier import classifier_of

    return classifier_of(folder, device=device, amp=amp, warn=warn)
