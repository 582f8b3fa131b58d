"""Extract the figures of articles, with the sentences that cite them, into figures.jsonl."""

from __future__ import annotations

import fcntl
import gc
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Problems, can_be_written, encode_line, find_file, largest, without_query
from panelwise.formats import figure_records, read_articles
from panelwise.runtime import Processes, ProcessLost, cores, counted, naming, record_fault, whole_file

#: Articles read by a process at a time; fewer in all are read in this process.
_BATCH = 16
#: An element of JATS or NLM XML that shows a picture.
_PICTURED = re.compile(rb"<(?:fig|graphic)[\s>/]")
#: Bytes of an article at most; JSON of docling may have its images within.
_MOST_BYTES = 500_000_000


_ENDING = ".partial"


class _Entry(msgspec.Struct, frozen=True):
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


class _Journal:
    """The finished articles of one run, in the order of their names; a context manager.

    last: name of the last finished article, "" for none. Raises AnnotatorError, one line, if another run is
    writing it or it belongs to another folder.
    """

    def __init__(self, out: Path, articles: Path) -> None:
        self._out = out
        self._path = out.with_name(out.name + _ENDING)
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

    def __enter__(self) -> _Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def entries(self) -> Iterator[_Entry]:
        """Yield the finished articles."""
        decode = msgspec.json.Decoder(_Entry).decode
        with self._path.open("rb") as file:
            file.readline()
            for line in file:
                yield decode(line)

    def add(self, line: bytes) -> None:
        """Add a finished article, encoded by `_encode_entry`; complete on disk or dropped by the next run."""
        with naming(self._path):
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
            end, decode = len(first), msgspec.json.Decoder(_Entry).decode
            for line in file:
                try:
                    self.last = decode(line).article
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    break  # Killed while it was written.
                end += len(line)
        self._file.truncate(end)


def _encode_entry(entry: _Entry, figures: Sequence[Mapping[str, Any]]) -> bytes:
    """Return an article's line of the journal, with the records of its figures."""
    return encode_line({**msgspec.structs.asdict(entry), "figures": figures})


@dataclass(slots=True)
class Tally:
    """Counts so far. files: read, bad ones included. resumed: files of an earlier run."""

    files: int = 0
    resumed: int = 0
    figures: int = 0
    cited: int = 0
    mentions: int = 0

    def add(self, entry: _Entry) -> None:
        """Count a file."""
        figures, cited, mentions = entry.counts
        self.files += 1
        self.figures += figures
        self.cited += cited
        self.mentions += mentions

    def summary(self) -> str:
        """Return the counts in a line."""
        earlier = f" ({self.resumed} of them by an earlier run)" if self.resumed else ""
        return (
            f"extracted {counted(self.figures, 'figure')} from {counted(self.files, 'file')}{earlier}; "
            f"{self.cited} cited, {counted(self.mentions, 'mention')}"
        )


#: The result of a file, and its line of the journal.
_Extracted = tuple[_Entry, bytes]


def extract(articles: Path, out: Path, problems: Problems) -> Iterator[Tally]:
    """Write the figures of all articles below a folder to `out`; yields the counts after each file.

    A file that cannot be read is a problem, the others are read. If interrupted, the next call goes on after the
    last finished article; the file `out` appears at the end. Images are named relative to `articles`.
    """
    base = articles if articles.is_dir() else articles.parent
    tally = Tally()
    #: Figure id -> the file that it came from.
    known: dict[str, str] = {}
    with ExitStack() as stack:
        journal = stack.enter_context(_Journal(out, articles))
        for entry in journal.entries():
            tally.resumed += 1
            tally.add(entry)
            _report(entry, problems, known)
            yield tally
        every = article_names(articles, journal.last)
        names = (name for name in every if can_be_written(name, articles, problems))
        for entry, line in _all(base, names, stack):
            journal.add(line)
            tally.add(entry)
            _report(entry, problems, known)
            yield tally
        if not tally.files:
            problems.add(f"{articles}: holds no articles; name a folder with .xml, .nxml or .json files")
        journal.finish()


def _report(entry: _Entry, problems: Problems, known: dict[str, str]) -> None:
    """Report what was found in a file, and the ids of its figures that are `known` from another; add the rest."""
    for each in entry.problems:
        problems.add(each)
    again = [each for each in entry.ids if each in known]
    if again:
        problems.add(
            f"{entry.article}: {counted(len(again), 'figure')} with the ids of another article, the first "
            f'"{again[0]}" as in {known[again[0]]}; '
            "leave out one of the two, or rename a file that has no DOI or PMC id"
        )
    known.update((each, entry.article) for each in entry.ids if each not in known)
    for each in entry.notes:
        problems.note(each)


