"""JSON lines: one object per line, read one line at a time, each problem with its file and line."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from panelwise.domain.errors import AnnotatorError, FormatError, one_line
from panelwise.domain.figure import LARGEST
from panelwise.files.image_bytes import image_kind, is_office_file, other_kind
from panelwise.files.parquet import is_parquet, parquet_records
from panelwise.files.values import as_flag, as_number, as_whole
from panelwise.files.values import is_number as is_number
from panelwise.runtime.atomic_write import whole_file

Made = TypeVar("Made")
Choice = TypeVar("Choice", bound=StrEnum)
BOM = b"\xef\xbb\xbf"
_ANYTHING = msgspec.json.Decoder()
#: What decoding raises.
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
#: What to do with a table of Excel, of which only the text can be read.
OFFICE_FILE = (
    "is a file of Excel or another office program; save a table as CSV (UTF-8), give anything else as JSON"
)
#: Bytes read at a time.
_AT_ONCE = 1 << 16
#: Bytes examined to recognise files that are no text.
_HEAD = 4096
#: The position of invalid input in the decoder's message.
_AT_BYTE = re.compile(r"\(byte (\d+)\)")
#: The escape of the first half of a character without that of its second half.
_HALF_CHARACTER = re.compile(rb"\\u[dD][89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")
_SAYS_OF_HALF = re.compile("truncated|hex escape|surrogate")
_NO_NUMBER = re.compile(rb"NaN|Infinity")
#: What Python, pandas, NumPy and R write for numbers that JSON lacks: what it is read as, and the note on that.
_NO_NUMBERS = {
    b"NaN": (b"null", "holds NaN, which is no number in JSON; read as null"),
    b"Infinity": (b'"Infinity"', "holds Infinity, which is no number in JSON; read as a text"),
    b"-Infinity": (b'"-Infinity"', "holds -Infinity, which is no number in JSON; read as a text"),
}
#: Looked for first, which takes a fraction of the time; then as a value; then apart from texts.
_WRITTEN = (re.compile(rb"NaN"), re.compile(rb"Infinity"))
_AS_VALUE = re.compile(rb"[:,\[]\s*(?:NaN|-?Infinity)\s*[,\]}]")
_TEXT_OR_NO_NUMBER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|NaN|-?Infinity', re.DOTALL)
#: An object or a list of objects at the beginning of a line.
_BEGINS = re.compile(rb"^(?:\xef\xbb\xbf)?\s*[\[{]\s*[\"{\[]", re.MULTILINE)


class Problems:
    """Problems found while work continues: each reported at once and counted; the first thousand are stored.

    report: called with each line. `where` is the place ("file:line") of the record that a reader returned last:
    begin a problem found in it later with that.
    """

    MOST_LINES = 1000

    def __init__(self, report: Callable[[str], None] | None = None) -> None:
        self._report = report
        self.where = ""
        self.lines: list[str] = []
        self.notes: list[str] = []
        self.count = 0

    def add(self, problem: str | Exception, where: str = "") -> None:
        """Add one problem, one line. where: its place, which a FormatError names itself."""
        named = where and not isinstance(problem, FormatError)
        line = one_line(f"{where}: {problem}" if named else problem)
        self.count += 1
        if len(self.lines) < self.MOST_LINES:
            self.lines.append(line)
        if self._report is not None:
            self._report(line)

    def note(self, text: str) -> None:
        """Report something that is no problem, and so not counted. The first thousand are stored."""
        line = one_line(text)
        if len(self.notes) < self.MOST_LINES:
            self.notes.append(line)
        if self._report is not None:
            self._report(f"note: {line}")


@dataclass(frozen=True, slots=True)
class Line:
    """One record and its place ("file:line")."""

    where: str
    record: Mapping[str, Any]


class _File(io.FileIO):
    """A file whose errors name it while it is read too, as of a failing disk."""

    def readinto(self, buffer: Any) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            error.filename = str(self.name)
            raise


def open_input(path: Path) -> BinaryIO:
    """Open a file for reading bytes. Raises FormatError if it is missing or not plain UTF-8 text."""
    try:
        file = io.BufferedReader(_File(path), _AT_ONCE)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FormatError(f"{path}: is a directory; name a file in it") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    try:
        if problem := no_text(file.peek(_HEAD)[:_HEAD]):
            raise FormatError(f"{path}: {problem}")
    except BaseException:
        file.close()
        raise
    return file


def no_text(head: bytes) -> str:
    """Return why a file that begins like this is no UTF-8 text, and what to do; "" if it may be."""
    if head.startswith(_GZIP):
        return "is gzip-compressed; decompress it first"
    if is_office_file(head):
        return OFFICE_FILE
    if head.startswith(UTF_16):
        return "is UTF-16 text; save it as UTF-8"
    image, other = image_kind(head), other_kind(head)
    # A failed disk may leave zeros in a text too: if an object or list begins, the rest is worth reading.
    if image or (b"\0" in head and _BEGINS.search(head) is None):
        kind = image or other
        return f"is no text file{f' ({kind})' if kind else ''}; give a file of JSON"
    return f"is {other}; give a file of JSON" if other else ""


def read_lines(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the objects of a JSON-lines file, or the rows of a Parquet table. A bad line is a problem.

    Blank lines are skipped. Raises FormatError if the file as a whole cannot be read.
    """
    if is_parquet(path):
        for where, record in parquet_records(path):
            problems.where = where
            yield Line(where, record)
        return
    for where, raw in raw_lines(path, problems):
        line = decode_line(where, raw, problems)
        if line is not None:
            yield line


