"""`figures.jsonl`; also reads records of MedICaT's release and annotations, and of SciVQA's metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import UNKNOWN_SIZE, Figure
from panelwise.domain.items import NO_IMPORTED_ITEMS, ImportedItems
from panelwise.files.image_folders import folder_lines, list_in, table_lines
from panelwise.files.json_arrays import read_array, read_records, starts_with
from panelwise.files.jsonl import Fields, Line, Problems, decode_line, raw_lines
from panelwise.files.seen_ids import Seen
from panelwise.files.tables import is_table
from panelwise.files.values import first_name
from panelwise.formats import medicat, scivqa
from panelwise.formats.captions import CLASHING, WithoutCaption, check_caption_key, read_caption, written_extra
from panelwise.formats.detect import looks_of
from panelwise.formats.layout import Form
from panelwise.formats.losses import Losses
from panelwise.formats.several_images import ImagePart, read_parts
from panelwise.runtime.messages import counted

#: Key of a release record for data that its layout cannot represent.
ASIDE = "panelwise"

_KEYS = {
    *("figure_id", "image", "width", "height", "caption", "tokens", "references", "source", "revision"),
    CLASHING,
}
#: Largest revision, far beyond real ones, within a database's range.
_MOST_REVISIONS = 1_000_000
_RELEASE_KEYS = {"pdf_hash", "fig_uri", "s2_caption", "s2orc_references", "fig_key", ASIDE}


#: Keys of a figure's licence, in its source or beside it.
LICENCE_KEYS = ("licence", "license")


class FigureRecord(msgspec.Struct, frozen=True, gc=False):
    """A figure's record in a file; its image is not read yet.

    image: as written, "" if missing. width, height: as written, None to use the image's. where: "file:line".
    revision: its number when exported, 1 if missing. imported: question-answer pairs and type. images: those that
    together are the figure's, of a record that names no single one.
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
    revision: int = 1
    imported: ImportedItems = NO_IMPORTED_ITEMS
    images: tuple[ImagePart, ...] = ()

    @property
    def record_keys(self) -> Mapping[str, Any]:
        """Return the keys that no other field holds, in the record's order."""
        return self.imported.joined(self.extra)

    @property
    def document(self) -> str:
        """The unit of splits: `source.document`, else the release's `pdf_hash`, else ""."""
        return first_name(self.source.get("document"), self.source.get("pdf_hash"))

    @property
    def figure(self) -> Figure:
        """The figure as the record has it; of unknown size where a side is missing."""
        return Figure(
            id=self.figure_id,
            image=self.image,
            width=self.width or UNKNOWN_SIZE,
            height=self.height or UNKNOWN_SIZE,
            caption=self.caption,
            references=self.references,
            document=self.document,
            source=self.source,
            extra=self.extra,
            revision=self.revision,
            imported=self.imported,
        )


def image_folder(path: Path) -> Path:
    """Return the folder that a source's image paths are relative to: a folder itself, or the folder of a file."""
    return path if path.is_dir() else path.parent


