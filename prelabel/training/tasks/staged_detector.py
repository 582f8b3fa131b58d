"""Training panel-net in stages: first its head on a frozen backbone, then the backbone's upper blocks too.

The layers that stay as they are need to see each figure once: their output can stay on disk, which makes an epoch
several times faster. Then each training figure is changed at random once; else anew in each epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from panelwise.domain import AnnotatorError
from panelwise.files import Problems
from panelwise.images import picture_size
from panelwise.runtime import write_whole
from prelabel.detectors.panel_net import PanelNet
from prelabel.models.sizing import Prepared, Shape, batch_tensor, prepare
from prelabel.training.data.changes import Change
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.tasks import detector
from prelabel.training.tasks.detector import Corners, DetectorTask, cut_into, read_ahead, scaled_boxes
from prelabel.training.tasks.registry import Options

#: Names of the backbone's three levels in a file of features, finest first; and of the boxes.
_LEVELS, _BOXES = ("fine", "middle", "coarse"), "boxes"

Features = list[torch.Tensor]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A training figure in one epoch. canvas: width and height of what the network sees. kept: its features."""

    example: Example
    change: Change
    canvas: Shape
    kept: Path | None


@dataclass(frozen=True, eq=False, slots=True)
class _Seen:
    """A figure read: boxes (M, 4) in pixels of the canvas, and its features, or the image to compute them from."""

    planned: _Planned
    boxes: torch.Tensor
    features: Features | None = None
    item: Prepared | None = None


