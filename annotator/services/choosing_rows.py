"""What is chosen from a corpus: one phase, one revision of each figure. By columns, as a corpus may be large."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from agreement.metrics.corpus import Corpus
from agreement.metrics.matching import Indices
from annotator.domain.counting import counted
from annotator.services.revisions import listed


def phases_in(corpus: Corpus) -> list[str]:
    """The phases that there is work of, in order."""
    return [corpus.phases[place] for place in np.unique(corpus.phase).tolist()]


def people_in(corpus: Corpus) -> list[str]:
    """The annotators that there is work of, in order."""
    return [corpus.annotators[place] for place in np.unique(corpus.annotator).tolist()]


def taken(corpus: Corpus, rows: Indices) -> Corpus:
    """These annotations; the corpus itself where that is all of them as they stand."""
    return corpus if np.array_equal(rows, np.arange(len(corpus))) else corpus.take(rows)


def rows_on_one_revision(
    corpus: Corpus, rows: Indices, present: Mapping[str, int], tell: Callable[[str], None] | None = None
) -> Indices:
    """Which of these annotations are on the revision that is taken of their figure and phase; see
    `on_one_revision`, which tells the same of annotations at hand.
    """
    key = corpus.figure[rows].astype(np.int64) * len(corpus.phases) + corpus.phase[rows]
    revision = corpus.revision[rows].astype(np.int64)
    groups, first, group = np.unique(key, return_index=True, return_inverse=True)
    used: Indices = np.zeros(len(groups), dtype=np.int64)
    np.maximum.at(used, group, revision)
    names = [corpus.figures[place] for place in (groups // max(1, len(corpus.phases))).tolist()] if present else []
    wanted = np.array([present.get(name, 0) for name in names] or np.zeros(len(groups)), dtype=np.int64)
    there = np.zeros(len(groups), dtype=np.bool_)
    there[group[revision == wanted[group]]] = True
    used = np.where(there, wanted, used)
    right = revision == used[group]
    author = key * len(corpus.annotators) + corpus.annotator[rows]
    left = rows[~right & ~np.isin(author, author[right])]
    if len(left) and tell is not None:
        figures = listed(corpus.figures[place] for place in corpus.figure[left].tolist())
        tell(
            f"left out {counted(len(left), 'annotation')} on another revision of their figures than the rest: "
            f"{figures}"
        )
    past = np.flatnonzero((wanted > 0) & (used != wanted))
    past = past[np.argsort(first[past], kind="stable")]
    if len(past) and tell is not None:
        tell(
            f"compared {counted(len(past), 'figure')} on an earlier caption or image, as nobody has worked on the "
            f"new one: {listed(names[place] for place in past.tolist())}"
        )
    kept: Indices = rows[right]
    return kept