def read_figures(
    path: Path, problems: Problems, *, images: bool = True, qa: Path | None = None
) -> Iterator[FigureRecord]:
    """Yield the figures of a file; bad records and repeated ids are problems, the first of an id is used.

    Figures without a caption are a note.

    path: also a table, or a folder of images with their captions; see `panelwise.files.image_folders`. images:
    require each record to name its image. qa: a file of question-answer pairs, by default the one in the folder;
    they are added to those of their figures; pairs of unknown figures are problems. SciVQA's flat
    file, whose rows are pairs with their figures' metadata, is read twice; its figures are as in their first rows.
    """
    seen, bare = Seen(), WithoutCaption()
    #: Of a flat file, figure id -> a hash of its description.
    descriptions: dict[str, int] = {}
    plain = path.is_dir() or is_table(path)
    flat = not plain and scivqa.is_flat(path)
    if flat and qa is not None:
        raise FormatError(f"{path}: holds question-answer pairs itself; leave out --qa")
    if not plain and not flat and qa is None and _has_pairs(path):
        raise FormatError(
            f"{path}: holds question-answer pairs without figures; import them with their figures: "
            "both files in one folder, or the pairs with --qa"
        )
    if path.is_dir() and qa is None and (listed := list_in(path)) is not None:
        qa = _pairs_beside(listed)
    source = path if flat else qa
    pairs = scivqa.read_pairs(source, problems) if source is not None else {}
    for found in map(scivqa.figure_row, read_records(path, Problems())) if flat else _found(path, problems):
        problems.where = found.where
        try:
            record = read_figure(found, problems)
            if images and not record.image and not record.images:
                raise FormatError(f'{found.where}: "image" is missing; give a text')
        except AnnotatorError as error:
            problems.add(error, found.where)
            continue
        earlier = seen.earlier(record.figure_id, record.where)
        if flat:
            described = hash(
                str((record.image, record.caption.text, record.width, record.height, record.document))
            )
            if described != descriptions.setdefault(record.figure_id, described):
                problems.add(
                    f'{record.where}: figure "{record.figure_id}" is described otherwise in an earlier row '
                    f"({earlier}); kept the first, give one description"
                )
            if earlier is not None:
                continue
        if earlier is not None:
            problems.add(
                f'{record.where}: figure "{record.figure_id}" was given before ({earlier}); '
                "kept the first, give each figure an id of its own"
            )
            continue
        if not record.caption.text.strip():
            bare.add(record.figure_id, record.extra, caption_key(found))
        if record.figure_id in pairs:
            keys = scivqa.with_pairs(record.record_keys, pairs.pop(record.figure_id))
            extra, items = scivqa.split_items(record.where, keys)
            record = msgspec.structs.replace(record, extra=extra, imported=items)
        yield record
    bare.report(path, problems)
    for figure_id, lost in pairs.items():
        problems.add(f'{source}: {path} has no figure "{figure_id}"; left out {counted(len(lost), "pair")} of it')


def caption_key(found: FigureRecord | Line) -> str:
    """Return the key of captions in a record's layout."""
    if isinstance(found, FigureRecord) or "pdf_hash" not in found.record:
        return "caption"
    if medicat.looks_like_medicat(found):
        return "text"
    return "caption" if found.record.get("figure_id") is not None else "s2_caption"


def _pairs_beside(listed: Path) -> Path | None:
    """Return the file of question-answer pairs beside a folder's list of figures, None without one.

    Raises FormatError for several.
    """
    others = sorted(each for each in listed.parent.iterdir() if each != listed)
    files = [each for each in others if each.suffix.lower() in (".json", ".jsonl") and _has_pairs(each)]
    if len(files) > 1:
        raise FormatError(
            f"{listed.parent}: has {len(files)} files of question-answer pairs "
            f"({files[0].name}, {files[1].name}); leave one in the folder"
        )
    return files[0] if files else None


def _has_pairs(path: Path) -> bool:
    """Return whether a file has pairs only. One object over several lines, such as COCO's, is not read through."""
    with suppress(FormatError):
        return looks_of(path).form is not Form.OBJECT and scivqa.is_pairs(path)
    return False


