"""The pairs as imported and as adjudicated, which a report on items needs beside a phase's work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agreement.columns import Corpus, split_superseded, traits_of
from agreement.questions import ItemReport, item_report
from annotator.campaign.home import Home
from annotator.consensus.adjudicated_pairs import adjudicated_edits
from panelwise.domain import Annotation, AnnotatorError, QAItem, Status
from panelwise.files import Problems, is_table
from panelwise.formats import (
    PairsByKey,
    answers_in_pairs,
    answers_in_table,
    check_table,
    is_pair_file,
    read_pairs_by_key,
)

if TYPE_CHECKING:
    from annotator.store.store import Store
    from panelwise.domain import Campaign


class AnswerSources:
    """Separate the sources with people's answers to pairs from those with annotations.

    pairs: files of pairs beside the sources. reported: the problems of these are known. Raises AnnotatorError if a
    file is not there.
    """

    def __init__(
        self, sources: Sequence[Path], pairs: Sequence[Path], problems: Problems, *, reported: bool = False
    ) -> None:
        for file in pairs:
            if not file.is_file():
                raise AnnotatorError(f"{file}: no such file; name a file of pairs with --pairs")
        self._problems = problems
        self._tables = [each for each in sources if each.is_file() and is_table(each)]
        looked_at = [each for each in sources if each.is_file() and each not in self._tables]
        self._files = [each for each in looked_at if is_pair_file(each)]
        self.others = [each for each in sources if each not in self._tables and each not in self._files]
        self.pairs: PairsByKey = {}
        for file in dict.fromkeys((*self._files, *pairs)):
            known = reported and file in pairs
            self.pairs.update(read_pairs_by_key(file, Problems() if known else problems))
        for table in self._tables:
            check_table(table)
        if self._tables and not self.pairs:
            raise AnnotatorError(
                f"{self._tables[0]}: a table of answers does not hold the questions; "
                "name the file of the pairs with --pairs"
            )

    def work(self) -> Iterator[Annotation]:
        """The answers, an annotation a person and figure.

        A file of pairs without answers is read for the pairs alone, if there are tables of answers.
        """
        for file in self._files:
            if not self._tables or _answered(file):
                yield from answers_in_pairs(file, self._problems)
        for table in self._tables:
            yield from answers_in_table(table, self.pairs, self._problems)


def items_in(
    whole: Corpus, work: Corpus, phase: str | None, pairs: PairsByKey, gold: Callable[[], PairsByKey] | None
) -> ItemReport | None:
    """The report on the items of one phase; None if there are none.

    whole: all phases' work, of which `work` is what the report looks at: pairs are taken from its figures. pairs:
    further ones as they came. gold: gives those that the gold changed, for people's answers; None if no
    campaign tells: what was edited in other phases holds then, where all who judged a pair there agree.
    """
    _, judged = traits_of(work.rows)
    if phase is None or not judged.any():
        return None
    own = np.array([name == phase for name in work.phases], dtype=np.bool_)[work.phase]
    holding, _ = split_superseded(work.take(np.flatnonzero(judged & own)))
    rows = _annotations(holding)
    came = dict(pairs)
    for each in rows:
        for item in each.figure.imported.pairs:
            came.setdefault((each.figure.id, item.id), item)
    if not any(each.items.answers for each in rows):
        return item_report(rows, came)
    edits = _adjudicated(whole, phase) if gold is None else gold()
    return item_report(rows, came, {**came, **edits})


def gold_of(store: Store, campaign: Campaign) -> PairsByKey:
    """The pairs that the campaign's gold changed, as it has them: those that human evaluation asks."""
    edits = adjudicated_edits(store, campaign)
    return {(figure, name): item for figure, own in edits.items() for name, item in own.items()}


def gold_in_homes(homes: Sequence[Path]) -> PairsByKey:
    """As `gold_of`, of several homes."""
    found: PairsByKey = {}
    for path in homes:
        home = Home.find(path)
        with home.open_store() as store:
            found.update(gold_of(store, home.campaign))
    return found


def _adjudicated(whole: Corpus, phase: str) -> PairsByKey:
    """Pairs that were edited in another phase, by all who judged them there alike."""
    _, judged = traits_of(whole.rows)
    other = np.array([name != phase for name in whole.phases], dtype=np.bool_)[whole.phase]
    holding, _ = split_superseded(whole.take(np.flatnonzero(judged & other)))
    outcomes: dict[tuple[str, str], set[QAItem | None]] = {}
    for each in _annotations(holding):
        if each.status is Status.ACCEPTED:
            for verdict in each.items.verdicts:
                outcomes.setdefault((each.figure.id, verdict.item), set()).add(verdict.edited)
    return {
        place: edited
        for place, found in outcomes.items()
        if len(found) == 1 and (edited := next(iter(found))) is not None
    }


def _annotations(corpus: Corpus) -> list[Annotation]:
    return [each for each in corpus if isinstance(each, Annotation)]


def _answered(file: Path) -> bool:
    """Return whether a file of pairs has people's answers, readable or not."""
    problems = Problems()
    try:
        return next(answers_in_pairs(file, problems), None) is not None or problems.count > 0
    except AnnotatorError:
        return False
