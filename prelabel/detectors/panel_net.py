"""A small detector that knows what a panel is: one level of features, rows and columns seen as a whole.

Gutters are lines: every block pools rows and columns, so that a cell sees a gutter wherever it crosses its row or
column. A lettered group of pictures is one panel, which no picture alone says, so that the number of panels in the
caption is an input, 0 where it is unknown; and the letters, the insides and the edges of panels are learnt beside
the boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.ops import box_iou, generalized_box_iou_loss

from panelwise.domain import FormatError
from prelabel.detectors.faster_rcnn import read_weights
from prelabel.detectors.panel_maps import (
    COLOURS,
    LEAST_SCORE,
    MOST_COUNTED,
    PANEL_NET,
    boxes_in,
    cell_places,
    middles,
    sizing_of,
)
from prelabel.models.sizing import Shape

_WIDTH, _BLOCKS = 112, 5
#: Maps of each cell: whether it is the middle of a panel, four distances, inside, vertical and horizontal edge.
_MAPS = 8
#: Share of a panel's width and height around its middle whose cells answer for it.
_MIDDLE = 0.5
#: Weights of the losses beside that of the score.
_BOX, _BESIDE, _COUNT = 2.0, 0.3, 0.1
#: Share of training figures whose number of panels is hidden.
MASKED = 0.5


# EfficientNet-Lite0 (TensorFlow's, Apache-2.0) as a backbone: features at strides of 8, 16 and 32. Weights are a
# user's or a package's; names are those of the conversion to torch by ml-illustrated, without the underscores that
# begin them. TensorFlow pads strided convolutions at the right and at the bottom, and so does this.

#: Of each stage: blocks, kernel, stride, expansion, channels.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)

#: Blocks after which a stride of 8, 16 and 32 is complete, and the channels there.
_ENDS, CHANNELS = (4, 10, 15), (40, 112, 320)
#: Blocks up to the stride of 8: a training by stages leaves them as they are.
_LOWER = _ENDS[0] + 1
_STEM, _EPSILON = 32, 1e-3


class _Same(nn.Conv2d):
    """A convolution that keeps the size, or halves an even one, with TensorFlow's padding."""

    def __init__(self, before: int, after: int, kernel: int, stride: int = 1, *, groups: int = 1) -> None:
        padding = kernel // 2 if stride == 1 else 0
        super().__init__(before, after, kernel, stride, padding, groups=groups, bias=False)
        first = (kernel - stride) // 2
        self._sides = (first, kernel - stride - first) * 2 if stride > 1 else ()

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return super().forward(F.pad(batch, self._sides) if self._sides else batch)


