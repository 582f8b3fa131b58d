"""Pairwise agreement of three annotators on 1,000 figures, against the plain loop in the same run.

The promise: an analyst waits no noticeable time for a report. The ratio to the loop does not hang on the machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from agreement_reference import figure_f1s

from agreement.pairs.pairwise import PairScore, mean_of_pairs, pair_scores
from agreement.resampling.bootstrap import intervals
from annotator.demo.annotators import FIRST_DAY, simulate
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

FIGURES, ANNOTATORS, RUNS = 1000, ("ann1", "ann2", "ann3"), 5
#: The loop takes at least this many times as long.
PROMISED = 1.5


def campaign() -> list[Annotation]:
    """Figures of 2 to 10 panels, captions of 120 words, by annotators who err as people do."""
    source = random.Random(0)
    made = []
    for number in range(FIGURES):
        caption = Caption.cut(" ".join(f"word{n}" for n in range(120)))
        figure = Figure(f"f{number}", "", 1000, 1000, caption)
        panels = source.randint(2, 10)
        parts = []
        for panel in range(panels):
            x0, y0 = 200.0 * (panel % 5), 500.0 * (panel // 5)
            tokens = frozenset(range(panel * 120 // panels, (panel + 1) * 120 // panels))
            parts.append(Subfigure(str(panel), Box(x0, y0, x0 + 165, y0 + 415), tokens))
        truth = Annotation(figure, "truth", "1", Status.ACCEPTED, tuple(parts), FIRST_DAY)
        made += [simulate(truth, annotator=name) for name in ANNOTATORS]
    return made


def plain(annotations: list[Annotation]) -> float:
    """IAA by the loop; figures are looked up by their id, so that only the metric itself is slow."""
    work = {(each.annotator, each.figure.id): each for each in annotations}
    means = []
    for gold in ANNOTATORS:
        for other in ANNOTATORS:
            if gold == other:
                continue
            scores: list[float] = []
            for number in range(FIGURES):
                mine, yours = work[gold, f"f{number}"], work[other, f"f{number}"]
                panels = [
                    [(part.box.as_list(), list(part.subcaption)) for part in each.subfigures]
                    for each in (mine, yours)
                ]
                found = figure_f1s(panels[0], panels[1], mine.figure.caption.words)
                scores += [score for score in found if score is not None]
            means.append(sum(scores) / len(scores))
    return sum(means) / len(means)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def main() -> None:
    annotations = campaign()
    slow, fast = [], []
    pairs: tuple[PairScore, ...] = ()
    for _ in range(RUNS):
        seconds, expected = timed(lambda: plain(annotations))
        slow.append(seconds)
        seconds, _ignored = timed(lambda: pair_scores(annotations))
        fast.append(seconds)
        pairs = pair_scores(annotations)
        assert abs((mean_of_pairs(pairs) or 0.0) - float(str(expected))) < 1e-12
    drawn, _ignored = timed(lambda: intervals(pairs))
    ratios = sorted(s / f for s, f in zip(slow, fast, strict=True))
    print(f"{FIGURES} figures, {len(ANNOTATORS)} annotators, 6 ordered pairs, {RUNS} runs (median, range)")
    print(f"  plain loop    {statistics.median(slow):.3f} s  ({min(slow):.3f} to {max(slow):.3f})")
    print(f"  pair_scores   {statistics.median(fast):.3f} s  ({min(fast):.3f} to {max(fast):.3f})")
    print(f"  ratio         {statistics.median(ratios):.1f}  ({ratios[0]:.1f} to {ratios[-1]:.1f})")
    print(f"  intervals     {drawn:.3f} s for 10000 resamples")
    if statistics.median(ratios) < PROMISED:
        sys.exit(f"slower than promised: the plain loop takes less than {PROMISED:g} times as long")


if __name__ == "__main__":
    main()
