"""Tables with a header (CSV, TSV): each row with its line; a row that does not fit its form costs itself only.

Delimiters may be commas, semicolons, tabs or vertical bars. Cells are as in RFC 4180: one that begins with a
quotation mark ends with the next single one, and may hold delimiters and line ends. Nothing in a cell is changed
when it is read; when written, an apostrophe stands before what a spreadsheet would run as a formula.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from panelwise.domain.errors import FormatError
from panelwise.files.image_bytes import image_kind, is_office_file, other_kind
from panelwise.files.jsonl import BOM, OFFICE_FILE, UTF_16, Problems
from panelwise.runtime.messages import counted

#: Endings of tables.
TABLE_ENDINGS = (".csv", ".tsv")
#: Endings of tables of Excel and other office programs, which are refused.
SHEET_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
#: Characters of a cell, and bytes of a line, at most.
MOST_OF_CELL, _MOST_OF_LINE = 1 << 20, 1 << 23
#: Bytes that are read again, after quotation marks out of place, before a file is no table.
_MOST_READ_AGAIN = 1 << 23
_DELIMITERS = (",", ";", "\t", "|")
#: Bytes read at a time, and rows by which the delimiter is chosen.
_BLOCK, _SAMPLED_ROWS = 1 << 16, 20
#: The first line that Excel reads as the delimiter.
_SEPARATOR = re.compile(r'"?sep=(.)"?')
#: What the decoder left of bytes that are no UTF-8; and NUL.
_NO_TEXT = re.compile("[\\udc80-\\udcff\0]")
_ENDS = "\r\n"


@dataclass(frozen=True, slots=True)
class Row:
    """A row. where: "file:line" of its beginning. cells: as written."""

    where: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table being read. where: "file:line" of its header. columns: the header's names, without blanks around.

    rows: those with a cell for each column, blank ones left out; the others are problems. header: its first byte,
    and the byte after it.
    """

    where: str
    columns: tuple[str, ...]
    rows: Iterator[Row]
    delimiter: str
    header: tuple[int, int]

    def named(self, *names: str) -> list[int]:
        """Return the places of the columns with one of these names, in any case, in the names' order."""
        folded = [column.casefold() for column in self.columns]
        return [folded.index(name) for name in names if name in folded]

    def place(self, *names: str) -> int | None:
        """Return the place of the first of these columns that the table has, in any case; None without one."""
        return next(iter(self.named(*names)), None)

    def choose(self, problems: Problems, what: str, *names: str) -> int | None:
        """Return the same, with a note where several columns may be meant. what: the thing that they name."""
        places = self.named(*names)
        if len(places) > 1:
            first, *others = (f'"{self.columns[place]}"' for place in places)
            problems.note(
                f"{self.where}: columns {first} and {', '.join(others)} may each be the {what}; read {first}, "
                "rename it if another one is meant"
            )
        return places[0] if places else None


@dataclass(slots=True)
class _Line:
    """A line of the file with its end. begin: bytes before it."""

    number: int
    begin: int
    text: str

    def byte(self, at: int) -> int:
        """Return the place in the file, in bytes, of a character of the line."""
        return self.begin + len(self.text[:at].encode(errors="surrogateescape"))


#: Lines of a row, and its cells or what is wrong with them.
_Parsed = tuple[list[_Line], list[str] | FormatError]


class _OutOfPlace(FormatError):
    """A quotation mark that does not fit; the rest of the row's line can't be relied on."""


