"""Large files of annotations straight into columns, all else record by record; and how annotators worked."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agreement.columns import Corpus, Submitted, attention_on
from agreement.primitives import Mode
from agreement.reading import decode_annotations, line_numbers, parquet_columns, raw_annotation_of
from annotator.campaign.home import Home
from annotator.measurement.sources import difference_of, is_home, layout_of, read_source
from panelwise.domain import Annotation, Attention, WorkKey, by_annotator
from panelwise.files import EarlierWork, Problems, is_empty, is_parquet, open_input, repeated_work
from panelwise.formats import JSONL, RecentFigures, annotation_of, read_or_report, work_line

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Files from this size on are read into columns; smaller ones are read before one would notice.
COLUMNS_FROM = 1 << 20
#: Warning if there is a cache of columns, which is no longer used.
OLD_SETTING = "PANELWISE_COLUMNS"


def read_sources(
    sources: Sequence[Path],
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
) -> list[Corpus]:
    """Return the work in each source; see `read_source`."""
    if warn is not None and OLD_SETTING in os.environ:
        warn(f"{OLD_SETTING} has no effect: columns of annotation files are no longer cached; unset it")
    return [_read(source, problems, of_home, mode, warn) for source in sources]


def _read(
    source: Path,
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
) -> Corpus:
    if is_parquet(source) and mode is not Mode.OFFICIAL:
        return _each_once(parquet_columns(source, problems), source, problems)
    if source.is_file() and source.stat().st_size >= COLUMNS_FROM and layout_of(source) is JSONL:
        return _each_once(_large(source, problems, raw=mode is Mode.OFFICIAL), source, problems)
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


def _large(path: Path, problems: Problems, *, raw: bool) -> Corpus:
    """Return the annotations of a large file. raw: as listed."""
    figures: RecentFigures = OrderedDict()
    odd = 0

    def careful(number: int, line: bytes) -> Submitted | None:
        nonlocal odd
        odd += 1
        return made(f"{path}:{number}", line, problems)

    def again(line: bytes) -> Submitted:
        work = made(str(path), line, Problems())
        if work is None:
            raise ValueError("no longer an annotation")
        return work

    def made(where: str, raw_line: bytes, problems: Problems) -> Submitted | None:
        line = work_line(where, raw_line, problems)
        if line is None:
            return None
        if raw:
            return read_or_report(raw_annotation_of, line, figures, problems)
        return read_or_report(annotation_of, line, figures, problems)

    with open_input(path) as file:
        corpus = decode_annotations(file, path, careful, again, raw=raw)
    if not len(corpus) and not odd:
        problems.add(is_empty(path))
    return corpus


def attention_in(sources: Mapping[Path, Corpus]) -> dict[tuple[str, str], Attention]:
    """Return (phase, annotator) -> how they worked; work that an earlier source has counts once.

    sources: with the work in each. A campaign's counts are those of its latest work, whatever work is given.
    """
    work: dict[WorkKey, Attention] = {}
    for source, corpus in sources.items():
        if is_home(source):
            with Home.find(source).open_store() as store, store.read() as tx:
                work = {**dict(tx.statistics.figures_attention()), **work}
        else:
            work = {**_of_latest(corpus), **work}
    return by_annotator(work.items())


def _of_latest(corpus: Corpus) -> dict[WorkKey, Attention]:
    """Return the counts of the latest work of each annotator on each revision of a figure."""
    looked = attention_on(corpus.rows)
    if not looked:
        return {}
    saved_at = corpus.saved_at.tolist()
    current: dict[WorkKey, int] = {}
    columns = (corpus.phase, corpus.annotator, corpus.figure, corpus.revision)
    for place, (phase, annotator, figure, revision) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        key = corpus.phases[phase], corpus.annotators[annotator], corpus.figures[figure], revision
        if key not in current or saved_at[place] > saved_at[current[key]]:
            current[key] = place
    return {key: looked[place] for key, place in current.items() if place in looked}
