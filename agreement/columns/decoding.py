"""annotations.jsonl straight into columns: a block of lines at a time, without an object for each part.

What is plainly right is taken here. Every other line, whatever is odd about it, goes to the careful reader, which
takes it after all or says what is wrong: results and messages are those of reading with care throughout.
"""

from __future__ import annotations

import gc
import signal
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

import numpy as np

from agreement.columns.joining import joined
from agreement.columns.records import Record, columns_of, record_of
from agreement.columns.rows import Checks, FileRows, Make
from agreement.metrics.corpus import Corpus
from agreement.metrics.matching import Indices
from agreement.metrics.raw import Submitted
from agreement.metrics.token_sets import Mask, starts_of
from annotator.domain.annotation import Annotation
from annotator.domain.qa import NO_ITEMS

#: Bytes decoded at a time: bounds memory, and makes arrays long enough to be worth it.
BLOCK = 1 << 22
#: Takes a line (its number and bytes) that is not plainly right: its annotation, or None and a problem told.
Careful = Callable[[int, bytes], Submitted | None]


class LineSource(Protocol):
    """What lines are read from: an open file, or what stands before one."""

    def readlines(self, size: int, /) -> list[bytes]:
        """The next lines, some `size` bytes of them; none at the end."""
        ...


#: What a system that grants no more processes, or none at all, raises; a pool that lost one is a RuntimeError too.
_REFUSALS = (OSError, RuntimeError, ImportError)
_BOM = b"\xef\xbb\xbf"
_NONE: Indices = np.zeros(0, dtype=np.int64)


def decode_annotations(
    file: LineSource,
    path: Path,
    careful: Careful,
    again: Make,
    *,
    raw: bool = False,
    block: int = BLOCK,
    processes: int = 1,
) -> Corpus:
    """The annotations of a file, open at its beginning, in its order.

    careful: see `Careful`; asked in order of lines, blank ones left out. again: makes one line's annotation later,
    telling nothing. raw: whether these two give values as listed; then a line is taken here only where it lists
    what others do. processes: how many decode side by side; 1 for this one alone.
    """
    parts: list[Corpus] = []
    places: list[_Places] = []
    # Objects are made by the million and none of them in a ring: looking for rings takes a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for lines, found in _decoded(_blocks(file, block), raw, processes):
            part, own = _part(lines, found, careful)
            parts.append(part)
            places.append(own)
    finally:
        if collecting:
            gc.enable()
    columns = joined(parts or [Corpus.of([])], ())
    rows = FileRows(
        path,
        offsets=np.concatenate([_NONE, *(each.offsets for each in places)]),
        lengths=np.concatenate([_NONE, *(each.lengths for each in places)]),
        checks=np.concatenate([_NONE.astype(np.uint32), *(each.checks for each in places)]),
        judged=np.concatenate([_NONE.astype(np.bool_), *(each.judged for each in places)]),
        raw=raw,
        make=again,
        columns=columns,
    )
    return replace(columns, rows=rows)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines in a row, ends included. number, offset: of the first one, lines counted from 1."""

    lines: Sequence[bytes]
    number: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the annotations of a block stand in the file, and the rest of what `FileRows` knows of each."""

    offsets: Indices
    lengths: Indices
    checks: Checks
    judged: Mask


def _blocks(file: LineSource, size: int) -> Iterator[_Lines]:
    number, offset = 1, 0
    while lines := file.readlines(size):
        if offset == 0 and lines[0].startswith(_BOM):
            lines[0] = lines[0].removeprefix(_BOM)
            offset = len(_BOM)
        yield _Lines(lines, number, offset)
        number += len(lines)
        offset += sum(map(len, lines))


@dataclass(frozen=True, slots=True)
class _Plain:
    """What of a block is plainly right, and which lines are. odd: the lines that are not, by place.

    checks: (lines,), see `FileRows`.
    """

    corpus: Corpus
    plain: list[int]
    odd: list[int]
    checks: Checks


