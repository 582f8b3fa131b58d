"""EfficientNet-Lite0 (TensorFlow's, Apache-2.0) as a backbone: features at strides of 8, 16 and 32.

Weights are a user's or a package's; names are those of the conversion to torch by ml-illustrated, without the
underscores that begin them. TensorFlow pads strided convolutions at the right and at the bottom, and so does this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

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
_STEM, _EPSILON = 32, 1e-3

#: Mean and deviation of colours, in [0, 1].
COLOURS = (127 / 255,) * 3, (128 / 255,) * 3


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
        batch, features = F.relu6(self.bn0(self.conv_stem(batch))), []
        for number, block in enumerate(self.blocks):
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
