"""`figures.jsonl`; records of MedICaT's release and annotations, and of SciVQA's metadata, are read as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator.domain.caption import Caption
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.domain.figure import Figure
from annotator.formats import medicat, scivqa
from annotator.formats.captions import read_caption
from annotator.formats.json_stream import read_records
from annotator.formats.jsonl import Fields, Line, Problems
from annotator.formats.losses import Losses
from annotator.formats.seen import Seen

#: Formats of images that are read, by Pillow's names. Its others include some that start other programs (EPS).
IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "PPM")

#: Where unknown keys go that bear a name of the layout.
_CLASHING = "figure_extra"
#: Key of a release record under which stands what that layout has no place for.
ASIDE = "panelwise"

_KEYS = {"figure_id", "image", "width", "height", "caption", "tokens", "references", "source", _CLASHING}
_USUAL_KEYS = _KEYS - {"tokens", _CLASHING}
#: Sizes from here on are looked at closely.
_LARGE = 1 << 31
_RELEASE_KEYS = {"pdf_hash", "fig_uri", "s2_caption", "s2orc_references", "fig_key", ASIDE}


@dataclass(frozen=True, slots=True)
class FigureRecord:
    """A figure as a file gives it; its image is not looked at yet.

    image: as written, "" where it is missing. width, height: as written, None where the image is to say.
    where: "file:line".
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


def read_figures(
    path: Path, problems: Problems, *, images: bool = True, qa: Path | None = None
) -> Iterator[FigureRecord]:
    """The figures of a file, streamed; bad records and repeated ids are problems, the first of an id is kept.

    images: whether a record must name its image. qa: a file of question-answer pairs, which join their figures
    under the extra key `qa`; those of no figure in the file are problems. A flat file of SciVQA's, whose rows are
    pairs with their figures' metadata, is read twice; its figures are as their first rows have them.
    """
    seen = Seen()
    flat = scivqa.is_flat(path)
    if flat and qa is not None:
        raise FormatError(f"{path}: holds question-answer pairs itself; leave out --qa")
    source = path if flat else qa
    pairs = scivqa.read_pairs(source, problems) if source is not None else {}
    for line in read_records(path, Problems() if flat else problems):
        if flat:
            problems.where = line.where
            line = scivqa.figure_row(line)
        try:
            record = _usual(line) or _any_record(line, problems)
            if images and not record.image:
                raise Fields(line.where, line.record).error("image", "is missing; give a text")
        except FormatError as error:
            problems.add(error)
            continue
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}")
            continue
        earlier = seen.earlier(record.figure_id, line.where)
        if earlier is not None and flat:
            continue
        if earlier is not None:
            problems.add(
                f'{line.where}: figure "{record.figure_id}" was given before ({earlier}); '
                "kept the first, give each figure an id of its own"
            )
            continue
        if record.figure_id in pairs:
            added = pairs.pop(record.figure_id)
            record = replace(record, extra=scivqa.with_pairs(record.extra, added))
        yield record
    for figure_id, lost in pairs.items():
        problems.add(f'{source}: {len(lost)} pairs of figure "{figure_id}", which {path} has not; left them out')


def _usual(line: Line) -> FigureRecord | None:
    """What `_record` makes of a record that is as most are; None for any other, and for all that has a fault.

    Most of the time that an import of a large file takes goes into looking at fields one by one.
    """
    record = line.record
    get = record.get
    figure_id, image, width, height = get("figure_id"), get("image"), get("width"), get("height")
    caption, references, source = get("caption"), get("references"), get("source")
    if not (
        type(figure_id) is type(image) is type(caption) is str
        and figure_id
        and image
        and type(width) is type(height) is int
        and 0 < width < _LARGE
        and 0 < height < _LARGE
        and type(references) is list
        and type(source) is dict
        and record.keys() <= _USUAL_KEYS
    ):
        return None
    for reference in references:
        if type(reference) is not str:
            return None
    return FigureRecord(
        figure_id, image, width, height, Caption.cut(caption), tuple(references), source, {}, line.where
    )


