"""Large files of annotations straight into columns; all else record by record."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agreement.columns import Corpus, Submitted
from agreement.primitives import Mode
from agreement.reading import decode_annotations, joined, line_numbers, parquet_columns, raw_annotation_of
from annotator.campaign.home import Home
from annotator.measurement.sources import difference_of, layout_of, read_source
from panelwise.domain import Annotation
from panelwise.files import EarlierWork, Problems, is_empty, is_parquet, open_input, repeated_work
from panelwise.formats import Layout, RecentFigures, annotation_of, read_or_report, work_line
from panelwise.runtime import cores

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Files from this size on are read into columns; smaller ones are read before one would notice.
COLUMNS_FROM = 1 << 20
#: Files from this size on are decoded by several processes, this many at most.
SIDE_BY_SIDE_FROM, MOST_PROCESSES = 1 << 26, 4
#: Warning if there is a cache of columns, which is no longer used.
OLD_SETTING = "PANELWISE_COLUMNS"


def read_together(
    sources: Sequence[Path],
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
    *,
    side_by_side: bool = False,
) -> Corpus:
    """The work in all sources, one after the other; see `read_source`.

    side_by_side: whether several processes may decode a large file. Each imports the main module first, so this is
    for commands, whose main module does nothing when it is imported.
    """
    if warn is not None and OLD_SETTING in os.environ:
        warn(f"{OLD_SETTING} has no effect: columns of annotation files are no longer cached; unset it")
    return joined([_read(source, problems, of_home, mode, warn, side_by_side) for source in sources])


def _read(
    source: Path,
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
    side_by_side: bool,
) -> Corpus:
    if is_parquet(source) and mode is not Mode.OFFICIAL:
        return _each_once(parquet_columns(source, problems), source, problems)
    if source.is_file() and source.stat().st_size >= COLUMNS_FROM and layout_of(source) is Layout.JSONL:
        columns = _Large(source, mode is Mode.OFFICIAL, problems, side_by_side).read()
        return _each_once(columns, source, problems)
    return Corpus.of(read_source(source, problems, of_home, mode, warn))


def each_once_of(corpus: Corpus, problems: Problems) -> Corpus:
    """Leave out work of several sources that an earlier one has; see `annotator.measurement.sources`."""
    places = _repeated(corpus)
    for row, earlier in places:
        if difference := difference_of(corpus.rows[earlier], corpus.rows[row]):
            problems.add(difference)
    return _without(corpus, places)


def _each_once(corpus: Corpus, source: Path, problems: Problems) -> Corpus:
    """Leave out work that is in the file before, saved at the same time; each is a problem."""
    places = _repeated(corpus)
    lines = line_numbers(corpus.rows, [row for pair in places for row in pair]) if places else {}
    for row, earlier in places:
        figure, annotator, phase = (
            corpus.figures[corpus.figure[row]],
            corpus.annotators[corpus.annotator[row]],
            corpus.phases[corpus.phase[row]],
        )
        before = EarlierWork(f"{source}:{lines[earlier]}", same_time=True)
        problems.add(f"{source}:{lines[row]}: {repeated_work(figure, annotator, phase, before)}; kept the first")
    return _without(corpus, places)


def _repeated(corpus: Corpus) -> list[tuple[int, int]]:
    """Return the rows of work that is there before, saved at the same time, each with the first such row."""
    columns = (corpus.saved_at, corpus.revision, corpus.phase, corpus.annotator, corpus.figure)
    order = np.lexsort(columns)
    same = np.all([np.diff(column[order]) == 0 for column in columns], axis=0)
    if not same.any():
        return []
    # Equal ones are in the order of the file: each run's first stays.
    heads = np.flatnonzero(np.concatenate([[True], ~same]))
    first = order[np.repeat(heads, np.diff(np.append(heads, len(order))))]
    return sorted(zip(order[1:][same].tolist(), first[1:][same].tolist(), strict=True))


def _without(corpus: Corpus, places: Sequence[tuple[int, int]]) -> Corpus:
    """Return the corpus without the rows of `_repeated`."""
    if not places:
        return corpus
    return corpus.take(np.setdiff1d(np.arange(len(corpus)), [row for row, _ in places]))


class _Large:
    """A large file of annotations. raw: whether its values are wanted as listed."""

    def __init__(self, path: Path, raw: bool, problems: Problems, side_by_side: bool) -> None:
        self._path, self._raw, self._problems, self._side_by_side = path, raw, problems, side_by_side
        self._figures: RecentFigures = OrderedDict()
        self._odd = 0

    def read(self) -> Corpus:
        """Its annotations."""
        # Starting processes takes half a second each.
        several = self._side_by_side and self._path.stat().st_size >= SIDE_BY_SIDE_FROM
        with open_input(self._path) as file:
            corpus = decode_annotations(
                *(file, self._path, self._careful, self._again),
                raw=self._raw,
                processes=min(MOST_PROCESSES, cores()) if several else 1,
            )
        if not len(corpus) and not self._odd:
            self._problems.add(is_empty(self._path))
        return corpus

    def _careful(self, number: int, raw: bytes) -> Submitted | None:
        self._odd += 1
        return self._made(f"{self._path}:{number}", raw, self._problems)

    def _again(self, raw: bytes) -> Submitted:
        found = self._made(str(self._path), raw, Problems())
        if found is None:
            raise ValueError("no longer an annotation")
        return found

    def _made(self, where: str, raw: bytes, problems: Problems) -> Submitted | None:
        line = work_line(where, raw, problems)
        if line is None:
            return None
        if self._raw:
            return read_or_report(raw_annotation_of, line, self._figures, problems)
        return read_or_report(annotation_of, line, self._figures, problems)
