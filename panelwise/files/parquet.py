"""Parquet tables of annotations, predictions or gold as records of annotations.jsonl; needs `panelwise[release]`.

A table's `subcaption` holds indices into its `tokens`, where annotations.jsonl has spans; `items` is JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from panelwise.domain.errors import FormatError
from panelwise.files.values import as_whole, or_none

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_MAGIC = b"PAR1"
#: Rows read at a time.
_ROWS = 1024
#: What stands for the annotator and the phase of a table that has neither: gold.
_GOLD = "gold"


def is_parquet(path: Path) -> bool:
    """Return True if a file is Parquet, by its first bytes; a pipe, or a file that can't be read, is not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def open_parquet(path: Path, repeated: Collection[str] = ()) -> ParquetFile:
    """Open a table. repeated: columns of texts to read as dictionaries.

    Raises FormatError if it can't be read, has no annotations, or if pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise FormatError(f'{path}: is Parquet; pip install "panelwise[release]" reads it') from None
    try:
        found = ParquetFile(path)
        names = found.schema_arrow.names
        if repeated:
            found = ParquetFile(path, read_dictionary=[name for name in repeated if name in names])
    except (OSError, pyarrow.ArrowException) as error:
        raise FormatError(f"{path}: not valid Parquet ({error}); is the file cut off? write it again") from None
    missing = {"figure_id", "subfigures", "caption", "tokens"} - set(names)
    if missing:
        raise FormatError(
            f"{path}: a table without {', '.join(sorted(missing))}; give one that `annotator export annotations` "
            "or `annotator release` wrote"
        )
    return found


def parquet_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place ("file:row", from 1) and record of each row. Raises FormatError; see `open_parquet`."""
    number = 0
    file = open_parquet(path)
    # The images of a release's gold are not needed.
    columns = [name for name in file.schema_arrow.names if name != "image"]
    for batch in file.iter_batches(_ROWS, columns=columns):
        for row in batch.to_pylist():
            number += 1
            yield f"{path}:{number}", record_of_row(row)


def record_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as a record of annotations.jsonl, or of predictions if it has no time.

    A token id that the caption lacks stays as it is, for the reader of records to refuse.
    """
    record = {key: value for key, value in row.items() if value is not None and key not in ("items", "saved_at")}
    if row.get("items"):
        record |= msgspec.json.decode(row["items"])
    if row.get("saved_at"):
        record["saved_at"] = row["saved_at"]
    tokens = row["tokens"] or []
    record["subfigures"] = [_subfigure(each, tokens) for each in row["subfigures"] or []]
    if "annotator" not in row:
        record |= {"annotator": _GOLD, "phase": _GOLD, "status": "accepted", "saved_at": row["decided_at"]}
    return record


def _subfigure(part: Mapping[str, Any], tokens: list[list[int]]) -> dict[str, Any]:
    given = part["subcaption"] or []
    ids = [or_none(as_whole, each) for each in given]
    spans = [
        tokens[position] if position is not None and 0 <= position < len(tokens) else value
        for position, value in zip(ids, given, strict=True)
    ]
    found = {**part, "subcaption": spans}
    return {key: value for key, value in found.items() if value is not None}
