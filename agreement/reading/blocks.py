"""One block of a file: the valid lines that start in it, as columns."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.primitives.matching import Indices
from agreement.reading.records import columns_of, values_of_lines
from agreement.reading.rows import Checks

_BOM = b"\xef\xbb\xbf"
#: Bytes read at a time to find the end of a block's last line.
_ON = 1 << 16


class ChangedWhileRead(Exception):
    """The file's length changed while it was read."""


@dataclass(frozen=True, slots=True)
class Range:
    """The block from byte `begin` to `end`, exclusive, of a file of `limit` bytes.

    raw: return values as listed.
    """

    begin: int
    end: int
    limit: int
    raw: bool


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """L lines that start in a block. corpus: those that are plainly valid; plain: (N,) their indices.

    articles: figure -> its article, of the lines that name one. odd: the other lines by index. offset: of the
    first line in the file. lengths, checks: (L,), see `FileRows`. head: the part of the block that belongs to an
    earlier line. tail: the part of its last line beyond it.
    """

    corpus: Corpus
    plain: Indices
    articles: Mapping[str, str]
    odd: Mapping[int, bytes]
    offset: int
    lengths: Indices
    checks: Checks
    head: bytes
    tail: bytes


def read_block(file: BinaryIO, place: Range) -> Block:
    """Read one block. Raises ChangedWhileRead if the file ends too early, OSError if it cannot be read."""
    before = int(place.begin > 0)
    file.seek(place.begin - before)
    data = _read(file, place.end - place.begin + before)
    # A line begins after a newline only, and the one before the block may be its last byte.
    begin = data.find(b"\n") + 1 if before else 0
    if before and not begin:
        return _made(b"", place, len(data) - 1, data[1:], b"")
    tail = b"" if data.endswith(b"\n") or place.end == place.limit else _to_end_of_line(file, place)
    head = data[before:begin]
    if not before and data.startswith(_BOM):
        begin = len(_BOM)
    return _made(data[begin:] + tail, place, begin - before, head, tail)


def _read(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    while len(data) < size:
        # One reading may give less than there is.
        more = file.read(size - len(data))
        if not more:
            raise ChangedWhileRead
        data += more
    return data


def _to_end_of_line(file: BinaryIO, place: Range) -> bytes:
    tail = b""
    left = place.limit - place.end
    while left and b"\n" not in tail[-_ON:]:
        tail += _read(file, min(_ON, left))
        left = place.limit - place.end - len(tail)
    return tail[: tail.find(b"\n") + 1 or len(tail)]


def _made(text: bytes, place: Range, begin: int, head: bytes, tail: bytes) -> Block:
    """text: whole lines. begin: their offset in the block."""
    points = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(points == ord("\n")) + 1
    if len(text) and (not len(ends) or ends[-1] < len(text)):
        ends = np.append(ends, len(text))
    starts = np.concatenate([ends[:0], [0], ends[:-1]]) if len(ends) else ends
    corpus, plain, articles = _columns(text, starts, ends, place.raw)
    odd = np.setdiff1d(np.arange(len(starts)), plain).tolist()
    view, bounds = memoryview(text), zip(starts.tolist(), ends.tolist(), strict=True)
    return Block(
        corpus=corpus,
        plain=plain,
        articles=articles,
        odd={number: text[starts[number] : ends[number]] for number in odd},
        offset=place.begin + begin,
        lengths=ends - starts,
        checks=np.array([zlib.crc32(view[start:end]) for start, end in bounds], dtype=np.uint32),
        head=head,
        tail=tail,
    )


def _columns(text: bytes, starts: Indices, ends: Indices, raw: bool) -> tuple[Corpus, Indices, Mapping[str, str]]:
    """Return the columns of the plainly valid lines, their indices and the articles that they name."""
    values = values_of_lines(text, starts, ends)
    corpus, plain = columns_of(values, raw=raw), np.array(values.plain, dtype=np.int64)
    if isinstance(corpus, Corpus):
        return corpus, plain, values.articles
    # What the arrays show to be wrong goes the other way; the rest is made again without it.
    plain = plain[~corpus]
    lines = zip(starts[plain].tolist(), ends[plain].tolist(), strict=True)
    after = np.cumsum((ends - starts)[plain])
    again = b"".join([text[start:end] for start, end in lines])
    corpus, rest, articles = _columns(again, after - (ends - starts)[plain], after, raw)
    return corpus, plain[rest], articles
