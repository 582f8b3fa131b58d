"""Long work in pieces, so that a break loses at most one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in order, `size` to a list, the last one shorter where they do not come out even.

    Takes no more items than the batch at hand needs. Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError(f"batches of {size} cannot be")
    waiting = iter(items)
    while batch := list(islice(waiting, size)):
        yield batch


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The items, the next one being made in a thread of its own while the caller is busy with the last.

    What making one raises is raised in its place.
    """
    making = ([item] for item in items)
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, making, None)
        while (made := coming.result()) is not None:
            coming = thread.submit(next, making, None)
            yield from made
