"""Figures that an annotator knew before: from work in another phase, or from others' work or a hint about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

import numpy as np

from agreement.columns.corpus import Corpus, microseconds
from agreement.pairs.pairwise import PairScore
from agreement.pairs.parts import part_of
from agreement.primitives.rules import RESAMPLES
from agreement.primitives.token_sets import Mask
from agreement.resampling.bootstrap import intervals
from agreement.resampling.part_scores import PartScore, part_score


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator who knew figures. figures: number of figures known before, of all theirs in this phase."""

    annotator: str
    figures: int
    of: int


@dataclass(frozen=True, slots=True)
class Acquainted:
    """Agreement where one of a pair knew the figure before, and where neither did.

    people: those who did, by name. before, new: on the figures of each pair that one of the two knew, and on the
    others; with three annotators one figure may be in both. The first has no interval.
    """

    people: tuple[Person, ...]
    before: PartScore
    new: PartScore


def acquainted(
    pairs: Sequence[PairScore],
    here: Corpus,
    others: Iterable[Corpus],
    *,
    knew: Mapping[tuple[str, str], datetime] = MappingProxyType({}),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Acquainted | None:
    """Split the pairs of a phase by who knew the figure before; None if no one did.

    here, others: current work of this phase and of others. Later work in another phase does not count. knew:
    (annotator, figure) -> since when the annotator knows others' work on it.
    """
    seen = _seen(here, others, knew)
    if not seen:
        return None
    masks = [_mask(pair, seen.get(pair.gold, set()) | seen.get(pair.predicted, set())) for pair in pairs]
    before, new = (
        [part_of(pair, np.flatnonzero(mask == mark)) for pair, mask in zip(pairs, masks, strict=True)]
        for mark in (True, False)
    )
    counts = np.bincount(here.annotator, minlength=len(here.annotators))
    return Acquainted(
        people=tuple(
            Person(name, len(seen[name]), int(counts[here.annotators.index(name)])) for name in sorted(seen)
        ),
        before=part_score(before, intervals(before, resamples=0)),
        new=part_score(new, intervals(new, resamples=resamples, seed=seed)),
    )


def _seen(here: Corpus, others: Iterable[Corpus], knew: Mapping[tuple[str, str], datetime]) -> dict[str, set[str]]:
    """Map annotators to the figures of `here` they knew before; annotators without any are left out."""
    found: dict[str, set[str]] = {}
    if knew:
        for key, moment in _times(here, here.annotators).items():
            if key in knew and microseconds(knew[key]) < moment:
                found.setdefault(key[0], set()).add(key[1])
    for work in others:
        shared = sorted({*here.annotators} & {*work.annotators})
        own = _times(here, shared)
        for key, moment in _times(work, shared).items():
            if key in own and moment <= own[key]:
                found.setdefault(key[0], set()).add(key[1])
    return found


def _times(work: Corpus, annotators: Sequence[str]) -> dict[tuple[str, str], int]:
    """Map (annotator, figure) to the time it was saved, for these annotators."""
    rows = np.flatnonzero(np.isin(work.annotator, [work.annotators.index(name) for name in annotators]))
    columns = (column[rows].tolist() for column in (work.annotator, work.figure, work.saved_at))
    keys = zip(*columns, strict=True)
    return {(work.annotators[who], work.figures[figure]): moment for who, figure, moment in keys}


def _mask(pair: PairScore, seen: set[str]) -> Mask:
    """Return which figures of the pair are in `seen`, (F,)."""
    if not seen:
        return np.zeros(len(pair.figures), dtype=np.bool_)
    return np.fromiter((name in seen for name in pair.figures), np.bool_, len(pair.figures))
