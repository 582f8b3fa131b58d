"""The files of a folder of articles, and those with an article a line, as S2ORC's releases have them."""

from __future__ import annotations

import gzip
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from panelwise.domain import FormatError
from panelwise.files import Problems, decode_json, is_empty, no_text
from panelwise.formats import is_article

#: Endings of files that may hold an article, and of files that may hold one a line; each perhaps with ".gz".
ARTICLES = (".xml", ".nxml", ".json")
SHARDS = (".jsonl", ".ndjson")
_GZIP = ".gz"
#: Bytes of an article at most; JSON of docling may have its images within.
MOST_BYTES = 500_000_000
#: Lines looked at to find what a file holds.
_FIRST_LINES = 20
#: Keys named of records that are no articles.
_MOST_KEYS = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A file with one article, or a line of a file.

    line: its number, 0 for a whole file, -1 for what is wrong with a file of lines. content: of the line.
    metadata: JSON of its paper, empty without. problem: why it cannot be read.
    """

    name: str
    line: int = 0
    content: bytes = b""
    metadata: bytes = b""
    problem: str = ""

    @property
    def where(self) -> str:
        """Its place for messages."""
        return f"{self.name}:{self.line}" if self.line > 0 else self.name


def plain_name(name: str) -> str:
    """Return a file's name without ".gz"."""
    return name[: -len(_GZIP)] if name.lower().endswith(_GZIP) else name


def is_shard(name: str) -> bool:
    """Return True for the name of a file of lines; files of the datasets API have no ending but ".gz"."""
    plain = plain_name(name)
    return plain.lower().endswith(SHARDS) or (plain != name and "." not in plain.rpartition("/")[2])


def article_names(articles: Path, after: str = "") -> Iterator[str]:
    """Yield the names of article files relative to the folder `articles`, sorted by their parts.

    after: only names after this one. Of a single file yields its name. Raises FormatError if the path is missing.
    """
    if articles.is_file():
        yield from (name for name in (articles.name,) if name != after)
    elif articles.is_dir():
        yield from _names(articles, (), tuple(after.split("/")) if after else ())
    else:
        raise FormatError(f"{articles}: no such file or folder; name a folder of JATS or S2ORC files")


