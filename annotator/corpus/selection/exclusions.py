"""Lists of figures to leave out of a selection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotator.corpus.selection.figure_lines import FigureLine, doi_of, plain_doi, pmcid_of
from annotator.corpus.selection.keywords import read_list
from annotator.corpus.selection.roco import RocoEntry, is_roco, read_roco, roco_lists
from panelwise.files import Problems, without_ending
from panelwise.formats import read_figures

_WORD = re.compile(r"\w+")
_PMC_PREFIX = re.compile(r"pmc\d+_")
#: Words of a caption that is taken for the same figure's where a list does not say its article.
_TELLING = 10

#: What an entry names: a figure or an article by its id; an article's image; an article's or any caption's words.
_Key = tuple[str, ...]


class Exclusions:
    """Figures listed by id, by article, by an article's image or caption, or by a long caption alone."""

    def __init__(self) -> None:
        #: What is listed -> the list's place in `_lists`.
        self._keys: dict[_Key, int] = {}
        #: Each list, its first entry, and whether a figure met one of its entries.
        self._lists: list[tuple[Path, str]] = []
        self._met: set[int] = set()

    @classmethod
    def of(cls, paths: Iterable[Path], problems: Problems) -> Exclusions:
        """Return the exclusions of several files or folders of ROCO's lists, which are joined by their ids."""
        made = cls()
        roco: list[tuple[int, RocoEntry]] = []
        for path in paths:
            for file in roco_lists(path):
                place = len(made._lists)
                if is_roco(file):
                    entries = list(read_roco(file, problems))
                    roco += [(place, entry) for entry in entries]
                    made._lists.append((file, _shown(entries[0]) if entries else ""))
                else:
                    made._lists.append((file, made._read(file, place, problems)))
        articles = {entry.roco_id: entry.pmcid for _, entry in roco if entry.pmcid}
        for place, entry in roco:
            made._add_roco(place, entry, entry.pmcid or articles.get(entry.roco_id, ""))
        return made

    def _read(self, path: Path, place: int, problems: Problems) -> str:
        """Add a file, and return its first entry. A .txt has ids of figures, PMC ids or DOIs, one a line.

        Any other holds figures, in each layout that `import figures` reads: they are excluded by their ids, and by
        PMC id and caption together. Bad records are problems. Raises FormatError if the file cannot be read.
        """
        if path.suffix.lower() == ".txt":
            entries = read_list(path)
            for entry in entries:
                self._keys.setdefault((entry,), place)
                self._keys.setdefault((plain_doi(entry) or entry,), place)
            return entries[0]
        first = ""
        for figure in read_figures(path, problems, images=False):
            first = first or figure.figure_id
            self._keys.setdefault((figure.figure_id,), place)
            pmcid = pmcid_of(figure.source, figure.image)
            if pmcid:
                self._keys.setdefault(_caption(pmcid, figure.caption.text), place)
        return first

    def _add_roco(self, place: int, entry: RocoEntry, pmcid: str) -> None:
        if pmcid and entry.image:
            self._keys.setdefault(_image(pmcid, entry.image), place)
        if entry.caption and (pmcid or len(_WORD.findall(entry.caption)) >= _TELLING):
            self._keys.setdefault(_caption(pmcid, entry.caption), place)

    def match(self, figure: FigureLine) -> str:
        """Return by what a figure is excluded, such as "article"; "" if it is not."""
        for reason, key in _names(figure):
            place = self._keys.get(key)
            if place is not None:
                self._met.add(place)
                return reason
        return ""

    def report(self, problems: Problems) -> None:
        """Note the lists of which no entry met a figure, with their first entry: another layout than was meant?"""
        for place, (path, first) in enumerate(self._lists):
            if place not in self._met:
                entry = f'its first is "{first}"' if first else "it has none"
                problems.note(f"{path}: no entry is of any of these figures ({entry}); is it the right list?")


def _names(figure: FigureLine) -> Iterator[tuple[str, _Key]]:
    """Yield all by which a figure may be listed, and how to call that."""
    yield "figure_id", (figure.figure_id,)
    pmcid = pmcid_of(figure.source, figure.image)
    for article in (pmcid, doi_of(figure.source), figure.document):
        if article:
            yield "article", (article,)
    if pmcid:
        for image in figure.images:
            yield "PMC id and image", _image(pmcid, image)
        yield "PMC id and caption", _caption(pmcid, figure.caption)
    yield "caption", _caption("", figure.caption)


def _image(pmcid: str, name: str) -> _Key:
    """Return the key of an article's image, by its name without folders, ending and PMC id."""
    return "image", pmcid, _PMC_PREFIX.sub("", without_ending(name.rpartition("/")[2]).casefold(), count=1)


def _caption(pmcid: str, caption: str) -> _Key:
    """Return the key of a PMC id, "" for any, and a caption's words in lower case."""
    return "caption", pmcid, str(hash(tuple(_WORD.findall(caption.lower()))))


def _shown(entry: RocoEntry) -> str:
    return " ".join(filter(None, (entry.roco_id, entry.pmcid, entry.image, entry.caption[:60])))