def _any_record(line: Line, problems: Problems) -> FigureRecord:
    if medicat.looks_like_medicat(line):
        return _annotated_record(line)
    if "figure_id" not in line.record:
        return _release_record(line)
    return _scivqa_record(line, problems) if scivqa.looks_like_scivqa(line) else _record(line)


def _record(line: Line) -> FigureRecord:
    fields = Fields(line.where, line.record)
    return FigureRecord(
        figure_id=fields.text("figure_id"),
        image=fields.optional_text("image"),
        width=fields.size("width"),
        height=fields.size("height"),
        caption=read_caption(fields),
        references=fields.texts("references"),
        source=fields.mapping("source"),
        extra=_unknown(line.record),
        where=line.where,
    )


def _unknown(record: Mapping[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in record.items() if key not in _KEYS}
    clashing = record.get(_CLASHING)
    if isinstance(clashing, dict):
        extra.update(clashing)
    elif clashing is not None:
        extra[_CLASHING] = clashing
    return extra


def _scivqa_record(line: Line, problems: Problems) -> FigureRecord:
    fields = Fields(line.where, line.record)
    source, references, extra = scivqa.parts(line, problems)
    return FigureRecord(
        figure_id=fields.text("figure_id"),
        image=fields.text("image_file"),
        width=fields.size("width"),
        height=fields.size("height"),
        caption=read_caption(fields),
        references=references,
        source=source,
        extra=extra,
        where=line.where,
    )


def _annotated_record(line: Line) -> FigureRecord:
    """The figure of a record in MedICaT's annotation layout; its image's name is that of the release."""
    figure = medicat.figure_of(Fields(line.where, line.record))
    return FigureRecord(
        figure_id=figure.id,
        image=figure.image or medicat.image_id(figure),
        width=figure.width,
        height=figure.height,
        caption=figure.caption,
        references=figure.references,
        source=figure.source,
        extra=figure.extra,
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
    aside = Fields(line.where, fields.mapping(ASIDE), f"{ASIDE}.")
    written_here = bool(aside.optional_text("figure_id"))
    caption = fields.optional_text("s2_caption")
    return FigureRecord(
        figure_id=aside.text("figure_id") if written_here else f"{document}_{uri}",
        image=aside.optional_text("image") or f"{document}_{uri}",
        width=aside.size("width"),
        height=aside.size("height"),
        caption=read_caption(
            Fields(line.where, {"caption": caption, "tokens": aside.record.get("tokens")}, f"{ASIDE}.")
        ),
        references=fields.texts("s2orc_references"),
        source=aside.mapping("source") if written_here else source,
        extra={
            **{key: value for key, value in line.record.items() if key not in _RELEASE_KEYS},
            **aside.mapping(_CLASHING),
        },
        where=line.where,
    )


def figure_record(figure: Figure) -> dict[str, Any]:
    """A stored figure as a record of `figures.jsonl`; tokens are always written."""
    record = {key: value for key, value in figure.extra.items() if key not in _KEYS}
    if len(record) < len(figure.extra):
        record[_CLASHING] = {key: value for key, value in figure.extra.items() if key in _KEYS}
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


def release_record(figure: Figure, losses: Losses) -> dict[str, Any]:
    """A stored figure as a record of MedICaT's release, with `panelwise` for what that has no place for."""
    record = {key: value for key, value in figure.extra.items() if key not in _RELEASE_KEYS}
    aside: dict[str, Any] = {
        "figure_id": figure.id,
        "image": figure.image,
        "width": figure.width,
        "height": figure.height,
        "source": dict(figure.source),
    }
    losses.aside("ids, sizes and sources of figures", key=ASIDE)
    if figure.caption != Caption.cut(figure.caption.text):
        aside["tokens"] = [[token.start, token.end] for token in figure.caption.tokens]
        losses.aside("tokens cut in a way of their own", len(figure.caption.tokens), key=ASIDE)
    if len(record) < len(figure.extra):
        aside[_CLASHING] = {key: value for key, value in figure.extra.items() if key in _RELEASE_KEYS}
    return {
        **medicat.keys_of(figure),
        "s2_caption": figure.caption.text,
        "s2orc_references": list(figure.references),
        **record,
        ASIDE: aside,
    }
