"""Batch normalisation folded into the convolutions before it: the same numbers, fewer steps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_weights
from torchvision.ops import FrozenBatchNorm2d

_NORMS = (nn.BatchNorm2d, FrozenBatchNorm2d)


def fused(module: Any) -> Any:
    """The module, for prediction only, changed in place: a convolution takes in the normalisation after it.

    Which follows which is told by torchvision's names and orders: pairs in a sequence (MobileNet), and conv1/bn1,
    conv2/bn2, conv3/bn3 of ResNet's blocks.
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