@dataclass(slots=True)
class _Cells:
    """The cells of a row read so far. pieces: of the cell whose quotation mark is open; opened: its place."""

    delimiter: str
    begin: _Line
    cells: list[str] = field(default_factory=list)
    pieces: list[str] | None = None
    size: int = 0
    opened: tuple[_Line, int] | None = None
    within: list[int] = field(default_factory=list)

    def add(self, line: _Line) -> bool:
        """Read one more line of the row; return True at the row's end. Raises _OutOfPlace."""
        text, at = line.text, 0
        while True:
            if self.pieces is None:
                begin = at
                while text.startswith(" ", begin):
                    begin += 1
                if text.startswith('"', begin):
                    self.pieces, self.size, self.opened, at = [], 0, (line, begin), begin + 1
                    continue
                end = text.find(self.delimiter, at)
                cell = text[at:] if end < 0 else text[at:end]
                self._close(cell.rstrip(_ENDS) if end < 0 else cell)
            else:
                end = text.find('"', at)
                if end < 0:
                    self._keep(text[at:])
                    return False
                if text.startswith('"', end + 1):
                    self._keep(text[at : end + 1])
                    at = end + 2
                    continue
                self._keep(text[at:end])
                after = len(text) - len(text[end + 1 :].lstrip(" "))
                if text[after:].strip(_ENDS) and not text.startswith(self.delimiter, after):
                    raise self.out_of_place(f"is closed on line {line.number} before more text")
                self.cells.append("".join(self.pieces))
                self.pieces, end = None, text.find(self.delimiter, after)
            if end < 0:
                if len(self.within) > 1:
                    places = " and ".join(map(str, self.within[:2]))
                    raise _OutOfPlace(
                        f"quotation marks stand within cells {places}; write each of these cells in quotation "
                        'marks, and "" for one within it'
                    )
                return True
            at = end + 1

    def _close(self, cell: str) -> None:
        """Add a cell without quotation marks around it. Two with a single one inside may be one that was cut."""
        self.cells.append(cell)
        if cell.count('"') % 2:
            self.within.append(len(self.cells))

    def _keep(self, piece: str) -> None:
        assert self.pieces is not None
        self.pieces.append(piece)
        self.size += len(piece)
        if self.size > MOST_OF_CELL:
            raise self.out_of_place(f"is not closed within {MOST_OF_CELL} characters")

    def out_of_place(self, what: str) -> _OutOfPlace:
        """Return the error of the open quotation mark, ready to raise."""
        assert self.opened is not None
        line, at = self.opened
        on = "" if line is self.begin else f"on line {line.number} "
        return _OutOfPlace(
            f"the quotation mark {on}that begins cell {len(self.cells) + 1} (byte {line.byte(at)}) {what}; "
            'close it at the end of the cell, and write "" for one within it'
        )


class _Lines:
    """The lines of a file, which end with a line feed, a carriage return or both; a line can be read again."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._path = path
        self._read = self._from(file)
        self._again: deque[_Line] = deque()
        self._read_again = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> _Line:
        return self._again.popleft() if self._again else next(self._read)

    def put_back(self, lines: Sequence[_Line]) -> None:
        """Return lines to be read next. Raises FormatError if that happens too often."""
        self._again.extendleft(reversed(lines))
        self._read_again += sum(len(line.text) for line in lines)
        if self._read_again > _MOST_READ_AGAIN:
            raise FormatError(f"{self._path}: too many quotation marks are out of place; write the table again")

    def _from(self, file: BinaryIO) -> Iterator[_Line]:
        rest = file.read(len(BOM))
        number, begin = 1, 0
        if rest == BOM:
            rest, begin = b"", len(BOM)
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).splitlines(keepends=True)
            if rest.endswith(b"\n"):  # a carriage return may be half of a line's end
                lines, rest = [*lines, rest], b""
            for raw in lines:
                yield _Line(number, begin, raw.decode(errors="surrogateescape"))
                number, begin = number + 1, begin + len(raw)
            if len(rest) > _MOST_OF_LINE:
                raise FormatError(f"{self._path}:{number}: has more than {_MOST_OF_LINE} bytes; is this a table?")
        for raw in rest.splitlines(keepends=True):
            yield _Line(number, begin, raw.decode(errors="surrogateescape"))
            number, begin = number + 1, begin + len(raw)


def is_table(path: Path) -> bool:
    """Return True for a table, by the ending of its name."""
    return path.suffix.lower() in TABLE_ENDINGS and not path.is_dir()


def read_table(path: Path, problems: Problems) -> Table:
    """Open a table, whose rows are read from the file as they are needed.

    Each row that can't be read, or has more or fewer cells than the header, is a problem; so is a table without
    rows. Raises FormatError for a file that is no table, and for a header that can't be read.
    """
    head = _head(path)
    first = head.removeprefix(BOM).decode(errors="replace").split("\n", 1)[0].strip(_ENDS)
    separator = _SEPARATOR.fullmatch(first)
    delimiter = separator[1] if separator else max(_DELIMITERS, key=lambda each: _fits(head, path, each))
    rows = _rows(path, delimiter, after=1 if separator else 0)
    header = next(rows, None)
    if header is None:
        raise FormatError(f"{path}: is empty; give a table whose first row names its columns")
    lines, cells = header
    where = f"{path}:{lines[0].number}"
    if isinstance(cells, FormatError):
        raise FormatError(f"{where}: {cells}")
    columns = tuple(cell.strip() for cell in cells)
    folded = [name.casefold() for name in columns]
    twice = next((name for name in columns if name and folded.count(name.casefold()) > 1), None)
    if twice is not None:
        raise FormatError(f'{where}: two columns have one name, "{twice}"; give each its own')
    bounds = (lines[0].begin, lines[-1].byte(len(lines[-1].text)))
    return Table(where, columns, _fitting(path, columns, rows, problems), delimiter, bounds)


def _head(path: Path) -> bytes:
    """Return the first bytes of a table. Raises FormatError for other files."""
    try:
        with path.open("rb") as file:
            head = file.read(_BLOCK)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a table") from None
    if is_office_file(head):
        raise FormatError(f"{path}: {OFFICE_FILE}")
    kind = image_kind(head) or other_kind(head)
    # Every second byte of Latin letters in UTF-16 is 0.
    if head.startswith(UTF_16) or (not kind and abs(head[::2].count(0) - head[1::2].count(0)) * 4 > len(head)):
        kind = "UTF-16 text"
    if kind:
        raise FormatError(f"{path}: is {kind}, not a table in UTF-8; save it as CSV (UTF-8)")
    return head


def _fits(head: bytes, path: Path, delimiter: str) -> tuple[float, int]:
    """Return how well a delimiter fits: share of the first rows with the header's number of cells, and that."""
    whole = head[: head.rfind(b"\n") + 1] if len(head) == _BLOCK else head
    parsed = _parsed(_Lines(io.BytesIO(whole), path), delimiter)
    header, *rows = list(islice((cells for _, cells in parsed if isinstance(cells, list)), _SAMPLED_ROWS)) or [[]]
    if len(header) < 2:
        return 0.0, 0
    return sum(len(cells) == len(header) for cells in rows) / max(len(rows), 1), len(header)


