"""Parquet tables of work and gold, written and read by the schema of their rows; needs `panelwise[release]`.

A table's `subcaption` holds indices into its `tokens`, where annotations.jsonl has spans; `items` is JSON.
"""

from __future__ import annotations

import importlib.util
import json
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

from panelwise.domain.errors import FormatError
from panelwise.files.values import as_whole, or_none
from panelwise.runtime.atomic_write import whole_file

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch, Schema
    from pyarrow.parquet import ParquetFile

_MAGIC = b"PAR1"
#: Rows read, and rows written, at a time; few that hold an image.
_ROWS, _WRITTEN, _WITH_IMAGES = 1 << 10, 1 << 14, 1 << 8
#: What stands for the annotator and the phase of a table that has neither: gold.
_GOLD = "gold"


class SubfigureRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A labelled box. box: x0 y0 x1 y1 in pixels. subcaption: token ids. score: of a prediction, else None."""

    label: str
    box: tuple[float, float, float, float]
    subcaption: tuple[int, ...]
    score: float | None = None


class WorkRow(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, gc=False):
    """One annotator's or model's work on one figure. saved_at: "" for a model. split: of the figure in a release.

    width, height: None if unknown. tokens: [start, end) of each in the caption, code points. items: type, verdicts
    and answers as JSON, "" without any. seconds: time that it took, None if unknown. partly_read: some of the
    submitted work could not be read and is missing here.
    """

    figure_id: str
    document: str
    split: str
    annotator: str
    phase: str
    status: str
    revision: int
    subfigures: tuple[SubfigureRow, ...]
    items: str
    seeded_by: str | None
    guideline: str
    saved_at: str
    width: int | None = None
    height: int | None = None
    caption: str = ""
    tokens: tuple[tuple[int, int], ...] = ()
    seconds: float | None = None
    partly_read: bool = False


def is_parquet(path: Path) -> bool:
    """Return True if a file is Parquet, by its first bytes; a pipe, or a file that can't be read, is not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def open_parquet(path: Path) -> ParquetFile:
    """Open a table.

    Raises FormatError if it can't be read, has no annotations, or if pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise FormatError(f'{path}: is Parquet; pip install "panelwise[release]" reads it') from None
    try:
        file = ParquetFile(path)
        names = file.schema_arrow.names
    except (OSError, pyarrow.ArrowException) as error:
        raise FormatError(f"{path}: not valid Parquet ({error}); is the file cut off? write it again") from None
    missing = {"figure_id", "subfigures", "caption", "tokens"} - set(names)
    if missing:
        raise FormatError(
            f"{path}: a table without {', '.join(sorted(missing))}; give one that `annotator export annotations` "
            "or `annotator release` wrote"
        )
    return file


def parquet_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place ("file:row", from 1) and record of each row. Raises FormatError; see `open_parquet`."""
    file = open_parquet(path)
    # The images of a release's gold are not needed.
    columns = [name for name in file.schema_arrow.names if name != "image"]
    records = chain.from_iterable(map(records_of_batch, file.iter_batches(_ROWS, columns=columns)))
    for number, record in enumerate(records, start=1):
        yield f"{path}:{number}", record


