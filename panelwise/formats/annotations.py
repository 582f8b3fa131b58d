"""`annotations.jsonl`: one line per figure, annotator and phase. Predictions have the same layout, with scores."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import UNSET, Raw

from panelwise.domain.annotation import UNKNOWN_TIME as UNKNOWN_TIME
from panelwise.domain.annotation import Annotation, Panel, Prediction, Status, Subfigure, check_subfigures, letters
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption, Ranges, Span
from panelwise.domain.errors import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.domain.figure import UNKNOWN_SIZE, Figure
from panelwise.files.jsonl import (
    REFUSALS,
    Fields,
    Line,
    Made,
    Problems,
    decode_line,
    raw_lines,
    read_lines,
    signs_of_keys,
    typed_lines,
)
from panelwise.files.parquet import is_parquet
from panelwise.files.seen_ids import SeenWork, repeated_work
from panelwise.files.values import first_name
from panelwise.formats.captions import caption_of, words_at
from panelwise.formats.content import (
    Content,
    FlatBox,
    check_pixels,
    put_right_box,
    put_right_label,
    put_right_score,
    put_right_span,
)
from panelwise.formats.items import items_of, items_record
from panelwise.formats.shapes import Drawn, Part, Record, decoded_record, values_of
from panelwise.formats.typed_fields import as_struct, shaped

#: Phase of predictions, which belong to no annotation round.
PREDICTION_PHASE = "prediction"
#: Phase of work whose record does not name one.
DEFAULT_PHASE = "1"
_KEYS, _SUBFIGURE_KEYS = set(Record.__struct_fields__), set(Part.__struct_fields__)
#: Kind of content and its key -> names under which others may write it; it is not read by them.
_OTHER_NAMES = {
    ("subfigure", "subfigures"): ("panels", "subfigure", "boxes", "regions"),
    ("figure type", "kind"): ("kinds", "figure_kind"),
    ("verdict", "verdicts"): ("verdict", "judgements", "judgments"),
    ("answer", "answers"): ("human_answers",),
}
_OTHER_TEXT_NAMES = ("spans", "subcaptions", "text", "tokens", "words", "caption")
_decode_ranges = msgspec.json.Decoder(Ranges | None).decode
#: The figures last read, by their content.
RecentFigures = OrderedDict[object, Figure]
_FIGURES_KEPT = 1024
Work = TypeVar("Work", Annotation, Prediction)


class _Submitted(Protocol):
    """Work on a figure by an annotator in a phase."""

    @property
    def figure(self) -> Figure: ...
    @property
    def annotator(self) -> str: ...
    @property
    def phase(self) -> str: ...
    @property
    def saved_at(self) -> datetime: ...


OfPerson = TypeVar("OfPerson", bound=_Submitted)
#: Returns the figure of a record without size or caption, from its id and its revision if it names one. None: the
#: caller leaves the record out, so its spans are not resolved. It may raise AnnotatorError.
FigureLookup = Callable[[str, int | None], Figure | None]
#: Figure, caption, width and height: all that a record shows of a revision, but for its number.
Sight = tuple[str, str, float, float]


@dataclass(frozen=True, slots=True)
class PlainLine:
    """One plainly written record, and its place ("file:line"). written: it as decoded, if keys may be unknown."""

    where: str
    record: Record
    written: Mapping[str, Any] = field(default_factory=dict)


#: A record as it was decoded, or as a struct.
AnyLine = Line | PlainLine


def work_line(where: str, raw: bytes, problems: Problems) -> AnyLine | None:
    """Return the record of one line, typed if it is plainly written; None, and a problem, without an object."""
    record = decoded_record(raw)
    plain = record is not None and _has_plain_tokens(record)
    if record is not None and plain and signs_of_keys(raw) == values_of(record):
        problems.where = where
        return PlainLine(where, record)
    line = decode_line(where, raw, problems)
    return PlainLine(where, record, line.record) if record is not None and plain and line is not None else line


def _has_plain_tokens(record: Record) -> bool:
    try:
        _ranges_in(bytes(record.tokens or b"null"))
    except REFUSALS:
        return False
    return True


@lru_cache(maxsize=_FIGURES_KEPT)
def _ranges_in(tokens: bytes) -> Ranges | None:
    """Return tokens as (start, end) pairs; None for null. Raises what decoding raises."""
    ranges: Ranges | None = _decode_ranges(tokens)
    return ranges


def _fields(line: AnyLine) -> Fields:
    """Return a record's fields, for the messages alone of a plainly written one: it has no odd value."""
    return Fields(line.where, {} if isinstance(line, PlainLine) else line.record)


