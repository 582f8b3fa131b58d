"""Read annotations from Parquet straight into columns, a batch at a time; needs `panelwise[release]`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import ne
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns.contents import content_digests, distinct
from agreement.columns.corpus import STATUSES, Chosen, Column, Corpus, Rows
from agreement.columns.raw import Submitted
from agreement.pairs.parts import articles_of
from agreement.primitives.iou import box_area
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.token_sets import Mask, TokenPlaces, starts_of
from agreement.reading.joining import joined
from agreement.reading.rows import FileRows, JoinedRows, at_hand
from agreement.reading.texts import Bounds, Characters, well_ordered
from agreement.reading.times import moment_of
from panelwise.domain import EDGE_SLACK, LARGEST, UNKNOWN_SIZE, FormatError, began_from_prediction
from panelwise.files import Line, Problems, open_parquet, record_of_row
from panelwise.formats import annotation_of, read_or_report

if TYPE_CHECKING:
    from pyarrow import Array, RecordBatch
    from pyarrow.parquet import ParquetFile

#: Rows made into columns at a time.
_ROWS = 1 << 13
#: Columns with few values, or whose values repeat from row to row.
_REPEATED = ("figure_id", "document", "annotator", "phase", "status", "caption", "seeded_by")
_READ = (*_REPEATED, "revision", "width", "height", "tokens", "subfigures", "items", "saved_at", "partly_read")
_EPOCH = "1970-01-01T00:00:00Z"


def parquet_columns(path: Path, problems: Problems) -> Corpus:
    """Return the annotations of a table, in its order, with their articles. A bad row is a problem and left out.

    Raises FormatError if the file can't be read, or if pyarrow is not installed.
    """
    file = open_parquet(path, _REPEATED)
    if "annotator" not in file.schema_arrow.names:
        raise FormatError(f"{path}: a table of gold; give the annotators' work (annotations.parquet)")
    names = [name for name in _READ if name in file.schema_arrow.names]
    parts, kept, judged = [], [], []
    articles: dict[str, str] = {}
    number = 0
    for batch in file.iter_batches(_ROWS, columns=names):
        made = _Batch(batch)
        own, valid = _with_care(path, number, batch, made, problems)
        parts.append(own)
        kept.append(valid + number)
        judged.append(made.judged[valid])
        articles.update(made.articles())
        number += len(batch)
    if not number:
        problems.add(f"{path}: holds no row; give annotations")
    if not parts:
        return Corpus.of([])
    rows = ParquetRows(path, np.concatenate(kept), np.concatenate(judged), articles)
    return joined(parts, rows)


@dataclass(frozen=True, slots=True, eq=False)
class ParquetRows(Rows):
    """Annotations in rows of a table.

    rows: (A,) numbers. judged: (A,) see `traits_of`. articles: figure -> its article.

    Raises FormatError if a row can no longer be read.
    """

    path: Path
    rows: Indices
    judged: Mask
    articles: dict[str, str]
    _open: list[tuple[ParquetFile, Indices]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def traits(self) -> tuple[Mask, Mask]:
        """Return the same as `traits_of`."""
        return np.zeros(len(self), dtype=np.bool_), self.judged

    def at(self, place: int) -> Submitted:
        """See `Rows`."""
        if not self._open:
            file = open_parquet(self.path)
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            self._open.append((file, starts_of(np.array(sizes, dtype=np.int64))))
        file, starts = self._open[0]
        row = int(self.rows[place])
        group = int(np.searchsorted(starts, row, side="right")) - 1
        if group >= file.num_row_groups:
            raise FormatError(f"{self.path}: changed while it was being read; run the command again")
        table = file.read_row_group(group, columns=[name for name in _READ if name in file.schema_arrow.names])
        record = record_of_row(table.slice(row - int(starts[group]), 1).to_pylist()[0])
        return annotation_of(Line(f"{self.path}:{row + 1}", record), OrderedDict(), Problems())


def _with_care(
    path: Path, number: int, batch: RecordBatch, made: _Batch, problems: Problems
) -> tuple[Corpus, Indices]:
    """Return the columns of a batch's valid rows, and these rows. number: of the rows before the batch.

    Rows that are not plainly valid go to the reader of records, which accepts them or reports what is wrong.
    """
    plain = np.flatnonzero(~made.wrong)
    if len(plain) == len(batch):
        return made.corpus(), plain
    extra: list[Submitted] = []
    rows: list[int] = []
    for row in np.flatnonzero(made.wrong).tolist():
        where = f"{path}:{number + row + 1}"
        line = Line(where, record_of_row(batch.slice(row, 1).to_pylist()[0]))
        found = read_or_report(annotation_of, line, OrderedDict(), problems)
        if found is not None:
            extra.append(found)
            rows.append(row)
    corpus, valid = _Batch(batch.take(plain)).corpus(), np.append(plain, rows).astype(np.int64)
    if not extra:
        return corpus, plain
    order = np.argsort(valid)
    return joined([corpus, Corpus.of(extra)]).take(order), valid[order]


def line_numbers(rows: Sequence[Submitted], places: Sequence[int]) -> dict[int, int]:
    """Return place -> number of its line, or its row in a table, from 1, of work behind columns of one file."""
    if isinstance(rows, ParquetRows):
        return {place: int(rows.rows[place]) + 1 for place in places}
    return rows.line_numbers(places) if isinstance(rows, FileRows) else {}


def articles_in_memory(rows: Sequence[Submitted]) -> dict[str, str]:
    """Return figure -> its article, of the figures that name one; nothing is read from a file."""
    if isinstance(rows, JoinedRows):
        return {figure: name for part in rows.parts for figure, name in articles_in_memory(part).items()}
    if isinstance(rows, Chosen):
        return articles_in_memory(rows.base)
    return dict(rows.articles) if isinstance(rows, ParquetRows | FileRows) else articles_of(at_hand(rows))


class _Batch:
    """One batch of N rows. wrong: (N,) whether a row is no valid annotation. judged: (N,) see `ParquetRows`."""

    def __init__(self, batch: RecordBatch) -> None:
        self._batch, self._size = batch, len(batch)
        self.wrong: Mask = np.zeros(len(batch), dtype=np.bool_)
        self._names = {name: self._named(name) for name in _REPEATED}
        for name in ("figure_id", "annotator", "phase"):
            names, codes = self._names[name]
            self.wrong |= np.array([not each for each in (*names, "")], dtype=np.bool_)[codes]
        statuses = [status.value for status in STATUSES]
        names, codes = self._names["status"]
        known = [statuses.index(each) if each in statuses else -1 for each in names]
        self._status = np.array([*known, -1], dtype=np.int8)[codes]
        self._revision, self._width, self._height = (self._whole(name) for name in ("revision", "width", "height"))
        self._saved = self._times()
        items = self._column("items")
        self.judged: Mask = np.zeros(len(batch), dtype=np.bool_)
        if items is not None:
            import pyarrow.compute

            filled = pyarrow.compute.not_equal(items, "")
            self.judged = pyarrow.compute.fill_null(filled, False).to_numpy(zero_copy_only=False)
        self._read_contents()
        self._read_panels()
        self.wrong |= self._status < 0

    def articles(self) -> Iterator[tuple[str, str]]:
        """Yield each figure that names an article, with it."""
        figures, figure = self._names["figure_id"]
        documents, document = self._names["document"]
        named = np.flatnonzero(np.array([bool(each) for each in (*documents, "")], dtype=np.bool_)[document])
        both = np.unique(figure[named].astype(np.int64) * len(documents) + document[named]).tolist()
        return ((figures[one // len(documents)], documents[one % len(documents)]) for one in both)

    def corpus(self) -> Corpus:
        """Return the columns; all rows must be right."""
        names = {name: _sorted(*self._names[name]) for name in ("figure_id", "annotator", "phase")}
        seeds, seed = self._names["seeded_by"]
        began = np.array([began_from_prediction(each) for each in (*seeds, None)], dtype=np.bool_)
        labels, label = _sorted(*_dictionary(self._labels))
        captions = self._run[np.repeat(np.arange(self._size), np.diff(self._panel_starts))]
        return Corpus(
            annotators=names["annotator"][0],
            phases=names["phase"][0],
            figures=names["figure_id"][0],
            annotator=names["annotator"][1],
            phase=names["phase"][1],
            figure=names["figure_id"][1],
            revision=self._revision.astype(np.int32),
            status=self._status,
            seeded=began[seed],
            partial=self._flag("partly_read"),
            saved_at=self._saved,
            content=self._content,
            digests=self._digests,
            tokens=self._places.tokens[self._once],
            counted=self._places.counted[self._once],
            panel_starts=self._panel_starts,
            boxes=self._boxes,
            labels=labels,
            label=label,
            text=self._places.sets_of_ranges(captions, *self._ranges),
            repeated_panels=np.zeros(0, dtype=np.int64),
            repeated_places=np.zeros(0, dtype=np.int64),
            common=None,
            rows=(),
        )

    def _column(self, name: str) -> Any:
        return self._batch.column(name) if name in self._batch.schema.names else None

    def _named(self, name: str) -> tuple[list[str], Column]:
        """Return the distinct values of a column of texts and (N,) places in them, -1 for null."""
        column = self._column(name)
        return ([], np.full(self._size, -1, dtype=np.int32)) if column is None else _dictionary(column)

    def _flag(self, name: str) -> Mask:
        """Return a column of flags, false where it is null or missing."""
        column = self._column(name)
        if column is None:
            return np.zeros(self._size, dtype=np.bool_)
        flags: Mask = column.fill_null(False).to_numpy(zero_copy_only=False)
        return flags

    def _whole(self, name: str) -> Indices:
        """Return a column of whole numbers from 1 up; where null, revisions are 1 and sizes unknown."""
        missing = 1 if name == "revision" else UNKNOWN_SIZE
        column = self._column(name)
        if column is None:
            return np.full(self._size, missing, dtype=np.int64)
        numbers: Indices = _numbers(column, missing).astype(np.int64)
        self.wrong |= (numbers < 1) | (numbers > LARGEST)
        return numbers

    def _times(self) -> Indices:
        """Return microseconds since 1970; 0 where there is no time."""
        import pyarrow
        from pyarrow import compute

        column = self._column("saved_at")
        if column is None:
            return np.zeros(self._size, dtype=np.int64)
        texts = column.fill_null("")
        texts = compute.if_else(compute.equal(texts, ""), _EPOCH, texts)
        try:
            moments = compute.cast(texts, pyarrow.timestamp("us", tz="UTC"))
        except pyarrow.ArrowInvalid:
            found = [moment_of(each) for each in texts.to_pylist()]
            self.wrong |= np.array([each is None for each in found], dtype=np.bool_)
            return np.array([each or 0 for each in found], dtype=np.int64)
        numbers: Indices = moments.to_numpy(zero_copy_only=False).astype("datetime64[us]").astype(np.int64)
        return numbers

    def _read_contents(self) -> None:
        """Number the different contents: caption, tokens and image size."""
        captions, caption = self._names["caption"]
        starts, pairs = _lists(self._column("tokens"))
        flat, crooked = _rows_of(pairs, 2)
        self.wrong[np.searchsorted(starts, crooked, side="right") - 1] = True
        first, group = _runs(np.stack([caption, self._width, self._height]), flat, starts)
        sizes = np.diff(starts)
        texts = [captions[place] if place >= 0 else "" for place in caption[first].tolist()]
        own: Bounds = flat[ranges(starts[:-1][first], sizes[first])].astype(np.int64)
        own_starts = starts_of(sizes[first])
        characters = Characters(texts)
        fine = well_ordered(own, own_starts, characters.lengths)
        self.wrong |= ~fine[group]
        own[np.repeat(~fine, sizes[first])] = 0
        of_token = np.repeat(np.arange(len(first)), sizes[first])
        self._places = TokenPlaces.of(characters.counting(of_token, own), own_starts)
        sizes_of = zip(self._width[first].tolist(), self._height[first].tolist(), strict=True)
        digests = content_digests(texts, own, own_starts, sizes_of)
        numbers, once = distinct(digests)
        self._digests, self._once = digests[once], once
        self._content, self._run = numbers[group], group

    def _read_panels(self) -> None:
        self._panel_starts, panels = _lists(self._column("subfigures"))
        owners = np.repeat(np.arange(self._size), np.diff(self._panel_starts))
        self._labels = _part(panels, "label")
        labels, label = _dictionary(self._labels)
        odd = [not each or each != each.strip() for each in (*labels, "")]
        self.wrong[owners[np.array(odd, dtype=np.bool_)[label]]] = True
        edges, crooked = _rows_of(_part(panels, "box"), 4)
        self._boxes = edges.astype(np.float64)
        self.wrong[owners[crooked]] = True
        size = np.stack([self._width, self._height], axis=1)[owners] + EDGE_SLACK
        with np.errstate(invalid="ignore", over="ignore"):
            inside = (self._boxes[:, :2] >= -EDGE_SLACK).all(axis=1) & (self._boxes[:, 2:] <= size).all(axis=1)
            inside &= (self._boxes[:, :2] < self._boxes[:, 2:]).all(axis=1) & (box_area(self._boxes) > 0.0)
        inside &= (self._boxes[:, 2:] > 1.0).any(axis=1)  # else maybe fractions of the image: read with care
        self.wrong[owners[~inside]] = True
        id_starts, column = _lists(_part(panels, "subcaption"))
        ids = _numbers(column, -1).astype(np.int64)
        of_id = np.repeat(np.arange(len(owners)), np.diff(id_starts))
        # Ids are ranges, one after the other, mostly one to a panel.
        heads = np.flatnonzero((np.diff(ids, prepend=-2) != 1) | (np.diff(of_id, prepend=-1) != 0))
        last = ids[np.append(heads[1:], len(ids))[: len(heads)] - 1]
        whose = of_id[heads]
        beyond = (ids[heads] < 0) | (last >= self._places.tokens[self._run[owners[whose]]])
        self.wrong[owners[whose[beyond]]] = True
        self._ranges = whose, ids[heads], last + 1


def _runs(keys: Indices, bounds: NDArray[Any], starts: Indices) -> tuple[Indices, Indices]:
    """Return the first of each run of rows with one content, and the run of each row, (N,).

    keys: (K, N), all but the tokens. bounds: (T, 2) tokens of all rows, starts: (N + 1,).
    """
    data, places = bounds.tobytes(), (starts * bounds.itemsize * 2).tolist()
    tokens = [data[begin:end] for begin, end in pairwise(places)]
    new = np.ones(len(tokens), dtype=np.bool_)
    new[1:] = (np.diff(keys, axis=1) != 0).any(axis=0)
    new[1:] |= np.fromiter(map(ne, tokens, tokens[1:]), np.bool_, max(len(tokens) - 1, 0))
    return np.flatnonzero(new), np.cumsum(new) - 1


def _numbers(column: Array, missing: int) -> NDArray[Any]:
    """Return a column of numbers, with another number for null."""
    whole: NDArray[Any] = (column.fill_null(missing) if column.null_count else column).to_numpy(
        zero_copy_only=False
    )
    return whole


def _rows_of(column: Array, size: int) -> tuple[NDArray[Any], Indices]:
    """Return N lists of `size` numbers as (N, size), and which of them are no such list: zeros there."""
    starts, values = _lists(column)
    lost = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else np.zeros(0, dtype=np.bool_)
    numbers = _numbers(values, 0)
    wrong = np.diff(starts) != size
    if lost.any():
        wrong[np.searchsorted(starts, np.flatnonzero(lost), side="right") - 1] = True
    if not wrong.any():
        return numbers.reshape(-1, size), np.zeros(0, dtype=np.int64)
    found = np.zeros((len(wrong), size), dtype=numbers.dtype)
    found[~wrong] = numbers[ranges(starts[:-1][~wrong], np.full((~wrong).sum(), size))].reshape(-1, size)
    return found, np.flatnonzero(wrong)


def _lists(column: Array) -> tuple[Indices, Array]:
    """Return (N + 1,) where each of N lists starts, and all their elements; null is an empty list."""
    import pyarrow

    if column.null_count:
        column = pyarrow.array([each or [] for each in column.to_pylist()], type=column.type)
    starts: Indices = column.offsets.to_numpy().astype(np.int64)
    return starts - starts[0], column.values.slice(int(starts[0]), int(starts[-1] - starts[0]))


def _part(structs: Array, name: str) -> Array:
    """Return one field of N structs."""
    from pyarrow import compute

    return compute.struct_field(structs, name)


def _dictionary(column: Array) -> tuple[list[str], Column]:
    """Return the distinct values and (N,) places in them, -1 for null."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes: Column = _numbers(column.indices, -1).astype(np.int32)
    return column.dictionary.to_pylist(), codes


def _sorted(names: Sequence[str], codes: Column) -> tuple[tuple[str, ...], Column]:
    """Return the names that occur, in order and each once, and the codes as places in them."""
    used = np.unique(codes).tolist()
    table = tuple(sorted({names[code] for code in used}))
    places = {name: place for place, name in enumerate(table)}
    new = np.zeros(len(names), dtype=np.int32)
    for code in used:
        new[code] = places[names[code]]
    return table, new[codes]
