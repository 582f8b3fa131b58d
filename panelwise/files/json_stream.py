"""Big JSON files: the objects of their arrays one at a time, each with the line where it begins.

An object is decoded by itself, so one that is broken costs only itself, and a file that is cut off only its tail.
No more than the object at hand is held in memory. Where a key stands twice in an object, the last one holds, told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np

from panelwise.domain.errors import FormatError
from panelwise.files.duplicate_keys import repeated_key, stands_twice
from panelwise.files.jsonl import (
    BOM,
    Line,
    Problems,
    kind_of,
    open_input,
    read_lines,
    write_lines,
)
from panelwise.runtime.atomic_write import whole_file

#: Bytes read at once.
CHUNK = 1 << 19
#: One object may be of so many bytes; beyond, a bracket or quote is surely missing.
LONGEST_ELEMENT = 1 << 26
_QUOTE = 0x22
_SPACE = b" \t\r\n"
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:\s*\Z', re.DOTALL)
_MEMBER = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+')


class Element(NamedTuple):
    """One object of an array. array: the array's key, "" for the file's own."""

    array: str
    line: Line


def read_records(path: Path, problems: Problems) -> Iterator[Line]:
    """The objects of a file, be it one JSON array of them or JSON lines."""
    return read_array(path, problems) if starts_with(path) == b"[" else read_lines(path, problems)


def read_array(path: Path, problems: Problems) -> Iterator[Line]:
    """The objects of the array that the file is, streamed; what is broken or no object is a problem and left out.

    Raises FormatError where the file as a whole is none.
    """
    for element in _read(path, problems, None):
        problems.where = element.line.where
        yield element.line


def read_arrays(path: Path, problems: Problems, names: Collection[str]) -> Iterator[Element]:
    """The objects of the named arrays of the object that the file is, in its order; else as `read_array`."""
    for element in _read(path, problems, frozenset(names)):
        problems.where = element.line.where
        yield element


def write_records(path: Path, records: Iterable[Mapping[str, Any]], *, array: bool) -> int:
    """Write records as one JSON array or as JSON lines, whole or not at all; returns how many."""
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
    """The first byte that is no blank, b"" where there is none. Raises FormatError for what cannot be read."""
    with open_input(path) as file:
        start = file.read(4096).removeprefix(BOM)
        while start and not start.strip(_SPACE):
            start = file.read(4096)
    return start.strip(_SPACE)[:1]


def _read(path: Path, problems: Problems, names: frozenset[str] | None) -> Iterator[Element]:
    first = starts_with(path)
    wanted, what = (b"[", "a JSON array") if names is None else (b"{", "a JSON object")
    if first != wanted:
        found = {b"": "is empty", b"[": "holds an array", b"{": "holds an object"}.get(first, "holds no JSON")
        raise FormatError(f"{path}: {found}; give {what}")
    with open_input(path) as file:
        yield from _Cutter(path, problems, names).run(file)


class _Cutter:
    """Cuts a file into elements by its brackets, which are counted for a whole chunk at once.

    held[at:] is yet to be looked through, held[begin:] is the element at hand (-1: none), held[after:begin] what
    stands between the last bracket of interest and here. depth, quoted: of brackets and quotes at held[at].
    held[doubt:] came after something broken (-1: nothing was), and an element may yet be found in it.
    """

    def __init__(self, path: Path, problems: Problems, names: frozenset[str] | None) -> None:
        self._path = path
        self._problems = problems
        self._names = names
        #: Brackets that are open around an element.
        self._level = 1 if names is None else 2
        self._held = b""
        self._at = self._after = 0
        self._begin = self._doubt = -1
        self._depth = 0
        self._quoted = 0
        self._array: str | None = None
        self._last = ""
        self._found = names is None
        self._closed = False
        self._line, self._counted = 1, 0
        #: How every element of this file begins, as far as that is known: to find the next one after a broken one.
        self._opening: re.Pattern[bytes] | None = None
        self._learnt = False

    def run(self, file: BinaryIO) -> Iterator[Element]:
        """All elements."""
        first = True
        while True:
            chunk = file.read(CHUNK)
            if first:
                chunk, first = chunk.removeprefix(BOM), False
            self._forget()
            self._held += chunk
            # An escape must not be torn apart: an odd backslash waits for what follows it.
            waits = (len(self._held) - len(self._held.rstrip(b"\\"))) % 2 if chunk else 0
            end = len(self._held) - waits
            while self._at < end:
                yield from self._scan(end)
            if not chunk:
                if not self._ended():
                    return
            elif len(self._held) - max(self._begin, self._after) > LONGEST_ELEMENT and not self._lost(
                f"goes on for more than {LONGEST_ELEMENT >> 20} MiB; is a quote or bracket missing? mend it"
            ):
                return

    def _forget(self) -> None:
        """Let go of what is done with."""
        done = min(self._at, self._after if self._begin < 0 else self._begin)
        if self._doubt >= 0:
            done = min(done, self._doubt)
        self._where(done)
        self._held = self._held[done:]
        self._at, self._after, self._counted = self._at - done, max(0, self._after - done), 0
        if self._begin >= 0:
            self._begin -= done
        if self._doubt >= 0:
            self._doubt = self._doubt - done if len(self._held) < LONGEST_ELEMENT else -1

    def _where(self, position: int) -> str:
        """ "file:line" of a position in held."""
        if position > self._counted:
            self._line += self._held.count(b"\n", self._counted, position)
        else:
            self._line -= self._held.count(b"\n", position, self._counted)
        self._counted = position
        return f"{self._path}:{self._line}"

    def _scan(self, end: int) -> Iterator[Element]:
        """Look through held[at:end], or as far as the first element that must be begun anew."""
        base = self._at
        # Escaped pairs hide their quotes; inside strings nothing else matters.
        text = self._held[base:end]
        if b"\\" in text:
            text = text.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        codes = np.frombuffer(text, np.uint8)
        quotes = np.flatnonzero(codes == _QUOTE)
        folded = codes | 0x20
        places = np.flatnonzero((folded == 0x7B) | (folded == 0x7D))
        places = places[((np.searchsorted(quotes, places) + self._quoted) & 1) == 0]
        # Of the four brackets those that open have the second bit set.
        opens = (codes[places] & 2) != 0
        depths = self._depth + np.cumsum(np.where(opens, 1, -1))
        shallow = np.flatnonzero(depths <= np.where(opens, self._level + 1, self._level))
        for place, opening, depth in zip(
            (places[shallow] + base).tolist(), opens[shallow].tolist(), depths[shallow].tolist(), strict=True
        ):
            again, element = self._bracket(place, opening, depth)
            if element is not None:
                yield element
            if again >= 0:
                self._restart(again)
                return
        self._quoted = (self._quoted + len(quotes)) & 1
        self._depth = int(depths[-1]) if len(depths) else self._depth
        self._at = end

    def _restart(self, position: int) -> None:
        """Go on at the beginning of an element."""
        self._at = self._after = position
        self._begin = self._doubt = -1
        self._depth, self._quoted, self._closed = self._level, 0, False
        self._array = self._array or self._last

    def _bracket(self, place: int, opening: bool, depth: int) -> tuple[int, Element | None]:
        """Take note of one bracket: where to go on anew (-1: not), and the element that it ends."""
        again, element = -1, None
        if opening and depth == self._level + 1:
            if self._array is not None:
                again = self._between(place)
                self._begin = place
        elif not opening and depth == self._level:
            if self._begin >= 0:
                again, element = self._element(self._held[self._begin : place + 1])
                self._begin = -1
        else:
            again = self._outer(place, opening, depth)
        self._after = place + 1
        return again, element

    def _outer(self, place: int, opening: bool, depth: int) -> int:
        """A bracket around the elements."""
        if opening and self._closed and not self._found:
            return -1
        if opening and self._closed:
            # An element may have lost its bracket, and closed the array with one that was not meant to.
            self._junk(self._after, place + 1)
            return place if self._held[place : place + 1] == b"{" else -1
        if opening and depth == self._level:
            name = ""
            if self._names is not None:
                key = _KEY.search(self._held[self._after : place])
                name = "" if key is None else key[1].decode("utf-8", "replace")
            is_array = self._held[place : place + 1] == b"["
            self._array = name if is_array and (self._names is None or name in self._names) else None
            self._found = self._found or self._array is not None
            if self._names is not None and name in self._names and not is_array:
                self._problems.add(f'{self._where(place)}: "{name}" holds an object, not a list; left it out')
        elif not opening and depth == self._level - 1:
            again = self._between(place) if self._array is not None else -1
            self._last, self._array = self._array or self._last, None
            self._closed = self._closed or depth == 0
            return again
        elif not opening and depth == 0:
            self._closed = True
        return -1

    def _between(self, place: int) -> int:
        """What stands between two elements: a comma and blanks, else a problem."""
        text = self._held[self._after : place].strip(_SPACE)
        return self._junk(self._after, place) if text not in (b"", b",") else -1

    def _junk(self, start: int, end: int) -> int:
        text = self._held[start:end]
        shown = text.strip(_SPACE + b",")
        try:
            said = f"holds {kind_of(msgspec.json.decode(shown))}, not an object"
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            said = f"holds {shown[:30].decode('utf-8', 'replace')!r} where an object should be"
        self._problems.add(
            f"{self._where(start + len(text) - len(text.lstrip(_SPACE + b',')))}: {said}; remove it"
        )
        return self._next(start, end)

    def _element(self, raw: bytes) -> tuple[int, Element | None]:
        """Decode one element; a broken one may have swallowed those after it."""
        where = self._where(self._begin)
        try:
            record = msgspec.json.decode(raw)
        except UnicodeDecodeError as error:
            said = f"not UTF-8 ({error.start} bytes on); save the file as UTF-8"
        except (msgspec.DecodeError, RecursionError) as error:
            said = f"not valid JSON ({error}); mend or remove this object"
        else:
            if isinstance(record, dict):
                repeated = repeated_key(raw, record)
                if repeated is not None:
                    self._problems.add(f"{where}: {stands_twice(repeated)}")
                self._doubt = -1
                if not self._learnt:
                    self._learn(raw)
                return -1, Element(self._array or "", Line(where, record))
            said = f"holds {kind_of(record)}, not an object; remove it"
        self._problems.add(f"{where}: {said}")
        return self._next(self._begin + 1, self._begin + len(raw)), None

    def _learn(self, raw: bytes) -> None:
        """How elements begin: the first two keys, with the blanks around them, or one if a list or object follows.

        Kept only where nothing inside the element begins like that as well.
        """
        self._learnt = True
        first = _MEMBER.match(raw, 1)
        if first is None:
            return
        pattern = re.escape(raw[: first.start(1)]) + re.escape(first[1]) + rb"\s*:"
        value = _SCALAR.match(raw, first.end())
        second = _MEMBER.match(raw, value.end() + 1) if value is not None else None
        if second is not None:
            pattern += rb'\s*(?:"(?:[^"\\]|\\.)*"|[-+.\w]+)\s*,\s*' + re.escape(second[1]) + rb"\s*:"
        opening = re.compile(pattern)
        if len(opening.findall(raw)) == 1:
            self._opening = opening

    def _next(self, start: int, end: int) -> int:
        """Where the next element begins in held[start:end] or what was doubtful before, by its looks; else -1."""
        if self._opening is None:
            return -1
        self._doubt = min(start, self._doubt) if self._doubt >= 0 else start
        found = self._opening.search(self._held, self._doubt, end)
        return -1 if found is None else found.start()

    def _lost(self, said: str) -> bool:
        """Tell an element that does not end; whether one after it was found, to go on with."""
        begin = max(self._begin, self._after)
        text = self._held[begin:]
        begin += len(text) - len(text.lstrip(_SPACE + b","))
        self._problems.add(f"{self._where(begin)}: {said}")
        place = self._next(begin + 1, len(self._held))
        if place >= 0:
            self._restart(place)
        return place >= 0

    def _ended(self) -> bool:
        """The file is at its end; whether there is more to look through."""
        rest = self._held[self._after :].strip(_SPACE)
        if self._begin >= 0 or (self._quoted and rest) or (self._doubt >= 0 and not self._closed):
            return self._lost("the file ends within this object; is it cut off? get a whole copy")
        if not self._found and self._names is not None:
            wanted = " or ".join(f'"{name}"' for name in sorted(self._names))
            self._problems.add(f"{self._path}: has no list {wanted}; is it a file of another layout?")
            return False
        if self._closed:
            again = self._junk(self._after, len(self._held)) if rest else -1
            if again < 0 and self._doubt >= 0:
                again = self._next(self._doubt, len(self._held))
            if again >= 0:
                self._restart(again)
            return again >= 0
        self._problems.add(
            f"{self._where(len(self._held))}: the file ends before its list does; is it cut off? get a whole copy"
        )
        return False