def read_each(path: Path, make: Callable[[Line], Made], problems: Problems) -> Iterator[Made]:
    """Yield what `make` returns for each line of a file; an AnnotatorError that it raises is a problem."""
    for line in read_lines(path, problems):
        try:
            made = make(line)
        except AnnotatorError as error:
            problems.add(error, line.where)
        else:
            yield made


def raw_lines(path: Path, problems: Problems) -> Iterator[tuple[str, bytes]]:
    """Yield place and bytes of each non-blank line; a file without any is a problem.

    Raises FormatError if the file as a whole cannot be read.
    """
    with open_input(path) as file:
        empty, name = True, str(path)
        for number, raw in enumerate(file, start=1):
            if number == 1:
                raw = raw.removeprefix(BOM)
            if raw.isspace() or not raw:
                continue
            empty = False
            yield f"{name}:{number}", raw
        if empty:
            problems.add(is_empty(path))


def typed_lines(path: Path, shape: type[Made]) -> Iterator[Made]:
    """Yield the lines of a file that have this shape; the others are reported where the file itself is read."""
    decoder = msgspec.json.Decoder(shape)
    for _, raw in raw_lines(path, Problems()):
        try:
            yield decode_json(raw, decoder)[0]
        except REFUSALS:
            continue


def is_empty(path: Path) -> str:
    """Return the message for a file of JSON lines without any."""
    return f"{path}: is empty; give one JSON object a line"


def as_valid_json(text: bytes | memoryview) -> tuple[bytes | memoryview, list[str]]:
    """Return JSON without NaN and Infinity as values, and the notes on them; any other text as it is.

    NaN becomes null: pandas, NumPy and R write it for a missing number. Infinity becomes a text, which is refused
    where a number is wanted, and costs that value only.
    """
    if not any(written.search(text) for written in _WRITTEN) or _AS_VALUE.search(text) is None:
        return text, []
    replaced: dict[str, None] = {}

    def valid(found: re.Match[bytes]) -> bytes:
        replacement, note = _NO_NUMBERS.get(found[0], (found[0], ""))
        replaced[note] = None
        return replacement

    return _TEXT_OR_NO_NUMBER.sub(valid, text), sorted(filter(None, replaced))


