"""The journal of an extraction, FILE.partial: a line for each article, from which the next run goes on."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import encode_line
from panelwise.runtime import whole_file

ENDING = ".partial"


class Entry(msgspec.Struct, frozen=True):
    """The result of reading one article file. figures: encoded records. problems, notes: lines.

    counts: of figures, of figures that the article cites, and of mentions. ids: of the figures.
    """

    article: str
    counts: tuple[int, int, int]
    problems: list[str]
    notes: list[str]
    figures: list[msgspec.Raw] = []
    ids: list[str] = []


class _Head(msgspec.Struct, frozen=True):
    partial: str
    articles: str


class Journal:
    """The finished articles of one run, in the order of their names; a context manager.

    last: name of the last finished article, "" for none. Raises AnnotatorError, one line, if another run is
    writing it or it belongs to another folder.
    """

    def __init__(self, out: Path, articles: Path) -> None:
        self._out = out
        self._path = out.with_name(out.name + ENDING)
        # A name that is not UTF-8 is escaped, as JSON has no other.
        self._head = _Head(out.name, os.fsencode(articles.resolve()).decode(errors="backslashreplace"))
        self.last = ""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab")
        try:
            self._lock()
            self._resume()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def entries(self) -> Iterator[Entry]:
        """Yield the finished articles."""
        decode = msgspec.json.Decoder(Entry).decode
        with self._path.open("rb") as file:
            file.readline()
            for line in file:
                yield decode(line)

    def add(self, line: bytes) -> None:
        """Add a finished article, encoded by `encode_entry`; complete on disk or dropped by the next run."""
        self._file.write(line)
        self._file.flush()

    def finish(self) -> None:
        """Write the figures to the file, which appears whole or not at all, and remove the journal."""
        with whole_file(self._out) as file:
            for entry in self.entries():
                file.write(b"".join(part for figure in entry.figures for part in (figure, b"\n")))
        self._path.unlink()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AnnotatorError(
                f"{self._out}: another run is writing it; wait for that, or name another file for --out"
            ) from None

    def _resume(self) -> None:
        with self._path.open("rb") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                self._file.truncate(0)
                self.add(msgspec.json.encode(self._head) + b"\n")
                return
            try:
                head = msgspec.json.decode(first, type=_Head)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                raise FormatError(
                    f"{self._path}: is no unfinished run; move it away, or name another file for --out"
                ) from None
            if head.articles != self._head.articles:
                raise AnnotatorError(
                    f"{self._path}: an unfinished run holds figures of {head.articles}; finish that run, remove "
                    "the file, or name another file for --out"
                )
            end, decode = len(first), msgspec.json.Decoder(Entry).decode
            for line in file:
                try:
                    self.last = decode(line).article
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    break  # Killed while it was written.
                end += len(line)
        self._file.truncate(end)


def encode_entry(entry: Entry, figures: Sequence[Mapping[str, Any]]) -> bytes:
    """Return an article's line of the journal, with the records of its figures."""
    return encode_line({**msgspec.structs.asdict(entry), "figures": figures})
