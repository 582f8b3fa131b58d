"""Read annotations from Parquet straight into columns, a batch at a time; needs `panelwise[release]`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import STATUSES, Chosen, Corpus, Rows
from agreement.columns.raw import Submitted
from agreement.pairs.parts import articles_of
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.token_sets import Mask, starts_of
from agreement.reading.joining import joined
from agreement.reading.records import Part, Values, read_part
from agreement.reading.rows import FileRows, JoinedRows, at_hand
from agreement.reading.texts import Bounds
from panelwise.domain import LARGEST, UNKNOWN_SIZE, Attention, FormatError
from panelwise.files import Line, Problems, WorkRow, open_parquet, plain_values, records_of_batch, schema_of
from panelwise.formats import annotation_of, read_or_report

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch
    from pyarrow.parquet import ParquetFile

#: Rows made into columns at a time.
_ROWS = 1 << 13
_REQUIRED = ("figure_id", "annotator", "phase", "status")
_EPOCH = "1970-01-01T00:00:00Z"


def parquet_columns(path: Path, problems: Problems) -> Corpus:
    """Return the annotations of a table, in its order, with their articles. A bad row is a problem and left out.

    Raises FormatError if the file can't be read, or if pyarrow is not installed.
    """
    file = open_parquet(path)
    if "annotator" not in file.schema_arrow.names:
        raise FormatError(f"{path}: a table of gold; give the annotators' work (annotations.parquet)")
    parts: list[Part] = []
    number = 0
    for batch in file.iter_batches(_ROWS, columns=_read(file)):
        part = read_part(
            len(batch), partial(_plain_values, batch), partial(_with_care, path, number, batch, problems)
        )
        parts.append(replace(part, places=part.places + number))
        number += len(batch)
    if not number:
        problems.add(f"{path}: holds no row; give annotations")
    if not parts:
        return Corpus.of([])
    articles = {figure: article for part in parts for figure, article in part.articles.items()}
    rows = ParquetRows(
        path,
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.judged for part in parts]),
        articles,
    )
    return joined([part.corpus for part in parts], rows)


def _read(file: ParquetFile) -> list[str]:
    """Return the columns of a table that are read."""
    return [name for name in WorkRow.__struct_fields__ if name in file.schema_arrow.names]


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

    def attention(self) -> Mapping[int, Attention]:
        """Return the same as `attention_on`: tables do not record what was looked at."""
        return {}

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
        table = file.read_row_group(group, columns=_read(file)).slice(row - int(starts[group]), 1)
        [record] = records_of_batch(table.combine_chunks().to_batches()[0])
        return annotation_of(Line(f"{self.path}:{row + 1}", record), OrderedDict(), Problems())


def _with_care(path: Path, number: int, batch: RecordBatch, problems: Problems, rows: Indices) -> Iterator[Any]:
    """Yield what the reader of records makes of some rows. number: of the rows before the batch."""
    for row, record in zip(rows.tolist(), records_of_batch(batch.take(rows)), strict=True):
        line = Line(f"{path}:{number + row + 1}", record)
        yield read_or_report(annotation_of, line, OrderedDict(), problems)


def _of_plain_types(batch: RecordBatch) -> bool:
    wanted = [kind for kind in schema_of(WorkRow) if kind.name in batch.schema.names]
    return all(_alike(kind.type, batch.schema.field(kind.name).type) for kind in wanted)


def _alike(wanted: DataType, found: DataType) -> bool:
    """Return True if a column's values are plainly of a type: its numbers may be wider, or null."""
    from pyarrow import types

    if types.is_list(wanted):
        return bool(types.is_list(found)) and _alike(wanted.value_type, found.value_type)
    if types.is_struct(wanted):
        names = {kind.name: kind.type for kind in found} if types.is_struct(found) else {}
        return all(kind.name == "score" or _alike(kind.type, names.get(kind.name)) for kind in wanted)
    checks = (types.is_integer, types.is_floating, types.is_string, types.is_boolean)
    return found is not None and (types.is_null(found) or any(each(wanted) and each(found) for each in checks))


def _plain_values(batch: RecordBatch, rows: Indices) -> tuple[Values, Indices]:
    """Return the values of the rows of a batch that may be plainly valid, and which of `rows` these are."""
    if not _of_plain_types(batch):
        return Values(), rows[:0]
    values, wrong = _values(batch.take(rows))
    return _plain_values(batch, rows[~wrong]) if wrong.any() else (values, rows)


