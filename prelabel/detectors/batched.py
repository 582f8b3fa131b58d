"""Detectors that run by torch: networks rebuilt from checkpoints, images run in batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_weights
from torchvision.ops import FrozenBatchNorm2d, nms

from prelabel.detectors import faster_rcnn
from prelabel.detectors.faster_rcnn import NMS, sizes_of
from prelabel.detectors.panel_maps import PANEL_NET, panel_net_architecture
from prelabel.detectors.panel_net import PanelNet
from prelabel.detectors.staged import StagedDetector
from prelabel.models.devices import amp_of, halving
from prelabel.models.protocols import THRESHOLD, Detections
from prelabel.models.sizing import Prepared, batch_tensor, to_image

#: Default images in a batch: many for a GPU, few for the caches of a CPU.
BATCH_ON_GPU, BATCH_ON_CPU = 16, 4


class BatchedDetector(StagedDetector):
    """A detector that runs by torch, in batches.

    module: a network of `prelabel.detectors.batched`, used as it is and put into evaluation mode. device: where
    it runs. batch: images at a time, smaller once memory ran out. warn: called then.
    """

    def __init__(
        self,
        module: Any,
        *,
        version: str,
        device: torch.device,
        threshold: float = THRESHOLD,
        batch: int | None = None,
        amp: bool = True,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(
            version=version,
            sizing=module.sizing,
            threshold=threshold,
            batch=(BATCH_ON_GPU if device.type == "cuda" else BATCH_ON_CPU) if batch is None else batch,
            counted=getattr(module, "counted", False),
        )
        self.device = device
        self.amp = amp
        self.warn = warn
        self.module = module.eval().to(device, memory_format=torch.channels_last)
        module.set_least_score(threshold)

    def found(self, batch: torch.Tensor, items: Sequence[Prepared]) -> list[Found]:
        """Run the network on a batch: boxes in pixels of the scaled images, scores, labels, for each."""
        more = {"counts": batch.new_tensor([item.count for item in items]).long()} if self.counted else {}
        found = self.module(batch, sizes_of(items), **more)
        return [(one["boxes"], one["scores"], one["labels"]) for one in found]

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """The second: images of one canvas, at most `batch`; halves where memory runs out, and keeps to that."""
        results: list[Detections] = []
        while len(results) < len(items):
            part = items[len(results) : len(results) + self.batch]
            results.extend(halving(part, self._run, warn=self._halved))
        return results

    def _run(self, items: Sequence[Prepared]) -> list[Detections]:
        with torch.no_grad(), amp_of(self.device, enabled=self.amp):
            mean, deviation = self.module.colours
            batch = batch_tensor(items, self.device, mean=mean, deviation=deviation)
            found = self.found(batch, items)
            kept = [self._kept(one, item) for one, item in zip(found, items, strict=True)]
        return kept

    def _kept(self, found: Found, item: Prepared) -> Detections:
        """Boxes sure enough, of each heap of overlapping ones the surest, in pixels of the image, with an area."""
        boxes, scores, labels = found
        boxes, scores = to_image(boxes.float(), item), scores.float()
        sure = (scores >= self.threshold) & (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
        boxes, scores, labels = boxes[sure], scores[sure], labels[sure]
        keep = nms(boxes, scores, NMS)
        # One way back from the device, not three.
        joined = torch.cat([boxes[keep], scores[keep, None], labels[keep, None].float()], dim=1).cpu().numpy()
        return Detections.of(joined[:, :4], joined[:, 4], joined[:, 5])

    def _halved(self, line: str) -> None:
        self.batch = max(1, self.batch // 2)
        if self.warn is not None:
            self.warn(line)


#: Boxes (N, 4), scores (N,), labels (N,) of one image.
Found = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


_NORMS = (nn.BatchNorm2d, FrozenBatchNorm2d)


def fused(module: Any) -> Any:
    """The module, for prediction only, changed in place: a convolution takes in the normalisation after it.

    Pairs are found by torchvision's order and names: neighbours in a sequence (MobileNet), and conv1/bn1,
    conv2/bn2, conv3/bn3 in ResNet's blocks.
    """
    module.eval()
    for each in module.modules():
        if isinstance(each, nn.Sequential):
            _fuse_pairs(each)
        else:
            _fuse_named(each)
    return module


def _fuse_pairs(sequence: nn.Sequential) -> None:
    names = list(sequence._modules)
    for before, after in pairwise(names):
        _fuse(sequence, before, after)


def _fuse_named(block: Any) -> None:
    for name in list(block._modules):
        if name.startswith("conv") and f"bn{name[4:]}" in block._modules:
            _fuse(block, name, f"bn{name[4:]}")


def _fuse(parent: Any, conv: str, norm: str) -> None:
    before, after = parent._modules[conv], parent._modules[norm]
    if not (isinstance(before, nn.Conv2d) and isinstance(after, _NORMS)):
        return
    with torch.no_grad():
        weight, bias = fuse_conv_bn_weights(
            before.weight, before.bias, after.running_mean, after.running_var, after.eps, after.weight, after.bias
        )
    before.weight, before.bias = nn.Parameter(weight, False), nn.Parameter(bias, False)
    parent._modules[norm] = nn.Identity()


# Every network that finds boxes, by its name in a checkpoint: Faster R-CNN, panel-net, or one of transformers. A
# network is a torch module with `architecture` (plain values that build it again), `sizing` and `colours` (how it
# wants images) and `set_least_score`; called, it gives losses in training, else the boxes that it finds: see
# `FasterRcnn.forward`. One with `counted` is also called with `counts`, the caption's number of panels.


def network_of(architecture: Mapping[str, Any]) -> Any:
    """Build a checkpoint's network, its weights still random. Raises FormatError for one that is not known."""
    if architecture.get("name") == PANEL_NET:
        return PanelNet(architecture)
    if architecture.get("name") != "transformers":
        return faster_rcnn.FasterRcnn(architecture)
    from prelabel.detectors.transformers_network import build_network

    return build_network(architecture)


def with_longer(architecture: Mapping[str, Any], longer: int) -> dict[str, Any]:
    """The architecture for images whose longer side has so many pixels."""
    if architecture.get("name") == PANEL_NET:
        return panel_net_architecture(longer)
    if architecture.get("name") != "transformers":
        return faster_rcnn.with_longer(architecture, longer)
    from prelabel.detectors import transformers_network

    return {
        **architecture,
        "preprocessor": transformers_network.with_longer(architecture["preprocessor"], longer),
    }
