"""The protocol between the training loop and each kind of model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol


class Task(Protocol):
    """A model to train, and its measurement.

    module: what is trained; the loop moves it to the device. better: the key of `validate` that is to grow, which
    early stopping watches; trivial: that score of an answer that looks at nothing. architecture: stored in the
    checkpoint, enough to build the module again.
    """

    @property
    def module(self) -> Any:
        """A torch module."""
        ...

    @property
    def better(self) -> str:
        """A key of `validate`."""
        ...

    @property
    def trivial(self) -> float:
        """On the scale of `better`."""
        ...

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Plain values."""
        ...

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Any]:
        """The batches of one epoch (from 1), in an order that hangs on the split, the epoch and the seed only."""
        ...

    def loss(self, batch: Any) -> Any:
        """The mean loss of a batch, a scalar tensor, with the module in training mode."""
        ...

    def validate(self) -> dict[str, float]:
        """Scores on the validation split by name, `better` among them; higher is better for that one."""
        ...

    def write_extra(self, folder: Path) -> None:
        """Write what the kind needs beside its weights (a tagger's encoder); may do nothing."""
        ...
