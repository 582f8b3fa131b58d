"""The lines of a figures.jsonl or of MedICaT's release, with what the selection of figures reads of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from annotator.gold.dataset.licences import licence_of
from panelwise.domain import FormatError
from panelwise.files import Line, Problems, Seen, read_lines
from panelwise.formats import WithoutCaption, caption_key, check_figures, read_figure

_DOI = re.compile(r"(?:https?://)?(?:(?:dx\.|www\.)?doi\.org/)?(?:doi:\s*)?(10\..*)")
_PMCID = re.compile(r"(?:^|[^A-Za-z0-9])(PMC\d+)")


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A figure and its whole record, to be copied as it is. document: its article. licence: "" if unknown."""

    record: Mapping[str, Any]
    figure_id: str
    image: str
    caption: str
    references: tuple[str, ...]
    source: Mapping[str, Any]
    document: str
    licence: str

    @property
    def images(self) -> list[str]:
        """The names of its image, in all formats that its article has."""
        graphics = self.record.get("graphics")
        others = graphics if isinstance(graphics, list) else []
        return [name for name in (self.image, *others) if name and isinstance(name, str)]

    @property
    def references_key(self) -> str:
        """The key of the record's references."""
        return "references" if self.record.get("figure_id") is not None else "s2orc_references"


def figure_lines(path: Path, problems: Problems) -> Iterator[FigureLine]:
    """Yield the figures of a figures.jsonl; a bad line or a repeated id is a problem, and left out.

    Figures without a caption are a note. Raises FormatError if the file cannot be read.
    """
    check_figures(path, images=False)
    seen, bare = Seen(), WithoutCaption()
    for line in read_lines(path, problems):
        try:
            figure = figure_of(line, problems)
        except FormatError as error:
            problems.add(error)
            continue
        earlier = seen.earlier(figure.figure_id, line.where)
        if earlier is None:
            if not figure.caption.strip():
                bare.add(figure.figure_id, line.record, caption_key(line))
            yield figure
        else:
            problems.add(f'{line.where}: figure "{figure.figure_id}" is at {earlier} too; give each its own id')
    bare.report(path, problems)


def figure_of(line: Line, problems: Problems) -> FigureLine:
    """Return the figure of a record; bad pairs of it are problems. Raises FormatError for a bad record."""
    figure = read_figure(line, problems)
    return FigureLine(
        record=line.record,
        figure_id=figure.figure_id,
        image=figure.image,
        caption=figure.caption.text,
        references=figure.references,
        source=figure.source,
        document=figure.document,
        licence=licence_of(line.record),
    )


def pmcid_of(source: Mapping[str, Any], image: str) -> str:
    """Return the PMC id of a figure's article, of its source or its image's path; "" if unknown."""
    texts = (str(source.get("pmcid") or ""), str(source.get("document") or ""), image)
    return next((found[1] for found in map(_PMCID.search, texts) if found), "")


def doi_of(source: Mapping[str, Any]) -> str:
    """Return the DOI of a figure's article, as `plain_doi` writes it; "" if unknown."""
    texts = (source.get("doi"), source.get("document"))
    return next(filter(None, map(plain_doi, texts)), "")


def plain_doi(text: object) -> str:
    """Return a DOI in lower case, without "doi:" or the address of its resolver; "" for another text."""
    match = _DOI.fullmatch(unquote(str(text or "")).strip().casefold())
    return match[1] if match else ""


def figure_types(record: Mapping[str, Any]) -> list[str]:
    """Return the figure types of a record in alphabetical order: `kind.types`, else `type`; empty if unknown."""
    kind, single = record.get("kind"), record.get("type")
    types = kind.get("types") if isinstance(kind, Mapping) else [single] if single else []
    return sorted(set(map(str, types))) if isinstance(types, list) else []