def _names(folder: Path, parts: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
    for name, is_folder in found:
        place = (*parts, name)
        if is_folder and place >= after[: len(place)]:
            yield from _names(folder / name, place, after)
        elif not is_folder and place > after and (plain_name(name).lower().endswith(ARTICLES) or is_shard(name)):
            yield "/".join(place)


def read_whole(path: Path, name: str) -> bytes:
    """Return the bytes of an article's file, decompressed. Raises FormatError if they cannot be read, OSError."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise FormatError(f"{name}: is no ordinary file; leave it out")
    with open_articles(path) as file:
        try:
            content = file.read(MOST_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(f"{name}: is damaged ({error}); fetch it again") from None
    if len(content) > MOST_BYTES:
        raise FormatError(f"{name}: has more than {MOST_BYTES:,} bytes, and is read whole; leave it out")
    return content


def open_articles(path: Path) -> BinaryIO | gzip.GzipFile:
    """Open a file, perhaps compressed by gzip, for reading its bytes."""
    if path.name.lower().endswith(_GZIP):
        return gzip.open(path, "rb")
    return path.open("rb")


def pieces(base: Path, name: str, after: int, metadata: Metadata | None, problems: Problems) -> Iterator[Piece]:
    """Yield the articles of a file of lines. after: only lines after this one.

    metadata: of all files; without, that of a metadata file beside this one. A file that holds no articles is a
    note.
    """
    path = base / name
    try:
        reason = _no_articles(path, name)
        if reason:
            problems.note(f"{name}: {reason}; left out")
            return
        papers = metadata or Metadata(metadata_files(path), problems)
        for number, raw in _lines(path, name):
            if number > after and not raw.isspace():
                yield Piece(name, number, raw, papers.of(raw))
    except FormatError as error:
        yield Piece(name, -1, problem=str(error))


def _lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file. Raises FormatError where it cannot be read further."""
    number = 0
    try:
        with open_articles(path) as file:
            while line := file.readline(MOST_BYTES):
                number += 1
                if len(line) == MOST_BYTES and not line.endswith(b"\n"):
                    raise FormatError(f"{name}:{number}: has more than {MOST_BYTES:,} bytes; leave the line out")
                yield number, line
    except (EOFError, zlib.error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise FormatError(f"{name}: cannot be read after line {number} ({reason}); fetch it again") from None


def _no_articles(path: Path, name: str) -> str:
    """Return what a file of lines holds that is no article, "" if it may hold articles.

    Raises FormatError if it is empty or no text.
    """
    empty = True
    for _, raw in islice(_lines(path, name), _FIRST_LINES):
        if empty and (problem := no_text(raw)):
            raise FormatError(f"{name}: {problem}")
        empty = empty and raw.isspace()
        try:
            record, _ = decode_json(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(record, dict):
            return "" if is_article(record) else _description(record)
    if empty:
        raise FormatError(is_empty(Path(name)))
    return ""


def _description(record: Mapping[str, object]) -> str:
    if "paper_id" in record or "corpusid" in record:
        return "holds metadata of papers, no text"
    keys = ", ".join(f'"{key}"' for key in islice(record, _MOST_KEYS))
    return f"holds no articles (its first line has the keys {keys})"


def metadata_files(path: Path) -> list[Path]:
    """Return the metadata file of a file of S2ORC, if it is there.

    `pdf_parses/pdf_parses_0.jsonl.gz` has `metadata/metadata_0.jsonl.gz`; both may lie in one folder. Of other
    files it is `metadata.jsonl`, perhaps compressed.
    """
    folders = (path.parent, path.parent.parent / "metadata")
    plain = plain_name(path.name).replace("pdf_parses", "metadata")
    names = (plain, "metadata.jsonl")
    every = (folder / f"{name}{ending}" for name in names for folder in folders for ending in ("", _GZIP))
    return [each for each in every if plain_name(str(each)) != plain_name(str(path)) and each.is_file()][:1]


class _Identified(msgspec.Struct):
    """The id of a paper, of its text or its metadata."""

    paper_id: str | int | None = None
    corpusid: str | int | None = None


class _About(_Identified, omit_defaults=True):
    """The fields of a paper's metadata that are read, of a release of S2ORC or the API's `papers`."""

    doi: object = None
    pmcid: object = None
    pmc_id: object = None
    externalids: object = None
    title: object = None
    venue: object = None
    journal: object = None
    year: object = None
    license: object = None
    openaccessinfo: object = None


class Metadata:
    """The metadata of papers by their ids, in a database on disk that the system removes.

    Bad lines are problems. Raises FormatError if a file cannot be read.
    """

    def __init__(self, files: Sequence[Path], problems: Problems) -> None:
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE papers (id TEXT PRIMARY KEY, about BLOB) WITHOUT ROWID")
        decode = msgspec.json.Decoder(_About).decode
        for path in files:
            for number, raw in _lines(path, str(path)):
                if raw.isspace():
                    continue
                try:
                    about = decode(raw)
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                    problems.add(f"{path}:{number}: is no metadata ({error}); correct or remove the line")
                    continue
                if _id(about) is None:
                    problems.add(f'{path}:{number}: has neither "paper_id" nor "corpusid"; give a paper a line')
                self._database.execute(
                    "INSERT OR IGNORE INTO papers VALUES (?, ?)", (_id(about), msgspec.json.encode(about))
                )

    def of(self, paper: bytes) -> bytes:
        """Return JSON of the metadata of a paper. paper: its line."""
        try:
            identified = msgspec.json.decode(paper, type=_Identified)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return b""  # The reader of the article names what is wrong.
        row = self._database.execute("SELECT about FROM papers WHERE id = ?", (_id(identified),)).fetchone()
        return b"" if row is None else bytes(row[0])


def _id(record: _Identified) -> str | None:
    value = record.paper_id if record.paper_id is not None else record.corpusid
    return None if value is None else str(value)
