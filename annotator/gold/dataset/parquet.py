"""Tables of a release as Parquet, with images where they are in the release; needs `panelwise[release]`."""

from __future__ import annotations

import importlib.util
import itertools
import json
import types
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import msgspec
import numpy as np

from annotator.gold.dataset.rows import GoldRow, WorkRow
from panelwise.domain import FormatError
from panelwise.runtime import whole_file

#: Rows to a group: few, since a row may hold an image.
_GROUP = 256
#: Of rows without images.
_WORKS = 1 << 14


def can_write() -> bool:
    """Return True if pyarrow is installed."""
    return importlib.util.find_spec("pyarrow") is not None


def write_parquet(source: Path, path: Path, row: type[GoldRow] | type[WorkRow], images: Path) -> None:
    """Write the rows of a JSON lines file as Parquet, in the same order.

    images: folder that the rows' `image` is relative to. A row with an image holds its bytes, as Hugging Face's
    `Image` reads them; the file says so, so that `datasets` shows pictures.
    """
    import pyarrow
    import pyarrow.parquet

    if row is WorkRow:
        with source.open("rb") as lines:
            write_works(path, map(msgspec.json.Decoder(WorkRow).decode, lines))
        return
    schema = _schema(row)
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as out:
        for group in _groups(source):
            for each in group:
                if each.get("image") is not None:
                    each["image"] = {"bytes": (images / each["image"]).read_bytes(), "path": each["image"]}
            out.write_table(pyarrow.Table.from_pylist(group, schema=schema))


def _fields(row: type[GoldRow] | type[WorkRow]) -> list[tuple[str, Any]]:
    return [(each.name, each.type) for each in msgspec.structs.fields(row)]


def _schema(row: type[GoldRow] | type[WorkRow]) -> Any:
    """Return the columns, with what Hugging Face reads of them."""
    import pyarrow

    image = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    schema = pyarrow.schema([(name, image if name == "image" else _arrow(kind)) for name, kind in _fields(row)])
    features = {name: {"_type": "Image"} if name == "image" else _feature(kind) for name, kind in _fields(row)}
    return schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def write_works(path: Path, rows: Iterable[WorkRow]) -> int:
    """Write annotators' or models' work as Parquet and return the number of rows; the file appears whole or not.

    Raises FormatError if pyarrow is not installed.
    """
    if not can_write():
        raise FormatError(f'{path}: Parquet needs pyarrow; pip install "panelwise[release]" installs it')
    import pyarrow.parquet

    count, left = 0, iter(rows)
    schema = _schema(WorkRow)
    # Values repeat in columns of texts; a dictionary of boxes and tokens takes longer and more bytes.
    repeated = [name for name, kind in _fields(WorkRow) if _shape(kind) is str]
    options = {"compression": "zstd", "use_dictionary": repeated}
    with whole_file(path) as file, pyarrow.parquet.ParquetWriter(file, schema, **options) as out:
        while group := list(itertools.islice(left, _WORKS)):
            columns = [_column(name, kind, group) for name, kind in _fields(WorkRow)]
            out.write_batch(pyarrow.record_batch(columns, schema=schema))
            count += len(group)
    return count


def _column(name: str, kind: Any, rows: Sequence[WorkRow]) -> Any:
    """Return one column. Neighbouring rows of one figure share their tokens, which are converted once."""
    import pyarrow

    values = list(map(attrgetter(name), rows))
    if name != "tokens":
        return _array(kind, values)
    new = np.array([one is not other for one, other in itertools.pairwise([None, *values])], dtype=np.bool_)
    once = _array(kind, [values[place] for place in np.flatnonzero(new).tolist()])
    return once.take(pyarrow.array(np.cumsum(new) - 1))


def _array(kind: Any, values: Sequence[Any]) -> Any:
    """Return values as an Arrow array, flattened here: Arrow itself converts them one by one."""
    import pyarrow

    shape = _shape(kind)
    if isinstance(shape, list):
        starts = np.zeros(len(values) + 1, dtype=np.int32)
        np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=starts[1:])
        return pyarrow.ListArray.from_arrays(starts, _array(shape[0], list(itertools.chain.from_iterable(values))))
    if isinstance(shape, dict):
        parts = [_array(part, list(map(attrgetter(name), values))) for name, part in shape.items()]
        return pyarrow.StructArray.from_arrays(parts, names=list(shape))
    if shape is int and None not in values:
        return pyarrow.array(np.fromiter(values, np.int32, len(values)))
    return pyarrow.array(values, _arrow(kind))


def _groups(source: Path) -> Iterator[list[dict[str, Any]]]:
    with source.open("rb") as lines:
        while group := [msgspec.json.decode(line) for line in itertools.islice(lines, _GROUP)]:
            yield group


def _arrow(kind: Any) -> Any:
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