def decode_json(raw: bytes, decoder: msgspec.json.Decoder[Any] = _ANYTHING) -> tuple[Any, list[str]]:
    """Decode JSON, also with NaN and Infinity as values; return the notes on these.

    Raises what `msgspec.json.decode` raises.
    """
    try:
        return decoder.decode(raw), []
    except msgspec.DecodeError:
        valid, notes = as_valid_json(raw)
        if not notes:
            raise
    return decoder.decode(valid), notes


def decode_line(where: str, raw: bytes, problems: Problems) -> Line | None:
    """Return the object of one line; None, and a problem, without one."""
    try:
        record, notes = decode_json(raw)
    except UnicodeDecodeError as error:
        problems.add(f"{where}: not UTF-8 (byte {first_bad_byte(raw, error)}); save the file as UTF-8")
        return None
    except (msgspec.DecodeError, RecursionError) as error:
        problems.add(f"{where}: {_not_json(bytes(as_valid_json(raw)[0]), error)}")
        return None
    if not isinstance(record, dict):
        problems.add(f"{where}: holds {kind_of(record)}, not an object; give one object a line")
        return None
    repeated = repeated_key(raw, record)
    if repeated is not None:
        problems.add(f"{where}: {repeated_key_problem(repeated)}")
    for note in notes:
        problems.note(f"{where}: {note}")
    problems.where = where
    return Line(where, record)


def first_bad_byte(raw: bytes, error: UnicodeDecodeError) -> int:
    """Return the place in a line of its first byte that is no UTF-8. error: whose place is within one text."""
    try:
        raw.decode()
    except UnicodeDecodeError as whole:
        return whole.start
    return error.start


def half_character(raw: bytes, error: Exception) -> str:
    """Return the message for JSON with half a character, which decoders call otherwise; "" for other errors."""
    half = _HALF_CHARACTER.search(raw)
    if half is None or not _SAYS_OF_HALF.search(str(error)):
        return ""
    return f"holds half a character ({half[0].decode()} alone), which is no text; write the character whole"


def _not_json(raw: bytes, error: Exception) -> str:
    """Return why a line is no JSON, and what to do. Python and R write numbers that JSON does not allow."""
    place = _AT_BYTE.search(str(error))
    number = _NO_NUMBER.match(raw, int(place[1])) if place else None
    if half := half_character(raw, error):
        return half
    if number:
        return f"holds {number[0].decode()}, which is no number in JSON; give a number"
    return f"not valid JSON ({error}); is the line cut off? correct or remove it"


