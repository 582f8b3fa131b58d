"""Join the figures of two sources, as appendix A of the MedICaT paper joins PubMed Central's with S2ORC's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from annotator.corpus.selection.figure_lines import FigureLine, doi_of, figure_lines, figure_of, pmcid_of
from annotator.corpus.statistics import jaccard
from panelwise.domain import Caption, FormatError
from panelwise.files import Problems, decode_line, encode_line, open_input
from panelwise.formats import check_figures
from panelwise.runtime import counted, whole_file

#: Captions without a figure number in both sources are of one figure if more of their words are common.
SIMILAR = 0.8
_NUMBER = re.compile(r"\s*(?:fig(?:ure|ura|\.)?|scheme|chart)\s*([A-Z]?\d+(?:\.\d+)*)\b", re.IGNORECASE)


@dataclass(slots=True)
class Tally:
    """Counts so far. by_number, by_caption: figures joined; added: references that these did not have."""

    figures: int = 0
    by_number: int = 0
    by_caption: int = 0
    added: int = 0

    def summary(self) -> str:
        """Return the counts in a line."""
        return (
            f"joined {self.by_number + self.by_caption} of {counted(self.figures, 'figure')} "
            f"({self.by_number} by number, {self.by_caption} by caption); added {counted(self.added, 'reference')}"
        )


def join(figures: Path, others: Path, out: Path, problems: Problems) -> Iterator[Tally]:
    """Write all figures, with the references and mentions of the same figures in `others`; yields the counts.

    Articles are joined by DOI or PMC id; then figures by number where both have one, else by caption. Bad lines of
    either file are problems and left out. Raises FormatError if a file cannot be read.
    """
    tally = Tally()
    with _Articles(others, problems) as articles, whole_file(out) as file:
        for figure in figure_lines(figures, problems):
            tally.figures += 1
            other = _same_figure(figure, articles.figures_of(figure), tally)
            file.write(encode_line(figure.record if other is None else _joined(figure, other, tally)))
            yield tally


def _same_figure(figure: FigureLine, candidates: list[FigureLine], tally: Tally) -> FigureLine | None:
    number, words = _number(figure), Caption.cut(figure.caption).words
    unnumbered = []
    for other in candidates:
        others_number = _number(other)
        if number and number == others_number:
            tally.by_number += 1
            return other
        if not (number and others_number):
            unnumbered.append((jaccard(words, Caption.cut(other.caption).words), other))
    likeness, best = max(unnumbered, key=lambda each: each[0], default=(0.0, None))
    if likeness <= SIMILAR:
        return None
    tally.by_caption += 1
    return best


def _number(figure: FigureLine) -> str:
    """Return the figure's number of its label, else at the start of its caption; "" without one."""
    label = figure.record.get("label")
    texts = (label if isinstance(label, str) else "", figure.caption)
    return next((found[1].upper() for found in map(_NUMBER.match, texts) if found), "")


def _joined(figure: FigureLine, other: FigureLine, tally: Tally) -> dict[str, Any]:
    new = [each for each in dict.fromkeys(other.references) if each not in figure.references]
    tally.added += len(new)
    record = {**figure.record, figure.references_key: [*figure.references, *new]}
    mentions, more = record.get("mentions"), other.record.get("mentions")
    if isinstance(more, list):
        added = [each for each in more if isinstance(each, dict) and each.get("sentence") in new]
        record["mentions"] = [*(mentions if isinstance(mentions, list) else []), *added]
    return record


class _Articles:
    """The figures of a file by article, read again when they are needed: only their places are in memory."""

    def __init__(self, path: Path, problems: Problems) -> None:
        check_figures(path, images=False)
        self._path = path
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._file = open_input(path)
        place = 0
        for number, raw in enumerate(self._file, start=1):
            figure = self._read(f"{path}:{number}", raw, problems)
            if figure is not None:
                for name in _articles(figure):
                    self._places[name].append(place)
            place += len(raw)

    def __enter__(self) -> _Articles:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _where: TracebackType | None) -> None:
        self._file.close()

    def figures_of(self, figure: FigureLine) -> list[FigureLine]:
        """Return the figures of the same article, in the file's order."""
        found = []
        for place in sorted({place for name in _articles(figure) for place in self._places.get(name, ())}):
            self._file.seek(place)
            other = self._read(str(self._path), self._file.readline(), Problems())
            if other is not None:
                found.append(other)
        return found

    @staticmethod
    def _read(where: str, raw: bytes, problems: Problems) -> FigureLine | None:
        if raw.isspace():
            return None
        line = decode_line(where, raw, problems)
        try:
            return None if line is None else figure_of(line, problems)
        except FormatError as error:
            problems.add(error)
            return None


def _articles(figure: FigureLine) -> set[str]:
    """Return the names of a figure's article: DOI and PMC id."""
    return {doi_of(figure.source), pmcid_of(figure.source, figure.image)} - {""}
