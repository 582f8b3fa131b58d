"""Extract the figures of articles, with the sentences that cite them, into figures.jsonl."""

from __future__ import annotations

import fcntl
import gc
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from annotator.corpus.shards import Metadata, Piece, article_names, is_shard, pieces, plain_name, read_whole
from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Problems, Seen, can_be_written, encode_line, find_file, largest, without_query
from panelwise.formats import Article, figure_records, joined_groups, parted, read_articles
from panelwise.runtime import Processes, ProcessLost, cores, counted, naming, record_fault, whole_file

#: Articles read by a process at a time; fewer in all are read in this process.
_BATCH = 16
#: An element of JATS or NLM XML that shows a picture.
_PICTURED = re.compile(rb"<(?:fig|graphic)[\s>/]")
_ENDING = ".partial"


class _Entry(msgspec.Struct, frozen=True):
    """The result of reading one article. article: its file. figures: encoded records. problems, notes: lines.

    counts: of figures, of figures that the article cites, and of mentions. ids: of the figures. line: see `Piece`.
    lacking: counts for the note on a file of lines, in place of notes on each.
    """

    article: str
    counts: tuple[int, int, int]
    problems: list[str]
    notes: list[str]
    figures: list[msgspec.Raw] = []
    ids: list[str] = []
    line: int = 0
    lacking: dict[str, int] = {}

    @property
    def where(self) -> str:
        """The article's place for messages."""
        return Piece(self.article, self.line).where


class _Head(msgspec.Struct, frozen=True):
    partial: str
    articles: str


class _Journal:
    """The finished articles of one run, in the order of their names; a context manager.

    last: file of the last finished article, "" for none; line: its line, see `Piece`. Raises AnnotatorError, one
    line, if another run is writing it or it belongs to another folder.
    """

    def __init__(self, out: Path, articles: Path) -> None:
        self._out = out
        self._path = out.with_name(out.name + _ENDING)
        # A name that is not UTF-8 is escaped, as JSON has no other.
        self._head = _Head(out.name, os.fsencode(articles.resolve()).decode(errors="backslashreplace"))
        self.last, self.line = "", 0
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
                    entry = decode(line)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    break  # Killed while it was written.
                self.last, self.line = entry.article, entry.line
                end += len(line)
        self._file.truncate(end)


def _encode_entry(entry: _Entry, figures: Sequence[Mapping[str, Any]]) -> bytes:
    """Return an article's line of the journal, with the records of its figures."""
    return encode_line({**msgspec.structs.asdict(entry), "figures": figures})


@dataclass(slots=True)
class Tally:
    """Counts so far. files: read, bad ones included. papers: lines of them. resumed: of an earlier run."""

    files: int = 0
    papers: int = 0
    resumed: int = 0
    figures: int = 0
    cited: int = 0
    mentions: int = 0
    _last: str = ""

    def add(self, entry: _Entry) -> None:
        """Count an article."""
        figures, cited, mentions = entry.counts
        self.files += entry.article != self._last
        self._last = entry.article
        self.papers += entry.line > 0
        self.figures += figures
        self.cited += cited
        self.mentions += mentions

    def summary(self) -> str:
        """Return the counts in a line."""
        papers = f" with {counted(self.papers, 'paper')}" if self.papers else ""
        earlier = f" ({self.resumed} of them by an earlier run)" if self.resumed else ""
        return (
            f"extracted {counted(self.figures, 'figure')} from {counted(self.files, 'file')}{papers}{earlier}; "
            f"{self.cited} cited, {counted(self.mentions, 'mention')}"
        )


#: The result of a file, and its line of the journal.
_Extracted = tuple[_Entry, bytes]


def extract(
    articles: Path, out: Path, problems: Problems, metadata: Sequence[Path] = (), *, as_is: bool = False
) -> Iterator[Tally]:
    """Write the figures of all articles below a folder to `out`; yields the counts after each article.

    An article that cannot be read is a problem, the others are read. If interrupted, the next call goes on after
    the last finished article; the file `out` appears at the end. Images are named relative to `articles`.
    metadata: files with that of the papers of S2ORC; without, the one beside each. as_is: a figure of the article
    is one figure, with its first image; else groups of panels are joined, and several images are all its own.
    """
    base = articles if articles.is_dir() else articles.parent
    tally, lacking = Tally(), _Lacking(problems)
    #: Figure ids with the articles that they came from.
    known = Seen()
    with ExitStack() as stack:
        journal = stack.enter_context(_Journal(out, articles))
        for entry in journal.entries():
            tally.resumed += 1
            tally.add(entry)
            lacking.add(entry)
            _report(entry, problems, known)
            yield tally
        every = article_names(articles, journal.last)
        names = (name for name in every if can_be_written(name, articles, problems))
        work = _pieces(base, names, (journal.last, journal.line), metadata, problems)
        for entry, line in _all(base, work, stack, as_is=as_is):
            journal.add(line)
            tally.add(entry)
            lacking.add(entry)
            _report(entry, problems, known)
            yield tally
        lacking.report()
        if not tally.files:
            problems.add(f"{articles}: holds no articles; name a folder with .xml, .nxml, .json or .jsonl files")
        journal.finish()


