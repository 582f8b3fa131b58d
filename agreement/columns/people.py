"""The figures of each annotator, and those that two annotators share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import ACCEPTED, Corpus
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask
from panelwise.domain import Status


class Passed(StrEnum):
    """The reason why a figure that both annotators submitted is not part of their score."""

    REJECTED = "rejected or ignored by one"
    BOTH_REJECTED = "rejected or ignored by both"
    DIFFERS = "caption, tokens or image size differ"
    PARTLY = "some of the work could not be read"

    @property
    def display(self) -> str:
        """Return the display name: a figure that an annotator ignored is left out on every page."""
        return self.value.replace("ignored", Status.IGNORED.work_word)


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """One annotator's work on N figures, in order of the figures.

    figures: (N,) indices in a table of names. rows: (N,) annotation numbers. accepted, partial, seeded: (N,).
    digests: (N, 2), of each annotation's content.
    """

    figures: Indices
    rows: Indices
    accepted: Mask
    partial: Mask
    seeded: Mask
    digests: NDArray[np.uint64]

    def part(self, places: Indices) -> Person:
        """Return the work on some of the figures. places: (M,), ascending."""
        return Person(
            self.figures[places],
            self.rows[places],
            self.accepted[places],
            self.partial[places],
            self.seeded[places],
            self.digests[places],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Figures of two annotators: those that can be scored, and the others by reason.

    figures: (F,) indices in the table of names, ascending. one, other: (F,) annotation numbers. seeded: (F,)
    whether either began from a prediction; both_seeded: (F,) whether both did. passed: figure indices, ascending.
    """

    figures: Indices
    one: Indices
    other: Indices
    seeded: Mask
    both_seeded: Mask
    passed: Mapping[Passed, Indices]


def people(corpus: Corpus, table: Sequence[str] | None = None) -> dict[str, Person]:
    """Return each annotator's work, in order of their names.

    table: ordered names that include the corpus's figures; its own by default. Raises ValueError for two
    annotations of one figure by one annotator.
    """
    numbers: Indices = np.arange(len(corpus.figures), dtype=np.int64)
    if table is not None and table != corpus.figures:
        places = {name: place for place, name in enumerate(table)}
        numbers = np.array([places[name] for name in corpus.figures], dtype=np.int64)
    # Small numbers are sorted faster than large ones.
    key = corpus.annotator.astype(np.uint16) if len(corpus.annotators) < 1 << 16 else corpus.annotator
    order = np.argsort(key, kind="stable")
    edges = [*np.flatnonzero(np.diff(corpus.annotator[order], prepend=-1)).tolist(), len(order)]
    found, again = {}, []
    for begin, end in pairwise(edges):
        rows = order[begin:end]
        figures = numbers[corpus.figure[rows]]
        if (np.diff(figures) <= 0).any():
            sorting = np.argsort(figures, kind="stable")
            rows, figures = rows[sorting], figures[sorting]
            again += rows[1:][np.diff(figures) == 0].tolist()
        found[corpus.annotators[corpus.annotator[rows[0]]]] = Person(
            figures,
            rows,
            corpus.status[rows] == ACCEPTED,
            corpus.partial[rows],
            corpus.seeded[rows],
            corpus.digests[corpus.content[rows]],
        )
    if again:
        row = min(again)
        raise ValueError(
            f'two annotations of figure "{corpus.figures[corpus.figure[row]]}" by '
            f"{corpus.annotators[corpus.annotator[row]]}; give those of one phase, superseded ones left out"
        )
    return found


def meetings(corpus: Corpus, *, strangers: bool = True) -> dict[tuple[str, str], Shared]:
    """Return the figures of each two annotators, in order of their names.

    strangers: include annotators who submitted no figure in common.
    """
    persons = people(corpus)
    pairs = combinations(persons, 2) if strangers else _acquaintances(corpus)
    return {(one, other): shared(persons[one], persons[other]) for one, other in pairs}


def _acquaintances(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Yield each two annotators who submitted a figure in common, in order of their names.

    Takes time by annotator, not by pair: most of a crowd share no figure.
    """
    for number in np.unique(corpus.annotator).tolist():
        own = np.zeros(len(corpus.figures), dtype=np.bool_)
        own[corpus.figure[corpus.annotator == number]] = True
        others = np.unique(corpus.annotator[own[corpus.figure]])
        name = corpus.annotators[number]
        yield from ((name, corpus.annotators[other]) for other in others[others > number].tolist())


def moved(person: Person, by: int) -> Person:
    """Return the work with annotation numbers increased by `by`."""
    return replace(person, rows=person.rows + by)


def in_common(one: Person, other: Person) -> tuple[Person, Person]:
    """Return the work of each on the figures that both submitted."""
    # Figures ascend and are unique on both sides; usually both sides have the same.
    if np.array_equal(one.figures, other.figures):
        return one, other
    _, mine, yours = np.intersect1d(one.figures, other.figures, assume_unique=True, return_indices=True)
    return one.part(mine), other.part(yours)


def shared(one: Person, other: Person) -> Shared:
    """Return the figures that both submitted."""
    one, other = in_common(one, other)
    accepted = one.accepted.astype(np.int8) + other.accepted
    same = one.digests == other.digests
    alike = same[:, 0] & same[:, 1]
    both = accepted == 2
    partial = one.partial | other.partial
    figures = one.figures
    why = {
        Passed.REJECTED: accepted == 1,
        Passed.BOTH_REJECTED: accepted == 0,
        Passed.DIFFERS: both & ~alike,
        Passed.PARTLY: both & alike & partial,
    }
    scored = both & alike & ~partial
    return Shared(
        figures[scored],
        one.rows[scored],
        other.rows[scored],
        one.seeded[scored] | other.seeded[scored],
        one.seeded[scored] & other.seeded[scored],
        {reason: figures[marked] for reason, marked in why.items() if marked.any()},
    )