def _plain(lines: Sequence[bytes] | bytes, raw: bool) -> _Plain:
    """lines: one by one, or in one piece, as they come from another process."""
    records: list[Record] = []
    plain: list[int] = []
    odd: list[int] = []
    checks: list[int] = []
    for place, line in enumerate(BytesIO(lines) if isinstance(lines, bytes) else lines):
        checks.append(zlib.crc32(line))
        record = record_of(line)
        if record is None:
            odd.append(place)
        else:
            records.append(record)
            plain.append(place)
    corpus = columns_of(records, raw=raw)
    while not isinstance(corpus, Corpus):
        # What the arrays show to be wrong goes the other way; the rest is made again without it.
        wrong = corpus.tolist()
        odd = sorted([*odd, *(place for place, each in zip(plain, wrong, strict=True) if each)])
        plain = [place for place, each in zip(plain, wrong, strict=True) if not each]
        records = [record for record, each in zip(records, wrong, strict=True) if not each]
        corpus = columns_of(records, raw=raw)
    return _Plain(corpus, plain, odd, np.array(checks, dtype=np.uint32))


def _decoded(blocks: Iterator[_Lines], raw: bool, processes: int) -> Iterator[tuple[_Lines, _Plain]]:
    """The blocks in order, each with what is plainly right of it, made in processes side by side."""
    side_by_side = _SideBySide(processes)
    waiting: deque[tuple[_Lines, Future[_Plain] | None]] = deque()
    try:
        for block in blocks:
            waiting.append((block, side_by_side.submit(block.lines, raw)))
            if len(waiting) > side_by_side.waiting:
                yield _made(*waiting.popleft(), raw)
        while waiting:
            yield _made(*waiting.popleft(), raw)
    finally:
        side_by_side.close()


def _made(block: _Lines, found: Future[_Plain] | None, raw: bool) -> tuple[_Lines, _Plain]:
    if found is not None:
        # Processes that are gone, for want of memory perhaps, are not missed: this one does their work.
        with suppress(BrokenExecutor, CancelledError, MemoryError):
            return block, found.result()
    return block, _plain(block.lines, raw)


class _SideBySide:
    """Processes that decode, as far as the system grants any. waiting: blocks that may wait for them."""

    def __init__(self, processes: int) -> None:
        self._pool: ProcessPoolExecutor | None = None
        if processes > 1:
            # Started afresh: what this process holds, and its threads, is nothing to them.
            with suppress(*_REFUSALS):
                self._pool = ProcessPoolExecutor(
                    processes, mp_context=get_context("spawn"), initializer=gc.disable
                )
        self._refused = self._pool is None
        self.waiting = 0 if self._refused else 2 * processes

    def submit(self, lines: Sequence[bytes], raw: bool) -> Future[_Plain] | None:
        """What is to be made of the lines; None where no process takes them."""
        if self._pool is None or self._refused:
            return None
        try:
            with _without_interrupts():
                return self._pool.submit(_plain, b"".join(lines), raw)
        except _REFUSALS:
            # Those that did start finish what they have.
            self._refused = True
            return None

    def close(self) -> None:
        """Wait until they are gone; what has not begun is left."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C waits: processes started here inherit that, and leave stopping to the one that started them."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - Windows, where they inherit nothing
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _part(block: _Lines, found: _Plain, careful: Careful) -> tuple[Corpus, _Places]:
    """The annotations of one block."""
    corpus, plain = found.corpus, found.plain
    extra: list[Submitted] = []
    judged = [False] * len(plain)
    for place in found.odd:
        line = block.lines[place]
        if line.isspace() or not line:
            continue
        made = careful(block.number + place, line)
        if made is not None:
            extra.append(made)
            plain.append(place)
            judged.append(isinstance(made, Annotation) and made.items != NO_ITEMS)
    stands = np.array(plain, dtype=np.int64)
    order = np.argsort(stands, kind="stable")
    if extra:
        corpus = joined([corpus, Corpus.of(extra)]).take(order)
    lengths = np.fromiter(map(len, block.lines), dtype=np.int64, count=len(block.lines))
    offsets = starts_of(lengths)[:-1] + block.offset
    stands = stands[order]
    return corpus, _Places(
        offsets[stands], lengths[stands], found.checks[stands], np.array(judged, dtype=np.bool_)[order]
    )