def read_works(
    path: Path, make: Callable[[AnyLine, RecentFigures, Problems], Made], problems: Problems
) -> Iterator[Made]:
    """Yield what `make` makes of each record of JSON lines, or of a Parquet table; a bad one is a problem.

    make: gets the figures of earlier lines, and raises AnnotatorError for a bad record.
    """
    figures: RecentFigures = OrderedDict()
    lines = (work_line(where, raw, problems) for where, raw in raw_lines(path, problems))
    for line in read_lines(path, problems) if is_parquet(path) else lines:
        made = None if line is None else read_or_report(make, line, figures, problems)
        if made is not None:
            yield made


def read_annotations(
    path: Path, problems: Problems, unknown: Counter[str] | None = None, lookup: FigureLookup | None = None
) -> Iterator[Annotation]:
    """Yield the annotations of a file. A bad record is a problem and left out.

    An odd value costs itself or its subfigure, never the rest: see `content`. Consecutive annotations of one
    figure share one Figure object. Its image is "" and its references are empty, since the layout has neither.
    unknown: counts records with unknown keys, by key. lookup: gives sizes and captions that records lack.
    """
    for annotation, _ in read_numbered(path, problems, unknown, lookup):
        yield annotation


def read_numbered(
    path: Path, problems: Problems, unknown: Counter[str] | None = None, lookup: FigureLookup | None = None
) -> Iterator[tuple[Annotation, bool]]:
    """Yield the annotations, each with whether its record has a figure revision; else the revision is 1."""

    def make(line: AnyLine, figures: RecentFigures, problems: Problems) -> tuple[Annotation, bool]:
        annotation = annotation_of(line, figures, problems, lookup)
        if isinstance(line, PlainLine):
            written, revision = line.written, line.record.revision
        else:
            written, revision = line.record, line.record.get("revision")
        if unknown is not None:
            unknown.update(_unknown(written))
        return annotation, revision is not None

    return read_works(path, make, problems)


def each_once(work: Iterable[OfPerson], problems: Problems) -> Iterator[OfPerson]:
    """Yield the work of a file; what is there before, saved at the same time, is a problem and left out."""
    seen = SeenWork()
    for each in work:
        place = (each.figure.id, each.annotator, each.phase)
        earlier = seen.earlier(*place, each.figure.revision, each.saved_at, problems.where)
        if earlier is not None and earlier.same_time:
            problems.add(f"{problems.where}: {repeated_work(*place, earlier)}; kept the first")
        else:
            yield each


def read_or_report(
    make: Callable[[AnyLine, RecentFigures, Problems], Made],
    line: AnyLine,
    figures: RecentFigures,
    problems: Problems,
) -> Made | None:
    """Return what `make` makes of a record; None, and a problem, if it is bad. figures: of earlier lines."""
    try:
        return make(line, figures, problems)
    except AnnotatorError as error:
        problems.add(error, line.where)
    return None


def read_predictions(path: Path, problems: Problems, lookup: FigureLookup | None = None) -> Iterator[Prediction]:
    """Yield predictions in the annotations layout: `annotator` is the model's version, each subfigure has a
    `score`.

    A person's annotation (with `saved_at`, or subfigures without scores) is a bad record here. lookup: gives sizes
    and captions that records lack.
    """
    return read_works(path, partial(prediction_of, lookup=lookup), problems)


def annotation_of(
    line: AnyLine, figures: RecentFigures, problems: Problems, lookup: FigureLookup | None = None
) -> Annotation:
    """Return one record's annotation. figures: those of earlier lines. problems: of what is left out of it.

    lookup: gives size and caption if the record lacks them. Raises AnnotatorError for a bad record, and for one of
    which nothing could be read.
    """
    return listed_annotation_of(line, figures, problems, lookup, flat=False)[0]


