"""The annotations behind columns, read from their file again on demand."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import STATUSES, Chosen, Corpus, Rows
from agreement.columns.raw import Submitted
from agreement.columns.row_traits import attention_on, traits_of
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, starts_of
from panelwise.domain import Attention, FormatError

#: Makes the annotation of one line's bytes; raises an AnnotatorError if it cannot.
Make = Callable[[bytes], Submitted]
#: Bytes read at a time to count lines.
_AT_ONCE = 1 << 20
#: (A,) CRC-32 of lines.
Checks = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class FileRows(Rows):
    """Annotations in lines of a file. offsets, lengths: (A,) bytes. checks: (A,) of the lines as they were read.

    judged: (A,) whether it holds more than subfigures (figure types, verdicts, answers). looked: see
    `attention_on`. raw: whether they are values as listed. columns: the same work, without rows. articles: figure
    -> its article, where lines name one.

    Raises FormatError if a line is no longer what it was.
    """

    path: Path
    offsets: Indices
    lengths: Indices
    checks: Checks
    judged: Mask
    looked: Mapping[int, Attention]
    raw: bool
    make: Make
    columns: Corpus
    articles: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets)

    def traits(self) -> tuple[Mask, Mask]:
        """Return the same as `traits_of`."""
        return np.full(len(self), self.raw), self.judged

    def attention(self) -> Mapping[int, Attention]:
        """Return the same as `attention_on`."""
        return self.looked

    def at(self, place: int) -> Submitted:
        """See `Rows`."""
        line = self._line(int(self.offsets[place]), int(self.lengths[place]))
        if zlib.crc32(line) == int(self.checks[place]):
            with suppress(ValueError, RecursionError):
                made = self.make(line)
                if self._is_row(made, place):
                    return made
        raise FormatError(f"{self.path}: changed while it was being read; run the command again")

    def line_numbers(self, places: Sequence[int]) -> dict[int, int]:
        """Return place -> number of its line in the file, from 1."""
        found, number, position = {}, 1, 0
        with self.path.open("rb") as file:
            for place in sorted(set(places)):
                while position < (end := int(self.offsets[place])):
                    read = file.read(min(end - position, _AT_ONCE))
                    if not read:
                        break
                    number, position = number + read.count(b"\n"), position + len(read)
                found[place] = number
        return found

    def _line(self, offset: int, length: int) -> bytes:
        try:
            file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            try:
                os.lseek(file, offset, os.SEEK_SET)
                return os.read(file, length)
            finally:
                os.close(file)
        except OSError as error:
            raise FormatError(
                f"{self.path}: {error.strerror}; it was there before, run the command again"
            ) from None

    def _is_row(self, made: Submitted, place: int) -> bool:
        """Return True if the annotation matches its columns."""
        work = self.columns
        return (
            made.figure.id == work.figures[work.figure[place]]
            and made.annotator == work.annotators[work.annotator[place]]
            and made.phase == work.phases[work.phase[place]]
            and made.status is STATUSES[work.status[place]]
            and len(made.subfigures) == work.panel_starts[place + 1] - work.panel_starts[place]
        )


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows(Rows):
    """Several sequences as one. starts: (len(parts) + 1,), where each starts."""

    parts: tuple[Sequence[Submitted], ...]
    starts: Indices

    @classmethod
    def of(cls, parts: Sequence[Sequence[Submitted]]) -> JoinedRows:
        """Concatenate sequences."""
        return cls(tuple(parts), starts_of(np.array([len(part) for part in parts], dtype=np.int64)))

    def __len__(self) -> int:
        return int(self.starts[-1])

    def traits(self) -> tuple[Mask, Mask]:
        """Return the same as `traits_of`."""
        raw, judged = zip(*(traits_of(part) for part in self.parts), strict=True)
        return np.concatenate(raw), np.concatenate(judged)

    def attention(self) -> Mapping[int, Attention]:
        """Return the same as `attention_on`."""
        parts = zip(self.starts.tolist(), map(attention_on, self.parts), strict=False)
        return {start + place: own for start, part in parts for place, own in part.items()}

    def at(self, place: int) -> Submitted:
        """See `Rows`."""
        part = int(np.searchsorted(self.starts, place, side="right")) - 1
        return self.parts[part][place - int(self.starts[part])]


def at_hand(rows: Sequence[Submitted]) -> Iterator[Submitted]:
    """Yield the annotations that are in memory; none is read from a file."""
    if isinstance(rows, JoinedRows):
        for part in rows.parts:
            yield from at_hand(part)
    elif isinstance(rows, Chosen):
        yield from at_hand(rows.base)
    elif not isinstance(rows, Rows):
        yield from rows
