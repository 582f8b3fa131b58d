"""Training a detector on boxes of adjudicated figures, best by mAP .5:.95 on validation."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agreement import average_precision
from agreement.columns import RawAnnotation
from panelwise.domain import Annotation, AnnotatorError, Panel, Status, one_line
from panelwise.files import Problems
from prelabel.detectors.batched import BatchedDetector, network_of, with_longer
from prelabel.detectors.faster_rcnn import (
    IMAGENET,
    LEAST_SCORE,
    MOBILENET_320,
    RANDOM,
    RESNET50,
    TINY,
    FasterRcnn,
    architecture_of,
    load_start,
    sizes_of,
)
from prelabel.detectors.panel_maps import PANEL_NET, panel_net_architecture
from prelabel.detectors.panel_net import PanelNet, load_backbone
from prelabel.detectors.staged import by_canvas
from prelabel.models.checkpoints import is_checkpoint, read_about
from prelabel.models.hub import find_on_hub
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, batch_tensor, prepare
from prelabel.training.data.examples import Example, ImageCache
from prelabel.training.data.splits import Split
from prelabel.training.tasks.registry import Options

#: Names that `--architecture` may say, as the checkpoint has them; any other is of a model of transformers.
ARCHITECTURES: Mapping[str, str] = {
    "": RESNET50,
    "resnet50": RESNET50,
    "mobilenet-320": MOBILENET_320,
    "tiny": TINY,
    RESNET50: RESNET50,
    MOBILENET_320: MOBILENET_320,
    TINY: TINY,
    PANEL_NET: PANEL_NET,
}

#: Batches are cut from this many at a time, put in order of their aspect ratio: little is padded.
POOL = 8
#: Batches read ahead.
AHEAD = 3
#: Bytes of scaled images cached from one epoch to the next; the rest is decoded again.
CACHE_BYTES = 1 << 30

#: Works are dated; these are only counted.
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)

Corners = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Images of one canvas with their boxes, (M, 4) in pixels of the scaled images."""

    items: tuple[Prepared, ...]
    boxes: tuple[Corners, ...]


