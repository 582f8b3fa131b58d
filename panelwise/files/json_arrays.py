"""JSON arrays of objects, which may be large: each object with its line.

The file is memory-mapped: only the current object is decoded. Invalid JSON is refused as a whole, with the line;
of JSON lines the valid ones are read.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import (
    BOM,
    Line,
    Problems,
    as_valid_json,
    decode_json,
    first_bad_byte,
    half_character,
    kind_of,
    open_input,
    read_lines,
    repeated_key,
    repeated_key_problem,
    write_lines,
)
from panelwise.files.parquet import is_parquet
from panelwise.runtime.atomic_write import whole_file

_SPACE = b" \t\r\n"
#: The position of invalid JSON in msgspec's message.
_AT_BYTE = re.compile(r" \(byte (\d+)\)")
#: Bytes before and after the position that may be its cause.
_NEAR = 16
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Element(NamedTuple):
    """One object of an array. array: the array's key, "" for a top-level array."""

    array: str
    line: Line


def read_records(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the objects of a file, either one JSON array or JSON lines."""
    array = not is_parquet(path) and starts_with(path) == b"["
    return read_array(path, problems) if array else read_lines(path, problems)


def read_array(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the objects of a file's top-level array; any other element is a problem and left out.

    Objects that stand in one line have their number beside it.

    Raises FormatError, with the line, if the file is no array or no valid JSON.
    """
    with _mapped(path, b"[", "a JSON array", problems) as text:
        places = _Places(path, text)
        yield from _elements(places, msgspec.Raw(text), problems)


def read_arrays(
    path: Path, problems: Problems, names: Sequence[str], optional: Collection[str] = ()
) -> Iterator[Element]:
    """Yield the objects of the named arrays of a file's top-level object, in its order; see `read_array`.

    A missing array is a problem, unless it is one of `optional`.
    """
    with _mapped(path, b"{", "a JSON object", problems) as text:
        places = _Places(path, text)
        members = places.decode(_MEMBERS, msgspec.Raw(text))
        wanted = {name: value for name, value in members.items() if name in names}
        for name in names:
            if name not in wanted and name not in optional:
                problems.add(f'{path}: has no list "{name}"; is it a file of another layout?')
        for name in places.repeated(members.values(), names):
            problems.add(f"{path}: {repeated_key_problem(name)}")
        for name, value in wanted.items():
            if bytes(memoryview(value)[:1]) != b"[":
                problems.add(f'{places.of(value)}: "{name}" holds no list; left it out')
                continue
            for line in _elements(places, value, problems):
                yield Element(name, line)


def write_records(path: Path, records: Iterable[Mapping[str, Any]], *, array: bool) -> int:
    """Write records as one JSON array or as JSON lines, whole or not at all; returns their number."""
    if not array:
        return write_lines(path, records)
    count = 0
    with whole_file(path) as file:
        file.write(b"[")
        for record in records:
            file.write((b",\n" if count else b"\n") + msgspec.json.encode(record))
            count += 1
        file.write(b"\n]\n")
    return count


def starts_with(path: Path) -> bytes:
    """Return the first non-blank byte, b"" without one. Raises FormatError for an unreadable file."""
    with open_input(path) as file:
        start = file.read(4096).removeprefix(BOM)
        while start and not start.strip(_SPACE):
            start = file.read(4096)
    return start.strip(_SPACE)[:1]


@contextmanager
def _mapped(path: Path, wanted: bytes, what: str, problems: Problems) -> Iterator[memoryview]:
    """Open a file's text, which must begin with `wanted`, without its byte order mark; see `as_valid_json`."""
    first = starts_with(path)
    if first != wanted:
        found = {b"": "is empty", b"[": "holds an array", b"{": "holds an object"}.get(first, "holds no JSON")
        raise FormatError(f"{path}: {found}; give {what}")
    with open_input(path) as file:
        # Not closed: views of it may be in use where reading was broken off; it goes with the last of them.
        valid, notes = as_valid_json(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
        for note in notes:
            problems.note(f"{path}: {note}")
        text = memoryview(valid)
        yield text[len(BOM) :] if text[: len(BOM)] == BOM else text


class _Places:
    """Line numbers in a text, counted incrementally."""

    def __init__(self, path: Path, text: memoryview) -> None:
        self._path = path
        self._text = text
        self._address = _address(text)
        self._line, self._counted = 1, 0

    def at(self, position: int) -> str:
        """Return "file:line" of a position, which may be before the last one."""
        low, high = sorted((self._counted, position))
        lines = int(np.count_nonzero(np.frombuffer(self._text[low:high], np.uint8) == 0x0A))
        self._line += lines if position >= self._counted else -lines
        self._counted = position
        return f"{self._path}:{self._line}"

    def of(self, part: msgspec.Raw) -> str:
        """Return "file:line" of a part of the text."""
        return self.at(self.byte_of(part))

    def repeated(self, values: Iterable[msgspec.Raw], names: Collection[str]) -> list[str]:
        """Return the repeated keys of an object, of which a decoder uses the last.

        values: the decoded ones. Dropped values lie between them, with their keys.
        """
        between, end = [], 0
        for start, size in sorted((self.byte_of(each), len(each)) for each in values):
            between.append(bytes(self._text[end:start]))
            end = start + size
        return [name for name in sorted(names) if b"".join(between).count(f'"{name}"'.encode()) > 1]

    def byte_of(self, part: msgspec.Raw) -> int:
        """Return the place of a part of the text, in bytes from its beginning."""
        return _address(memoryview(part)) - self._address

    def decode(self, decoder: msgspec.json.Decoder[Any], part: msgspec.Raw) -> Any:
        """Decode one level of a part of the text. Raises FormatError with the line for invalid JSON."""
        try:
            return decoder.decode(part)
        except UnicodeDecodeError:
            raise FormatError(
                f"{self.of(part)}: a key on or after this line is not UTF-8; save the file as UTF-8"
            ) from None
        except (msgspec.DecodeError, RecursionError) as error:
            place = _AT_BYTE.search(str(error))
            byte = self.byte_of(part) + (int(place[1]) if place else 0)
            reason = half_character(bytes(self._text[max(byte - _NEAR, 0) : byte + _NEAR]), error)
            if not reason:
                cut_off = "truncated" in str(error)
                byte = len(self._text) if cut_off else byte
                mend = "the file is cut off: get a whole copy" if cut_off else "correct it there"
                reason = f"not valid JSON ({_AT_BYTE.sub('', str(error))}, byte {byte}); {mend}"
            raise FormatError(
                f"{self.at(byte)}: {reason} (nothing of a broken array is read; of JSON lines the good ones are)"
            ) from None


def _elements(places: _Places, array: msgspec.Raw, problems: Problems) -> Iterator[Line]:
    raws = places.decode(_ELEMENTS, array)
    in_one_line = len(raws) > 1 and places.of(raws[0]) == places.of(raws[-1])
    for number, raw in enumerate(raws, start=1):
        where = f"{places.of(raw)}: object {number}" if in_one_line else places.of(raw)
        try:
            record = msgspec.json.decode(raw)
        except UnicodeDecodeError as error:
            byte = places.byte_of(raw) + first_bad_byte(bytes(raw), error)
            problems.add(f"{where}: not UTF-8 (byte {byte}); save the file as UTF-8")
        except (msgspec.DecodeError, RecursionError) as error:
            half = half_character(bytes(raw), error)
            problems.add(f"{where}: {half or f'not valid JSON ({error}); correct or remove this object'}")
        else:
            if isinstance(record, dict):
                repeated = repeated_key(bytes(raw), record)
                if repeated is not None:
                    problems.add(f"{where}: {repeated_key_problem(repeated)}")
                problems.where = where
                yield Line(where, record)
            else:
                problems.add(f"{where}: holds {kind_of(record)}, not an object; remove it")


def _address(part: memoryview) -> int:
    """Return the memory address of a part of the text."""
    return int(np.frombuffer(part, np.uint8).ctypes.data)


#: A longer first line, or a larger object over several lines, is not looked into as a whole. An object may hold
#: its image.
_MOST_BYTES, _MOST_OF_OBJECT = 1 << 22, 1 << 26


def first_lines(path: Path) -> tuple[bytes, bytes]:
    """Return the first two non-blank lines; the second only if the first is not too long."""
    with open_input(path) as file:
        lines = (line for line in iter(lambda: file.readline(_MOST_BYTES), b"") if line.removeprefix(BOM).strip())
        first = next(lines, b"")
        second = next(lines, b"") if len(first) < _MOST_BYTES else b""
    return first.removeprefix(BOM).strip(), second.strip()


def whole_object(path: Path) -> dict[str, Any] | None:
    """Return the one object that a file is, over any number of lines; None of any other, and of a large one."""
    with open_input(path) as file:
        return decoded_object(file.read(_MOST_OF_OBJECT).removeprefix(BOM))


def decoded_object(raw: bytes) -> dict[str, Any] | None:
    """Return the object of a JSON text; None if it is none."""
    try:
        value, _ = decode_json(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
