"""The models of a run, opened by name or folder. A name is looked up before torch is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelwise.domain import AnnotatorError
from prelabel.joint.evidence import Seen
from prelabel.joint.prelabeller import JointPrelabeller
from prelabel.models.checkpoints import is_checkpoint, read_about
from prelabel.models.hub import find_on_hub
from prelabel.models.protocols import THRESHOLD

if TYPE_CHECKING:
    from PIL import Image

    from prelabel.detectors.batched import BatchedDetector
    from prelabel.models.classifier import TrainedClassifier
    from prelabel.models.protocols import Tagger


#: The packages of the extra, as Python imports them.
NEEDED = ("torch", "torchvision", "transformers", "safetensors")


CRF = "crf"

#: `--detector classic` is the splitter; "both:" before a model's name or folder decides by both.
CLASSIC_NAME, BOTH = "classic", "both:"
#: Boxes of a detector with a lower score are no evidence.
LEAST_SEEN = 0.02

#: Batches to a chunk, and figures to one, at least, where no batch is given: enough that most images find others
#: of their shape, and not much to lose in a kill.
BATCHES, CHUNK = 4, 32


@dataclass(frozen=True, slots=True)
class Recipe:
    """The models of a run.

    detector: a checkpoint's folder or a model's name; after "both:" to decide by it and the splitter together;
    None for the splitter. tagger: a checkpoint's folder; None for the caption's grammar. classifier: a folder too,
    None for no figure types. decode: how a box tagger chooses words, "crf" or "span". device: as in
    `prelabel.models.devices.choose_device`. batch: images that the detector takes at a time, None for what suits
    the device. threshold: boxes that the detector gives a lower score are left out. ocr: whether the classic
    splitter may read panel letters by OCR. amp: mixed precision on CUDA.
    """

    detector: str | None = None
    tagger: Path | None = None
    classifier: Path | None = None
    decode: str = CRF
    device: str = "auto"
    batch: int | None = None
    threshold: float = THRESHOLD
    ocr: bool = False
    amp: bool = True

    @property
    def trained(self) -> bool:
        """True if any model is a trained one."""
        return any(each is not None for each in (self.detector, self.tagger, self.classifier))

    def chunk(self, batch: int) -> int:
        """Return the number of figures saved together. batch: of the opened detector."""
        return max(CHUNK, BATCHES * batch) if self.batch is None else BATCHES * self.batch


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
        from prelabel.detectors.batched import fused, network_of
        from prelabel.models.checkpoints import load_weights

        module, version = network_of(about.architecture), about.version
        load_weights(folder, module)
        module = fused(module)
    else:
        from prelabel.detectors.transformers_network import open_network, version_of

        module, version = open_network(name, cached=cached), version_of(name)
    return BatchedDetector(
        module, version=version, device=where, threshold=threshold, batch=batch, amp=amp, warn=warn
    )


class DetectorSeer:
    """A detector as a witness for `JointPrelabeller`."""

    def __init__(self, detector: BatchedDetector) -> None:
        self.detector, self.version = detector, detector.version

    def see(self, picture: Image.Image, count: int) -> Seen:
        """Return all boxes it has an inkling of. count: panels that the caption names, 0 if unknown."""
        item = self.detector.prepare(picture)
        items = [item, replace(item, count=count)] if count and self.detector.counted else [item]
        found = self.detector.predict(items)
        return Seen(found[0], found[-1])


def open_joint(
    name_or_folder: str,
    *,
    device: str = "auto",
    amp: bool = True,
    warn: Callable[[str], None] | None = None,
) -> JointPrelabeller:
    """Open the pre-labeller that decides by a detector and the splitter together; see `open_detector`."""
    if not name_or_folder:
        raise AnnotatorError('"both:" needs a detector after it; give both:FOLDER, of `prelabel train detector`')
    return JointPrelabeller(
        DetectorSeer(open_detector(name_or_folder, device=device, threshold=LEAST_SEEN, amp=amp, warn=warn))
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
    from prelabel.taggers.models import tagger_of

    return tagger_of(folder, device=device, decode=decode, amp=amp, warn=warn)


def open_classifier(
    folder: Path, *, device: str = "auto", amp: bool = True, warn: Callable[[str], None] | None = None
) -> TrainedClassifier:
    """Open a classifier of figure kinds: a folder written by `prelabel train classifier`; see `open_detector`."""
    need_models(f'classifier "{folder}"')
    from prelabel.models.classifier import classifier_of

    return classifier_of(folder, device=device, amp=amp, warn=warn)
