"""Figures to leave out of a corpus: lists of ids, and figures of other datasets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from annotator.corpus.selection.figure_lines import FigureLine, doi_of, plain_doi, pmcid_of
from annotator.corpus.selection.text_lists import read_list
from panelwise.files import Problems
from panelwise.formats import read_figures

_WORD = re.compile(r"\w+")


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
