"""Read submitted work from Label Studio: which annotation of a task counts, and its regions.

Everything is checked: regions can be changed through the API, or drawn on an image or caption that was replaced
since.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from annotator.annotation_server import Pulled, Submitted
from annotator.label_studio.answers import account, part, parts, regions
from annotator.label_studio.payload.figures import from_percent
from annotator.label_studio.payload.items import UNANSWERED, ItemsReading, listed
from label_config import names
from panelwise.domain import (
    NO_ITEMS,
    Annotation,
    Box,
    Figure,
    FigureKind,
    InvalidAnnotation,
    Items,
    NoArea,
    Phase,
    Span,
    Status,
    Subfigure,
    SyncError,
    repeated_labels,
)
from panelwise.files import Fields, as_number, as_whole, is_missing, or_none
from panelwise.formats import UNKNOWN_TIME, Content, put_right_label, put_right_span

#: Reasons that a refusal lists.
_LISTED = 3
#: Larger times are milliseconds: seconds of the year 5138.
_SECONDS = 100_000_000_000
_SPACE = re.compile(r"\\n|\s+")


def submitted(task: Mapping[str, Any], *, owner: int | None = None) -> Submitted[Mapping[str, Any]]:
    """Return the task's annotation that counts: the latest of the account `owner`.

    owner: None if no account is known as the annotator's; then the latest of any account counts.
    """
    records = parts(task, "annotations")
    own = [record for record in records if owner is None or account(record) == owner]
    chosen = max(own, key=lambda record: (moment(record), record.get("id") or 0), default=None)
    accounts = tuple(dict.fromkeys(account(record) for record in records))
    return Submitted(chosen, len(records) - (chosen is not None), accounts)


def pulled(
    task: Mapping[str, Any],
    record: Mapping[str, Any],
    figure: Figure,
    *,
    annotator: str,
    phase: Phase,
    guideline: str = "",
) -> Pulled:
    """Convert one of the server's annotations.

    task: with `data` and `predictions`. record: one of its annotations. A span with a label that has no box, a box
    or span without a label or that doesn't fit, and a region of an unknown control are left out, each with a line
    in `left_out`. Two boxes with one label both get the label's spans, which is a finding. Raises
    InvalidAnnotation, which names figure and annotator, if caption, image or pairs don't fit the figure, or if
    nothing of the boxes, of the text or of the answers could be read.
    """
    where = f'figure "{figure.id}", annotator "{annotator}"'
    draws = phase.kind.drawn
    try:
        check_caption(task, figure)
        reading = _Reading(figure, phase) if draws else ItemsReading(figure, task, phase)
        _take_each(reading, regions(record))
        skipped = Fields(where, record).flag("was_cancelled", default=False)
        subfigures, items = reading.content(skipped=skipped)
        annotation = Annotation(
            figure=figure,
            annotator=annotator,
            phase=phase.name,
            status=Status.IGNORED if skipped else reading.status,
            subfigures=subfigures,
            items=items,
            saved_at=moment(record),
            seeded_by=_seed(task, record, draws=draws),
            guideline=guideline,
            seconds=seconds_of(record.get("lead_time")),
            partly_read=any(kind != UNANSWERED for kind in reading.read.missing),
        )
        if annotation.status is Status.ACCEPTED:
            _check_read(annotation, reading.read)
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"{where}: {error}") from error
    return Pulled(
        annotation,
        tuple(f"{where}: {finding}" for finding in reading.findings),
        tuple(f"{where}: {loss}" for _, loss in reading.read.lost),
    )


def _take_each(reading: _Reading | ItemsReading, listed: Sequence[Any]) -> None:
    """Add all regions; a box or span that is there before is left out."""
    seen: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for region in listed:
        if not isinstance(region, Mapping):
            reading.read.leave_out("region", f"a region that is no object is left out: {region!r:.80}")
            continue
        number, control = region.get("id"), str(region.get("from_name"))
        if number and control in (names.SUBFIGURE, names.SUBCAPTION):
            earlier = seen.setdefault((str(number), control), [])
            if region in earlier:
                reading.findings.append(f'region "{number}" is there twice; it is read once')
                continue
            if earlier:
                reading.findings.append(f'two regions have the id "{number}"; both are read')
            earlier.append(region)
        reading.take(region)


def _check_read(annotation: Annotation, read: Content) -> None:
    """Raise InvalidAnnotation if nothing of the work, or of a kind of it, was read: it would pass for empty."""
    bare = not annotation.subfigures and annotation.items in (NO_ITEMS, Items(FigureKind()))
    unread = read.unread()
    lines = [line for kind, line in read.lost if kind != UNANSWERED] if bare else unread[1] if unread else []
    if lines := list(dict.fromkeys(lines)):
        more = f" (and {len(lines) - _LISTED} more)" if len(lines) > _LISTED else ""
        raise InvalidAnnotation(f"left out, since none of it could be read: {'; '.join(lines[:_LISTED])}{more}")


class _Reading:
    """The regions of one annotation while they are read."""

    def __init__(self, figure: Figure, phase: Phase) -> None:
        self.figure = figure
        self._single_span = phase.single_span
        self.boxes: list[tuple[str, Box]] = []
        self.spans: dict[str, list[Span]] = {}
        self.status = Status.ACCEPTED
        self.findings: list[str] = []
        self.read = Content()
        self.unknown_choice = ""

    def take(self, region: Mapping[str, Any]) -> None:
        """Add one region. Raises InvalidAnnotation if it shows that the image is another one."""
        control = region.get("from_name")
        value = region.get("value")
        kind = {names.SUBFIGURE: "box", names.SUBCAPTION: "span"}.get(str(control), "region")
        try:
            if not isinstance(value, Mapping):
                line = f'a region of kind "{region.get("type")}" is left out; the campaign has no such'
                (self.read.leave_out if kind == "region" else self.read.refuse)(kind, line)
            elif control == names.SUBFIGURE:
                self._take_box(region, value)
                self.read.accept(kind)
            elif control == names.SUBCAPTION:
                self._take_span(value)
                self.read.accept(kind)
            elif control == names.STATUS:
                self._take_status(value)
            else:
                self._take_unknown(control, value)
        except _Unreadable as error:
            self.read.refuse(kind, error)

    def _take_unknown(self, control: object, value: Mapping[str, Any]) -> None:
        line = f'a region of control "{control}" is left out; the campaign\'s config has no such'
        if "x" in value or "start" in value:
            self.read.refuse("box" if "x" in value else "span", line)
        else:
            self.read.leave_out("region", line)

    def content(self, *, skipped: bool) -> tuple[tuple[Subfigure, ...], Items]:
        """Return the boxes with their labels' tokens, in the order drawn; unusual things become findings."""
        self._leave_out_fractions()
        drawn = {label for label, _ in self.boxes}
        for label, spans in self.spans.items():
            if label not in drawn:
                self.read.leave_out(
                    "span",
                    f'label "{label}" has {len(spans)} span(s) in the caption but no box, so it is left out: '
                    f'"{self._quoted(spans[0])}"; draw its box, or remove the span',
                )
            elif self._single_span and len(spans) > 1:
                self.findings.append(
                    f'label "{label}" has {len(spans)} spans; this phase asks for one if possible'
                )
        found = tuple(
            Subfigure(label, box, self.figure.caption.tokens_in(self.spans.get(label, ())))
            for label, box in self.boxes
        )
        if self.unknown_choice and found:
            self.findings.append(f"{self.unknown_choice}; the figure counts as accepted")
        elif self.unknown_choice:
            self.read.leave_out("choice", self.unknown_choice)
        for label in repeated_labels(found):
            self.findings.append(
                f'label "{label}" is on more than one box; gold needs a label of its own for each'
            )
        return found, NO_ITEMS

    def _leave_out_fractions(self) -> None:
        """Leave out the boxes if all lie within the image's first percent, as fractions of it do."""
        right, bottom = self.figure.width / 100, self.figure.height / 100
        if self.boxes and all(box.x1 <= right and box.y1 <= bottom for _, box in self.boxes):
            self.boxes.clear()
            line = "all boxes lie within the first percent of the image, as fractions of it do; give percent"
            self.read.leave_out("box", line)

    def _take_box(self, region: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        box_labels = self._labels(value, "rectanglelabels")
        size = [or_none(as_whole, region.get(key)) for key in ("original_width", "original_height")]
        if None in size:
            raise _Unreadable(
                f"a box {list(box_labels)} does not say on which size of image it is, so it is left out"
            )
        if size != [self.figure.width, self.figure.height]:
            raise InvalidAnnotation(
                f"a box was drawn on an image of {size[0]} x {size[1]} pixels, the stored one has "
                f"{self.figure.width} x {self.figure.height}; was the image replaced? Push the figure again"
            )
        if not (_upright(value.get("rotation")) and _upright(region.get("image_rotation"))):
            raise _Unreadable(f"a rotated box {list(box_labels)} is left out; draw it upright")
        try:
            box = from_percent(value, self.figure, self.findings.append)
        except NoArea as slip:
            raise _StrayClick(
                f"{slip}, so it is left out (labels: {', '.join(box_labels) or 'none'}); remove it"
            ) from None
        except InvalidAnnotation as error:
            raise _Unreadable(f"{error}; this box {list(box_labels)} is left out") from None
        if not box_labels:
            self.read.leave_out(
                "box",
                f"box {[round(edge) for edge in box.as_list()]} has no label, so it is left out; give it one",
            )
        self.boxes += [(label, box) for label in box_labels]

    def _take_span(self, value: Mapping[str, Any]) -> None:
        start, end = (or_none(as_whole, value.get(key)) for key in ("start", "end"))
        text = self.figure.caption.text
        try:
            if start is None or end is None:
                raise InvalidAnnotation("no whole numbers")
            span = put_right_span(start, end, len(text), self.findings.append)
        except InvalidAnnotation:
            raise _Unreadable(
                f"span [{value.get('start')}, {value.get('end')}) does not fit a caption of {len(text)} "
                "characters, so it is left out; was the caption replaced? Push the figure again"
            ) from None
        said = value.get("text")
        # Escaped newlines and the browser's treatment of blanks aside, the text must be what the offsets say.
        if isinstance(said, str) and _SPACE.sub("", said) != _SPACE.sub("", text[span.start : span.end]):
            raise _Unreadable(
                f'span [{span.start}, {span.end}) says "{said[:40]}", the caption there "{self._quoted(span)}", '
                "so it is left out; was the caption replaced? Push the figure again"
            )
        span_labels = self._labels(value, "labels")
        if not span_labels:
            self.read.leave_out(
                "span", f'span "{self._quoted(span)}" has no label, so it is left out; give it one'
            )
        for label in span_labels:
            self.spans.setdefault(label, []).append(span)

    def _take_status(self, value: Mapping[str, Any]) -> None:
        choices = self._labels(value, "choices")
        if names.STATUS_REJECT in choices:
            self.status = Status.REJECTED
        elif any(choice != names.STATUS_ACCEPT for choice in choices):
            self.unknown_choice = f"choice {list(choices)} is unknown"

    def _quoted(self, span: Span) -> str:
        return " ".join(self.figure.caption.text[span.start : span.end].split())[:40]

    def _labels(self, value: Mapping[str, Any], key: str) -> tuple[str, ...]:
        try:
            return tuple(put_right_label(label, self.findings.append) for label in listed(value, key))
        except InvalidAnnotation as error:
            raise _Unreadable(f"{error}; this region is left out") from None


class _Unreadable(InvalidAnnotation):
    """A region that is left out; the message says so."""


class _StrayClick(_Unreadable, NoArea):
    """A box without area."""


def _upright(rotation: object) -> bool:
    """Return whether a rotation in degrees, which may be a text, turns nothing; a missing one does not."""
    turned = or_none(as_whole, rotation)
    return not rotation or (turned is not None and turned % 360 == 0)


def check_caption(task: Mapping[str, Any], figure: Figure) -> None:
    """Raise InvalidAnnotation unless the task shows the figure's caption."""
    data = part(task, "data")
    if (data.get(names.DATA_CAPTION) or "") != figure.caption.text:
        raise InvalidAnnotation("its caption in Label Studio is not the stored one; push the figure again")


def moment(record: Mapping[str, Any]) -> datetime:
    """Return when an annotation was last saved; `UNKNOWN_TIME` if it does not say. Raises SyncError otherwise."""
    said = record.get("updated_at") or record.get("created_at")
    if is_missing(said):
        return UNKNOWN_TIME
    try:
        seconds = or_none(as_number, said)
        if seconds is not None:  # as versions before 1.0 wrote
            return datetime.fromtimestamp(seconds / 1000 if seconds > _SECONDS else seconds, UTC)
        found = said if isinstance(said, datetime) else datetime.fromisoformat(str(said))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise SyncError(f"annotation {record.get('id')}: updated_at is no time: {said!r}") from error


def seconds_of(lead_time: Any) -> float | None:
    """Return the time spent, or None if unknown."""
    seconds = or_none(as_number, lead_time)
    return None if seconds is None or seconds < 0 else float(seconds)


def _seed(task: Mapping[str, Any], record: Mapping[str, Any], *, draws: bool) -> str | None:
    """Return the model version of the prediction that the annotation started from.

    draws: on subfigures, where it is "unknown" if not recorded; the text of pairs is no prediction.
    """
    parent = record.get("parent_prediction")
    if parent is None:
        return None
    seed = part(task, "data").get(names.DATA_SEED) or signed_by(task, parent)
    if seed or not draws:
        return seed
    listed = parts(task, "predictions")
    version = next((each.get("model_version") for each in listed if each.get("id") == parent), None)
    return str(version or "unknown")


def signed_by(task: Mapping[str, Any], prediction_id: object) -> str | None:
    """Return the model of a prediction made when its task was opened (`prelabel serve`), else None."""
    for each in parts(task, "predictions"):
        if each.get("id") == prediction_id:
            for region in parts(each, "result"):
                if model := region.get(names.REGION_MODEL):
                    return str(model)
    return None