def records_of_batch(batch: RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield each row as a record of annotations.jsonl, or of predictions if it has no time.

    What does not fit, such as a token id that the caption lacks, stays as it is: the reader of records refuses it.
    """
    names = batch.schema.names
    for values in zip(*map(plain_values, batch.columns), strict=True):
        yield _record(dict(zip(names, values, strict=True)))


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {key: value for key, value in row.items() if value is not None and key not in ("items", "saved_at")}
    if row.get("items"):
        record |= _items(row["items"])
    if row.get("saved_at"):
        record["saved_at"] = row["saved_at"]
    if isinstance(row["subfigures"], list):
        tokens = row["tokens"] if isinstance(row["tokens"], list) else []
        record["subfigures"] = [_subfigure(part, tokens) for part in row["subfigures"]]
    else:
        record["subfigures"] = row["subfigures"] or []
    if "annotator" not in row:
        record |= {"annotator": _GOLD, "phase": _GOLD, "status": "accepted", "saved_at": row.get("decided_at")}
    return record


def _items(written: object) -> dict[str, Any]:
    """Return the keys of items; what is no JSON object stays under one of them, for the reader to refuse."""
    try:
        items = msgspec.json.decode(written) if isinstance(written, str) else written
    except msgspec.DecodeError:
        items = written
    return items if isinstance(items, dict) else {"kind": written}


def _subfigure(part: Any, tokens: list[Any]) -> Any:
    if not isinstance(part, dict):
        return part
    given = part.get("subcaption") or []
    if isinstance(given, list):
        ids = [or_none(as_whole, value) for value in given]
        given = [
            tokens[position] if position is not None and 0 <= position < len(tokens) else value
            for position, value in zip(ids, given, strict=True)
        ]
    return {key: value for key, value in {**part, "subcaption": given}.items() if value is not None}


def plain_values(column: Array) -> list[Any]:
    """Return the values of a column, some ten times as fast as Arrow converts lists in lists."""
    from pyarrow import types as kinds

    if not kinds.is_list(column.type) or column.null_count:
        values: list[Any] = column.to_pylist()
        return values
    starts = column.offsets.to_pylist()
    inside = plain_values(column.values.slice(starts[0], starts[-1] - starts[0]))
    return [inside[start - starts[0] : end - starts[0]] for start, end in pairwise(starts)]


def can_write() -> bool:
    """Return True if pyarrow is installed."""
    return importlib.util.find_spec("pyarrow") is not None


def write_parquet(path: Path, row: type[msgspec.Struct], rows: Iterable[Any], images: Path | None = None) -> int:
    """Write rows of one type as Parquet and return their number; the file appears whole or not at all.

    images: folder that the paths in a column `image` are relative to: the table holds their bytes, as Hugging
    Face's `Image` reads them; the file says so, so that `datasets` shows pictures. Raises FormatError if pyarrow
    is not installed.
    """
    if not can_write():
        raise FormatError(f'{path}: Parquet needs pyarrow; pip install "panelwise[release]" installs it')
    import pyarrow
    import pyarrow.parquet

    kinds = {field.name: field.type for field in msgspec.structs.fields(row)}
    schema = schema_of(row)
    # Values repeat in columns of texts; in large tables a dictionary of boxes takes longer and more bytes.
    repeated = images is not None or [name for name, kind in kinds.items() if _shape(kind) is str]
    options = {"compression": "zstd", "use_dictionary": repeated}
    count, left = 0, iter(rows)
    with whole_file(path) as file, pyarrow.parquet.ParquetWriter(file, schema, **options) as out:
        while group := list(islice(left, _WITH_IMAGES if images else _WRITTEN)):
            columns = []
            for name, kind in kinds.items():
                values = list(map(attrgetter(name), group))
                if name == "image" and images is not None:
                    columns.append(pyarrow.array([_image(images, image) for image in values], _image_type()))
                else:
                    columns.append(_array(kind, values, shared=name == "tokens"))
            out.write_batch(pyarrow.record_batch(columns, schema=schema))
            count += len(group)
    return count


def _image(images: Path, name: str | None) -> dict[str, Any] | None:
    return None if name is None else {"bytes": (images / name).read_bytes(), "path": name}


def _image_type() -> DataType:
    import pyarrow

    return pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])


def schema_of(row: type[msgspec.Struct]) -> Schema:
    """Return the columns of a type of rows, with what Hugging Face reads of them. `image` is an image's path."""
    import pyarrow

    kinds = {field.name: field.type for field in msgspec.structs.fields(row)}
    schema = pyarrow.schema(
        [(name, _image_type() if name == "image" else _arrow(kind)) for name, kind in kinds.items()]
    )
    features = {name: {"_type": "Image"} if name == "image" else _feature(kind) for name, kind in kinds.items()}
    return schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def _array(kind: Any, values: Sequence[Any], *, shared: bool = False) -> Array:
    """Return values as an Arrow array, flattened here: Arrow itself converts them one by one.

    shared: neighbouring rows mostly have the same object, as of one figure's tokens; it is converted once.
    """
    import pyarrow

    shape = _shape(kind)
    if shared:
        new = [one is not other for one, other in pairwise([None, *values])]
        once = _array(kind, [value for value, first in zip(values, new, strict=True) if first])
        return once.take(pyarrow.array([number - 1 for number in accumulate(new)], pyarrow.int32()))
    if isinstance(shape, list):
        starts = pyarrow.array(list(accumulate(map(len, values), initial=0)), pyarrow.int32())
        return pyarrow.ListArray.from_arrays(starts, _array(shape[0], list(chain.from_iterable(values))))
    if isinstance(shape, dict):
        parts = [_array(part, list(map(attrgetter(name), values))) for name, part in shape.items()]
        return pyarrow.StructArray.from_arrays(parts, names=list(shape))
    return pyarrow.array(values, _arrow(kind))


def _arrow(kind: Any) -> DataType:
    """Return the Arrow type of a column of that annotation."""
    import pyarrow

    # No number here is beyond 32 bits.
    plain = {str: pyarrow.string(), int: pyarrow.int32(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    shape = _shape(kind)
    if isinstance(shape, list):
        return pyarrow.list_(_arrow(shape[0]))
    if isinstance(shape, dict):
        return pyarrow.struct([(name, _arrow(part)) for name, part in shape.items()])
    return plain[shape]


def _feature(kind: Any) -> Any:
    """Return the column as a feature of `datasets`."""
    names = {str: "string", int: "int32", float: "float64", bool: "bool"}
    shape = _shape(kind)
    if isinstance(shape, list):
        return {"feature": _feature(shape[0]), "_type": "List"}
    if isinstance(shape, dict):
        return {name: _feature(part) for name, part in shape.items()}
    return {"dtype": names[shape], "_type": "Value"}


def _shape(kind: Any) -> Any:
    """Return [element] of a sequence, {name: type} of a struct, else the plain type; None is always allowed."""
    if get_origin(kind) in (Union, types.UnionType):
        [kind] = [each for each in get_args(kind) if each is not type(None)]
    if get_origin(kind) is tuple:
        return [get_args(kind)[0]]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {each.name: each.type for each in msgspec.structs.fields(kind)}
    return kind