def _values(batch: RecordBatch) -> tuple[Values, Mask]:
    """Return the values of N rows, and (N,) which rows are wrong, of which the values mean nothing."""
    values = Values()
    names = {name: _texts(batch, name) for name in (*_REQUIRED, "seeded_by")}
    required = zip(*(names[name] for name in _REQUIRED), strict=True)
    wrong = np.array([not all(row) or row[-1] not in STATUSES for row in required], dtype=np.bool_)
    # Types, verdicts and answers are no columns; the reader of records says what is wrong with them.
    wrong |= np.array([bool(items) for items in _texts(batch, "items")], dtype=np.bool_)
    for name, texts in names.items():
        values.add_names(name, texts)
    articles = zip(names["figure_id"], _texts(batch, "document"), strict=True)
    values.articles = {figure: article for figure, article in articles if figure and article}
    for name, missing in (("width", UNKNOWN_SIZE), ("height", UNKNOWN_SIZE), ("revision", 1)):
        sizes = _column(batch, name, missing)
        wrong |= (sizes < 1) | (sizes > LARGEST)
        values.add_numbers(name, sizes)
    values.add_numbers("partial", _column(batch, "partly_read", 0))
    values.add_times([text or _EPOCH for text in _texts(batch, "saved_at")])
    token_starts, pairs = _lists(batch.column("tokens"))
    bounds, crooked = _rows_of(pairs, 2)
    wrong[np.repeat(np.arange(len(batch)), np.diff(token_starts))[crooked]] = True
    captions = [caption or "" for caption in _texts(batch, "caption")]
    values.add_texts(zip(captions, _written(bounds, token_starts), strict=True))
    wrong |= _add_panels(values, batch.column("subfigures"), bounds, token_starts)
    return values, wrong


def _add_panels(values: Values, column: Array, bounds: Bounds, token_starts: Indices) -> Mask:
    """Add the values of N rows' panels, and return (N,) which rows are wrong. bounds: of all rows' tokens."""
    panel_starts, panels = _lists(column)
    owners = np.repeat(np.arange(len(column)), np.diff(panel_starts))
    labels = _part(panels, "label").to_pylist()
    boxes, crooked = _rows_of(_part(panels, "box"), 4)
    values.add_numbers("panels", np.diff(panel_starts))
    values.add_names("label", labels)
    values.boxes.append(boxes.astype(np.float64))
    id_starts, listed = _lists(_part(panels, "subcaption"))
    ids = _numbers(listed, -1).astype(np.int64)
    panel = np.repeat(np.arange(len(owners)), np.diff(id_starts))
    row = owners[panel]
    known = (ids >= 0) & (ids < np.diff(token_starts)[row])
    # Neighbouring tokens are a span; mostly all of a panel are.
    first = np.flatnonzero((np.diff(ids, prepend=-2) != 1) | (np.diff(panel, prepend=-1) != 0))
    last = np.append(first[1:], len(ids))[: len(first)] - 1
    values.add_numbers("spans_of", np.bincount(panel[first], minlength=len(owners)))
    if known.all():
        token = ids + token_starts[row]
        values.add_numbers("spans", np.stack([bounds[token[first], 0], bounds[token[last], 1]], axis=1).ravel())
    wrong = np.zeros(len(column), dtype=np.bool_)
    wrong[owners[np.array([not label for label in labels], dtype=np.bool_) | crooked]] = True
    wrong[row[~known]] = True
    return wrong


def _texts(batch: RecordBatch, name: str) -> list[str | None]:
    if name not in batch.schema.names:
        return [None] * len(batch)
    texts: list[str | None] = batch.column(name).to_pylist()
    return texts


def _column(batch: RecordBatch, name: str, missing: int) -> Indices:
    """Return a column of whole numbers or flags, with another number where it is null or not there."""
    if name not in batch.schema.names or batch.column(name).null_count == len(batch):
        return np.full(len(batch), missing, dtype=np.int64)
    return _numbers(batch.column(name), missing).astype(np.int64)


def _written(bounds: Bounds, starts: Indices) -> Iterator[bytes]:
    """Yield the tokens of each row as JSON; those of neighbouring rows are mostly the same, and written once."""
    before, written = None, b""
    for begin, end in pairwise(starts.tolist()):
        tokens = bounds[begin:end]
        if before is None or not np.array_equal(before, tokens):
            before, written = tokens, msgspec.json.encode(tokens.tolist())
        yield written


def _rows_of(column: Array, size: int) -> tuple[NDArray[Any], Mask]:
    """Return N lists of `size` numbers as (N, size), and (N,) which of them are no such list; -1 for null."""
    starts, values = _lists(column)
    numbers, crooked = _numbers(values, -1), np.diff(starts) != size
    if not crooked.any():
        return numbers.reshape(-1, size), crooked
    rows = np.full((len(crooked), size), -1, dtype=numbers.dtype)
    rows[~crooked] = numbers[ranges(starts[:-1][~crooked], np.full((~crooked).sum(), size))].reshape(-1, size)
    return rows, crooked


def _numbers(column: Array, missing: int) -> NDArray[Any]:
    """Return a column of numbers or flags, with another value for null."""
    if column.null_count:
        column = column.fill_null(column.type.to_pandas_dtype()(missing))
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def _lists(column: Array) -> tuple[Indices, Array]:
    """Return (N + 1,) where each of N lists starts, and all their elements; null is an empty list."""
    import pyarrow

    if column.null_count:
        column = pyarrow.array([values or [] for values in plain_values(column)], type=column.type)
    starts: Indices = column.offsets.to_numpy().astype(np.int64)
    return starts - starts[0], column.values.slice(int(starts[0]), int(starts[-1] - starts[0]))


def _part(structs: Array, name: str) -> Array:
    """Return one field of N structs."""
    from pyarrow import compute

    return compute.struct_field(structs, name)


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