def listed_annotation_of(
    line: AnyLine, figures: RecentFigures, problems: Problems, lookup: FigureLookup | None = None, *, flat: bool
) -> tuple[Annotation, list[Panel]]:
    """Return one record's annotation, and its subfigures as listed.

    flat: keep boxes without area among these, and list a token's id for every span that covers it.
    """
    fields, content = _fields(line), Content(line.where)
    _refuse_other_names(line, content)
    record = line.record if isinstance(line, PlainLine) else as_struct(fields, Record)
    figure = _figure(record, fields, figures, lookup)
    parts = _parts(record, fields, figure, content, flat=flat, scored=False)
    annotation = Annotation(
        figure=figure,
        annotator=record.annotator,
        phase=DEFAULT_PHASE if record.phase is None else str(record.phase),
        status=record.status or Status.ACCEPTED,
        subfigures=tuple([part.subfigure for part in parts if not part.is_flat]),
        saved_at=UNKNOWN_TIME if record.saved_at is None else time_of(fields, "saved_at", record.saved_at),
        items=items_of(record, fields, content),
        seeded_by=record.seeded_by or None,
        guideline=record.guideline or "",
        seconds=_seconds(record.seconds, line.where, content),
        reason=record.reason or "",
        viewed=None if record.viewed is None else tuple(record.viewed),
        unchanged=bool(record.unchanged),
        partly_read=bool(record.partly_read) or content.partly_read,
    )
    content.report(problems, accepted=annotation.status is Status.ACCEPTED)
    return annotation, parts


def _seconds(seconds: float | None, where: str, content: Content) -> float | None:
    """Return how long the work took; None, with a note, for a time below 0, as of a clock that was set back."""
    if seconds is None or seconds >= 0:
        return seconds
    content.note(where, f'"seconds" is {seconds:g}, which is no time; read as unknown')
    return None


class _Numbered(msgspec.Struct, gc=False):
    """The part of a record that identifies its figure revision, and whether another one looks the same."""

    figure_id: str
    revision: int
    width: float
    height: float
    caption: str | None = None

    @property
    def sight(self) -> Sight:
        return (self.figure_id, self.caption or "", self.width, self.height)


def sight_of(figure: Figure) -> Sight:
    """Return a figure's key in the result of `revisions_alike`."""
    return (figure.id, figure.caption.text, figure.width, figure.height)


def revisions_alike(path: Path) -> dict[Sight, set[int]]:
    """Return the revision numbers of figures whose revisions in a file differ in nothing but the number.

    They have one caption and size: the image was replaced. Reads the file up to twice; empty for a pipe, which
    cannot be read again.
    """
    if not path.is_file():
        return {}
    later = {each.sight for each in typed_lines(path, _Numbered) if each.revision > 1}
    found: dict[Sight, set[int]] = {}
    if later:
        for each in typed_lines(path, _Numbered):
            if each.sight in later:
                found.setdefault(each.sight, set()).add(each.revision)
    return {sight: numbers for sight, numbers in found.items() if len(numbers) > 1}


def prediction_of(
    line: AnyLine, figures: RecentFigures, problems: Problems, lookup: FigureLookup | None = None
) -> Prediction:
    """Return one record's prediction; see `annotation_of`."""
    return listed_prediction_of(line, figures, problems, lookup, flat=False)[0]


def listed_prediction_of(
    line: AnyLine, figures: RecentFigures, problems: Problems, lookup: FigureLookup | None = None, *, flat: bool
) -> tuple[Prediction, list[Panel]]:
    """Return one record's prediction, and its subfigures as listed; see `listed_annotation_of`."""
    fields, content = _fields(line), Content(line.where)
    saved_at = line.record.saved_at if isinstance(line, PlainLine) else line.record.get("saved_at")
    if saved_at is not None:
        raise fields.error("saved_at", "is of people's annotations, not of predictions; give those as annotations")
    _refuse_other_names(line, content)
    record = line.record if isinstance(line, PlainLine) else as_struct(fields, Drawn)
    figure = _figure(record, fields, figures, lookup)
    listed = _parts(record, fields, figure, content, flat=flat, scored=True)
    parts = [part for part in listed if not part.is_flat]
    scores = [part.score for part in parts if part.score is not None]
    if len(scores) < len(parts):
        raise fields.error("subfigures", "lack a score, as people's annotations do; give each a score from 0 to 1")
    prediction = Prediction(
        figure=figure,
        model_version=record.annotator,
        subfigures=tuple([part.subfigure for part in parts]),
        scores=tuple(scores),
        items=items_of(record, fields, content),
    )
    content.report(problems)
    return prediction, listed