def encode_line(record: Mapping[str, Any]) -> bytes:
    """Return one record as a line of UTF-8 JSON, with newline, keys in their order."""
    return msgspec.json.encode(record) + b"\n"


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to `path` and return their number; the file appears whole or not at all."""
    count = 0
    with whole_file(path) as file:
        for record in records:
            file.write(encode_line(record))
            count += 1
    return count


class Fields:
    """Typed access to one record's keys; a missing or wrong one raises FormatError with the place and key.

    exact: refuse numbers and flags that are texts, as in settings; data are read as other libraries write them.
    """

    def __init__(self, where: str, record: Mapping[str, Any], path: str = "", *, exact: bool = False) -> None:
        self.where = where
        self._exact = exact
        self.record = record
        self._path = path

    def error(self, key: str, complaint: str) -> FormatError:
        """Return the error for `key`, ready to raise."""
        return FormatError(f'{self.where}: "{self._path}{key}" {complaint}')

    def _get(self, key: str, kinds: type | tuple[type, ...], name: str, default: Any) -> Any:
        value = self.record.get(key)
        if value is None:
            if default is _REQUIRED:
                raise self.error(key, f"is missing; give {name}")
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
            raise self.error(key, f"holds {kind_of(value)}, not {name}")
        return value

    def text(self, key: str) -> str:
        """Return a non-empty string."""
        value: str = self._get(key, str, "a text", _REQUIRED)
        if not value:
            raise self.error(key, "is empty; give a text")
        return value

    def optional_text(self, key: str) -> str:
        """Return a string; "" if missing or null."""
        value: str = self._get(key, str, "a text", "")
        return value

    def words(self, key: str) -> str | None:
        """Return a string, or a number as its text: "12" for 12 and 12.0; None if missing or null."""
        value: Any = self.record.get(key)
        if is_number(value):
            return str(int(value)) if value == int(value) else repr(value)
        text: str | None = self._get(key, str, "a text", None)
        return text

    def choice(self, key: str, kind: type[Choice], default: Choice | None = None, *, unknown: str = "") -> Choice:
        """Return one of the values of an enumeration; the default, if there is one, if missing or null.

        unknown: ends the message for any other value; by default it lists the values.
        """
        text = self.text(key) if default is None else self.optional_text(key) or default.value
        try:
            return kind(text)
        except ValueError:
            *most, last = kind
            known = unknown or f"; give {', '.join(most)} or {last}"
            raise self.error(key, f'is "{text}"{known}') from None

    def flag(self, key: str, *, default: bool) -> bool:
        """Return True or False; the default if missing or null."""
        flag = self.optional_flag(key)
        return default if flag is None else flag

    def optional_flag(self, key: str) -> bool | None:
        """Return True or False, also of a text such as "false", or of 0 and 1; None if missing or null."""
        value = self.record.get(key)
        try:
            flag = as_flag(value)
            if not self._exact or value is None or isinstance(value, bool):
                return flag
        except ValueError:
            pass
        raise self.error(key, "is neither true nor false")

    def size(self, key: str) -> int | None:
        """Return an integer from 1 to `LARGEST` (pixels or a revision); None if missing or null."""
        value = self.record.get(key)
        if type(value) is int and 0 < value <= LARGEST:  # as nearly all are
            return value
        value = self.optional_number(key)
        if value is None:
            return None
        if value != int(value) or value < 1:
            raise self.error(key, f"holds {value}, not a whole number from 1 up")
        if value > LARGEST:
            raise self.error(key, f"holds {value}, more than can be; give the true number")
        return int(value)

    def optional_number(self, key: str) -> float | None:
        """Return a finite number, also of a text; None if missing or null."""
        value = self.record.get(key)
        try:
            number = as_number(value)
            if not (self._exact and isinstance(value, str)):
                return None if number is None else float(number)
        except ValueError:
            if isinstance(value, int | float) and not isinstance(value, bool):
                raise self.error(key, "holds a number out of range") from None
        raise self.error(key, f"holds {kind_of(value)}, not a number")

    def whole(self, key: str) -> int | None:
        """Return a whole number, also of a text or of 3.0; None if missing or null."""
        try:
            return as_whole(self.record.get(key))
        except ValueError:
            value = self.record[key]
            shown = value if isinstance(value, float) else kind_of(value)
            raise self.error(key, f"holds {shown}, not a whole number") from None

    def count(self, key: str) -> int | None:
        """Return a whole number from 0 up; None if missing or null."""
        count = self.whole(key)
        if count is not None and count < 0:
            raise self.error(key, f"holds {count}, not a whole number from 0 up")
        return count

    def sequence(self, key: str) -> list[Any]:
        """Return a list; empty if missing or null."""
        value: list[Any] = self._get(key, list, "a list", [])
        return value

    def required_list(self, key: str) -> list[Any]:
        """Return a list, which is required."""
        value: list[Any] = self._get(key, list, "a list", _REQUIRED)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings, without the nulls that fill it in data; empty if missing or null."""
        values = self.sequence(key)
        if not self._exact:
            values = [value for value in values if value is not None]
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(f"{key}[{position}]", f"holds {kind_of(value)}, not a text")
        return tuple(values)

    def numbers(self, key: str, count: int) -> list[float]:
        """Return exactly `count` numbers."""
        try:
            numbers = [as_number(value) for value in self.required_list(key)]
        except ValueError:
            numbers = []
        given = [float(number) for number in numbers if number is not None]
        if not len(given) == len(numbers) == count:
            raise self.error(key, f"is not a list of {count} numbers")
        return given

    def ranges(self, key: str) -> list[tuple[int, int]]:
        """Return a list of [start, end] pairs of integers; empty if missing or null."""
        return [self.range(key, position, pair) for position, pair in enumerate(self.sequence(key))]

    def range(self, key: str, position: int, pair: object) -> tuple[int, int]:
        """Return the [start, end] pair of integers in a list."""
        try:
            start, end = map(as_whole, pair if isinstance(pair, list) else ())
        except ValueError:  # of another length, too
            start = end = None
        if start is None or end is None:
            raise self.error(f"{key}[{position}]", "is not a pair of whole numbers [start, end]")
        return start, end

    def mapping(self, key: str) -> dict[str, Any]:
        """Return an object; empty if missing or null."""
        value: dict[str, Any] = self._get(key, dict, "an object", {})
        return value

    def has_content(self, key: str) -> bool:
        """Return whether a key holds an object with a value; data set libraries fill missing ones with null."""
        return any(value is not None for value in self.mapping(key).values())

    def inside(self, key: str) -> Fields:
        """Return the fields of an object, with its own path for messages; of an empty one if missing or null."""
        return Fields(self.where, self.mapping(key), f"{self._path}{key}.", exact=self._exact)

    def replaced(self, key: str, value: object) -> Fields:
        """Return the same fields with another value of a key."""
        return Fields(self.where, {**self.record, key: value}, self._path, exact=self._exact)

    def only(self, keys: Collection[str], what: str = "setting") -> None:
        """Raise FormatError for the first key that is not among `keys`. what: noun of a key."""
        for key in self.record:
            if key not in keys:
                raise self.error(key, f"is no known {what}; known are {', '.join(keys)}")

    def objects(self, key: str) -> Iterator[Fields]:
        """Yield the objects of a list, each with its own path for messages."""
        for position, value in enumerate(self.sequence(key)):
            yield self.element(key, position, value)

    def element(self, key: str, position: int, value: object) -> Fields:
        """Return the fields of an object in a list, with its own path for messages."""
        if not isinstance(value, dict):
            raise self.error(f"{key}[{position}]", f"holds {kind_of(value)}, not an object")
        return Fields(self.where, value, f"{self._path}{key}[{position}].", exact=self._exact)


