"""Extract the figures of articles, with the sentences that cite them, into figures.jsonl."""

from __future__ import annotations

import gc
import os
import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.corpus.article_files import article_names, find_image
from annotator.corpus.journal import Entry, Journal, encode_entry
from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Problems, can_be_written
from panelwise.formats import figure_records, read_articles
from panelwise.runtime import Processes, ProcessLost, cores, counted, record_fault

#: Articles read by a process at a time; fewer in all are read in this process.
_BATCH = 16
#: An element of JATS or NLM XML that shows a picture.
_PICTURED = re.compile(rb"<(?:fig|graphic)[\s>/]")
#: Bytes of an article at most; JSON of docling may have its images within.
_MOST_BYTES = 500_000_000


@dataclass(slots=True)
class Tally:
    """Counts so far. files: read, bad ones included. resumed: files of an earlier run."""

    files: int = 0
    resumed: int = 0
    figures: int = 0
    cited: int = 0
    mentions: int = 0

    def add(self, entry: Entry) -> None:
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
_Extracted = tuple[Entry, bytes]


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
        journal = stack.enter_context(Journal(out, articles))
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


def _report(entry: Entry, problems: Problems, known: dict[str, str]) -> None:
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
    entry = Entry(name, counts, problems.lines, problems.notes, ids=ids)
    return entry, encode_entry(entry, figures)


def _set_image(base: Path, inner: str, record: dict[str, Any], several: list[str], problems: Problems) -> bool:
    """Set a record's image to the file of its first graphic that is there; return False without one.

    inner: path of the article's folder below that of all articles, "" or with a slash at its end. several:
    receives a line for a graphic with several images. Files of which any may be the graphic's are a problem.
    """
    for graphic in record["graphics"]:
        try:
            found = find_image(os.path.join(base, inner), graphic, several.append)
        except FormatError as error:
            problems.add(error)
            return False
        if found is not None:
            record["image"] = inner + found
            return True
    return False


def _failed(name: str, problem: str) -> _Extracted:
    entry = Entry(name, (0, 0, 0), [problem], [])
    return entry, encode_entry(entry, [])
