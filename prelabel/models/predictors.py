"""Threads in which networks predict side by side.

Small networks cannot fill the cores of a CPU one operator at a time, so that several predict, with few threads
each. On a GPU a second one has its next batch ready, and takes apart what was found, while the first one waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import torch

from panelwise.runtime import cores

ON_GPU = 2
#: Each holds a chunk of images; more cores work for them in common.
MOST_ON_CPU = 8


def predictors_of(device: torch.device) -> int:
    """Return the number of threads that predict on a device."""
    return ON_GPU if device.type != "cpu" else min(cores(), MOST_ON_CPU)


@contextmanager
def predicting(device: torch.device) -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """Threads that share the cores between them, and how many they are.

    A caller that leaves early does not wait for unused results.
    """
    count = predictors_of(device)
    if device.type != "cpu":
        pool = ThreadPoolExecutor(count, "predict")
    else:
        # torch counts its threads per thread that calls it; it must be said in each.
        share = max(1, cores() // count)
        pool = ThreadPoolExecutor(count, "predict", initializer=torch.set_num_threads, initargs=(share,))
    before = torch.get_num_threads()
    try:
        yield pool, count
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # What is set in one thread is what later threads begin with.
        torch.set_num_threads(before)
