"""A file of columns beside a large file of annotations: the same corpus, mapped into memory instead of decoded.

It is known by the content of the file that it was made from, so it is never stale, and safe to delete. What was
damaged, cut short or made by another version is passed over. Layout: a magic line; the length of the header, 8
bytes; the header, JSON; then the columns, each at a multiple of 64 bytes.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import platform
import sys
import unicodedata
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from agreement.columns.rows import FileRows, Make
from agreement.metrics.corpus import Corpus
from agreement.metrics.token_sets import TokenSets

#: Goes up with every change of what the columns hold or how they are made.
FORMAT = 1
_MAGIC = b"panelwise columns\n"
_ALIGNED = 64
#: Bytes hashed at a time, side by side; part of what the digest is.
_CHUNK = 1 << 23
_TABLES = ("annotators", "phases", "figures")
_COLUMNS: tuple[tuple[str, str], ...] = (
    ("annotator", "<i4"),
    ("phase", "<i4"),
    ("figure", "<i4"),
    ("revision", "<i4"),
    ("status", "|i1"),
    ("seeded", "|b1"),
    ("saved_at", "<i8"),
    ("content", "<i4"),
    ("digests", "<u8"),
    ("tokens", "<i8"),
    ("counted", "<i8"),
    ("panel_starts", "<i8"),
    ("boxes", "<f8"),
    ("repeated_panels", "<i8"),
    ("repeated_places", "<i8"),
)
_ROWS: tuple[tuple[str, str], ...] = (("offsets", "<i8"), ("lengths", "<i8"), ("judged", "|b1"))


class _Column(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    kind: str
    shape: tuple[int, ...]
    offset: int


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    made_by: dict[str, str | int]
    content: str
    raw: bool
    columns: list[_Column]
    #: Of the columns.
    size: int
    checksum: int


class ContentHash:
    """The digest of a file's content as it is read: BLAKE2b of chunks, side by side, and of their digests."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1))
        self._waiting: deque[Future[bytes]] = deque()
        self._whole = hashlib.blake2b(digest_size=32)
        self._size = 0
        self._begun: list[bytes] = []
        self._held = 0

    def __enter__(self) -> ContentHash:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def update(self, data: bytes) -> None:
        """Take the next bytes."""
        self._begun.append(data)
        self._held += len(data)
        while self._held >= _CHUNK:
            whole = data if len(self._begun) == 1 else b"".join(self._begun)
            self._submit(memoryview(whole)[:_CHUNK])
            data = whole[_CHUNK:]
            self._begun, self._held = [data], len(data)

    def hexdigest(self) -> str:
        """The digest of all that was taken; nothing can be taken afterwards."""
        if self._held:
            self._submit(memoryview(b"".join(self._begun)))
        while self._waiting:
            self._whole.update(self._waiting.popleft().result())
        self._whole.update(self._size.to_bytes(8, "little"))
        return self._whole.hexdigest()

    def _submit(self, chunk: memoryview) -> None:
        self._size += len(chunk)
        self._waiting.append(self._pool.submit(_digest, chunk))
        # No more is held in memory than is being worked on.
        while len(self._waiting) > 8:
            self._whole.update(self._waiting.popleft().result())


def _digest(chunk: memoryview) -> bytes:
    return hashlib.blake2b(chunk, digest_size=32).digest()


def content_hash(file: BinaryIO) -> str:
    """The digest of a file, open at its beginning."""
    with ContentHash() as found:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
        return found.hexdigest()


