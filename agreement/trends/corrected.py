"""Work that annotators changed after others' work or a hint about the figure had reached them.

Agreement is measured on what they had submitted before; this is what it would be with the changed work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agreement.columns.corpus import Corpus
from agreement.columns.raw import Submitted

#: What a report says of work whose history is unknown.
UNKNOWN_HISTORY = "files don't say what was changed after others' work was seen"


@dataclass(frozen=True, slots=True)
class History:
    """Known history of the measured work.

    knew: (annotator, figure) -> since when the annotator knows others' work on the figure. later: work that
    replaced measured work after that. sent_back: (annotator, figure) of later work that a reviewer had asked for.
    """

    knew: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    later: tuple[Submitted, ...] = ()
    sent_back: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Corrected:
    """annotations: changed after others' work or a hint was known; sent_back: of these, sent back by a reviewer.

    iaa: with the changed work in place of the first; None if undefined, and `reason` says why ("" otherwise).
    """

    annotations: int
    sent_back: int
    iaa: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class LatestWork:
    """Measured work with the later work in its place. corrected, sent_back: see `Corrected`."""

    work: Corpus
    corrected: int
    sent_back: int


def latest_work(measured: Corpus, history: History) -> LatestWork:
    """Put later work in the place of the measured work that it replaced, on the same revision of the figure."""
    later = {(each.annotator, each.figure.id, each.figure.revision): each for each in history.later}
    if not later:
        return LatestWork(measured, 0, 0)
    rows = list(measured)
    replaced = {(row.annotator, row.figure.id, row.figure.revision) for row in rows} & later.keys()
    sent_back = sum((annotator, figure) in history.sent_back for annotator, figure, _ in replaced)
    work = Corpus.of(later.get((row.annotator, row.figure.id, row.figure.revision), row) for row in rows)
    return LatestWork(work, len(replaced), sent_back)
