"""The kernel's loops compiled by numba: when to use them, and how to call them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.panels import Panels, blank
from agreement.primitives.iou import Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import Common, Mode
from agreement.primitives.token_sets import TokenSets
from agreement.score import loops
from agreement.score.kernel import Lineup, Tally
from agreement.score.losses import CAUSES
from panelwise.domain.errors import AnnotatorError
from panelwise.runtime.cpu import cores

#: Fewest annotations for which starting numba (the extra `fast`) is worth it.
COMPILED_FROM = 200_000
#: Environment variable that selects the kernel at any size: "numpy" or "numba".
KERNEL = "PANELWISE_KERNEL"


#: Most threads that score in parallel, and the fewest pairs of annotations for each.
THREADS, PAIRS_A_THREAD = 4, 100_000
#: IoUs of the boxes matched beyond doubt, the pair of people each is of, and the pairs of annotations in doubt.
Matched = tuple[Vector, Indices, Indices]


@dataclass(frozen=True, slots=True)
class Loops:
    """The kernel's two loops, interpreted or compiled."""

    make_ready: Callable[..., None] = loops.make_ready
    score_pairs: Callable[..., int] = loops.score_pairs

    def ready(self, corpus: Corpus, mode: Mode, common: Common) -> Panels:
        """Prepare panels as `panels_of_corpus` does."""
        panels = blank(corpus, common)
        told = corpus.common or TokenSets(np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.int64))
        self.make_ready(
            corpus.panel_starts,
            corpus.boxes,
            corpus.text.words,
            corpus.text.starts,
            corpus.counted,
            corpus.content,
            told.words,
            told.starts,
            corpus.repeated_panels,
            corpus.repeated_places,
            tuple(Common).index(common),
            mode is Mode.PAPER,
            panels.gold.words,
            panels.gold.starts,
            panels.gold_lengths,
            panels.other.words,
            panels.other_lengths,
            panels.left_out,
            panels.zero_if_missed,
        )
        return panels

    def score(self, panels: Panels, lineup: Lineup, min_iou: float, made: Tally, details: bool) -> Matched:
        """Fill `made` with the scores; in parallel threads for many pairs."""
        parts = min(THREADS, cores(), len(lineup) // PAIRS_A_THREAD)
        if parts < 2:
            return self._score(panels, lineup, min_iou, made, details)
        edges = [len(lineup) * part // parts for part in range(parts + 1)]
        with ThreadPoolExecutor(parts) as pool:
            try:
                work = [
                    pool.submit(self._apart, panels, lineup[begin:end], min_iou, len(made.totals), details)
                    for begin, end in pairwise(edges)
                ]
            except RuntimeError:  # The system grants no thread.
                return self._score(panels, lineup, min_iou, made, details)
            found = []
            for (begin, end), each in zip(pairwise(edges), work, strict=True):
                tally, (ious, groups, contested) = each.result()
                made.totals[:, begin:end], made.counts[:, begin:end] = tally.totals, tally.counts
                made.left_out[:] += tally.left_out
                if details:
                    made.losses[:, begin:end] = tally.losses
                found.append((ious, groups, contested + begin))
        ious, groups, contested = (np.concatenate(each) for each in zip(*found, strict=True))
        return ious, groups, contested

    def _apart(
        self, panels: Panels, lineup: Lineup, min_iou: float, ways: int, details: bool
    ) -> tuple[Tally, Matched]:
        made = Tally.empty(ways, len(lineup), lineup.groups, len(CAUSES), details)
        return made, self._score(panels, lineup, min_iou, made, details)

    def _score(self, panels: Panels, lineup: Lineup, min_iou: float, made: Tally, details: bool) -> Matched:
        number = len(lineup)
        sizes = np.diff(panels.starts)
        most = int(np.minimum(sizes[lineup.one], sizes[lineup.other]).sum()) if details else 0
        ious, groups = np.zeros(most), np.zeros(most, dtype=np.int64)
        contested = np.zeros(number if details else 0, dtype=np.bool_)
        found = self.score_pairs(
            panels.starts,
            panels.boxes,
            panels.gold.words,
            panels.gold.starts,
            panels.gold_lengths,
            panels.other.words,
            panels.other.starts,
            panels.other_lengths,
            panels.left_out,
            panels.zero_if_missed,
            lineup.one,
            lineup.other,
            lineup.group,
            min_iou,
            made.totals,
            made.counts,
            made.left_out,
            made.losses,
            ious,
            groups,
            contested,
        )
        return ious[:found], groups[:found], np.flatnonzero(contested)


@cache
def compiled(on_disk: bool = True) -> Loops:
    """Compile the loops. on_disk: cache the result on disk, since compiling takes some seconds.

    Raises ImportError without numba, and RuntimeError if no cache folder is writable.
    """
    from numba import njit

    _register()
    # Nothing is divided by zero, and numba need not look.
    compiling = partial(njit, nogil=True, error_model="numpy")
    return Loops(*(_compiled(loop, compiling, on_disk) for loop in (loops.make_ready, loops.score_pairs)))


@cache
def _register() -> None:
    """Register the functions that the loops call with numba."""
    from numba.extending import register_jitable

    inner = (loops.in_every, loops.hold, loops.ones_in, loops.lose, loops.near_and_apart, loops.match_pair)
    for each in inner:
        register_jitable(each)


def _compiled(loop: Callable[..., Any], compiling: Callable[..., Any], on_disk: bool) -> Callable[..., Any]:
    passing: Callable[..., Any] = compiling(cache=False)(loop)
    if not on_disk:
        return passing
    lasting: Callable[..., Any] = compiling(cache=True)(loop)

    def call(*arguments: Any) -> Any:
        try:
            return lasting(*arguments)
        except OSError:  # The disk is full, or the cache cannot be read; nothing has been computed yet.
            return passing(*arguments)

    return call


def loops_for(annotations: int) -> Loops | None:
    """Return the compiled loops if they are worth it for this many annotations; None selects NumPy.

    Raises AnnotatorError if the environment requires numba and it is not installed.
    """
    wish = os.environ.get(KERNEL, "")
    if wish == "numpy" or (wish != "numba" and annotations < COMPILED_FROM):
        return None
    try:
        try:
            return compiled()
        except RuntimeError:
            # Compiling them in each run would take longer than NumPy.
            return compiled(on_disk=False) if wish else None
    except ImportError as error:
        if wish:
            raise AnnotatorError(f"{KERNEL}={wish}, but numba is missing; install panelwise[fast]") from error
        return None
