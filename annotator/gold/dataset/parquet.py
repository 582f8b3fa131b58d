"""Tables of a release as Parquet, with images where they are in the release; needs `panelwise[release]`."""

from __future__ import annotations

import importlib.util
import itertools
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import msgspec

from annotator.gold.dataset.rows import GoldRow, WorkRow

#: Rows to a group: few, since a row may hold an image.
_GROUP = 256


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

    fields = [(each.name, each.type) for each in msgspec.structs.fields(row)]
    image = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    schema = pyarrow.schema([(name, image if name == "image" else _arrow(kind)) for name, kind in fields])
    features = {name: {"_type": "Image"} if name == "image" else _feature(kind) for name, kind in fields}
    schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as out:
        for group in _groups(source):
            for each in group:
                if each.get("image") is not None:
                    each["image"] = {"bytes": (images / each["image"]).read_bytes(), "path": each["image"]}
            out.write_table(pyarrow.Table.from_pylist(group, schema=schema))


def _groups(source: Path) -> Iterator[list[dict[str, Any]]]:
    with source.open("rb") as lines:
        while group := [msgspec.json.decode(line) for line in itertools.islice(lines, _GROUP)]:
            yield group


def _arrow(kind: Any) -> Any:
    """Return the Arrow type of a column of that annotation."""
    import pyarrow

    plain = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    shape = _shape(kind)
    if isinstance(shape, list):
        return pyarrow.list_(_arrow(shape[0]))
    if isinstance(shape, dict):
        return pyarrow.struct([(name, _arrow(part)) for name, part in shape.items()])
    return plain[shape]


def _feature(kind: Any) -> Any:
    """Return the column as a feature of `datasets`."""
    names = {str: "string", int: "int64", float: "float64"}
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