def _all(base: Path, names: Iterator[str], stack: ExitStack) -> Iterator[_Extracted]:
    """Yield what comes of each file, in order; a few batches are on their way at any time."""
    first = list(islice(names, _BATCH))
    second = list(islice(names, _BATCH))
    if not second or cores() == 1:
        for name in (*first, *second, *names):
            yield _extract_one(base, name)
        return
    # The modules' own objects are left out of the collector's rounds.
    processes = stack.enter_context(Processes(cores(), gc.freeze, ahead=True))
    waiting: deque[tuple[list[str], Future[list[_Extracted]]]] = deque()
    batch = first
    following = second
    while batch or waiting:
        if batch and len(waiting) < 3 * cores():
            waiting.append((batch, processes.submit(_extract_many, base, batch)))
            batch, following = following, list(islice(names, _BATCH))
            continue
        sent, future = waiting.popleft()
        try:
            yield from future.result()
        except ProcessLost as error:
            for name in sent:
                yield _failed(name, f"{name}: not read, {error}; run the command again for this file alone")


def _extract_many(base: Path, names: list[str]) -> list[_Extracted]:
    return [_extract_one(base, name) for name in names]


def _extract_one(base: Path, name: str) -> _Extracted:
    path = base / name
    problems = Problems()
    figures: list[dict[str, Any]] = []
    left_over: list[str] = []
    aside: list[str] = []
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise FormatError(f"{name}: is no ordinary file; leave it out")
        if path.stat().st_size > _MOST_BYTES:
            raise FormatError(f"{name}: has more than {_MOST_BYTES:,} bytes, and is read whole; leave it out")
        content = path.read_bytes()
        for article in read_articles(content, name, problems):
            figures += figure_records(article, path.stem)
            left_over += article.left_over
            aside += article.aside
    except AnnotatorError as error:
        problems.add(error)
    except OSError as error:
        problems.add(f"{name}: {error.strerror or error}")
    except Exception as error:
        problems.add(f"{name}: the reader failed on it ({record_fault(error)}); report the file")
    else:
        if left_over:
            problems.note(f"{name}: has {', '.join(left_over)}; look at the article")
        elif not figures:
            elsewhere = " of its own; those of sub-articles, supplements and tables are not read"
            problems.note(f"{name}: has no figures{elsewhere if _PICTURED.search(content) else ''}")
    if aside:
        problems.note(f"{name}: left out {', '.join(aside)}; they belong to no figure of the article")
    inner, slash, _ = name.rpartition("/")
    several: list[str] = []
    missing = [each for each in figures if not _set_image(base, inner + slash, each, several, problems)]
    if several:
        problems.note(f"{name}: {counted(len(several), 'figure')} with several images, the first: {several[0]}")
    if missing:
        first = missing[0]
        problems.note(
            f"{name}: {len(missing)} of {counted(len(figures), 'figure')} without an image beside the article, "
            f'the first "{first["source"]["fig_id"] or first["label"] or first["figure_id"]}" '
            f"({first['image'] or 'no graphic'})"
        )
    mentions = [len(each["mentions"]) for each in figures]
    counts = len(figures), sum(map(bool, mentions)), sum(mentions)
    ids = [each["figure_id"] for each in figures]
    entry = _Entry(name, counts, problems.lines, problems.notes, ids=ids)
    return entry, _encode_entry(entry, figures)


def _set_image(base: Path, inner: str, record: dict[str, Any], several: list[str], problems: Problems) -> bool:
    """Set a record's image to the file of its first graphic that is there; return False without one.

    Of the files of one picture the largest is taken. inner: path of the article's folder below that of all
    articles, "" or with a slash at its end. several: receives a line for a picture with several images. Files of
    which any may be the graphic's are a problem.
    """
    folder = os.path.join(base, inner)
    graphics, alternatives = record["graphics"], record.get("alternatives", 1)
    for names in (graphics[:alternatives], *([graphic] for graphic in graphics[alternatives:])):
        try:
            images = [find_image(folder, graphic, several.append) for graphic in names]
        except FormatError as error:
            problems.add(error)
            return False
        there = list(dict.fromkeys(filter(None, images)))
        if there:
            chosen = os.path.relpath(largest([Path(folder, image) for image in there]), folder)
            if len(there) > 1:
                several.append(f'"{names[0]}" is one of {", ".join(there)}; took {chosen}, the larger image')
            record["image"] = inner + chosen
            return True
    return False


def _failed(name: str, problem: str) -> _Extracted:
    entry = _Entry(name, (0, 0, 0), [problem], [])
    return entry, _encode_entry(entry, [])


#: Endings of files that may hold articles.
ARTICLES = (".xml", ".nxml", ".json")


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
        elif not is_folder and name.lower().endswith(ARTICLES) and place > after:
            yield "/".join(place)


def find_image(folder: str, graphic: str, note: Callable[[str], None] | None = None) -> str | None:
    """Return the image of a graphic, relative to the article's folder; None if it is not there.

    graphic: as articles name it: an address, or a name in any spelling, with or without an ending. note: see
    `find_file`. Raises FormatError if several files may be it.
    """
    found = find_file(folder, _local(graphic.strip().replace("\\", "/")), note=note)
    return None if found is None else os.path.relpath(found, folder)


def _local(graphic: str) -> str:
    """Return where the image of a path or an address would lie, relative to the article's folder."""
    name = PurePosixPath(without_query(graphic).rpartition("://")[2] if "://" in graphic else graphic)
    if ":" in graphic or ".." in name.parts:
        return name.name
    # Of a place on another machine the last folder may have been copied along.
    return "/".join(name.parts[-2:]) if name.is_absolute() else str(name)