class StagedDetectorTask(DetectorTask):
    """A panel-net to train by `prelabel.training.loop.epochs.fit` with `frozen_epochs`.

    features: folder of the frozen layers' output, made where it is missing; None: nothing is kept. seed: of the
    changes where they are made once.
    """

    def __init__(
        self,
        module: PanelNet,
        examples: Sequence[Example],
        problems: Problems,
        *,
        batch: int = 8,
        workers: int = 2,
        features: Path | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(module, examples, problems, batch=batch, workers=workers)
        self.folder, self.seed = features, seed
        self._sizes = {example.image: picture_size(example.image) for example in self._splits[Split.TRAIN]}
        self._frozen = True
        self._backbone = ""
        if features is not None:
            features.mkdir(parents=True, exist_ok=True)
            self._backbone = _digest(module.backbone.state_dict())
            self._hashes = {image: sha256(image.read_bytes()).hexdigest() for image in self._sizes}

    def begin_stage(self, *, frozen: bool) -> None:
        """Freeze the whole backbone, or its lower blocks only."""
        self._frozen = frozen
        self.module.train_stage(frozen=frozen)

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Any]:
        """The training figures, read, in batches of one canvas, shuffled; changed at random, see above."""
        rng = np.random.default_rng([seed, epoch])
        planned = [self._planned(example, epoch) for example in self._splits[Split(split)]]
        by_canvas: dict[Shape, list[int]] = {}
        for place in rng.permutation(len(planned)).tolist():
            by_canvas.setdefault(planned[place].canvas, []).append(place)
        cuts = [part for places in by_canvas.values() for part in cut_into(places, self.batch)]
        shuffled = [cuts[place] for place in rng.permutation(len(cuts))]
        with ThreadPoolExecutor(self.workers) as readers:

            def submitted(places: Sequence[int]) -> list[Future[_Seen]]:
                return [readers.submit(self._seen, planned[place]) for place in places]

            for futures in read_ahead(map(submitted, shuffled)):
                yield [future.result() for future in futures]

    def loss(self, batch: Any) -> Any:
        """The sum of the network's losses. batch: figures as `batches` gives them."""
        device = next(self.module.parameters()).device
        levels = [level.to(device, torch.float32) for level in self._features(batch, device)]
        features = levels if self._frozen else self.module.backbone.upper(levels[0])
        width, height = batch[0].planned.canvas
        losses = self.module.losses(features, [seen.boxes.to(device) for seen in batch], (height, width))
        return torch.stack([loss.float() for loss in losses.values()]).sum()

    def _planned(self, example: Example, epoch: int) -> _Planned:
        name = int.from_bytes(sha256(example.figure.id.encode()).digest()[:8], "big")
        rng = np.random.default_rng([self.seed, 0 if self.folder is not None else epoch, name])
        change = Change.draw(rng)
        sizing = self.module.sizing
        canvas = sizing.scaled(*change.size(*sizing.scaled(*self._sizes[example.image])))
        return _Planned(example, change, canvas, self._file(example, canvas))

    def _file(self, example: Example, canvas: Shape) -> Path | None:
        """Return the file of a figure's features, named by all that they hang on."""
        if self.folder is None:
            return None
        boxes = [subfigure.box.as_list() for subfigure in example.subfigures]
        hangs_on = [self._backbone, self._hashes[example.image], example.figure.id, canvas, self.seed, boxes]
        return self.folder / f"{sha256(repr(hangs_on).encode()).hexdigest()[:32]}.safetensors"

    def _seen(self, planned: _Planned) -> _Seen:
        kept = None if planned.kept is None else self._kept(planned.kept)
        if kept is not None:
            return _Seen(planned, kept[0], features=kept[1])
        item = self._images.read(planned.example)
        image = planned.change.image(Image.fromarray(item.pixels))
        boxes = planned.change.boxes(scaled_boxes(planned.example, item), *item.scaled)
        scaled = prepare(image, self.module.sizing)
        return _Seen(planned, _resized(boxes, image.size, scaled.scaled), item=scaled)

    def _kept(self, file: Path) -> tuple[torch.Tensor, Features] | None:
        """Return a figure's boxes and features from disk; None where they are missing or damaged."""
        try:
            with safe_open(file, "pt") as opened:
                wanted = _LEVELS if self._frozen else _LEVELS[:1]
                return opened.get_tensor(_BOXES), [opened.get_tensor(level) for level in wanted]
        except (OSError, SafetensorError):
            return None

    def _features(self, batch: Sequence[_Seen], device: torch.device) -> Features:
        """Return the levels that do not learn in this stage, (N, C, h, w) each; computes missing ones."""
        missing = {place: seen.item for place, seen in enumerate(batch) if seen.item is not None}
        computed: dict[int, Features] = {}
        if missing:
            mean, deviation = self.module.colours
            with torch.no_grad():
                images = batch_tensor(list(missing.values()), device, mean=mean, deviation=deviation)
                fine = self.module.backbone.lower(images)
                levels = self.module.backbone.upper(fine) if self._frozen or self.folder is not None else [fine]
            for number, place in enumerate(missing):
                computed[place] = [level[number].half().contiguous() for level in levels]
                self._keep(batch[place], computed[place])
        found = [computed[place] if seen.features is None else seen.features for place, seen in enumerate(batch)]
        count = len(_LEVELS) if self._frozen else 1
        return [torch.stack([levels[level].to(device) for levels in found]) for level in range(count)]

    def _keep(self, seen: _Seen, levels: Features) -> None:
        if seen.planned.kept is None:
            return
        content = {name: level.cpu() for name, level in zip(_LEVELS, levels, strict=True)}
        try:
            write_whole(seen.planned.kept, save({**content, _BOXES: seen.boxes}))
        except OSError as error:
            raise AnnotatorError(
                f"{seen.planned.kept}: cannot be written ({error.strerror}); make room, or leave out --features"
            ) from None


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> DetectorTask:
    """The task of `prelabel train detector`. Raises AnnotatorError for options that cannot be."""
    if not options.frozen_epochs:
        return detector.make_task(examples, options, problems)
    network = detector.network_for(options)
    if not isinstance(network, PanelNet):
        raise AnnotatorError("--frozen-epochs is for panel-net; leave it out, or give --architecture panel-net")
    return StagedDetectorTask(
        network,
        examples,
        problems,
        batch=options.batch,
        workers=options.workers,
        features=Path(options.features) if options.features else None,
        seed=options.seed,
    )


def _digest(state: Mapping[str, torch.Tensor]) -> str:
    digest = sha256()
    for name, tensor in sorted(state.items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _resized(boxes: Corners, before: Shape, after: Shape) -> torch.Tensor:
    """Return boxes of an image of one size in pixels of another; boxes that have no area there are left out."""
    ends = np.array([*after] * 2, dtype=np.float32)
    scaled = (boxes * (ends / np.array([*before] * 2, dtype=np.float32))).clip(0, ends)
    return torch.from_numpy(scaled[(scaled[:, 2:] > scaled[:, :2]).all(axis=1)])