def _refuse_other_names(line: AnyLine, content: Content) -> None:
    """Refuse content that stands under another key than its own, where that one is missing or empty.

    It would pass for work without boxes, words, verdicts or answers.
    """
    written = line.written if isinstance(line, PlainLine) else line.record
    if not written:
        return
    places = [("", kind, key, others, written) for (kind, key), others in _OTHER_NAMES.items()]
    parts = written.get("subfigures")
    for place, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, dict):
            places.append((f"subfigures[{place}].", "span", "subcaption", _OTHER_TEXT_NAMES, part))
    for prefix, kind, key, others, holder in places:
        other = next((name for name in others if holder.get(name)), None)
        if other is not None and not holder.get(key):
            content.refuse(kind, FormatError(f'{line.where}: "{prefix}{other}" is not read; name it "{key}"'))


def _unknown(record: Mapping[str, Any]) -> set[str]:
    """Return the keys that annotations do not have. record: one that was read, empty if it has no such keys."""
    found = set(record.keys() - _KEYS)
    for part in record.get("subfigures", ()):
        if isinstance(part, dict) and not part.keys() <= _SUBFIGURE_KEYS:
            found.update(f"subfigures.{key}" for key in part.keys() - _SUBFIGURE_KEYS)
    return found


def annotation_record(annotation: Annotation) -> dict[str, Any]:
    """Return one annotation as a record, without unknown values (source prediction, time spent)."""
    record = _head(annotation.figure, annotation.annotator, annotation.phase)
    record["revision"] = annotation.figure.revision
    record["status"] = annotation.status.value
    record["subfigures"] = [_subfigure_record(annotation.figure, each) for each in annotation.subfigures]
    record["saved_at"] = time_text(annotation.saved_at)
    record.update(items_record(annotation.items))
    known = {
        "seeded_by": annotation.seeded_by,
        "guideline": annotation.guideline or None,
        "seconds": annotation.seconds,
        "reason": annotation.reason or None,
        "viewed": None if annotation.viewed is None else list(annotation.viewed),
        "unchanged": annotation.unchanged or None,
        "partly_read": annotation.partly_read or None,
    }
    return record | {key: value for key, value in known.items() if value is not None}


def prediction_record(prediction: Prediction) -> dict[str, Any]:
    """Return one prediction as a record, with a score per subfigure."""
    record = _head(prediction.figure, prediction.model_version, PREDICTION_PHASE)
    record["status"] = Status.ACCEPTED.value
    record["subfigures"] = [
        {**_subfigure_record(prediction.figure, subfigure), "score": score}
        for subfigure, score in zip(prediction.subfigures, prediction.scores, strict=True)
    ]
    record.update(items_record(prediction.items))
    return record


def fitted(work: Work, figure: Figure, where: str, problems: Problems) -> Work:
    """Return work whose record gives no size of the image, without the boxes that leave the figure's image.

    where: the record's place. Raises FormatError if all do.
    """
    if work.figure.sized:
        return work
    check_pixels(Fields(where, {}), "subfigures", [each.box.corners for each in work.subfigures], figure)
    content, kept = Content(where), {}
    for place, subfigure in enumerate(work.subfigures):
        corners = put_right_box(subfigure.box.corners, figure, lambda text: content.note(where, text))
        try:
            moved = replace(subfigure, box=Box(*corners))
            check_subfigures(replace(work.figure, width=figure.width, height=figure.height), [moved])
        except InvalidAnnotation as error:
            content.refuse("subfigure", error)
        else:
            content.accept("subfigure")
            kept[place] = moved
    content.report(problems, accepted=not isinstance(work, Annotation) or work.status is Status.ACCEPTED)
    if isinstance(work, Annotation):
        partly_read = work.partly_read or content.partly_read
        return replace(work, subfigures=tuple(kept.values()), partly_read=partly_read)
    return replace(work, subfigures=tuple(kept.values()), scores=tuple(work.scores[place] for place in kept))