def _parsed(lines: _Lines, delimiter: str) -> Iterator[_Parsed]:
    """Yield the lines and cells of each row that is not blank; or what is wrong with its quotation marks."""
    for begin in lines:
        row, more = _Cells(delimiter, begin), [begin]
        try:
            while not row.add(more[-1]):
                line = next(lines, None)
                if line is None:
                    raise row.out_of_place("is never closed")
                more.append(line)
        except _OutOfPlace as error:
            lines.put_back(more[1:])
            yield more, error
        else:
            if any(cell.strip() for cell in row.cells):
                yield more, row.cells


def _rows(path: Path, delimiter: str, *, after: int) -> Iterator[_Parsed]:
    """Yield the rows of a file as `_parsed` does, those with a letter that is none as errors. after: lines."""
    try:
        with path.open("rb") as file:
            for lines, cells in _parsed(_Lines(file, path), delimiter):
                if lines[0].number <= after:
                    continue
                yield lines, cells if isinstance(cells, FormatError) else _unreadable(lines) or cells
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; give a table") from None


def _unreadable(lines: Sequence[_Line]) -> FormatError | None:
    """Return the error for the first character of a row that is no text; None without one."""
    for line in lines:
        odd = _NO_TEXT.search(line.text)
        if odd is not None:
            what = "holds a NUL" if odd[0] == "\0" else "not UTF-8"
            return FormatError(f"{what} (byte {line.byte(odd.start())}); save the table as UTF-8")
    return None


def _fitting(path: Path, columns: Sequence[str], rows: Iterator[_Parsed], problems: Problems) -> Iterator[Row]:
    empty = True
    for lines, cells in rows:
        empty = False
        where = f"{path}:{lines[0].number}"
        if isinstance(cells, FormatError):
            problems.add(f"{where}: {cells}")
        elif len(cells) != len(columns):
            mend = "put texts with commas in quotes" if len(cells) > len(columns) else "give one for each column"
            problems.add(f"{where}: has {counted(len(cells), 'cell')}, the header {len(columns)}; {mend}")
        elif max(map(len, cells)) > MOST_OF_CELL:
            problems.add(f"{where}: a cell has more than {MOST_OF_CELL} characters; shorten it")
        else:
            yield Row(where, tuple(cells))
    if empty:
        problems.add(f"{path}: has a header, but no rows; add them")


#: First characters of a formula, full-width forms included.
_FORMULA = frozenset("=+-@")
#: Characters that spreadsheets trim first: blanks, tabs, line ends, invisible marks.
_PASSED_OVER = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, line_end: str = "\r\n") -> str:
    """Format rows as CSV (RFC 4180) with a header; None is an empty cell, and no cell is a formula."""
    return csv_rows([columns, *([row[column] for column in columns] for row in rows)], line_end=line_end)


def csv_rows(rows: Iterable[Iterable[object]], *, line_end: str = "\r\n") -> str:
    """Format rows of cells as CSV (RFC 4180); None is an empty cell, and no cell is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=line_end)
    for cells in rows:
        writer.writerow([as_text(str(cell)) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def as_text(text: str) -> str:
    """Return the text as a cell, with an apostrophe before anything that a spreadsheet would run as a formula.

    So is a text that begins with a tab or a line end, or hides its formula behind blanks or invisible marks.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    seen = next((letter for letter in text if unicodedata.category(letter) not in _PASSED_OVER), "")
    return f"'{text}" if unicodedata.normalize("NFKC", seen)[:1] in _FORMULA and seen else text
