"""Read annotations.jsonl straight into columns: a block at a time, without an object for each part.

Plainly valid lines are decoded here. All other lines go to the careful reader, which accepts them or reports what
is wrong: results and messages equal those of the careful reader throughout.
"""

from __future__ import annotations

import gc
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.raw import Submitted
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, starts_of
from agreement.reading.joining import joined
from agreement.reading.records import Values, read_part, values_of_lines
from agreement.reading.rows import Checks, FileRows, Make
from panelwise.domain import Attention, FormatError
from panelwise.files import BOM

#: Reads a line (its number and bytes) that is not plainly right: its annotation, or None and a reported problem.
Careful = Callable[[int, bytes], Submitted | None]
#: Bytes decoded at a time.
BLOCK = 1 << 22


def decode_annotations(
    file: BinaryIO, path: Path, careful: Careful, again: Make, *, raw: bool = False, block: int = BLOCK
) -> Corpus:
    """Return the annotations of a file, in its order. file: open; path: its place.

    careful: see `Careful`; called in order of lines, without blank ones. again: makes one line's annotation later,
    silently. raw: return values as listed; then only lines whose raw values equal the domain's are decoded here.
    block: bytes decoded at a time: bounds memory.

    Raises FormatError if the file changes meanwhile.
    """
    parts: list[Corpus] = [Corpus.of([])]
    offsets: list[Indices] = [np.zeros(0, dtype=np.int64)]
    lengths: list[Indices] = [np.zeros(0, dtype=np.int64)]
    checks: list[Checks] = [np.zeros(0, dtype=np.uint32)]
    judged: list[Mask] = [np.zeros(0, dtype=np.bool_)]
    articles: dict[str, str] = {}
    looked: dict[int, Attention] = {}
    annotations = 0
    size, number, offset = os.fstat(file.fileno()).st_size, 1, 0
    with _no_collection():
        while lines := file.readlines(block):
            if number == 1 and lines[0].startswith(BOM):
                offset, lines[0] = len(BOM), lines[0].removeprefix(BOM)
            part = read_part(
                len(lines), partial(_values, lines), partial(_with_care, careful, number, lines), raw=raw
            )
            bytes_of = np.fromiter(map(len, lines), np.int64, len(lines))
            parts.append(part.corpus)
            offsets.append((starts_of(bytes_of)[:-1] + offset)[part.places])
            lengths.append(bytes_of[part.places])
            checks.append(np.array([zlib.crc32(lines[at]) for at in part.places.tolist()], dtype=np.uint32))
            judged.append(part.judged)
            articles |= part.articles
            looked |= {annotations + place: own for place, own in part.looked.items()}
            annotations += len(part.corpus)
            number, offset = number + len(lines), offset + int(bytes_of.sum())
    if offset != size or os.fstat(file.fileno()).st_size != size:
        raise FormatError(f"{path}: changed while it was being read; run the command again")
    columns = joined(parts, ())
    rows = FileRows(
        path,
        offsets=np.concatenate(offsets),
        lengths=np.concatenate(lengths),
        checks=np.concatenate(checks),
        judged=np.concatenate(judged),
        looked=looked,
        raw=raw,
        make=again,
        columns=columns,
        articles=articles,
    )
    return replace(columns, rows=rows)


def _values(lines: Sequence[bytes], places: Indices) -> tuple[Values, Indices]:
    values, plain = values_of_lines([lines[place] for place in places.tolist()])
    return values, places[plain]


def _with_care(
    careful: Careful, number: int, lines: Sequence[bytes], places: Indices
) -> Iterator[Submitted | None]:
    """Yield what the careful reader makes of some lines. number: of the first line."""
    for place in places.tolist():
        yield careful(number + place, lines[place]) if lines[place].strip() else None


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no rings of objects: they are made by the million, none in a ring, and looking takes long."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
