"""Select the figures of a figures.jsonl by keywords, licences and lists of figures to leave out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.corpus.selection.figure_lines import FigureLine, doi_of, figure_lines, plain_doi, pmcid_of
from annotator.gold.dataset.licences import may_copy
from panelwise.domain import FormatError
from panelwise.files import Problems, encode_line, open_input
from panelwise.formats import read_figures
from panelwise.runtime import counted, whole_file

if TYPE_CHECKING:
    from annotator.corpus.selection.near_duplicates import NearDuplicates

#: Why a figure is dropped.
EXCLUDED, LICENCE, KEYWORD = "on an exclusion list", "licence not allowed", "no keyword"
DUPLICATE = "image nearly that of an earlier figure"

_WORD = re.compile(r"\w+")

#: The list of the MedICaT paper, by which it selects medical figures (appendix B).
MEDICAL = Path(__file__).with_name("medical_keywords.txt")
_Words = tuple[str, ...]


class Keywords:
    """A list of keywords, to be found as whole words, also in the plural with an s.

    A keyword in capitals ("CAT") is found in capitals only, any other in upper and lower case. Words of a keyword
    may be joined by hyphens or white space ("X-ray", "X ray").
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        #: Words as written, and lower-case words, with the keyword that they are.
        self._capital: dict[_Words, str] = {}
        self._any_case: dict[_Words, str] = {}
        for name in self.names:
            words = _WORD.findall(name)
            if not words:
                raise FormatError(f'keyword "{name}" has no letters or digits; give a word')
            table, words = (self._capital, words) if name.isupper() else (self._any_case, _lower(words))
            for ending in ("", "s"):
                table.setdefault((*words[:-1], words[-1] + ending), name)
        self._lengths = sorted({len(words) for words in (*self._capital, *self._any_case)})

    @classmethod
    def read(cls, path: Path) -> Keywords:
        """Return the keywords of a text file, one a line. Raises FormatError."""
        try:
            return cls(read_list(path))
        except FormatError as error:
            raise error if str(error).startswith(str(path)) else FormatError(f"{path}: {error}") from None

    def find(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the keywords that any of the texts has."""
        found: set[str] = set()
        for text in texts:
            words = _WORD.findall(text)
            for table, forms in ((self._capital, words), (self._any_case, _lower(words))):
                for length in self._lengths:
                    runs = set(zip(*(forms[start:] for start in range(length)), strict=False))
                    found.update(table[run] for run in runs & table.keys())
        return frozenset(found)


def _lower(words: list[str]) -> list[str]:
    return [word.lower() for word in words]


class Exclusions:
    """Figures listed by id, by article, or by PMC id and caption."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._captions: set[int] = set()

    @classmethod
    def of(cls, paths: Iterable[Path], problems: Problems) -> Exclusions:
        """Return the exclusions of several files; see `read`."""
        made = cls()
        for path in paths:
            made.read(path, problems)
        return made

    def read(self, path: Path, problems: Problems) -> None:
        """Add a file. A text file (.txt) lists ids of figures, PMC ids or DOIs, one a line.

        Any other holds figures, in each layout that `import figures` reads: they are excluded by their ids, and by
        PMC id and caption together. Bad records are problems. Raises FormatError if the file cannot be read.
        """
        if path.suffix.lower() == ".txt":
            entries = read_list(path)
            self._ids.update(entries, filter(None, map(plain_doi, entries)))
            return
        for figure in read_figures(path, problems, images=False):
            self._ids.add(figure.figure_id)
            pmcid = pmcid_of(figure.source, figure.image)
            if pmcid:
                self._captions.add(_key(pmcid, figure.caption.text))

    def match(self, figure: FigureLine) -> str:
        """Return by what a figure is excluded: its id, its article, or PMC id and caption; "" if it is not."""
        pmcid = pmcid_of(figure.source, figure.image)
        if figure.figure_id in self._ids:
            return "figure_id"
        if self._ids.intersection((pmcid, doi_of(figure.source), figure.document)) - {""}:
            return "article"
        return "PMC id and caption" if pmcid and _key(pmcid, figure.caption) in self._captions else ""


def _key(pmcid: str, caption: str) -> int:
    """Return a hash of a PMC id and a caption's words in lower case."""
    return hash((pmcid, *_WORD.findall(caption.lower())))


def read_list(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file without blank ones and comments (#), white space at their ends removed.

    Raises FormatError if it cannot be read or has no such line.
    """
    with open_input(path) as file:
        try:
            lines = [line.strip() for line in file.read().decode("utf-8-sig").splitlines()]
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    entries = [line for line in lines if line and not line.startswith("#")]
    if not entries:
        raise FormatError(f"{path}: is empty; give one entry a line")
    return entries


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a selection. keywords: None for any text. licences: allowed ones, empty for all.

    duplicates: images of the figures written so far; None to leave images alone.
    """

    keywords: Keywords | None = None
    licences: tuple[str, ...] = ()
    exclusions: Exclusions = field(default_factory=Exclusions)
    duplicates: NearDuplicates | None = None


@dataclass(slots=True)
class Tally:
    """Counts so far. keywords: figures by keyword, of those not excluded and with an allowed licence."""

    read: int = 0
    written: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    keywords: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """Yield the report: what remains, what was dropped and why, and figures by keyword."""
        yield f"wrote {self.written} of {counted(self.read, 'figure')}"
        for reason, number in self.dropped.most_common():
            yield f"dropped {number}: {reason}"
        for keyword, number in self.keywords.most_common():
            yield f"{number:>8} {keyword}"


def filter_figures(
    figures: Path, out: Path, rules: Rules, problems: Problems, *, dropped: Path | None = None
) -> Iterator[Tally]:
    """Write the figures that the rules allow, unchanged and in order; yields the counts after each figure.

    dropped: file for the others: `figure_id`, `reason`, `detail`. Bad lines are problems; so are images that
    cannot be compared, whose figures are written.
    """
    tally = Tally()
    with ExitStack() as stack:
        file = stack.enter_context(whole_file(out))
        rest = stack.enter_context(whole_file(dropped)) if dropped is not None else None
        for figure in figure_lines(figures, problems):
            tally.read += 1
            reason, detail = _drop(figure, rules, tally)
            if not reason and rules.duplicates is not None:
                reason, detail = _duplicate(figure, rules.duplicates, problems)
            if not reason:
                tally.written += 1
                file.write(encode_line(figure.record))
            else:
                tally.dropped[reason] += 1
                if rest is not None:
                    rest.write(encode_line({"figure_id": figure.figure_id, "reason": reason, "detail": detail}))
            yield tally


def _drop(figure: FigureLine, rules: Rules, tally: Tally) -> tuple[str, str]:
    """Return why a figure is dropped, with a detail; "" if it is not. Counts its keywords."""
    excluded = rules.exclusions.match(figure)
    if excluded:
        return EXCLUDED, excluded
    if rules.licences and not may_copy(figure.licence, rules.licences):
        return LICENCE, figure.licence or "not stated"
    if rules.keywords is not None:
        found = rules.keywords.find((figure.caption, *figure.references))
        tally.keywords.update(found)
        if not found:
            return KEYWORD, ""
    return "", ""


def _duplicate(figure: FigureLine, duplicates: NearDuplicates, problems: Problems) -> tuple[str, str]:
    """Return why a figure is dropped, with the earlier figure; "" if it is not, or has no readable image."""
    try:
        earlier = duplicates.earlier(figure)
    except FormatError as error:
        problems.add(error)
        return "", ""
    return (DUPLICATE, earlier) if earlier else ("", "")
