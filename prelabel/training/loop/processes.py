"""Training in several processes at once, as torchrun starts them: one a GPU, or on a CPU for trying out."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any, TypeVar

import torch
from torch import distributed, nn

Item = TypeVar("Item")

#: Others wait while the first process validates; a large validation split takes a while.
_PATIENCE = timedelta(hours=4)


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes of a training. rank: this one's number, from 0. local: its number on this machine."""

    rank: int = 0
    count: int = 1
    local: int = 0

    @classmethod
    @contextmanager
    def join(cls, device: str) -> Iterator[Processes]:
        """Join the processes started by torchrun, if any. device: as the user requested."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count < 2 or distributed.is_initialized():
            yield cls()
            return
        local = int(os.environ.get("LOCAL_RANK", "0"))
        backend = "nccl" if device != "cpu" and torch.cuda.is_available() else "gloo"
        if backend == "nccl":
            torch.cuda.set_device(local % torch.cuda.device_count())
        distributed.init_process_group(backend, timeout=_PATIENCE)
        try:
            yield cls(distributed.get_rank(), count, local)
        finally:
            distributed.destroy_process_group()
            # What averaged the gradients holds the group, in a cycle. While it lives, so do threads that still
            # drop their last tensors: one that does so while Python ends aborts the process.
            gc.collect()

    @property
    def first(self) -> bool:
        """Return whether this one writes and speaks."""
        return self.rank == 0

    def device(self, chosen: torch.device) -> torch.device:
        """The device of this process: on CUDA a GPU of its own."""
        if self.count > 1 and chosen.type == "cuda":
            return torch.device("cuda", self.local % torch.cuda.device_count())
        return chosen

    def wrapped(self, task: Any) -> Any:
        """Return the function from a batch to the task's loss; averages gradients of several processes."""
        loss = _Loss(task)
        if self.count < 2:
            return loss
        # Not every parameter has a part in every loss: a frozen layer, an encoder's pooler.
        return nn.parallel.DistributedDataParallel(loss, find_unused_parameters=True)

    def dealt(self, batches: Iterable[Item]) -> Iterator[Item]:
        """This process's batches: every `count`-th, and as many as every other has; what is over is left out."""
        if self.count < 2:
            yield from batches
            return
        rest = iter(batches)
        while len(group := list(islice(rest, self.count))) == self.count:
            yield group[self.rank]

    def agreed(self, value: Item) -> Item:
        """The first process's value, in all of them."""
        if self.count < 2:
            return value
        held = [value]
        distributed.broadcast_object_list(held, src=0)
        return held[0]


class _Loss(nn.Module):
    """A task as a module, so that what averages gradients sees both the parameters and the call."""

    def __init__(self, task: Any) -> None:
        super().__init__()
        self.trained = task.module
        self._task = (task,)

    def forward(self, batch: Any) -> Any:
        return self._task[0].loss(batch)