def rebased(annotation: Annotation, figure: Figure) -> Annotation:
    """Return the annotation on a stored figure. Token ids are mapped to the store's tokens by their spans.

    Raises InvalidAnnotation if caption or size differ: spans and boxes would be misplaced.
    """
    return replace(annotation, figure=figure, subfigures=_on(figure, annotation))


def rebased_prediction(prediction: Prediction, figure: Figure) -> Prediction:
    """Return the prediction on a stored figure; see `rebased`."""
    return replace(prediction, figure=figure, subfigures=_on(figure, prediction))


def check_same_figure(found: Figure, stored: Figure) -> None:
    """Raise InvalidAnnotation unless captions are equal, and sizes where both are known."""
    if found.caption.text != stored.caption.text:
        raise InvalidAnnotation(
            f'figure "{found.id}": the caption differs from the stored one; re-import the figure with this caption'
        )
    if found.sized and (found.width, found.height) != (stored.width, stored.height):
        raise InvalidAnnotation(
            f'figure "{found.id}": made on an image of {found.width} x {found.height} pixels, the stored one has '
            f"{stored.width} x {stored.height}; re-import the figure with this image"
        )


def time_text(moment: datetime) -> str:
    """Return a UTC time as ISO 8601 ending in Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_time(fields: Fields, key: str) -> datetime:
    """Return a time in ISO 8601 with its zone, as UTC."""
    return time_of(fields, key, fields.text(key))


def time_of(fields: Fields, key: str, text: str) -> datetime:
    """Return a time as `read_time` does, from the value of a key."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise fields.error(key, f'holds "{text}", not a time such as 2026-11-21T10:00:00Z') from None
    if moment.tzinfo is None:
        raise fields.error(key, f'holds "{text}" without a zone; end it in Z')
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise fields.error(key, f'holds "{text}", beyond the calendar') from None


def _on(target: Figure, work: Annotation | Prediction) -> tuple[Subfigure, ...]:
    check_same_figure(work.figure, target)
    ours, theirs = target.caption, work.figure.caption
    if ours.tokens == theirs.tokens:
        return work.subfigures
    return tuple(
        replace(each, subcaption=ours.tokens_in(theirs.spans_of(each.subcaption))) for each in work.subfigures
    )


def _head(figure: Figure, annotator: str, phase: str) -> dict[str, Any]:
    return {
        "figure_id": figure.id,
        "annotator": annotator,
        "phase": phase,
        "status": "",
        **({"width": figure.width, "height": figure.height} if figure.sized else {}),
        "caption": figure.caption.text,
        "tokens": figure.caption.ranges,
    }


def _subfigure_record(figure: Figure, subfigure: Subfigure) -> dict[str, Any]:
    spans = figure.caption.spans_of(subfigure.subcaption)
    return {
        "label": subfigure.label,
        "box": subfigure.box.as_list(),
        "subcaption": [[span.start, span.end] for span in spans],
    }


def _figure(record: Drawn, fields: Fields, kept: RecentFigures, lookup: FigureLookup | None) -> Figure:
    """Return the figure of a record: the same object for records that say the same of it."""
    if fields.record or record.width is None or record.caption is None:
        return _kept(kept, _figure_of(record, fields, lookup))
    # What is written alike need not be decoded again.
    tokens = bytes(record.tokens or b"")
    said = (
        record.figure_id,
        record.width,
        record.height,
        record.caption,
        tokens,
        record.document,
        record.revision,
    )
    figure = kept.get(said)
    if figure is None:
        figure = kept[said] = _kept(kept, _figure_of(record, fields, lookup))
    return figure


def _kept(kept: RecentFigures, figure: Figure) -> Figure:
    """Return the equal figure that is kept, else keep this one."""
    key = (figure.id, figure.width, figure.height, figure.caption, figure.document, figure.revision)
    while len(kept) > _FIGURES_KEPT:
        kept.popitem(last=False)
    return kept.setdefault(key, figure)


