"""A file of columns beside a large file of annotations: the same corpus, loaded instead of decoded.

It is known by the content of the file that it was made from, so it is never stale, and safe to delete. What was
damaged, cut short, made by another version or put there by somebody else is passed over. Layout: a magic line;
CRC-32 of all that follows and the length of the header, 8 bytes each; the header, JSON; then the columns, each at
a multiple of 64 bytes.
"""

from __future__ import annotations

import math
import os
import platform
import stat
import sys
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import metadata
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import Corpus
from agreement.primitives.token_sets import TokenSets
from agreement.reading.rows import FileRows, Make
from agreement.reading.soundness import sound, sound_rows

#: Goes up with every change of what the columns hold or how they are made.
FORMAT = 2
_MAGIC = b"panelwise columns\n"
_ALIGNED = 64
#: Magic line, checksum, length of the header.
_HEAD = len(_MAGIC) + 16
#: A header is some two thousand bytes.
_LONGEST_HEADER = 1 << 16
_TABLES = ("annotators", "phases", "figures")
#: Names and kinds of the columns of a corpus, of its rows, and of a set of tokens.
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
_ROWS: tuple[tuple[str, str], ...] = (
    ("offsets", "<i8"),
    ("lengths", "<i8"),
    ("checks", "<u4"),
    ("judged", "|b1"),
)
_SETS: tuple[tuple[str, str], ...] = (("words", "<u8"), ("starts", "<i8"))


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    made_by: dict[str, str | int]
    content: str
    raw: bool
    #: Of each column, in the order of `_layout`.
    shapes: list[tuple[int, ...]]
    common: bool


def write_columns(file: BinaryIO, corpus: Corpus, content: str) -> None:
    """Write a corpus that was read from one file. content: that file's digest.

    Raises ValueError for one that was not.
    """
    rows = corpus.rows
    if not isinstance(rows, FileRows):
        raise ValueError("only a corpus read from one file can be written as columns")
    arrays = list(_arrays(corpus, rows))
    shapes = [array.shape for array in arrays]
    header = msgspec.json.encode(_Header(_made_by(), content, rows.raw, shapes, corpus.common is not None))
    length = len(header).to_bytes(8, "little")
    begin = length + header + bytes(-(_HEAD + len(header)) % _ALIGNED)
    checksum = zlib.crc32(begin)
    for piece in _pieces(arrays):
        checksum = zlib.crc32(piece, checksum)
    file.write(_MAGIC + checksum.to_bytes(8, "little") + begin)
    for piece in _pieces(arrays):
        file.write(piece)


def open_columns(path: Path, source: Path) -> FileIO | None:
    """The file at `path`, open at its beginning, where it is one of columns and may be believed; else None.

    It is this user's or of who owns `source`: anybody else could have written anything there. No link is followed,
    and nothing waited for.
    """
    with suppress(OSError, ValueError):
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        if path.is_symlink():
            return None
        file = FileIO(os.open(path, flags))
        there = os.fstat(file.fileno())
        owners = (os.geteuid(), source.stat().st_uid) if hasattr(os, "geteuid") else (there.st_uid,)
        if stat.S_ISREG(there.st_mode) and there.st_uid in owners and file.read(len(_MAGIC)) == _MAGIC:
            file.seek(0)
            return file
        file.close()
    return None


def read_columns(path: Path, content: str, source: Path, make: Make, *, raw: bool) -> Corpus | None:
    """The corpus of `source`, whose digest is `content`; None where `path` does not hold it, or not whole.

    make, raw: see `decode_annotations`.
    """
    file = open_columns(path, source)
    if file is None:
        return None
    with file, suppress(OSError, ValueError, OverflowError, MemoryError, msgspec.MsgspecError):
        return _read(file, content, source, make, raw)
    return None