class DetectorTask:
    """A detector to train by `prelabel.training.loop.epochs.fit`: a network of `prelabel.detectors.batched`.

    module: trained as it is. batch: figures in one. flip: whether half of the figures are mirrored, anew each
    epoch. workers: threads that decode. Examples whose image cannot be read are reported once, and left out.
    """

    better = "map"
    trivial = 0.0

    def __init__(
        self,
        module: Any,
        examples: Sequence[Example],
        problems: Problems,
        *,
        batch: int = 10,
        flip: bool = True,
        workers: int = 2,
    ) -> None:
        if batch < 1:
            raise AnnotatorError(f"a batch of {batch} figures cannot be; give 1 or more")
        # As validation wants it: laid out anew after an epoch, a resumed training would differ in last digits.
        self.module = module.to(memory_format=torch.channels_last)
        self.architecture: Mapping[str, Any] = module.architecture
        self.batch, self.flip, self.workers = batch, flip, max(1, workers)
        self._images = ImageCache(
            lambda image: prepare(image, module.sizing),
            lambda item: int(item.pixels.nbytes),
            problems,
            room=CACHE_BYTES,
        )
        self._splits = self._images.readable(examples, self.workers)

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Batch]:
        """The figures of a split in batches of similar aspect; in training shuffled, and mirrored by chance."""
        examples = self._splits[Split(split)]
        rng = np.random.default_rng([seed, epoch])
        mirrored = rng.random(len(examples)) < (0.5 if self.flip and split == Split.TRAIN else 0.0)
        order = rng.permutation(len(examples)).tolist()
        cuts = [cut for pool in cut_into(order, POOL * self.batch) for cut in self._alike(examples, pool)]
        shuffled = [cuts[place] for place in rng.permutation(len(cuts))]
        with ThreadPoolExecutor(self.workers) as readers:
            wanted = ([(examples[place], bool(mirrored[place])) for place in cut] for cut in shuffled)
            for futures in read_ahead(self._asked(each, readers) for each in wanted):
                yield _joined([future.result() for future in futures])

    def loss(self, batch: Batch) -> Any:
        """The sum of the network's losses: of Faster R-CNN four."""
        device = next(self.module.parameters()).device
        targets = [
            {
                "boxes": torch.from_numpy(boxes).to(device),
                "labels": torch.ones(len(boxes), dtype=torch.int64, device=device),
            }
            for boxes in batch.boxes
        ]
        mean, deviation = self.module.colours
        images = batch_tensor(batch.items, device, mean=mean, deviation=deviation)
        losses = self.module(images, sizes_of(batch.items), targets)
        return sum(loss.float() for loss in losses.values())

    def validate(self) -> dict[str, float]:
        """COCO's average precision on the validation split: "map" (.5:.95), "map50", "map75" and "recall"."""
        return self.scored(Split.VAL)

    def scored(self, split: Split) -> dict[str, float]:
        """The same of any split. Raises AnnotatorError if the package that counts is missing."""
        examples = self._splits[split]
        return box_scores(examples, self._detected(examples))

    def write_extra(self, folder: Path) -> None:
        """A detector needs nothing but its weights."""

    def _detected(self, examples: Sequence[Example]) -> list[Detections]:
        training, device = self.module.training, next(self.module.parameters()).device
        detector = BatchedDetector(self.module, version="", device=device, threshold=LEAST_SCORE, batch=self.batch)
        found: dict[int, Detections] = {}
        try:
            # A pool at a time: a split may not fit in memory.
            for places in cut_into(range(len(examples)), POOL * self.batch):
                with ThreadPoolExecutor(self.workers) as readers:
                    read = readers.map(self._images.read, [examples[place] for place in places])
                    items = [
                        detector.with_caption(item, examples[place].figure.caption)
                        for place, item in zip(places, read, strict=True)
                    ]
                for group in by_canvas(items):
                    predicted = detector.predict([items[each] for each in group])
                    for each, one in zip(group, predicted, strict=True):
                        found[places[each]] = _of_figure(one, examples[places[each]], items[each])
        finally:
            self.module.train(training)
        return [found[place] for place in range(len(examples))]

    def _alike(self, examples: Sequence[Example], places: Sequence[int]) -> Iterator[Sequence[int]]:
        """Cut batches of similar aspect; of one canvas where images fill theirs, so that nothing is padded."""
        sizing = self.module.sizing

        def aspect(place: int) -> float:
            return examples[place].figure.width / examples[place].figure.height

        def canvas(place: int) -> Shape | None:
            figure = examples[place].figure
            return sizing.scaled(figure.width, figure.height) if sizing.snapped else None

        for _, alike in groupby(sorted(places, key=aspect), canvas):
            yield from cut_into(list(alike), self.batch)

    def _asked(
        self, wanted: Sequence[tuple[Example, bool]], readers: ThreadPoolExecutor
    ) -> list[Future[tuple[Prepared, Corners]]]:
        return [readers.submit(self._read, example, mirror) for example, mirror in wanted]

    def _read(self, example: Example, mirror: bool) -> tuple[Prepared, Corners]:
        item = self._images.read(example)
        boxes = scaled_boxes(example, item)
        if not mirror:
            return item, boxes
        width = item.scaled[0]
        turned = np.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], axis=1)
        return replace(item, pixels=item.pixels[:, ::-1]), turned


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> DetectorTask:
    """The task of a detector that learns in one piece. Raises AnnotatorError for options that cannot be."""
    if options.side < 0:
        raise AnnotatorError(f"images of {options.side} pixels cannot be; give 1 or more, or 0 for the usual size")
    return DetectorTask(network_for(options), examples, problems, batch=options.batch, workers=options.workers)


