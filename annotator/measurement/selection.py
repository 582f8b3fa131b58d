"""Selection from a corpus: one phase, one revision of each figure. By columns, as a corpus may be large."""

from __future__ import annotations

import numpy as np

from agreement.columns import Corpus
from agreement.primitives import Indices


def phases_in(corpus: Corpus) -> list[str]:
    """Return the phases with work, in order."""
    return [corpus.phases[place] for place in np.unique(corpus.phase).tolist()]


def people_in(corpus: Corpus) -> list[str]:
    """Return the annotators with work, in order."""
    return [corpus.annotators[place] for place in np.unique(corpus.annotator).tolist()]


def rows_of(corpus: Corpus, rows: Indices) -> Corpus:
    """These annotations; the corpus itself where that is all of them as they stand."""
    return corpus if np.array_equal(rows, np.arange(len(corpus))) else corpus.take(rows)
