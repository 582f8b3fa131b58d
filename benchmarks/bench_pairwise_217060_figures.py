"""Pairwise agreement of three annotators on 217,060 figures in memory, against the plain loop in the same run.

The promise: at least 30 times as fast as the loop, in less than 300 MB beside the corpus. The loop takes a minute
or more, so it is timed on a part of the corpus, spread evenly, and its time multiplied; `--whole` runs it on all
of it.

    python benchmarks/bench_pairwise_217060_figures.py [--figures N] [--whole] [--runs N]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from agreement_reference import Panel, figure_f1s
from corpora import ANNOTATORS, Drawn, drawn

from agreement.columns.contents import content_digest
from agreement.columns.corpus import STATUSES, Corpus, microseconds
from agreement.pairs.pairwise import PairScore, mean_of_pairs, pair_scores
from agreement.primitives.token_sets import TokenPlaces, starts_of
from panelwise.domain.annotation import Status

FIGURES = 217_060
#: One figure in so many is what the loop is timed on.
PART = 50
#: The loop takes at least so many times as long.
PROMISED = 30
PROMISED_MB = 300


@dataclass(slots=True)
class Columns:
    """The corpus as it is drawn, column by column."""

    names: list[str] = field(default_factory=list)
    flags: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    digests: list[tuple[int, int]] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    work: list[tuple[int, int, int, bool, int, int]] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    texts: list[tuple[int, int, int]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def add(self, figure: Drawn) -> None:
        number = len(self.names)
        self.names.append(figure.figure)
        flags = [figure.caption[start:end].isalnum() for start, end in figure.ranges]
        self.flags += flags
        self.tokens.append(len(flags))
        bounds = chain.from_iterable(figure.ranges)
        self.digests.append(content_digest(figure.caption, bounds, figure.width, figure.height))
        self.sizes.append((figure.width, figure.height))
        for each in figure.work:
            moment = microseconds(each.saved_at)
            status = STATUSES.index(each.status)
            person = ANNOTATORS.index(each.annotator)
            self.work.append((person, number, status, each.seeded_by is not None, moment, len(each.parts)))
            for label, box, ids in each.parts:
                self.boxes.append(box)
                self.labels.append(label)
                self.texts.append((number, ids.start, max(ids.start, ids.stop)))

    def corpus(self) -> Corpus:
        person, figure, status, seeded, moment, panels = np.array(self.work, dtype=np.int64).reshape(-1, 6).T
        places = TokenPlaces.of(np.array(self.flags, dtype=np.bool_), starts_of(np.array(self.tokens)))
        captions, first, last = np.array(self.texts, dtype=np.int64).reshape(-1, 3).T
        none = np.zeros(0, dtype=np.int64)
        labels = sorted(set(self.labels))
        place = {label: number for number, label in enumerate(labels)}
        return Corpus(
            annotators=ANNOTATORS,
            phases=("1",),
            figures=tuple(self.names),
            annotator=person.astype(np.int32),
            phase=np.zeros(len(person), dtype=np.int32),
            figure=figure.astype(np.int32),
            revision=np.ones(len(person), dtype=np.int32),
            status=status.astype(np.int8),
            seeded=seeded.astype(np.bool_),
            partial=np.zeros(len(person), dtype=np.bool_),
            saved_at=moment.copy(),
            content=figure.astype(np.int32),
            digests=np.array(self.digests, dtype=np.uint64),
            tokens=places.tokens,
            counted=places.counted,
            sizes=np.array(self.sizes, dtype=np.int64),
            panel_starts=starts_of(panels),
            boxes=np.array(self.boxes),
            labels=tuple(labels),
            label=np.array([place[each] for each in self.labels], dtype=np.int32),
            text=places.sets_of_ranges(captions, np.arange(len(captions)), first, last),
            repeated_panels=none,
            repeated_places=none,
            common=None,
            rows=(),
        )


#: What the loop is given: a figure's words, and each annotator's panels, None where they did not accept it.
Plain = tuple[list[str], dict[str, list[Panel] | None]]


def plain_values(figure: Drawn) -> Plain:
    panels: dict[str, list[Panel] | None] = {
        each.annotator: [(list(box), list(ids)) for _, box, ids in each.parts]
        if each.status is Status.ACCEPTED
        else None
        for each in figure.work
    }
    return [figure.caption[start:end] for start, end in figure.ranges], panels


def plain(figures: Sequence[Plain]) -> Iterator[float]:
    """The score of each ordered pair, by the loop."""
    for gold in ANNOTATORS:
        for other in ANNOTATORS:
            if gold == other:
                continue
            scores: list[float] = []
            for words, panels in figures:
                ours, theirs = panels[gold], panels[other]
                if ours is not None and theirs is not None:
                    scores += [f1 for f1 in figure_f1s(ours, theirs, words) if f1 is not None]
            yield sum(scores) / len(scores)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def extra_mb(work: Callable[[], object]) -> float:
    """The most memory that Python and NumPy hold at once for it, beyond what they held before."""
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def check(pairs: Sequence[PairScore], figures: Sequence[Plain], names: set[str]) -> None:
    """Return whether the kernel says of the loop's part what the loop says."""
    for pair, expected in zip(pairs, plain(figures), strict=True):
        keep = np.array([name in names for name in pair.figures], dtype=np.bool_)
        found = float(pair.totals[keep].sum()) / int(pair.counts[keep].sum())
        assert abs(found - expected) < 1e-12, (pair.gold, pair.predicted, found, expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--whole", action="store_true", help="run the loop on the whole corpus")
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    every = 1 if asked.whole else min(PART, max(1, asked.figures // 1000))
    columns, part, names = Columns(), [], set()
    for number, figure in enumerate(drawn(asked.figures)):
        columns.add(figure)
        if number % every == 0:
            part.append(plain_values(figure))
            names.add(figure.figure)
    corpus = columns.corpus()
    del columns
    print(
        f"{asked.figures:,} figures, {len(ANNOTATORS)} annotators, {len(corpus.boxes):,} subfigures, "
        f"{corpus.tokens.mean():.0f} tokens a caption; {asked.runs} runs (median, range)"
    )
    share = asked.figures / len(part)
    slow = [share * timed(lambda: list(plain(part))) for _ in range(1 if asked.whole else 3)]
    told = "all figures" if every == 1 else f"timed on {len(part):,} figures, times {share:g}"
    print(f"  plain loop  {statistics.median(slow):8.2f} s  ({min(slow):.2f} to {max(slow):.2f}; {told})")
    fast = [timed(lambda: pair_scores(corpus)) for _ in range(asked.runs)]
    more = extra_mb(lambda: pair_scores(corpus))
    pairs = pair_scores(corpus)
    check(pairs, part, names)
    ratio = statistics.median(slow) / statistics.median(fast)
    print(
        f"  pair_scores {statistics.median(fast):8.3f} s  ({min(fast):.3f} to {max(fast):.3f})  "
        f"ratio {ratio:.0f} (promised {PROMISED}), {more:.0f} MB more, IAA {mean_of_pairs(pairs):.6f}"
    )
    missed = []
    if asked.figures >= FIGURES and ratio < PROMISED:
        missed.append(f"{ratio:.0f} times as fast as the loop, not {PROMISED}")
    if more > PROMISED_MB:
        missed.append(f"{more:.0f} MB more, not {PROMISED_MB}")
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
