"""MedICaT's annotation layout: the layout of exported gold, and of that dataset's own files.

Only this module uses corner points. A record reads back equal to the gold it was written from: additional keys
(`figure_id`, `image`, `references`, `source`, `provenance`) store what the published layout can't represent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from posixpath import splitext
from typing import Any

from panelwise.domain.addresses import without_secrets
from panelwise.domain.annotation import Annotation, Status, Subfigure, check_subfigures
from panelwise.domain.box import Box, Corners, area_of
from panelwise.domain.caption import Caption, Span
from panelwise.domain.decision import ErrorKind, Gold, GoldSource, Provenance
from panelwise.domain.errors import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import plain
from panelwise.files.jsonl import Fields, Line, Problems, read_each
from panelwise.files.values import as_number, as_whole, first_name, or_none
from panelwise.formats.annotations import UNKNOWN_TIME, read_time, time_text
from panelwise.formats.authors import author_of
from panelwise.formats.captions import CLASHING, check_caption_key, written_extra
from panelwise.formats.content import (
    ONE_ROUNDING,
    Content,
    FlatBox,
    Note,
    check_pixels,
    put_right_box,
    put_right_label,
)
from panelwise.formats.items import items_record, read_items
from panelwise.formats.scivqa import split_items

#: The layout's words for a status (those of the tool that MedICaT was annotated with).
ANSWERS = {Status.ACCEPTED: "accept", Status.REJECTED: "reject", Status.IGNORED: "ignore"}
_STATUS = {answer: status for status, answer in ANSWERS.items()}
_KEYS = {
    *("pdf_hash", "fig_key", "fig_uri", "width", "height", "text", "tokens", "spans", "subfigures", "subcaptions"),
    *("answer", "figure_id", "image", "references", "source", "provenance", "revision", "image_sha256"),
    *("kind", "verdicts", "answers", CLASHING),
}


@dataclass(frozen=True, slots=True)
class RawPart:
    """One subfigure as listed. corners: x0 y0 x1 y1, may lack area. tokens: token positions, may repeat."""

    label: str
    corners: Corners
    tokens: tuple[int, ...]

    @property
    def is_flat(self) -> bool:
        """Return True for a box without area."""
        return not area_of(self.corners) > 0.0

    @property
    def subfigure(self) -> Subfigure:
        """Return the subfigure. Raises InvalidAnnotation for a flat one."""
        return Subfigure(self.label, Box(*self.corners), frozenset(self.tokens))


@dataclass(frozen=True, slots=True)
class Listed:
    """A record's annotation, and its subfigures and subcaptions as listed."""

    annotation: Annotation
    parts: tuple[RawPart, ...]
    subcaptions: tuple[tuple[int, ...], ...]


def gold_record(gold: Gold) -> dict[str, Any]:
    """Return the gold of one figure in MedICaT's annotation layout, with provenance."""
    figure = gold.figure.shareable()
    rectangles = [_rectangle(subfigure, figure.caption) for subfigure in gold.subfigures]
    plain, clashing = written_extra(figure.record_keys, _KEYS)
    record: dict[str, Any] = plain | clashing | keys_of(figure)
    record.update(
        figure_id=figure.id,
        width=figure.width,
        height=figure.height,
        text=figure.caption.text,
        tokens=_tokens(figure.caption),
        spans=rectangles,
        subfigures=rectangles,
        subcaptions={each.label: sorted(each.subcaption) for each in gold.subfigures if each.subcaption},
        answer=ANSWERS[gold.status],
        image=figure.image,
        references=list(figure.references),
        source=dict(figure.source),
        revision=figure.revision,
        image_sha256=figure.image_sha256,
        provenance=provenance_record(gold.provenance),
    )
    record.update(items_record(gold.items))
    return record


