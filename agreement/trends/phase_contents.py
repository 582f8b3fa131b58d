"""Figures that two phases scored on different captions, tokens or image sizes, and so are not the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from agreement.columns.corpus import ACCEPTED, Corpus
from agreement.pairs.pairwise import PairScore

#: (annotator, figure) -> a key of the caption, tokens and size that the work was on.
Contents = Mapping[tuple[str, str], Hashable]
#: (gold, predicted) -> some of the pair's figures.
_OfPairs = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Changes:
    """Figures that two phases scored on different contents, per ordered pair of annotators.

    here, there: per pair of that phase, the figures whose content no pair of the other was scored on. pairs: per
    pair of both phases, the figures it was scored on in both, on different contents. figures: all of these that
    both phases scored. wholly: those without a content scored in both phases.
    """

    here: _OfPairs
    there: _OfPairs
    pairs: _OfPairs
    figures: frozenset[str]
    wholly: frozenset[str]


def contents_of(here: Corpus, there: Corpus) -> tuple[Contents, Contents]:
    """Return the content of each accepted annotation, for figures accepted on several contents only.

    here, there: current work of two phases, from one corpus, whose content numbers they share.
    """
    rows = [np.flatnonzero(work.status == ACCEPTED) for work in (here, there)]
    figures = np.concatenate([here.figure[rows[0]], there.figure[rows[1]]])
    contents = np.concatenate([here.content[rows[0]], there.content[rows[1]]])
    least, most = np.full(len(here.figures), len(here.digests)), np.full(len(here.figures), -1)
    np.minimum.at(least, figures, contents)
    np.maximum.at(most, figures, contents)
    several = least < most
    one, other = (
        {
            (work.annotators[int(work.annotator[row])], work.figures[int(work.figure[row])]): int(
                work.content[row]
            )
            for row in own[several[work.figure[own]]].tolist()
        }
        for work, own in zip((here, there), rows, strict=True)
    )
    return one, other


def changes(
    here: Iterable[PairScore], there: Iterable[PairScore], contents_here: Contents, contents_there: Contents
) -> Changes:
    """Return the figures scored on different contents in two phases. Figures not in `contents` have one
    throughout.
    """
    several = {figure for _, figure in chain(contents_here, contents_there)}
    ours, theirs = _scored(here, contents_here, several), _scored(there, contents_there, several)
    our_versions, their_versions = (
        set(chain.from_iterable(own.items() for own in each.values())) for each in (ours, theirs)
    )
    both = our_versions & their_versions
    in_both = {figure for figure, _ in our_versions} & {figure for figure, _ in their_versions}
    pairs = {
        two: frozenset(figure for figure, content in own.items() if theirs[two].get(figure, content) != content)
        for two, own in ours.items()
        if two in theirs
    }
    elsewhere = {figure for figure, _ in our_versions ^ their_versions}
    return Changes(
        here=_beyond(ours, both),
        there=_beyond(theirs, both),
        pairs=pairs,
        figures=frozenset(in_both & elsewhere).union(*pairs.values()),
        wholly=frozenset(in_both - {figure for figure, _ in both}),
    )


#: (gold, predicted) -> figure -> what it was scored on.
_Scored = Mapping[tuple[str, str], Mapping[str, Hashable]]


def _scored(pairs: Iterable[PairScore], contents: Contents, several: set[str]) -> _Scored:
    return {
        (pair.gold, pair.predicted): {
            figure: contents.get((pair.gold, figure)) for figure in several.intersection(pair.figures)
        }
        for pair in pairs
    }


def _beyond(scored: _Scored, both: set[tuple[str, Hashable]]) -> _OfPairs:
    return {
        two: frozenset(figure for figure, content in own.items() if (figure, content) not in both)
        for two, own in scored.items()
    }
