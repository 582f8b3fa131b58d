"""The batching of both taggers: captions longest first, encoded in batches, decoded in larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from prelabel.models.devices import CUDA, amp_of, halving
from prelabel.taggers.decoding import ROWS, Emissions, Read

#: Captions encoded at a time, on a GPU and on a CPU.
BATCH_GPU, BATCH_CPU = 64, 16

#: Digits of a stored score: more would depend on the caption's batch.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Pace:
    """batch: captions encoded at a time, default by the device. amp: lower precision on CUDA. warn: is given a
    line where memory runs out."""

    batch: int | None = None
    amp: bool = True
    warn: Callable[[str], None] | None = None


#: Places of captions, and their rows.
_Part = tuple[Sequence[int], Emissions]


def read_in_batches(
    sizes: Sequence[int],
    rows_of: Callable[[int], int],
    encode: Callable[[Sequence[int]], Emissions],
    read: Callable[[Emissions], list[Read]],
    *,
    device: torch.device,
    pace: Pace,
) -> list[list[Read]]:
    """Apply `read` to each caption's rows; results in the order of the captions.

    sizes: word pieces of each caption, so that like goes with like. rows_of: rows of a caption, by its place.
    encode: the rows of captions by their places, which it may be asked for again in smaller batches.
    """
    found: list[list[Read]] = [[] for _ in sizes]
    with torch.inference_mode():
        waiting: list[_Part] = []
        for part in _encoded(sizes, encode, device, pace):
            waiting.append(part)
            if sum(len(rows.lengths) for _, rows in waiting) >= ROWS:
                _put(waiting, rows_of, read, found)
                waiting = []
        if waiting:
            _put(waiting, rows_of, read, found)
    return found


def _encoded(
    sizes: Sequence[int], encode: Callable[[Sequence[int]], Emissions], device: torch.device, pace: Pace
) -> Iterator[_Part]:
    batch = pace.batch or (BATCH_GPU if device.type == CUDA else BATCH_CPU)
    # The longest first: where memory does not suffice, it shows at once.
    order = sorted(range(len(sizes)), key=lambda place: (-sizes[place], place))
    for begin in range(0, len(order), batch):
        with amp_of(device, enabled=pace.amp):
            parts = halving(order[begin : begin + batch], lambda part: [(part, encode(part))], warn=pace.warn)
        yield from parts


def _put(
    parts: Sequence[_Part],
    rows_of: Callable[[int], int],
    read: Callable[[Emissions], list[Read]],
    found: list[list[Read]],
) -> None:
    rows = iter(read(Emissions.joined([rows for _, rows in parts])))
    for places, _ in parts:
        for place in places:
            found[place] = [next(rows) for _ in range(rows_of(place))]