def _read(file: FileIO, content: str, source: Path, make: Make, raw: bool) -> Corpus | None:
    head = file.read(_HEAD)
    length = int.from_bytes(head[-8:], "little")
    if len(head) < _HEAD or length > _LONGEST_HEADER:
        return None
    rest = file.read(length + -(_HEAD + length) % _ALIGNED)
    header = msgspec.json.decode(rest[:length], type=_Header)
    if header.made_by != _made_by() or (header.content, header.raw) != (content, raw):
        return None
    columns = _Columns(header)
    # Nothing is allocated but what the file itself is long.
    if _HEAD + len(rest) + columns.size != os.fstat(file.fileno()).st_size:
        return None
    whole = np.empty(columns.size, dtype=np.uint8)
    if _filled(file, whole) != columns.size:
        return None
    if zlib.crc32(whole.data, zlib.crc32(head[-8:] + rest)) != int.from_bytes(head[len(_MAGIC) : -8], "little"):
        return None
    corpus, rows = columns.of(whole)
    if not (sound(corpus) and sound_rows(rows, len(corpus), source.stat().st_size)):
        return None
    return replace(corpus, rows=FileRows(source, **rows, raw=raw, make=make, columns=corpus))


def _filled(file: FileIO, whole: NDArray[np.uint8]) -> int:
    """How many bytes of `whole` the rest of the file fills; one reading gives at most 2 GB."""
    at = 0
    while at < len(whole) and (number := file.readinto(whole[at:].data)):
        at += number
    return at


@cache
def _version() -> str:
    try:
        return metadata.version("panelwise")
    except metadata.PackageNotFoundError:  # Run from its sources, not installed.
        return ""


def _made_by() -> dict[str, str | int]:
    """What else decides what the columns hold: which characters are letters depends on Unicode's version."""
    return {
        "format": FORMAT,
        "panelwise": _version(),
        "unicode": unicodedata.unidata_version,
        "python": platform.python_implementation(),
        "order": sys.byteorder,
    }


def _layout(common: bool) -> list[tuple[str, str]]:
    """Names and kinds of all columns in their order."""
    sets = [(f"{name}.{part}", kind) for name in ("text", *(["common"] * common)) for part, kind in _SETS]
    return [*((name, "|u1") for name in _TABLES), *_COLUMNS, *_ROWS, *sets]


def _arrays(corpus: Corpus, rows: FileRows) -> Iterator[NDArray[Any]]:
    for name, kind in _layout(corpus.common is not None):
        if name in _TABLES:
            yield np.frombuffer(msgspec.json.encode(getattr(corpus, name)), dtype=np.uint8)
        else:
            of: Any = rows if (name, kind) in _ROWS else corpus
            for part in name.split("."):
                of = getattr(of, part)
            yield np.ascontiguousarray(of, dtype=kind)


def _pieces(arrays: Iterable[NDArray[Any]]) -> Iterator[memoryview | bytes]:
    for array in arrays:
        yield array.reshape(-1).view(np.uint8).data
        yield bytes(-array.nbytes % _ALIGNED)


class _Columns:
    """Where the columns are by what a header says. Raises ValueError where that cannot be. size: bytes of all."""

    def __init__(self, header: _Header) -> None:
        self._common = header.common
        self._places: dict[str, tuple[str, tuple[int, ...], int]] = {}
        self.size = 0
        for (name, kind), shape in zip(_layout(header.common), header.shapes, strict=True):
            if len(shape) > 2 or min(shape, default=-1) < 0:
                raise ValueError(f"{name} has the shape {shape}")
            self._places[name] = (kind, shape, self.size)
            length = math.prod(shape) * np.dtype(kind).itemsize
            self.size += -(-length // _ALIGNED) * _ALIGNED

    def of(self, whole: NDArray[np.uint8]) -> tuple[Corpus, dict[str, Any]]:
        """The corpus, without rows, and the columns of these."""
        arrays: dict[str, NDArray[Any]] = {
            name: np.frombuffer(whole.data, kind, math.prod(shape), offset).reshape(shape)
            for name, (kind, shape, offset) in self._places.items()
        }
        tables: dict[str, Any] = {
            name: msgspec.json.decode(arrays[name].tobytes(), type=tuple[str, ...]) for name in _TABLES
        }
        columns: dict[str, Any] = {name: arrays[name] for name, _ in _COLUMNS}
        text = TokenSets(arrays["text.words"], arrays["text.starts"])
        common = TokenSets(arrays["common.words"], arrays["common.starts"]) if self._common else None
        corpus = Corpus(**tables, **columns, text=text, common=common, rows=())
        return corpus, {name: arrays[name] for name, _ in _ROWS}
