"""Counts of annotators' work on Panelwise's own screen: what they changed and looked at, and how fast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import ClassVar

from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.items import Items
from panelwise.domain.kinds import KINDS

#: Phase, annotator, figure and its revision.
WorkKey = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Attention:
    """Counts of an annotator's accepted submissions of a phase.

    figures: those that recorded what was looked at. unchanged: the prediction as it was shown. parts: subfigures
    and items in them; unseen: those never looked at. timed: figures with a known time; fast: those done in less
    than `FASTEST` seconds for each part.
    """

    figures: int
    unchanged: int
    parts: int
    unseen: int
    timed: int
    fast: int

    FASTEST: ClassVar[float] = 1.0

    @classmethod
    def of_figure(cls, parts: int, seen: int, *, unchanged: bool, seconds: float | None) -> Attention:
        """Return the counts of one figure. seen: number of its parts that were looked at."""
        fast = seconds is not None and seconds < cls.FASTEST * parts
        return cls(1, int(unchanged), parts, parts - seen, int(seconds is not None), int(fast))

    def __add__(self, other: Attention) -> Attention:
        return Attention(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def unchanged_share(self) -> float:
        """Return the share of figures that were submitted as predicted."""
        return self.unchanged / self.figures

    @property
    def unseen_share(self) -> float | None:
        """Return the share of parts that were never looked at; None without parts."""
        return self.unseen / self.parts if self.parts else None

    @property
    def fast_share(self) -> float | None:
        """Return the share of figures that were done too fast to be looked at; None without times."""
        return self.fast / self.timed if self.timed else None


def part_names(subfigures: Iterable[Subfigure], items: Items) -> tuple[str, ...]:
    """Return what can be looked at: labels of the subfigures, or ids of the items, "" for the figure's type."""
    judged = (name for kind in KINDS.values() for name in kind.parts(items))
    return tuple(dict.fromkeys([*(each.label for each in subfigures), *judged]))


def attention_of(work: Annotation) -> Attention | None:
    """Return the counts of one figure; None unless it was accepted and recorded what was looked at."""
    if work.viewed is None or work.status is not Status.ACCEPTED:
        return None
    parts = part_names(work.subfigures, work.items)
    seen = len(set(parts) & set(work.viewed))
    return Attention.of_figure(len(parts), seen, unchanged=work.unchanged, seconds=work.seconds)


def by_annotator(work: Iterable[tuple[WorkKey, Attention]]) -> dict[tuple[str, str], Attention]:
    """Return (phase, annotator) -> the counts of all their figures."""
    counts: dict[tuple[str, str], Attention] = {}
    for (phase, annotator, *_), own in work:
        key = phase, annotator
        counts[key] = counts[key] + own if key in counts else own
    return counts
