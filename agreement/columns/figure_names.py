"""Sorted sets of figure names as numbers into a table, compared and merged without looking at a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask


@dataclass(frozen=True, slots=True, eq=False)
class FigureNames(Sequence[str]):
    """The names of some figures, in order. Equal to any sequence of the same names.

    table: names in order, each once. numbers: (N,) indices in it, ascending.
    """

    table: tuple[str, ...]
    numbers: Indices

    @classmethod
    def of(cls, names: Iterable[str]) -> FigureNames:
        """Build from names in any order, repeated or not."""
        table = tuple(sorted(set(names)))
        return cls(table, np.arange(len(table)))

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return map(self.table.__getitem__, self.numbers.tolist())

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> FigureNames: ...

    def __getitem__(self, place: int | slice) -> str | FigureNames:
        """Return one name, or a slice. Raises IndexError for an invalid index."""
        if isinstance(place, slice):
            return self.take(np.arange(len(self))[place])
        return self.table[int(self.numbers[place])]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FigureNames) and other.table is self.table:
            return np.array_equal(self.numbers, other.numbers)
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def take(self, places: Indices) -> FigureNames:
        """Return the names at these indices. places: (M,), ascending."""
        return FigureNames(self.table, self.numbers[places])

    def among(self, some: Iterable[str]) -> Mask:
        """Return which of the names are in `some`, (N,)."""
        names = set(some)
        chosen: Mask = np.fromiter(map(names.__contains__, self.table), np.bool_, len(self.table))
        return chosen[self.numbers]


def together(every: Sequence[FigureNames]) -> tuple[FigureNames, tuple[Indices, ...]]:
    """Return the union, and the indices of each set's names in it."""
    tables = {id(names.table): names.table for names in every}
    if len(tables) > 1:
        shared = tuple(sorted(set().union(*tables.values())))
        places = {name: place for place, name in enumerate(shared)}
        moved = {
            key: np.fromiter(map(places.__getitem__, table), np.int64, len(table)) for key, table in tables.items()
        }
        every = [FigureNames(shared, moved[id(names.table)][names.numbers]) for names in every]
    table = every[0].table if every else ()
    there = np.zeros(len(table), dtype=np.bool_)
    for numbers in {id(names.numbers): names.numbers for names in every}.values():
        there[numbers] = True
    stands = np.cumsum(there) - 1
    return FigureNames(table, np.flatnonzero(there)), tuple(stands[names.numbers] for names in every)
