"""Long work in pieces, so that an interruption loses at most one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in order, `size` per list, the last one possibly shorter.

    Draws only the items of the current batch. Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError(f"batches of {size} cannot be")
    waiting = iter(items)
    while batch := list(islice(waiting, size)):
        yield batch


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, making the next one in a thread while the caller uses the last.

    An exception while making an item is raised in its place.
    """
    making = ([item] for item in items)
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, making, None)
        while (made := coming.result()) is not None:
            coming = thread.submit(next, making, None)
            yield from made
