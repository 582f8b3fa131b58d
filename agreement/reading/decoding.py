"""Read annotations.jsonl straight into columns: a block at a time, without an object for each part.

Plainly valid lines are decoded here. All other lines go to the careful reader, which accepts them or reports what
is wrong: results and messages equal those of the careful reader throughout.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.raw import Submitted
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, starts_of
from agreement.reading.blocks import Block, ChangedWhileRead, Range, read_block
from agreement.reading.joining import joined
from agreement.reading.rows import Checks, FileRows, Make
from panelwise.domain import NO_ITEMS, Annotation, FormatError
from panelwise.runtime import Processes, ProcessLost

#: Reads a line (its number and bytes) that is not plainly right: its annotation, or None and a reported problem.
Careful = Callable[[int, bytes], Submitted | None]
#: Bytes decoded at a time.
BLOCK = 1 << 22
_NONE: Indices = np.zeros(0, dtype=np.int64)


def decode_annotations(
    file: BinaryIO,
    path: Path,
    careful: Careful,
    again: Make,
    *,
    raw: bool = False,
    processes: int = 1,
    block: int = BLOCK,
) -> Corpus:
    """Return the annotations of a file, in its order. file: open; path: its place, for other processes to open.

    careful: see `Careful`; called in order of lines, without blank ones. again: makes one line's annotation later,
    silently. raw: return values as listed; then only lines whose raw values equal the domain's are decoded here.
    processes: number of decoding processes; 1 for this one alone. block: bytes decoded at a time: bounds memory.

    Raises FormatError if the file changes meanwhile.
    """
    parts: list[Corpus] = []
    places: list[_Places] = []
    articles: dict[str, str] = {}
    limit = os.fstat(file.fileno()).st_size
    ranges = (Range(begin, min(begin + block, limit), limit, raw) for begin in range(0, limit, block))
    number, over = 1, b""
    # Objects are made by the million and none of them in a ring: looking for rings takes a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for found in _read(file, path, ranges, processes):
            # What two blocks have of one line must be the same: each was read by itself.
            rest = over[len(found.head) :]
            if not over.startswith(found.head) or (rest and len(found.lengths)):
                raise ChangedWhileRead
            over = rest or found.tail
            part, own = _part(found, number, careful)
            parts.append(part)
            places.append(own)
            articles.update(found.articles)
            number += len(found.lengths)
    except ChangedWhileRead:
        raise FormatError(f"{path}: changed while it was being read; run the command again") from None
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
        articles=articles,
    )
    return replace(columns, rows=rows)


@dataclass(frozen=True, slots=True)
class _Places:
    """The positions of a block's annotations in the file, and the other arrays of `FileRows`."""

    offsets: Indices
    lengths: Indices
    checks: Checks
    judged: Mask


#: A file's device and number: another that takes its name meanwhile has others.
_Identity = tuple[int, int]


def _identity(file: BinaryIO) -> _Identity:
    there = os.fstat(file.fileno())
    return there.st_dev, there.st_ino


def _read(file: BinaryIO, path: Path, ranges: Iterator[Range], processes: int) -> Iterator[Block]:
    """Yield the blocks in order, read in parallel processes."""
    others = Processes(processes, gc.disable, ahead=True) if processes > 1 else None
    ahead = 0 if others is None else 2 * processes
    identity = _identity(file)
    waiting: deque[tuple[Range, Future[Block | None] | None]] = deque()

    def made() -> Block:
        place, future = waiting.popleft()
        found = None
        if future is not None:
            # Processes that are gone, for want of memory perhaps, are not missed: this one does their work.
            with suppress(ProcessLost, MemoryError, OSError):
                found = future.result()
            del future  # An error in it references this frame, and the garbage collector is paused.
        return read_block(file, place) if found is None else found

    try:
        for place in ranges:
            asked = None if others is None else others.submit(_read_elsewhere, path, identity, place)
            waiting.append((place, asked))
            if len(waiting) > ahead:
                yield made()
        while waiting:
            yield made()
    finally:
        if others is not None:
            others.close()


def _read_elsewhere(path: Path, identity: _Identity, place: Range) -> Block | None:
    """Read a block in another process; None if the file was replaced."""
    with path.open("rb", buffering=0) as file:
        return read_block(file, place) if _identity(file) == identity else None


def _part(found: Block, number: int, careful: Careful) -> tuple[Corpus, _Places]:
    """Return the annotations of one block. number: of its first line."""
    corpus = found.corpus
    extra: list[Submitted] = []
    taken: list[int] = []
    for place, line in found.odd.items():
        if line.isspace():
            continue
        made = careful(number + place, line)
        if made is not None:
            extra.append(made)
            taken.append(place)
    stands: Indices = found.plain
    judged: Mask = np.zeros(len(stands), dtype=np.bool_)
    if extra:
        more = [isinstance(each, Annotation) and each.items != NO_ITEMS for each in extra]
        stands, judged = np.append(stands, taken), np.append(judged, more)
        order = np.argsort(stands, kind="stable")
        corpus = joined([corpus, Corpus.of(extra)]).take(order)
        stands, judged = stands[order], judged[order]
    offsets = starts_of(found.lengths)[:-1] + found.offset
    return corpus, _Places(offsets[stands], found.lengths[stands], found.checks[stands], judged)
