"""A task that trains in milliseconds: which side of a line a point is on, with dropout so that seeds matter."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from prelabel.models.checkpoints import About

ABOUT = About(kind="classifier", name="toy", architecture={}, data_hash="d" * 64)


class Toy:
    """See `Task`. scores: what to report for the accuracy, one an epoch. stuck_in: in the middle of this epoch's
    batches it writes "stuck" and stays so until the process is killed, for ten minutes at most."""

    better = "accuracy"
    trivial = 0.0

    def __init__(self, *, seed: int = 0, scores: list[float] | None = None, stuck_in: int = 0) -> None:
        torch.manual_seed(seed)
        self.module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2))
        self.architecture = {"width": 8}
        self._scores, self._stuck_in = scores, stuck_in
        self._validated = 0
        self.device_of = lambda: next(self.module.parameters()).device

    def batches(self, split: str, epoch: int, seed: int) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(1000 * seed + epoch)
        for number in range(4):
            points = torch.rand(8, 2, generator=generator)
            if (epoch, number) == (self._stuck_in, 2):
                sys.stdout.write("stuck\n")
                sys.stdout.flush()
                time.sleep(600)
            yield points, (points[:, 0] > points[:, 1]).long()

    def loss(self, batch: Any) -> Any:
        points, sides = batch
        return nn.functional.cross_entropy(self.module(points.to(self.device_of())), sides.to(self.device_of()))

    def validate(self) -> dict[str, float]:
        self._validated += 1
        if self._scores is not None:
            return {"accuracy": self._scores[min(self._validated, len(self._scores)) - 1]}
        points = torch.rand(64, 2, generator=torch.Generator().manual_seed(7))
        right = self.module(points.to(self.device_of())).argmax(1).cpu() == (points[:, 0] > points[:, 1]).long()
        return {"accuracy": float(right.float().mean())}

    def write_extra(self, folder: Path) -> None:
        (folder / "beside.txt").write_text("here")