def network_for(options: Options) -> Any:
    """The network to train: torchvision's by name, a checkpoint's by its folder, or one of transformers."""
    name = ARCHITECTURES.get(options.architecture)
    if name == PANEL_NET:
        net = PanelNet(_sized(panel_net_architecture(), options.side))
        if options.weights and not options.random_weights:
            load_backbone(net, Path(options.weights))
        return net
    if name is not None:
        start = RANDOM if options.random_weights or name == TINY else options.weights or IMAGENET
        module = FasterRcnn(_sized(architecture_of(name, start=start), options.side))
        load_start(module, start)
        return module
    folder, named = Path(options.architecture), options.architecture
    if folder.is_dir() and is_checkpoint(folder):
        return network_of(_sized(read_about(folder, kind="detector").architecture, options.side))
    if not folder.is_dir() and "/" not in named:
        raise AnnotatorError(
            f'no detector "{one_line(named)}"; give one of resnet50, mobilenet-320, panel-net, '
            "tiny, or the name or folder of a model of transformers"
        )
    if options.weights:
        raise AnnotatorError(
            "--start FILE is for torchvision's detectors and panel-net; name a folder with weights in its place"
        )
    from prelabel.detectors.transformers_network import CLASSES, TransformersNetwork, open_network

    opened = open_network(named, cached=find_on_hub(named), classes=CLASSES, pretrained=not options.random_weights)
    sized = _sized(opened.architecture, options.side)
    return TransformersNetwork(opened.net, sized["preprocessor"])


def _sized(architecture: Mapping[str, Any], side: int) -> Mapping[str, Any]:
    """The architecture for images of this longest side, in pixels; 0 for the usual one."""
    return with_longer(architecture, side) if side else architecture


def box_scores(examples: Sequence[Example], found: Sequence[Detections]) -> dict[str, float]:
    """COCO's average precision of detections, one each, in pixels of the figures: see `DetectorTask.validate`.

    Raises AnnotatorError if the package that counts is missing.
    """
    gold = [
        Annotation(example.figure, "gold", "1", Status.ACCEPTED, example.subfigures, _UNDATED)
        for example in examples
    ]
    theirs = [_submitted(example, one) for example, one in zip(examples, found, strict=True)]
    scores = average_precision(gold, theirs)
    if scores.ap is None and "panelwise[" in scores.reason:
        raise AnnotatorError(scores.reason)
    # Undefined without boxes or with a single one; 0 for choosing an epoch.
    return {
        "map": scores.ap or 0.0,
        "map50": scores.ap50 or 0.0,
        "map75": scores.ap75 or 0.0,
        "recall": scores.ar or 0.0,
    }


def scaled_boxes(example: Example, item: Prepared) -> Corners:
    """Boxes are in pixels of the figure, which the image file may be a scaled copy of."""
    across, down = item.scaled
    scale = np.array([across / example.figure.width, down / example.figure.height] * 2, dtype=np.float32)
    boxes = np.array([subfigure.box.as_list() for subfigure in example.subfigures], dtype=np.float32) * scale
    return boxes.clip(0, np.array([across, down] * 2, dtype=np.float32))


def _joined(read: Sequence[tuple[Prepared, Corners]]) -> Batch:
    """A batch on the smallest canvas that holds all of it. Boxes that scaling leaves without area are left out."""
    canvas = max(item.canvas[0] for item, _ in read), max(item.canvas[1] for item, _ in read)
    items = tuple(replace(item, canvas=canvas) for item, _ in read)
    return Batch(items, tuple(boxes[(boxes[:, 2:] > boxes[:, :2]).all(axis=1)] for _, boxes in read))


def _of_figure(found: Detections, example: Example, item: Prepared) -> Detections:
    """Detections in pixels of the image, in pixels of the figure."""
    (width, height), figure = item.size, example.figure
    scale = np.array([figure.width / width, figure.height / height] * 2, dtype=np.float32)
    return replace(found, boxes=found.boxes * scale)


def _submitted(example: Example, found: Detections) -> RawAnnotation:
    """Detections as a work that can be scored."""
    panels = tuple(Panel((x0, y0, x1, y1), ()) for x0, y0, x1, y1 in found.boxes.astype(float).tolist())
    scores = tuple(float(score) for score in found.scores)
    return RawAnnotation(example.figure, "model", "1", Status.ACCEPTED, panels, (), _UNDATED, None, scores)


def cut_into(items: Sequence[int], length: int) -> Iterator[Sequence[int]]:
    """Return the items in parts of a length, the last of what is left."""
    return (items[start : start + length] for start in range(0, len(items), length))


def read_ahead(work: Iterator[list[Any]]) -> Iterator[list[Any]]:
    """Return the same, starting some of them ahead."""
    waiting = deque(islice(work, AHEAD))
    while waiting:
        yield waiting.popleft()
        waiting.extend(islice(work, 1))