def _found(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the records of a list of figures of any form."""
    if path.is_dir():
        listed = list_in(path)
        yield from folder_lines(path, problems) if listed is None else _found(listed, problems)
        return
    if is_table(path):
        yield from table_lines(path, problems)
        return
    if starts_with(path) == b"[":
        yield from read_array(path, problems)
        return
    if path.suffix.lower() != ".jsonl" and (read := _reader_of(path)) is not None:
        yield from read(path, problems)
        return
    for where, raw in raw_lines(path, problems):
        line = decode_line(where, raw, problems)
        if line is not None:
            yield line


def _reader_of(path: Path) -> Callable[[Path, Problems], Iterator[Line]] | None:
    """Return the reader of figures of a layout of work that holds some; None for any other file."""
    layouts = looks_of(path).layouts
    return next(iter(layouts)).figures if len(layouts) == 1 else None


def read_figure(line: Line, problems: Problems) -> FigureRecord:
    """Return the figure of a record in any layout of figures; bad pairs of it are problems. Raises FormatError."""
    if medicat.looks_like_medicat(line):
        record = _annotated_record(line)
    elif line.record.get("figure_id") is None:
        record = _release_record(line)
    else:
        record = _scivqa_record(line) if scivqa.looks_like_scivqa(line) else _record(line)
    extra, items = scivqa.imported_items(record.where, record.figure_id, record.extra, problems)
    return msgspec.structs.replace(record, extra=extra, imported=items)


def _record(line: Line) -> FigureRecord:
    fields = Fields(line.where, line.record)
    image = fields.optional_text("image")
    parts = () if image else read_parts(fields)
    return FigureRecord(
        figure_id=fields.text("figure_id"),
        image=parts[0].image if len(parts) == 1 else image,
        images=parts if len(parts) > 1 else (),
        width=fields.size("width"),
        height=fields.size("height"),
        caption=read_caption(fields),
        references=fields.texts("references"),
        source=fields.mapping("source"),
        extra=_unknown(line.record),
        where=line.where,
        revision=_revision(fields),
    )


def _revision(fields: Fields) -> int:
    revision = fields.size("revision") or 1
    if revision > _MOST_REVISIONS:
        raise fields.error("revision", f"holds {revision}, not a whole number from 1 to {_MOST_REVISIONS}")
    return revision


def _unknown(record: Mapping[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in record.items() if key not in _KEYS}
    clashing = record.get(CLASHING)
    if isinstance(clashing, dict):
        extra.update(clashing)
    elif clashing is not None:
        extra[CLASHING] = clashing
    return extra


def _scivqa_record(line: Line) -> FigureRecord:
    fields = Fields(line.where, line.record)
    source, references, extra = scivqa.parts(line)
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
        revision=_revision(fields.inside(ASIDE)),
    )


def _annotated_record(line: Line) -> FigureRecord:
    """Return the figure of a record in MedICaT's annotation layout; its image is named as in the release."""
    figure = medicat.figure_of(Fields(line.where, line.record))
    return FigureRecord(
        figure_id=figure.id,
        image=figure.image or medicat.image_id(figure),
        width=figure.width,
        height=figure.height,
        caption=figure.caption,
        references=figure.references,
        source=figure.source,
        extra=figure.record_keys,
        where=line.where,
        revision=_revision(Fields(line.where, line.record)),
    )


def _release_record(line: Line) -> FigureRecord:
    """Return a record of the MedICaT release: the image is <pdf_hash>_<fig_uri> in the figures folder."""
    fields = Fields(line.where, line.record)
    if line.record.get("pdf_hash") is None or line.record.get("fig_uri") is None:
        raise fields.error("figure_id", "is missing; give a text")
    document, uri = fields.text("pdf_hash"), fields.text("fig_uri")
    source = {"pdf_hash": document, "fig_uri": uri}
    if fields.record.get("fig_key"):
        source["fig_key"] = fields.text("fig_key")
    aside = fields.inside(ASIDE)
    written_here = bool(aside.optional_text("figure_id"))
    check_caption_key(fields, "s2_caption", "s2orc_caption")
    caption = fields.optional_text("s2_caption") or fields.optional_text("s2orc_caption")
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
            **aside.mapping(CLASHING),
        },
        where=line.where,
        revision=_revision(aside),
    )


def figure_record(figure: Figure, *, with_secrets: bool = False) -> dict[str, Any]:
    """Return a stored figure as a record of `figures.jsonl`, always with tokens.

    `revision` is written from the second on: work in other files refers to it by number. with_secrets: keep logins
    and signatures in addresses, for a list that its own author goes on with.
    """
    figure = figure if with_secrets else figure.shareable()
    plain, clashing = written_extra(figure.record_keys, _KEYS)
    record: dict[str, Any] = plain | clashing
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
    if figure.revision > 1:
        record["revision"] = figure.revision
    return record


def release_record(figure: Figure, losses: Losses) -> dict[str, Any]:
    """Return a stored figure as a record of MedICaT's release, with all else under `panelwise`."""
    figure = figure.shareable()
    record, clashing = written_extra(figure.record_keys, _RELEASE_KEYS)
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
    if figure.revision > 1:
        aside["revision"] = figure.revision
        losses.aside("numbers of revisions", key=ASIDE)
    aside |= clashing
    return {
        **medicat.keys_of(figure),
        "s2_caption": figure.caption.text,
        "s2orc_references": list(figure.references),
        **record,
        ASIDE: aside,
    }
