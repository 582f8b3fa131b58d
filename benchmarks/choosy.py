"""A detector of random weights that does as a trained one would: what follows takes as long, and can be compared.

Left alone, its signal fades from layer to layer to the size of rounding errors, it is as sure of one box as of the
next, and finds a hundred or none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from PIL import Image
from torch import nn

from prelabel.detectors.faster_rcnn import FasterRcnn, sizes_of
from prelabel.models.protocols import THRESHOLD
from prelabel.models.sizing import batch_tensor, prepare

#: Proposals above the threshold, an image; of those that overlap one is kept.
SURE = 4
#: How far apart the network's opinions are to lie: their deviation, in logits.
SPREAD = 3.0


def make_choosy(module: FasterRcnn, images: Sequence[Image.Image]) -> None:
    """Settle batch statistics on a few images; stretch and move what the last layer says of their boxes."""
    items = [prepare(image, module.sizing) for image in images]
    batches = [(batch_tensor([item], next(module.parameters()).device), sizes_of([item])) for item in items]
    norms = [each for each in module.modules() if isinstance(each, nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean of all that it sees
    with torch.no_grad():
        module.train()
        for batch, _ in batches:
            module.net.backbone(batch)
        module.eval()
        proposing = module.net.rpn.head.cls_logits
        with _said_by(proposing) as said:
            for batch, sizes in batches:
                module(batch, sizes)
        proposing.weight *= SPREAD / torch.cat([each.flatten() for each in said]).std()
        choosing = module.net.roi_heads.box_predictor.cls_score
        with _said_by(choosing) as said:
            for batch, sizes in batches:
                module(batch, sizes)
        opinions = torch.cat([each[:, 1] - each[:, 0] for each in said])
        stretch = SPREAD / opinions.std().item()
        least = torch.quantile(opinions, 1 - min(1.0, SURE * len(images) / len(opinions))).item()
        choosing.weight *= stretch
        choosing.bias *= stretch
        choosing.bias[1] += math.log(THRESHOLD / (1 - THRESHOLD)) - stretch * least


@contextmanager
def _said_by(layer: nn.Module) -> Iterator[list[torch.Tensor]]:
    """Return the answer of a layer."""
    said: list[torch.Tensor] = []

    def listen(_layer: Any, _given: Any, output: torch.Tensor) -> None:
        said.append(output)

    hook = layer.register_forward_hook(listen)
    try:
        yield said
    finally:
        hook.remove()
