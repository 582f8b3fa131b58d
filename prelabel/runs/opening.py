"""The models of a run, opened by name or folder. A name is looked up before torch is imported."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelwise.domain import AnnotatorError
from prelabel.classic.prelabeller import ClassicPrelabeller, open_classic
from prelabel.detectors.onnx_panel_net import OnnxPanelNet, why_no_onnxruntime
from prelabel.detectors.panel_maps import PANEL_NET as PANEL_NET
from prelabel.joint.evidence import Seen
from prelabel.joint.prelabeller import JointPrelabeller
from prelabel.models.checkpoints import check_weights, is_checkpoint, read_about
from prelabel.models.hub import find_on_hub
from prelabel.models.protocols import THRESHOLD

if TYPE_CHECKING:
    from PIL import Image

    from prelabel.detectors.staged import StagedDetector
    from prelabel.models.checkpoints import About
    from prelabel.models.classifier import TrainedClassifier
    from prelabel.models.protocols import Tagger


#: The packages of the extra, as Python imports them.
NEEDED = ("torch", "torchvision", "transformers", "safetensors")


CRF = "crf"

#: Values of `--detector`: the splitter alone; and a detector with it, the shipped one or the one after a colon.
CLASSIC_NAME, BOTH = "classic", "both"
#: Folder of the detector in the package; and name of a detector in the package -> its folder.
SHIPPED_FOLDER = Path(__file__).parent.parent / "weights" / PANEL_NET
SHIPPED = {PANEL_NET: SHIPPED_FOLDER}
#: Version of predictions by the splitter and the shipped detector: a new number for other weights, another
#: splitter or another fit. A test says when.
BOTH_VERSION = "both-1"
#: The variable that replaces the default of `--detector`.
DETECTOR_VARIABLE = "PANELWISE_DETECTOR"
#: Boxes of a detector with a lower score are no evidence.
LEAST_SEEN = 0.02

#: Batches to a chunk, and figures to one, at least, where no batch is given: enough that most images find others
#: of their shape, and not much to lose in a kill.
BATCHES, CHUNK = 4, 32


@dataclass(frozen=True, slots=True)
class Recipe:
    """The models of a run.

    detector: see `parts_of`. tagger: a checkpoint's folder; None for the caption's grammar. classifier: a folder
    too, None for no figure types. decode: how a box tagger chooses words, "crf" or "span". device: as in
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

    def chunk(self, batch: int) -> int:
        """Return the number of figures saved together. batch: of the opened detector."""
        return max(CHUNK, BATCHES * batch) if self.batch is None else BATCHES * self.batch


def default_detector() -> str:
    """Return the default of `--detector`."""
    return os.environ.get(DETECTOR_VARIABLE) or BOTH


def parts_of(detector: str | None) -> tuple[bool, str | None]:
    """Return whether the splitter takes part, and the network's name or folder, if any.

    detector: None or "classic", the splitter alone; "both", it and panel-net; "both:NAME", it and another network;
    else a network alone: a name in SHIPPED, a folder, or a name on the hub. Raises AnnotatorError for "both:".
    """
    if detector is None or detector == CLASSIC_NAME:
        return True, None
    if detector == BOTH:
        return True, PANEL_NET
    first, colon, name = detector.partition(":")
    if not colon or first != BOTH:
        return False, detector
    if not name:
        raise AnnotatorError('"both:" needs a detector after it; give both:FOLDER, of `prelabel train detector`')
    return True, name


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
) -> StagedDetector:
    """Open a detector: the shipped "panel-net", a folder that `prelabel train detector` wrote, or a transformers
    model, by folder or name.

    device: as in `choose_device`; a panel-net runs by onnxruntime without torch, unless it names a GPU. threshold:
    drop boxes with a lower score. batch: images at a time, by device if None. amp: False for float32 on CUDA.
    warn: called on oddities of the folder, and on out of memory. Raises AnnotatorError, one line, if packages,
    weights or the device are missing, and FormatError if the folder contains something else.
    """
    shipped = SHIPPED.get(str(name_or_folder))
    folder, name = shipped or Path(name_or_folder), str(name_or_folder)
    about = None
    if is_checkpoint(folder):
        about = read_about(folder, kind="detector", warn=None if shipped else warn)
        if _runs_by_onnxruntime(about, device):
            weights = check_weights(folder, about)
            return OnnxPanelNet(weights, about.architecture, version=about.version, threshold=threshold)
    what = f'detector "{name}"'
    if about is None and not folder.is_dir():
        what += f" is none of {', '.join((CLASSIC_NAME, *SHIPPED, BOTH))} and no folder; a model of the hub"
    need_models(what)
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


def _runs_by_onnxruntime(about: About, device: str) -> bool:
    on_cpu = about.architecture.get("name") == PANEL_NET and device in ("auto", "cpu")
    return on_cpu and why_no_onnxruntime() is None


class DetectorSeer:
    """A detector as a witness for `JointPrelabeller`."""

    def __init__(self, detector: StagedDetector) -> None:
        self.detector, self.version = detector, detector.version

    def see(self, picture: Image.Image, count: int) -> Seen:
        """Return all boxes it has an inkling of. count: panels that the caption names, 0 if unknown."""
        item = self.detector.prepare(picture)
        found = self.detector.with_counts(item, [0, count] if count and self.detector.counted else [0])
        return Seen(found[0], found[-1])


def open_splitter(recipe: Recipe, warn: Callable[[str], None] | None = None) -> ClassicPrelabeller:
    """Open the splitter, alone or with the detector that the recipe names after "both".

    The splitter alone where that is the shipped detector and onnxruntime is missing: `warn` is called then.
    """
    _, name = parts_of(recipe.detector)
    if name is None:
        return open_classic(ocr=recipe.ocr)
    on_cpu = recipe.device in ("auto", "cpu")
    if name in SHIPPED and on_cpu and (problem := why_no_onnxruntime()) is not None:
        if warn is not None:
            warn(f"{name} cannot run, boxes are from the splitter alone: {problem}; pip install onnxruntime")
        return open_classic(ocr=recipe.ocr)
    seer = DetectorSeer(open_detector(name, device=recipe.device, threshold=LEAST_SEEN, amp=recipe.amp, warn=warn))
    return JointPrelabeller(seer, version=BOTH_VERSION if name in SHIPPED else None)


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