def null_references(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of this layout or the release with null for empty references."""
    return {
        key: None if key in ("references", "s2orc_references") and value == [] else value
        for key, value in record.items()
    }


def provenance_record(about: Provenance) -> dict[str, Any]:
    """Return the source of a gold record."""
    return {
        "source": about.source.value,
        "reviewer": about.reviewer,
        "based_on": list(about.based_on),
        "decided_at": time_text(about.decided_at),
        "note": about.note,
        "error_kind": about.error_kind,
        "guideline_flag": about.guideline_flag or None,
        **({"unchanged": True} if about.unchanged else {}),
    }


def read_gold(path: Path, problems: Problems) -> Iterator[Gold]:
    """Yield the gold records of a file; a bad one is a problem and left out, as is a bad box: see `content`."""

    def make(line: Line) -> Gold:
        content = Content(line.where)
        work = _listed(line, "gold", content, flat=False).annotation
        provenance = _provenance(Fields(line.where, line.record))
        gold = Gold(work.figure, work.status, work.subfigures, provenance, work.items)
        content.report(problems, accepted=gold.status is Status.ACCEPTED)
        return gold

    return read_each(path, make, problems)


def read_medicat(path: Path, problems: Problems, *, annotator: str = "gold") -> Iterator[Annotation]:
    """Yield the records as annotations by `annotator` in phase "gold"; repeated labels are allowed.

    An odd value costs itself or its subfigure, never the rest: see `content`. A record's own `annotator` counts.
    """
    return read_each(path, lambda line: medicat_annotation_of(line, annotator, problems), problems)


def medicat_annotation_of(line: Line, annotator: str, problems: Problems) -> Annotation:
    """Return one record as an annotation; see `read_medicat`. Raises AnnotatorError for a bad one."""
    return listed_of(line, annotator, problems, flat=False).annotation


def listed_of(line: Line, annotator: str, problems: Problems, *, flat: bool) -> Listed:
    """Return one record as an annotation, and as listed. flat: list boxes without area too, unnamed."""
    content = Content(line.where)
    listed = _listed(line, annotator, content, flat=flat)
    content.report(problems, accepted=listed.annotation.status is Status.ACCEPTED)
    return listed


def _listed(line: Line, annotator: str, content: Content, *, flat: bool) -> Listed:
    fields = Fields(line.where, line.record)
    figure = figure_of(fields)
    parts, texts = _parts(fields, figure, content, flat=flat)
    annotation = Annotation(
        figure=figure,
        annotator=author_of(line.record) or annotator,
        phase="gold",
        status=read_status(fields),
        subfigures=tuple(part.subfigure for part in parts if not part.is_flat),
        saved_at=_provenance(fields).decided_at,
        items=read_items(fields, content),
        partly_read=content.partly_read,
    )
    return Listed(annotation, tuple(parts), tuple(texts.values()))


def looks_like_medicat(line: Line) -> bool:
    """Return True if a record follows this layout rather than the annotations layout."""
    return "pdf_hash" in line.record and ("subfigures" in line.record or "spans" in line.record)


def keys_of(figure: Figure) -> dict[str, str]:
    """Return pdf_hash, fig_key, fig_uri: the source's own, else made to survive readers that split on `_`."""
    key = figure.id.replace("_", "-")
    made = {
        "pdf_hash": hashlib.sha1((figure.document or figure.id).encode()).hexdigest(),
        "fig_key": key,
        "fig_uri": key + splitext(figure.image)[1],
    }
    given = {name: figure.source.get(name) or figure.extra.get(name) for name in made}
    return {name: without_secrets(str(given[name] or value)) for name, value in made.items()}


def image_id(figure: Figure) -> str:
    """Return the dataset's image name: pdf_hash and fig_uri, joined by an underscore."""
    keys = keys_of(figure)
    return f"{keys['pdf_hash']}_{keys['fig_uri']}"


def _tokens(caption: Caption) -> list[dict[str, Any]]:
    """ws: white space follows the token."""
    text = caption.text + "."  # so that something follows every token
    return [
        {"text": text[start:end], "start": start, "end": end, "id": position, "ws": text[end].isspace()}
        for position, (start, end) in enumerate(caption.ranges)
    ]


def _rectangle(subfigure: Subfigure, caption: Caption) -> dict[str, Any]:
    """text: the words of the subcaption, an added key; its spans are joined by a space."""
    box = subfigure.box
    return {
        "label": subfigure.label,
        "type": "rect",
        "points": [[box.x0, box.y0], [box.x0, box.y1], [box.x1, box.y1], [box.x1, box.y0]],
        "text": caption.text_of(subfigure.subcaption),
    }


def figure_of(fields: Fields) -> Figure:
    """Return the figure of a record. Raises AnnotatorError for a bad one.

    Its pdf_hash, fig_key and fig_uri are stored in the source unless they can be derived from the record.
    """
    width, height = fields.size("width"), fields.size("height")
    if width is None or height is None:
        raise fields.error("width" if width is None else "height", "is missing; give the image's pixels")
    source = fields.mapping("source")
    if fields.record.get("source") is None:
        keys = ("pdf_hash", "fig_key", "fig_uri")
        source = {name: fields.text(name) for name in keys if fields.record.get(name)}
    document, uri = fields.optional_text("pdf_hash"), fields.optional_text("fig_uri")
    check_caption_key(fields, "text")
    text = fields.optional_text("text")
    spans = []
    misplaced: FormatError | None = None
    for entry in fields.objects("tokens"):
        start, end = entry.optional_number("start"), entry.optional_number("end")
        if start is None or end is None or start != int(start) or end != int(end):
            raise entry.error("start", "and end are not whole numbers")
        spans.append(Span(int(start), int(end)))
        said, there = entry.optional_text("text"), text[int(start) : int(end)]
        if misplaced is None and said not in ("", there) and plain(said) != plain(there):
            misplaced = entry.error("text", f'is "{said}", but the caption has "{there}" there')
    unknown = {key: value for key, value in fields.record.items() if key not in _KEYS}
    extra, imported = split_items(fields.where, unknown | fields.mapping(CLASHING))
    figure = Figure(
        id=fields.optional_text("figure_id") or f"{document}_{uri}",
        image=fields.optional_text("image"),
        width=width,
        height=height,
        caption=Caption(text, tuple(spans)) if fields.record.get("tokens") is not None else Caption.cut(text),
        references=fields.texts("references"),
        document=first_name(source.get("document"), source.get("pdf_hash")),
        source=source,
        extra=extra,
        imported=imported,
        revision=fields.size("revision") or 1,
        image_sha256=fields.optional_text("image_sha256"),
    )
    if misplaced is not None:
        raise misplaced
    made = keys_of(figure)
    own = {key: fields.text(key) for key in made if fields.record.get(key) not in (None, "", made[key])}
    return replace(figure, source={**source, **own}) if own else figure


def read_status(fields: Fields) -> Status:
    """Return the status of the record's `answer`; accepted without one. Raises FormatError for an unknown one."""
    answer = fields.optional_text("answer") or "accept"
    if answer not in _STATUS:
        raise fields.error("answer", f'is "{answer}"; give accept, reject or ignore')
    return _STATUS[answer]


def _parts(
    fields: Fields, figure: Figure, content: Content, *, flat: bool
) -> tuple[list[RawPart], dict[str, tuple[int, ...]]]:
    """Read the parts of `subfigures`, or of `spans` without it, and the subcaptions. flat: see `listed_of`."""
    key = "subfigures" if fields.record.get("subfigures") is not None else "spans"
    if fields.record.get(key) is None and read_status(fields) is Status.ACCEPTED:
        raise fields.error("subfigures", 'is missing, and "spans" too; is it a file of another layout?')
    texts = _subcaptions(fields, content)
    labels: set[str] = set()

    def read(entry: Fields, _place: int) -> RawPart:
        def note(text: str) -> None:
            content.note(entry.where, text)

        label = put_right_label(entry.text("label"), note)
        labels.add(label)
        part = RawPart(label, put_right_box(_corners(entry, note), figure, note), texts.get(label, ()))
        if not part.is_flat:
            check_subfigures(figure, [part.subfigure])
        elif not flat:
            raise FlatBox(str(entry.error("points", f'of subfigure "{label}" have zero area')))
        return part

    parts = content.read_list(fields, key, "subfigure", read)
    check_pixels(fields, key, [part.corners for part in parts], figure)
    orphan, kind = (content.leave_out, "subcaption") if fields.record.get(key) else (content.refuse, "text")
    for label in [label for label, tokens in texts.items() if tokens and label not in labels]:
        if not (flat and parts) and read_status(fields) is Status.ACCEPTED:
            orphan(kind, fields.error(f"subcaptions.{label}", "has no box; draw it, or remove the words"))
    return parts, texts


def _subcaptions(fields: Fields, content: Content) -> dict[str, tuple[int, ...]]:
    """Return label -> positions of its tokens, as listed, of empty ones and ones without a box too."""
    ids = _token_ids(fields)
    found = {}
    for label, tokens in fields.mapping("subcaptions").items():
        try:
            if tokens is not None:
                found[label.strip()] = _positions(fields, label, tokens, ids)
        except AnnotatorError as error:
            content.refuse("subcaption", error)
        else:
            if tokens:
                content.accept("subcaption")
    return found


def _positions(fields: Fields, label: str, tokens: Any, ids: Mapping[int, int]) -> tuple[int, ...]:
    """Return positions of tokens, as listed. ids: token id -> position."""
    numbers = [or_none(as_whole, token) for token in tokens] if isinstance(tokens, list) else [None]
    if None in numbers:
        raise fields.error(f"subcaptions.{label}", "is not a list of token ids")
    unknown = [number for number in numbers if number not in ids]
    if unknown:
        raise InvalidAnnotation(f'token {unknown[0]} of {len(ids)} in subcaption "{label}"; re-import the caption')
    return tuple(ids[number] for number in numbers if number is not None)


def _token_ids(fields: Fields) -> dict[int, int]:
    """Return token id -> position; an id may differ from it. Raises FormatError for a repeated id."""
    found: dict[int, int] = {}
    for at, entry in enumerate(fields.objects("tokens")):
        number = entry.whole("id")
        if found.setdefault(at if number is None else number, at) != at:
            raise entry.error("id", f"is {number}, as of an earlier token; give each its own")
    return found


def _corners(entry: Fields, note: Note) -> Corners:
    """Return the upright rectangle around a subfigure's points, with a note where they form another shape."""
    points = [_point(entry, value) for value in entry.required_list("points")]
    if len(points) < 2:
        raise entry.error("points", "is not a list of corner points [x, y]")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    corners = x0, y0, x1, y1 = (min(xs), min(ys), max(xs), max(ys))
    inward = [min(x - x0, x1 - x) for x in xs] + [min(y - y0, y1 - y) for y in ys]
    # Points at corners alone may form a triangle: each corner needs one, unless two points are a diagonal.
    away = [
        min(max(abs(x - side), abs(y - end)) for x, y in zip(xs, ys, strict=True))
        for side in (x0, x1)
        for end in (y0, y1)
    ]
    if max(inward) > ONE_ROUNDING or (len(points) > 2 and max(away) > ONE_ROUNDING):
        note("its points form no upright rectangle; read as the one around them")
    return corners


def _point(entry: Fields, value: Any) -> tuple[float, float]:
    try:
        x, y = map(as_number, value if isinstance(value, list) else ())
    except ValueError:  # of another length, too
        x = y = None
    if x is None or y is None:
        raise entry.error("points", "is not a list of corner points [x, y]")
    return float(x), float(y)


def _provenance(fields: Fields) -> Provenance:
    """Return the record's provenance; the dataset's own records have none: one annotator's work, undated."""
    entry = fields.inside("provenance")
    if not fields.has_content("provenance"):
        return Provenance(GoldSource.SINGLE, "", (), UNKNOWN_TIME)
    return Provenance(
        source=entry.choice("source", GoldSource),
        reviewer=entry.optional_text("reviewer"),
        based_on=entry.texts("based_on"),
        decided_at=read_time(entry, "decided_at"),
        note=entry.optional_text("note"),
        error_kind=_error_kind(entry),
        guideline_flag=entry.optional_text("guideline_flag"),
        unchanged=entry.flag("unchanged", default=False),
    )


def source_of_line(line: Line) -> GoldSource | None:
    """Return the source of a gold record; None without one, as in the dataset's own."""
    fields = Fields(line.where, line.record)
    return fields.inside("provenance").choice("source", GoldSource) if fields.has_content("provenance") else None


def _error_kind(entry: Fields) -> ErrorKind | None:
    text = entry.optional_text("error_kind")
    try:
        return ErrorKind(text) if text else None
    except ValueError:
        raise entry.error("error_kind", f'is "{text}"; give {", ".join(ErrorKind)} or null') from None