def _pieces(
    base: Path, names: Iterator[str], last: tuple[str, int], files: Sequence[Path], problems: Problems
) -> Iterator[Piece]:
    """Yield the articles of the rest of the file `last`, after its line, and of the files `names`."""
    metadata = Metadata(files, problems) if files else None
    name, line = last
    if line > 0:
        yield from pieces(base, name, line, metadata, problems)
    for name in names:
        if is_shard(name):
            yield from pieces(base, name, 0, metadata, problems)
        else:
            yield Piece(name)


class _Lacking:
    """Adds up what the papers of a file of lines lack, for one note a file."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._name, self._papers = "", 0
        self._counts: Counter[str] = Counter()

    def add(self, entry: _Entry) -> None:
        """Add a paper; report on the file before if it is of another one."""
        if entry.article != self._name:
            self.report()
            self._name = entry.article
        self._papers += entry.line > 0
        self._counts.update(entry.lacking)

    def report(self) -> None:
        """Report on a file, at its end."""
        if self._counts:
            parts = ", ".join(f"{number:,} {what}" for what, number in sorted(self._counts.items()))
            self._problems.note(f"{self._name}: of {counted(self._papers, 'paper')}: {parts}")
        self._papers = 0
        self._counts.clear()


def _report(entry: _Entry, problems: Problems, known: Seen) -> None:
    """Report what was found in an article, and ids of its figures that are `known` from another; add the rest."""
    for each in entry.problems:
        problems.add(each)
    earlier = ((name, known.earlier(name, entry.where)) for name in entry.ids)
    again = [(name, where) for name, where in earlier if where is not None]
    if again:
        name, where = again[0]
        problems.add(
            f"{entry.where}: {counted(len(again), 'figure')} with the ids of another article, the first "
            f'"{name}" as in {where}; '
            "leave out one of the two, or rename a file that has no DOI or PMC id"
        )
    for each in entry.notes:
        problems.note(each)


def _all(base: Path, work: Iterator[Piece], stack: ExitStack, *, as_is: bool) -> Iterator[_Extracted]:
    """Yield what comes of each article, in order; a few batches are on their way at any time."""
    first = list(islice(work, _BATCH))
    second = list(islice(work, _BATCH))
    if not second or cores() == 1:
        for piece in chain(first, second, work):
            yield _extract_one(base, piece, as_is=as_is)
        return
    # The modules' own objects are left out of the collector's rounds.
    processes = stack.enter_context(Processes(cores(), gc.freeze, ahead=True))
    waiting: deque[tuple[list[Piece], Future[list[_Extracted]]]] = deque()
    batch = first
    following = second
    while batch or waiting:
        if batch and len(waiting) < 3 * cores():
            waiting.append((batch, processes.submit(_extract_many, base, batch, as_is)))
            batch, following = following, list(islice(work, _BATCH))
            continue
        sent, future = waiting.popleft()
        try:
            yield from future.result()
        except ProcessLost as error:
            for piece in sent:
                alone = f"{piece.where}: not read, {error}; run the command again for this file alone"
                yield _failed(replace(piece, problem=alone))


def _extract_many(base: Path, work: list[Piece], as_is: bool) -> list[_Extracted]:
    return [_extract_one(base, piece, as_is=as_is) for piece in work]


def _extract_one(base: Path, piece: Piece, *, as_is: bool) -> _Extracted:
    if piece.problem:
        return _failed(piece)
    name, path = piece.where, base / piece.name
    problems = Problems()
    articles: list[Article] = []
    figures: list[dict[str, Any]] = []
    content = piece.content
    try:
        content = content or read_whole(path, name)
        articles = read_articles(content, name, problems, piece.metadata)
        stem = PurePosixPath(plain_name(piece.name)).stem
        for article in articles:
            found = parted(article.figures) if as_is else joined_groups(article.figures)
            name_of = (article.name or f"{stem}-{piece.line}") if piece.line else stem
            figures += figure_records(msgspec.structs.replace(article, figures=found), name_of)
    except AnnotatorError as error:
        problems.add(error)
    except OSError as error:
        problems.add(f"{name}: {error.strerror or error}")
    except Exception as error:
        problems.add(f"{name}: the reader failed on it ({record_fault(error)}); report the file")
    inner, slash, _ = piece.name.rpartition("/")
    several: list[str] = []
    set_image = partial(_set_image, base, inner + slash, several=several, problems=problems, as_is=as_is)
    missing = [each for each in figures if not set_image(each)]
    lacking: dict[str, int] = {}
    if piece.line:
        lacking = _lacking(articles, len(missing))
    else:
        _note(name, content, articles, figures, missing, problems)
    if several:
        problems.note(f"{name}: {counted(len(several), 'figure')} with several images, the first: {several[0]}")
    mentions = [len(each["mentions"]) for each in figures]
    counts = len(figures), sum(map(bool, mentions)), sum(mentions)
    ids = [each["figure_id"] for each in figures]
    entry = _Entry(piece.name, counts, problems.lines, problems.notes, ids=ids, line=piece.line, lacking=lacking)
    return entry, _encode_entry(entry, figures)


def _lacking(articles: Sequence[Article], missing: int) -> dict[str, int]:
    """Return what a paper of a file of lines lacks. missing: figures without an image."""
    counts = {
        "without figures": sum(not article.figures for article in articles),
        "without a DOI or PMC id": sum(not (article.doi or article.pmcid) for article in articles),
        "without their text, or with citations or captions of no figure": sum(
            bool(article.left_over) for article in articles
        ),
        "figures without an image": missing,
    }
    return {what: number for what, number in counts.items() if number}


def _note(
    name: str,
    content: bytes,
    articles: Sequence[Article],
    figures: Sequence[Mapping[str, Any]],
    missing: Sequence[Mapping[str, Any]],
    problems: Problems,
) -> None:
    """Note what an article has that belongs to none of its figures, and what these lack."""
    left_over = [each for article in articles for each in article.left_over]
    aside = [each for article in articles for each in article.aside]
    if left_over:
        problems.note(f"{name}: has {', '.join(left_over)}; look at the article")
    elif articles and not figures:
        elsewhere = " of its own; those of sub-articles, supplements and tables are not read"
        problems.note(f"{name}: has no figures{elsewhere if _PICTURED.search(content) else ''}")
    if aside:
        problems.note(f"{name}: left out {', '.join(aside)}; they belong to no figure of the article")
    if missing:
        first = missing[0]
        problems.note(
            f"{name}: {len(missing)} of {counted(len(figures), 'figure')} without an image beside the article, "
            f'the first "{first["source"]["fig_id"] or first["label"] or first["figure_id"]}" '
            f"({first['image'] or 'no graphic'})"
        )


def _set_image(
    base: Path, inner: str, record: dict[str, Any], several: list[str], problems: Problems, *, as_is: bool
) -> bool:
    """Set a record's image to the file of its graphic, or `images` to those of several; return False without any.

    Of the files of one picture the largest is taken. inner: path of the article's folder below that of all
    articles, "" or with a slash at its end. several: receives a line for a picture with several images. Files of
    which any may be the graphic's are a problem. as_is: only the first graphic that is there counts.
    """
    found, lost = list[dict[str, Any]](), list[str]()
    for names, about in _pictures(record):
        try:
            chosen = _image_of(os.path.join(base, inner), names, several)
        except FormatError as error:
            problems.add(error)
            return False
        if chosen is None:
            lost.append(names[0])
        else:
            found.append({"image": inner + chosen, **about})
    if found and lost and not as_is:
        problems.note(
            f'{record["source"]["file"]}: figure "{record["figure_id"]}": {len(lost)} of its '
            f"{len(found) + len(lost)} images are not beside the article, the first {lost[0]}; the figure is "
            "without them"
        )
    if len(found) > 1 and not as_is:
        record |= {"image": "", "images": found}
    elif found:
        record["image"] = found[0]["image"]
    return bool(found)


def _pictures(record: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], dict[str, Any]]]:
    """Yield the names of the files of each picture of a figure, and label and caption of its panel."""
    for part in record.get("parts") or ():
        keys = (("label", part.label), ("caption", part.caption), ("place", part.place))
        about = {key: value for key, value in keys if value}
        yield from ((names, about) for names in _each_picture(part.graphics, part.alternatives))
    if not record.get("parts"):
        yield from ((names, {}) for names in _each_picture(record["graphics"], record.get("alternatives", 1)))


def _each_picture(graphics: Sequence[str], alternatives: int) -> Iterator[Sequence[str]]:
    if graphics:
        yield graphics[:alternatives]
    yield from ([graphic] for graphic in graphics[alternatives:])


def _image_of(folder: str, names: Sequence[str], several: list[str]) -> str | None:
    """Return the largest file of a picture, relative to the folder; None if none is there."""
    there = list(dict.fromkeys(filter(None, (find_image(folder, name, several.append) for name in names))))
    if not there:
        return None
    chosen = os.path.relpath(largest([Path(folder, image) for image in there]), folder)
    if len(there) > 1:
        several.append(f'"{names[0]}" is one of {", ".join(there)}; took {chosen}, the larger image')
    return chosen


def _failed(piece: Piece) -> _Extracted:
    entry = _Entry(piece.name, (0, 0, 0), [piece.problem], [], line=piece.line)
    return entry, _encode_entry(entry, [])


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
