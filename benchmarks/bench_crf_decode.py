"""Decoding with the CRF: 64 sequences of 128 places together against one after the other, and the same sequences.

The promise: at least 10 times as fast. The ratio comes from one run, medians of several; times are those of the
processor, so that a busy machine shows less.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import torch

from prelabel.taggers.crf import LinearChainCRF
from prelabel.taggers.decoding import BIOUL
from prelabel.taggers.spans import TAGS

BATCH, LENGTH, RUNS = 64, 128, 7
PROMISED = 10.0

Paths = list[list[int]]


def timed(work: Callable[[], Paths]) -> tuple[float, Paths]:
    began = time.process_time()
    paths = work()
    return time.process_time() - began, paths


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    crf = LinearChainCRF(BIOUL)
    emissions = torch.randn(BATCH, LENGTH, TAGS) * 2
    lengths = torch.full((BATCH,), LENGTH)

    def together() -> Paths:
        return crf.best(emissions, lengths)

    def alone() -> Paths:
        return [crf.best(emissions[row : row + 1], lengths[row : row + 1])[0] for row in range(BATCH)]

    together()
    runs = [(timed(together), timed(alone)) for _ in range(RUNS)]
    if any(batched[1] != single[1] for batched, single in runs):
        sys.exit("together and alone, the sequences differ")
    quick, slow = ([run[side][0] for run in runs] for side in (0, 1))
    ratios = sorted(single / batched for batched, single in zip(quick, slow, strict=True))
    print(f"{BATCH} sequences of {LENGTH} places, {TAGS} tags, {RUNS} runs (median, range; time of the processor)")
    for name, times in (("together", quick), ("one at a time", slow)):
        middle, low, high = (1000 * each for each in (statistics.median(times), min(times), max(times)))
        print(f"  {name:15} {middle:.1f} ms  ({low:.1f} to {high:.1f})")
    print(
        f"  ratio           {statistics.median(ratios):.1f}  ({ratios[0]:.1f} to {ratios[-1]:.1f}), same sequences"
    )
    if statistics.median(ratios) < PROMISED:
        sys.exit(f"slower than promised: less than {PROMISED:g} times as fast")


if __name__ == "__main__":
    main()