_REQUIRED: Any = object()


def kind_of(value: object) -> str:
    """Return the kind of a decoded value, for messages."""
    names = {
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)


#: Blanks allowed between a key and its colon.
_BLANKS = b" \t\r\n"


def signs_of_keys(raw: bytes) -> int:
    """Count what ends a key in JSON: as many as keys, or more where a text has a quote before a colon."""
    return raw.translate(None, _BLANKS).count(b'":')


def repeated_key(raw: bytes, record: Mapping[str, Any]) -> str | None:
    """Return a repeated key of some object in `raw`, None without one. record: the decoded `raw`.

    Takes a fraction of the decoding time by counting: only a text that may contain more keys than the record is
    parsed.
    """
    if signs_of_keys(raw) == _keys(record):
        return None
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.append(key)
            seen.add(key)

    try:
        # Numbers may be longer than Python reads, and are of no interest.
        json.loads(raw, object_pairs_hook=look, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        return None
    return found[0] if found else None


def repeated_key_problem(key: str) -> str:
    """Return the message for a repeated key."""
    return f'"{key}" stands twice in one object; the last one counts, remove one'


def _keys(record: Mapping[str, Any]) -> int:
    """Count the keys of all its objects; those in nested lists may be missing."""
    count = 0
    waiting: list[Any] = [record]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            count += len(value)
            value = value.values()
        for each in value:
            # Most values are texts: they are skipped first.
            kind = type(each)
            if kind is dict or (kind is list and each and type(each[0]) is dict):
                waiting.append(each)
    return count
