"""Open a trained model by name or folder. Torch is imported on opening, not before."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain.errors import AnnotatorError
from prelabel.models.protocols import THRESHOLD

if TYPE_CHECKING:
    from prelabel.models.classifier import TrainedClassifier
    from prelabel.models.protocols import Detector, Tagger

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
) -> Detector:
    """Open a detector: a folder written by `prelabel train detector`, or a transformers model, by folder or name.

    device: as in `choose_device`. threshold: drop boxes with a lower score. batch: images at a time, by device if
    None. amp: False for plain float32 on CUDA. warn: called on oddities of the folder, and on out of memory.
    Raises AnnotatorError, one line, if packages, weights or the device are missing, and FormatError if the folder
    contains something else.
    """
    need_models(f'detector "{name_or_folder}"')
    from prelabel.detectors.opening import detector_of

    return detector_of(name_or_folder, device=device, threshold=threshold, batch=batch, amp=amp, warn=warn)


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