class _Block(nn.Module):
    """An inverted residual of MobileNet, without squeeze and excitation."""

    def __init__(self, before: int, after: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        inner = before * expansion
        self.expand_conv = _Same(before, inner, 1) if expansion > 1 else None
        self.bn0 = nn.BatchNorm2d(inner, eps=_EPSILON) if expansion > 1 else None
        self.depthwise_conv = _Same(inner, inner, kernel, stride, groups=inner)
        self.bn1 = nn.BatchNorm2d(inner, eps=_EPSILON)
        self.project_conv = _Same(inner, after, 1)
        self.bn2 = nn.BatchNorm2d(after, eps=_EPSILON)
        self.residual = stride == 1 and before == after

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        inner = batch
        if self.expand_conv is not None and self.bn0 is not None:
            inner = F.relu6(self.bn0(self.expand_conv(batch)))
        inner = F.relu6(self.bn1(self.depthwise_conv(inner)))
        after: torch.Tensor = self.bn2(self.project_conv(inner))
        return after + batch if self.residual else after


class EfficientNetLite0(nn.Module):
    """The backbone. Input: (N, 3, h, w), sides multiples of 32, colours normalised by `COLOURS`.

    Batch statistics never change: the batches of a detector are too small for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv_stem, self.bn0 = _Same(3, _STEM, 3, 2), nn.BatchNorm2d(_STEM, eps=_EPSILON)
        blocks, before = [], _STEM
        for count, kernel, stride, expansion, after in _STAGES:
            for number in range(count):
                blocks.append(_Block(before, after, kernel, stride if number == 0 else 1, expansion))
                before = after
        self.blocks = nn.ModuleList(blocks)

    def forward(self, batch: torch.Tensor) -> list[torch.Tensor]:
        """Features (N, 40, h/8, w/8), (N, 112, h/16, w/16) and (N, 320, h/32, w/32)."""
        return self.upper(self.lower(batch))

    def lower(self, batch: torch.Tensor) -> torch.Tensor:
        """Features (N, 40, h/8, w/8), which a training by stages does not change."""
        batch = F.relu6(self.bn0(self.conv_stem(batch)))
        for block in self.blocks[:_LOWER]:
            batch = block(batch)
        return batch

    def upper(self, fine: torch.Tensor) -> list[torch.Tensor]:
        """All three levels from the finest, that of `lower`."""
        batch, features = fine, [fine]
        for number, block in enumerate(self.blocks[_LOWER:], _LOWER):
            batch = block(batch)
            if number in _ENDS:
                features.append(batch)
        return features

    def train(self, mode: bool = True) -> EfficientNetLite0:
        """Set the training mode of all but the batch statistics."""
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        return self


def backbone_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of a published EfficientNet-Lite0 by the names used here, without those that only classify."""
    renamed = {".".join(part.removeprefix("_") for part in key.split(".")): value for key, value in state.items()}
    return {key: value for key, value in renamed.items() if key.startswith(("conv_stem", "bn0", "blocks"))}


class PanelNet(nn.Module):
    """The network, weights random. Raises FormatError for an architecture that is incomplete.

    colours: mean and deviation of images, in [0, 1], that it is trained with. sizing: sides are multiples of 32,
    so that an image fills its canvas and nothing is padded. counted: it is called with the number of panels.
    backbone_rate: part of the learning rate that the backbone learns with.
    """

    colours, counted, backbone_rate = COLOURS, True, 0.25

    def __init__(self, architecture: Mapping[str, Any]) -> None:
        super().__init__()
        self.sizing = sizing_of(architecture)
        self.architecture = dict(architecture)
        self.backbone = EfficientNetLite0()
        self.head = _Head()
        self._least = LEAST_SCORE

    def set_least_score(self, score: float) -> None:
        """Set the least score of predicted boxes."""
        self._least = max(score, 1e-4)

    def forward(
        self,
        batch: torch.Tensor,
        sizes: Sequence[Shape],
        targets: Sequence[Mapping[str, torch.Tensor]] | None = None,
        counts: torch.Tensor | None = None,
    ) -> Any:
        """batch: (N, 3, h, w), see `batch_tensor`. sizes: (height, width) of each image, that of the batch.

        counts: (N,) number of panels, 0 if unknown; None: all unknown, in training drawn from the targets.
        In training: the losses, by name; targets have "boxes" (M, 4) in pixels of the scaled image. Else: one
        dictionary an image, of "boxes", "scores" and "labels", highest score first.
        """
        shape = (batch.shape[2], batch.shape[3])
        features = self.backbone(batch)
        if targets is not None:
            return self.losses(features, [target["boxes"] for target in targets], shape, counts)
        maps, _ = self.head(merged(features), counts)
        return [self._detections(each, shape) for each in maps.float().cpu()]

    def losses(
        self,
        features: Sequence[torch.Tensor],
        boxes: Sequence[torch.Tensor],
        shape: Shape,
        counts: torch.Tensor | None = None,
    ) -> dict[str, torch.Tensor]:
        """Return the losses by name. features: the backbone's three levels. The rest: see `forward`."""
        if counts is None:
            true = torch.tensor([len(corners) for corners in boxes], device=features[0].device)
            counts = true * (torch.rand(len(boxes), device=true.device) >= MASKED)
        maps, counted = self.head(merged(features), counts)
        return losses(maps, counted, boxes, shape)

    def train_stage(self, *, frozen: bool) -> None:
        """Choose what learns: the head, and unless `frozen` the backbone's upper blocks without their norms."""
        for name, parameter in self.backbone.named_parameters():
            upper = name.startswith("blocks.") and int(name.split(".")[1]) >= _LOWER
            parameter.requires_grad_(upper and ".bn" not in name and not frozen)

    def _detections(self, maps: torch.Tensor, shape: Shape) -> dict[str, torch.Tensor]:
        """Return the boxes in one image's maps, (8, h, w), in pixels of an image of this height and width."""
        boxes, scores = boxes_in(maps.numpy(), shape, self._least)
        labels = torch.ones(len(boxes), dtype=torch.int64)
        return {"boxes": torch.from_numpy(boxes), "scores": torch.from_numpy(scores), "labels": labels}


def load_backbone(module: PanelNet, weights: Path) -> None:
    """Begin from a published EfficientNet-Lite0, or from a whole panel-net, both as a file of weights.

    Raises FormatError, one line, for weights of something else.
    """
    state = read_weights(weights)
    backbone = backbone_state(state)
    try:
        if backbone:
            module.backbone.load_state_dict(backbone)
        else:
            module.load_state_dict(state)
    except RuntimeError:
        raise FormatError(
            f"{weights}: its weights fit neither EfficientNet-Lite0 nor {PANEL_NET}; give a file of one of them"
        ) from None


def merged(features: Sequence[torch.Tensor]) -> torch.Tensor:
    """The backbone's three levels at a stride of 16: (N, 472, h, w)."""
    fine, middle, coarse = features
    return torch.cat(
        [F.avg_pool2d(fine, 2), middle, F.interpolate(coarse, scale_factor=2.0, mode="nearest")], dim=1
    )


class _Lines(nn.Module):
    """A residual block that sees its neighbourhood, its row and its column."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(8, width)
        self.near = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.row, self.column = nn.Conv2d(2 * width, width, 1), nn.Conv2d(2 * width, width, 1)
        self.inner, self.outer = nn.Conv2d(width, 2 * width, 1), nn.Conv2d(2 * width, width, 1)
        self.counted = nn.Linear(width, width)

    def forward(self, batch: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        seen = self.norm(batch)
        rows = torch.cat([seen.mean(3, keepdim=True), seen.amax(3, keepdim=True)], dim=1)
        columns = torch.cat([seen.mean(2, keepdim=True), seen.amax(2, keepdim=True)], dim=1)
        seen = self.near(seen) + self.row(rows) + self.column(columns) + self.counted(count)[:, :, None, None]
        return batch + self.outer(F.relu6(self.inner(seen)))


class _Head(nn.Module):
    """From merged features to maps, (N, 8, h, w), and to the number of panels, (N, 42) logits."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Conv2d(sum(CHANNELS) + 4, _WIDTH, 1)
        self.count = nn.Embedding(MOST_COUNTED + 1, _WIDTH)
        self.blocks = nn.ModuleList(_Lines(_WIDTH) for _ in range(_BLOCKS))
        self.norm = nn.GroupNorm(8, _WIDTH)
        self.maps = nn.Conv2d(_WIDTH, _MAPS, 1)
        self.counts = nn.Linear(_WIDTH, MOST_COUNTED + 1)
        nn.init.zeros_(self.maps.weight)
        with torch.no_grad():
            self.maps.bias.copy_(torch.tensor([-3.0, *[-1.5] * 4, 0.0, -2.0, -2.0]))

    def forward(
        self, features: torch.Tensor, counts: torch.Tensor | None, places: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """places: see `cell_places`; they are given only where the network is written as a graph for any size."""
        batch, _, high, wide = features.shape
        if counts is None:
            counts = torch.zeros(batch, dtype=torch.int64, device=features.device)
        count = self.count(counts.clamp(0, MOST_COUNTED))
        if places is None:
            places = torch.from_numpy(cell_places(high, wide)).to(features)
        seen = self.enter(torch.cat([features, places.expand(batch, -1, -1, -1)], dim=1))
        for block in self.blocks:
            seen = block(seen, count)
        seen = F.relu6(self.norm(seen))
        return self.maps(seen), self.counts(seen.mean((2, 3)))


def _middles(high: int, wide: int, like: torch.Tensor) -> torch.Tensor:
    """(2, h, w): x and y of the middles of cells, in [0, 1]."""
    return torch.from_numpy(middles(high, wide)).to(like)


def boxes_of(distances: torch.Tensor, shape: Shape) -> torch.Tensor:
    """(4, h, w) predicted distances of the sides from the cells' middles as corners, in shares of the image."""
    middles = _middles(distances.shape[1], distances.shape[2], distances)
    away = distances.clamp(-6.0, 2.0).exp()
    return torch.cat([middles - away[:2], middles + away[2:]])


def losses(
    maps: torch.Tensor, counted: torch.Tensor, boxes: Sequence[torch.Tensor], shape: Shape
) -> dict[str, torch.Tensor]:
    """The losses of a batch. boxes: (M, 4) of each image, in pixels of an image of this height and width."""
    each = [_losses(one.float(), corners, shape) for one, corners in zip(maps, boxes, strict=True)]
    true = torch.tensor([min(len(corners), MOST_COUNTED) for corners in boxes], device=maps.device)
    found = {name: torch.stack([one[name] for one in each]).mean() for name in each[0]}
    return {**found, "count": _COUNT * F.cross_entropy(counted.float(), true)}


def _losses(maps: torch.Tensor, corners: torch.Tensor, shape: Shape) -> dict[str, torch.Tensor]:
    high, wide = maps.shape[1:]
    boxes = corners.float() / corners.new_tensor([shape[1], shape[0]] * 2).float()
    owner, centred = _owners(boxes, high, wide, maps)
    cells = owner.flatten() >= 0
    mine = owner.flatten()[cells]
    predicted = boxes_of(maps[1:5], shape).flatten(1).T[cells]
    true = boxes[mine]
    if len(mine):
        apart = generalized_box_iou_loss(predicted, true, reduction="none")
        share = torch.bincount(mine, minlength=len(boxes)).float()[mine]
        box = (apart / share).sum() / len(boxes)
        with torch.no_grad():
            overlap = box_iou(predicted, true).diagonal() if len(mine) < 2 else _paired_iou(predicted, true)
    else:
        box, overlap = maps.sum() * 0.0, maps.new_zeros(0)
    wanted = maps.new_zeros(high * wide)
    wanted[cells] = overlap.clamp(0.0, 1.0) * centred.flatten()[cells]
    logits = maps[0].flatten()
    weight = torch.where(cells, wanted, 0.75 * logits.sigmoid().detach() ** 2)
    score = F.binary_cross_entropy_with_logits(logits, wanted, weight, reduction="sum") / max(1, len(boxes))
    beside = F.binary_cross_entropy_with_logits(maps[5:8], _beside(boxes, high, wide, maps))
    return {"score": score, "box": _BOX * box, "beside": _BESIDE * beside}


def _paired_iou(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """IoU of each box with the one of the same row, (N,)."""
    low, up = torch.maximum(one[:, :2], other[:, :2]), torch.minimum(one[:, 2:], other[:, 2:])
    shared = (up - low).clamp(min=0).prod(1)
    areas = (one[:, 2:] - one[:, :2]).clamp(min=0).prod(1) + (other[:, 2:] - other[:, :2]).prod(1)
    return shared / (areas - shared).clamp(min=1e-9)


def _owners(boxes: torch.Tensor, high: int, wide: int, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(h, w) the panel that each cell answers for, -1 for none, the smallest where several would do; and how near
    its middle the cell is, in [0, 1]. Each panel has at least the cell of its middle."""
    x, y = _middles(high, wide, like)
    owner = torch.full((high, wide), -1, dtype=torch.int64, device=like.device)
    centred = like.new_zeros(high, wide)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    for number in torch.argsort(areas, descending=True).tolist():
        x0, y0, x1, y1 = boxes[number].unbind()
        half = ((x1 - x0) / 2).clamp(min=1e-6), ((y1 - y0) / 2).clamp(min=1e-6)
        across, down = ((x - (x0 + x1) / 2) / half[0]).abs(), ((y - (y0 + y1) / 2) / half[1]).abs()
        inner = (across <= _MIDDLE) & (down <= _MIDDLE)
        row = int(((y0 + y1) / 2 * high).clamp(0, high - 1))
        column = int(((x0 + x1) / 2 * wide).clamp(0, wide - 1))
        inner[row, column] = True
        near = (((1 - across) / (1 + across)).clamp(0, 1) * ((1 - down) / (1 + down)).clamp(0, 1)).sqrt()
        near[row, column] = near[row, column].clamp(min=0.8)
        owner[inner], centred[inner] = number, near[inner]
    return owner, centred


def _beside(boxes: torch.Tensor, high: int, wide: int, like: torch.Tensor) -> torch.Tensor:
    """(3, h, w): cells inside a panel, cells with a vertical edge of one, cells with a horizontal one."""
    x, y = _middles(high, wide, like)
    half = 0.5 / wide, 0.5 / high
    x0, y0, x1, y1 = (boxes[:, side, None, None] for side in range(4))
    across, down = (x >= x0) & (x <= x1), (y >= y0) & (y <= y1)
    upright = ((x - x0).abs() <= half[0]) | ((x - x1).abs() <= half[0])
    level = ((y - y0).abs() <= half[1]) | ((y - y1).abs() <= half[1])
    maps = [(across & down).any(0), (upright & down).any(0), (level & across).any(0)]
    return torch.stack(maps).to(like.dtype)
