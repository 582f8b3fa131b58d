"""The journal of a run, beside its output file, from which an interrupted run continues.

`predictions.jsonl.partial` begins with a line that identifies the run; then comes a line per chunk of figures,
with their records. An incomplete last line is dropped, so each chunk is complete or absent. A run may be split
over machines: each processes the figures whose ids belong to its shard.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from panelwise.domain import AnnotatorError, FormatError, InvalidAnnotation, Prediction
from panelwise.files import encode_line, write_lines
from panelwise.formats import FigureRecord, prediction_record
from panelwise.runtime import naming

#: Suffix of the journal's name after that of the file.
ENDING = ".partial"


_WRITTEN = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` of `count`, from 1. A figure's shard depends on its id alone.

    So shards need no coordination, never overlap, cover all figures, and do not change with later imports. They
    are about equally large for many figures.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise InvalidAnnotation(
                f"there is no part {self} of a run; give 1/{self.count} to {self.count}/{self.count}"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def read(cls, text: str) -> Shard:
        """Parse "2/8", the second of eight. Raises InvalidAnnotation for anything else."""
        match = _WRITTEN.fullmatch(text.strip())
        if match is None:
            raise InvalidAnnotation(
                f'"{text}" is no part of a run; give its number and how many there are, as 2/8'
            )
        return cls(int(match[1]), int(match[2]))

    def has(self, figure_id: str) -> bool:
        """Return True if the figure belongs to this shard."""
        first = hashlib.sha256(figure_id.encode()).digest()[:8]
        return int.from_bytes(first) % self.count == self.number - 1


WHOLE = Shard(1, 1)


class Journal:
    """The completed work of one run; a context manager. resumed: number of figures at opening.

    Raises AnnotatorError, one line, if another run is writing it, or if it belongs to another model or shard.
    """

    def __init__(self, out: Path, version: str, shard: Shard, *, restart: bool = False) -> None:
        """Open the journal of the file `out`. restart: discard earlier work."""
        self._out = out
        self.path = out.with_name(out.name + ENDING)
        self._head = {"partial": out.name, "model": version, "shard": str(shard)}
        self._finished = False
        #: Figure id -> where its chunk's line begins, and its place in that chunk.
        self._places: dict[str, tuple[int, int]] = {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("ab", buffering=0)
        self._reader = self.path.open("rb")
        self._last: tuple[int, list[dict[str, Any]]] = (-1, [])
        try:
            self._lock()
            if restart:
                self._file.truncate(0)
            self._open()
        except BaseException:
            self._close()
            raise
        self.resumed = len(self._places)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._places and not self._finished:
            self.path.unlink(missing_ok=True)
        self._close()

    def __len__(self) -> int:
        return len(self._places)

    def has(self, figure: FigureRecord) -> bool:
        """Return True if the figure was completed with its present caption."""
        if figure.figure_id not in self._places:
            return False
        record = self._record(figure.figure_id)
        size = (figure.width or record["width"], figure.height or record["height"])
        return bool(record["caption"] == figure.caption.text and size == (record["width"], record["height"]))

    def add(self, predictions: Sequence[Prediction]) -> None:
        """Save a chunk of predictions."""
        line = encode_line({"done": [prediction_record(prediction) for prediction in predictions]})
        place = self._end
        self._write(line)
        for position, prediction in enumerate(predictions):
            self._places[prediction.figure.id] = (place, position)

    def finish(self, figure_ids: Iterable[str]) -> int:
        """Write the file, with the completed figures in this order, and remove the journal.

        Returns their number. The file appears whole or not at all; the journal stays until then.
        """
        count = write_lines(self._out, (self._record(name) for name in figure_ids if name in self._places))
        self.path.unlink(missing_ok=True)
        self._finished = True
        return count

    def _record(self, figure_id: str) -> dict[str, Any]:
        place, position = self._places[figure_id]
        if self._last[0] != place:
            self._reader.seek(place)
            self._last = (place, _chunk(self._reader.readline()) or [])
        return self._last[1][position]

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AnnotatorError(
                f"{self._out}: another run writes it now; wait for that, or name another file for --out"
            ) from None

    def _open(self) -> None:
        """Read an earlier run's work, up to its last complete line."""
        first = self._reader.readline()
        if not first.endswith(b"\n"):
            # Empty, or killed while the first line was written.
            self._file.truncate(0)
            self._end = 0
            self._write(encode_line(self._head))
            return
        head = _decoded(first)
        if not isinstance(head, dict) or "partial" not in head:
            raise FormatError(f"{self.path}: is no unfinished run; move it away, or name another file for --out")
        for key, what in (("model", "predictions of"), ("shard", "part")):
            if head.get(key) != self._head[key]:
                raise AnnotatorError(
                    f"{self.path}: an unfinished run holds {what} {head.get(key)}, not {self._head[key]}; "
                    "finish that run, name another file for --out, or start over with --again"
                )
        self._end = len(first)
        for line in self._reader:
            chunk = _chunk(line)
            if chunk is None:
                break
            for position, record in enumerate(chunk):
                self._places[str(record["figure_id"])] = (self._end, position)
            self._end += len(line)
        self._file.truncate(self._end)

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        with naming(self.path):
            while left:
                left = left[self._file.write(left) :]
        self._end += len(line)

    def _close(self) -> None:
        self._reader.close()
        self._file.close()


def _chunk(line: bytes) -> list[dict[str, Any]] | None:
    """Return the records of one line; None for an incomplete one."""
    record = _decoded(line) if line.endswith(b"\n") else None
    if not isinstance(record, dict) or not isinstance(record.get("done"), list):
        return None
    done = record["done"]
    return done if all(isinstance(each, dict) and "figure_id" in each for each in done) else None


def _decoded(line: bytes) -> object:
    try:
        found: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found
