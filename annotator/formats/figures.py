"""`figures.jsonl`, and the records of MedICaT's own release, which are read as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.domain.caption import Caption, Span
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.domain.figure import Figure
from annotator.formats.jsonl import Fields, Line, Problems, read_lines

#: Formats of images that are read, by Pillow's names. Its others include some that start other programs (EPS).
IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "PPM")

_KEYS = {"figure_id", "image", "width", "height", "caption", "tokens", "references", "source"}
_RELEASE_KEYS = {"pdf_hash", "fig_uri", "s2_caption", "s2orc_references", "fig_key"}


@dataclass(frozen=True, slots=True)
class FigureRecord:
    """A figure as a file gives it; its image is not looked at yet.

    image: as written. width, height: as written, None where the image is to say. where: "file:line".
    """

    figure_id: str
    image: str
    width: int | None
    height: int | None
    caption: Caption
    references: tuple[str, ...]
    source: Mapping[str, Any]
    extra: Mapping[str, Any]
    where: str

    @property
    def document(self) -> str:
        """What splits go by: `source.document`, else the release's `pdf_hash`, else ""."""
        document = self.source.get("document") or self.source.get("pdf_hash") or ""
        return str(document)


def read_figures(path: Path, problems: Problems) -> Iterator[FigureRecord]:
    """The figures of a file, streamed; bad records and repeated ids are problems, the first of an id is kept."""
    seen: dict[str, str] = {}
    for line in read_lines(path, problems):
        try:
            record = _release_record(line) if "figure_id" not in line.record else _record(line)
        except AnnotatorError as error:
            problems.add(error)
            continue
        if record.figure_id in seen:
            problems.add(
                f'{line.where}: figure "{record.figure_id}" was given before ({seen[record.figure_id]}); '
                "kept the first, give each figure an id of its own"
            )
            continue
        seen[record.figure_id] = line.where
        yield record


def read_caption(fields: Fields) -> Caption:
    """`caption` with `tokens`, which are cut here where the record has none."""
    text = fields.optional_text("caption")
    if fields.record.get("tokens") is None:
        return Caption.cut(text)
    try:
        return Caption(text, tuple(Span(start, end) for start, end in fields.ranges("tokens")))
    except FormatError:
        raise
    except AnnotatorError as error:
        raise FormatError(f"{fields.where}: {error}") from None


def _record(line: Line) -> FigureRecord:
    fields = Fields(line.where, line.record)
    return FigureRecord(
        figure_id=fields.text("figure_id"),
        image=fields.text("image"),
        width=fields.size("width"),
        height=fields.size("height"),
        caption=read_caption(fields),
        references=fields.texts("references"),
        source=fields.mapping("source"),
        extra={key: value for key, value in line.record.items() if key not in _KEYS},
        where=line.where,
    )


def _release_record(line: Line) -> FigureRecord:
    """A record of the MedICaT release: the image lies in the figures folder as <pdf_hash>_<fig_uri>."""
    fields = Fields(line.where, line.record)
    if "pdf_hash" not in line.record or "fig_uri" not in line.record:
        raise fields.error("figure_id", "is missing; give a text")
    document, uri = fields.text("pdf_hash"), fields.text("fig_uri")
    source = {"pdf_hash": document, "fig_uri": uri}
    if fields.record.get("fig_key"):
        source["fig_key"] = fields.text("fig_key")
    return FigureRecord(
        figure_id=f"{document}_{uri}",
        image=f"{document}_{uri}",
        width=None,
        height=None,
        caption=Caption.cut(fields.optional_text("s2_caption")),
        references=fields.texts("s2orc_references"),
        source=source,
        extra={key: value for key, value in line.record.items() if key not in _RELEASE_KEYS},
        where=line.where,
    )


def figure_record(figure: Figure) -> dict[str, Any]:
    """A stored figure as a record of `figures.jsonl`; tokens are always written."""
    record = dict(figure.extra)
    record.update(
        figure_id=figure.id,
        image=figure.image,
        width=figure.width,
        height=figure.height,
        caption=figure.caption.text,
        tokens=[[token.start, token.end] for token in figure.caption.tokens],
        references=list(figure.references),
        source=dict(figure.source),
    )
    return record