def write_columns(file: BinaryIO, corpus: Corpus, content: str) -> None:
    """Write a corpus that was read from one file. content: that file's digest.

    Raises ValueError for one that was not.
    """
    rows = corpus.rows
    if not isinstance(rows, FileRows):
        raise ValueError("only a corpus read from one file can be written as columns")
    arrays = list(_arrays(corpus, rows))
    columns, size = [], 0
    for name, array in arrays:
        columns.append(_Column(name, array.dtype.str, array.shape, size))
        size += -(-array.nbytes // _ALIGNED) * _ALIGNED
    checksum = 0
    for piece in _pieces(arrays):
        checksum = zlib.crc32(piece, checksum)
    header = msgspec.json.encode(_Header(_made_by(), content, rows.raw, columns, size, checksum))
    file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
    file.write(bytes(-(len(_MAGIC) + 8 + len(header)) % _ALIGNED))
    for piece in _pieces(arrays):
        file.write(piece)


def read_columns(path: Path, content: str, source: Path, make: Make, *, raw: bool) -> Corpus | None:
    """The corpus of `source`, whose digest is `content`; None where `path` does not hold it, or not whole.

    make, raw: see `decode_annotations`.
    """
    try:
        with path.open("rb") as file:
            # A private copy of each page that is written to: nothing gets back into the file.
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        view = memoryview(mapped)
        begin = len(_MAGIC) + 8
        length = int.from_bytes(view[len(_MAGIC) : begin], "little")
        if view[: len(_MAGIC)] != _MAGIC:
            return None
        header = msgspec.json.decode(view[begin : begin + length], type=_Header)
        begin += length + -(begin + length) % _ALIGNED
        whole = view[begin:]
        if (
            header.made_by != _made_by()
            or (header.content, header.raw) != (content, raw)
            or len(whole) != header.size
            or zlib.crc32(whole) != header.checksum
        ):
            return None
        return _corpus(_Columns(whole, header.columns), source, make, raw)
    except (OSError, ValueError, KeyError, msgspec.MsgspecError):
        return None


def _made_by() -> dict[str, str | int]:
    """What else decides what the columns hold: which characters are letters depends on Unicode's version."""
    return {
        "format": FORMAT,
        "unicode": unicodedata.unidata_version,
        "python": platform.python_implementation(),
        "order": sys.byteorder,
    }


def _arrays(corpus: Corpus, rows: FileRows) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in _TABLES:
        yield name, np.frombuffer(msgspec.json.encode(getattr(corpus, name)), dtype=np.uint8)
    for name, kind in _COLUMNS:
        yield name, np.ascontiguousarray(getattr(corpus, name), dtype=kind)
    for name, kind in _ROWS:
        yield name, np.ascontiguousarray(getattr(rows, name), dtype=kind)
    for name, sets in (("text", corpus.text), ("common", corpus.common)):
        if sets is not None:
            yield f"{name}.words", np.ascontiguousarray(sets.words, dtype="<u8")
            yield f"{name}.starts", np.ascontiguousarray(sets.starts, dtype="<i8")


def _pieces(arrays: Iterable[tuple[str, NDArray[Any]]]) -> Iterator[memoryview | bytes]:
    for _, array in arrays:
        yield array.reshape(-1).view(np.uint8).data
        yield bytes(-array.nbytes % _ALIGNED)


class _Columns:
    """The columns of a mapped file by their names. Raises KeyError or ValueError for one that is not there."""

    def __init__(self, whole: memoryview, columns: Iterable[_Column]) -> None:
        self._whole = whole
        self._columns = {column.name: column for column in columns}

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def array(self, name: str, kind: str) -> NDArray[Any]:
        column = self._columns[name]
        if column.kind != kind:
            raise ValueError(f"{name} is {column.kind}, not {kind}")
        count = int(np.prod(column.shape, dtype=np.int64))
        return np.frombuffer(self._whole, kind, count, column.offset).reshape(column.shape)

    def table(self, name: str) -> tuple[str, ...]:
        return msgspec.json.decode(self.array(name, "|u1").tobytes(), type=tuple[str, ...])

    def sets(self, name: str) -> TokenSets:
        return TokenSets(self.array(f"{name}.words", "<u8"), self.array(f"{name}.starts", "<i8"))


def _corpus(columns: _Columns, source: Path, make: Make, raw: bool) -> Corpus:
    tables: dict[str, Any] = {name: columns.table(name) for name in _TABLES}
    arrays: dict[str, Any] = {name: columns.array(name, kind) for name, kind in _COLUMNS}
    rows: dict[str, Any] = {name: columns.array(name, kind) for name, kind in _ROWS}
    return Corpus(
        **tables,
        **arrays,
        text=columns.sets("text"),
        common=columns.sets("common") if "common.words" in columns else None,
        rows=FileRows(source, **rows, raw=raw, make=make),
    )