def _figure_of(record: Drawn, fields: Fields, lookup: FigureLookup | None) -> Figure:
    width, height = record.width, record.height
    if (width is None) != (height is None):
        raise fields.error("width" if width is None else "height", "is missing; give both sides, or neither")
    lacks = width is None or record.caption is None
    there = lookup(record.figure_id, record.revision) if lookup is not None and lacks else None
    caption = _caption(record, fields, there, strict=lookup is None)
    if width is None or height is None:
        # A size belongs to a revision: on another caption it may be another one.
        same = there is not None and there.caption.text == caption.text
        width, height = (there.width, there.height) if there and same else (UNKNOWN_SIZE, UNKNOWN_SIZE)
    document, revision = first_name(record.document), record.revision or 1
    return Figure(record.figure_id, "", width, height, caption, document=document, revision=revision)


def _caption(record: Drawn, fields: Fields, there: Figure | None, *, strict: bool) -> Caption:
    """Return the caption of a record, if it has none that of `there`, the known figure.

    Without both it is placeholder letters under the spans; strict: raises FormatError instead if there are any.
    """
    ranges = _ranges(record, fields)
    if record.caption is not None or (ranges is not None and there is None):
        return caption_of(fields, record.caption, ranges)
    if there is not None:
        return there.caption if ranges is None else caption_of(fields, there.caption.text, ranges)
    spans = [span for entry in fields.objects("subfigures") for span in entry.ranges("subcaption")]
    spans += [span for part in record.subfigures if isinstance(part, Part) for span in part.subcaption or ()]
    if spans and strict:
        raise fields.error("caption", "is missing, so subcaptions can't be read; add the figure's caption")
    return Caption.cut(words_at(fields, "subfigures", spans))


def _ranges(record: Drawn, fields: Fields) -> Ranges | None:
    """Return a record's tokens; None without any."""
    tokens = record.tokens
    if isinstance(tokens, Raw):
        return _ranges_in(bytes(tokens))
    return None if tokens in (None, UNSET) else tuple(fields.ranges("tokens"))


def _parts(
    record: Drawn, fields: Fields, figure: Figure, content: Content, *, flat: bool, scored: bool
) -> list[Panel]:
    """Read the subfigures. flat: keep boxes without area. scored: check the scores, which are a model's."""
    free = letters()

    def read(value: Any, place: int) -> Panel:
        letter = next(free)
        part = shaped(value, Part, fields, "subfigures", place)
        return _part(part, place, letter, fields, figure, content, flat=flat, scored=scored)

    parts = content.read_values(record.subfigures, "subfigure", read)
    check_pixels(fields, "subfigures", [part.box for part in parts], figure)
    return parts


def _part(
    part: Part,
    place: int,
    letter: str,
    fields: Fields,
    figure: Figure,
    content: Content,
    *,
    flat: bool,
    scored: bool,
) -> Panel:
    def note(text: str) -> None:
        content.note(fields.where, text)

    def span(pair: Any, position: int) -> Span:
        start, end = (
            pair if type(pair) is tuple else fields.range(f"subfigures[{place}].subcaption", position, pair)
        )
        try:
            return put_right_span(start, end, len(figure.caption.text), note)
        except InvalidAnnotation as error:
            raise FormatError(f'{fields.where}: subfigure "{label}": {error}') from None

    label = letter if part.label is None else put_right_label(part.label, note)
    x0, y0, x1, y1 = part.box
    corners, score = put_right_box((x0, y0, x1, y1), figure, note), part.score
    spans = content.read_values(part.subcaption, "span", span) if part.subcaption else ()
    if scored and score is not None:
        score = put_right_score(score, note)
    caption = figure.caption
    panel = Panel(corners, caption.listed_in(spans) if flat else caption.tokens_in(spans), label, score)
    if not panel.is_flat:
        check_subfigures(figure, [panel.subfigure])
    elif not flat:
        raise FlatBox(str(fields.error(f"subfigures[{place}].box", f'of subfigure "{label}" has zero area')))
    return panel
