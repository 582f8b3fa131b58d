"""Make one line's annotation again, without the validation of the first reading."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime

from agreement.reading.records import REFUSALS, Record, decode_caption, decode_tokens, record_of
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import MIN_TOKEN_COVER, Caption, Span
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure

#: Cached figures: annotations of one figure are mostly adjacent.
_KEPT = 1024
_Key = tuple[str, bytes, bytes, int, int, int]


class PlainLines:
    """Makes annotations of plainly valid lines, those of one figure with one Figure object."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Figure] = OrderedDict()

    def annotation(self, line: bytes) -> Annotation | None:
        """Return the line's annotation; None if it is not plainly valid."""
        record = record_of(line)
        if record is None:
            return None
        try:
            figure = self._figure(record)
            return Annotation(
                figure=figure,
                annotator=record.annotator,
                phase=str(record.phase),
                status=Status(record.status),
                subfigures=tuple(
                    Subfigure(part.label, Box(*part.box), _tokens(figure.caption, part.subcaption or ()))
                    for part in record.subfigures
                ),
                saved_at=_moment(record.saved_at),
                seeded_by=record.seeded_by or None,
                guideline=record.guideline or "",
                seconds=record.seconds if isinstance(record.seconds, float) else None,
            )
        except (*REFUSALS, AnnotatorError, ValueError, OverflowError):
            return None

    def _figure(self, record: Record) -> Figure:
        text, tokens = bytes(record.caption or b"null"), bytes(record.tokens or b"null")
        key = (record.figure_id, text, tokens, record.width, record.height, record.revision or 1)
        figure = self._kept.get(key)
        if figure is None:
            caption = decode_caption(text) or ""
            ranges = decode_tokens(tokens)
            cut = Caption.cut(caption) if ranges is None else Caption.of_ranges(caption, tuple(ranges))
            figure = Figure(record.figure_id, "", record.width, record.height, cut, revision=key[-1])
            self._kept[key] = figure
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return figure


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    return moment.astimezone(UTC)


def _tokens(caption: Caption, spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return `Caption.tokens_in`, with a shortcut for a single span, the usual case."""
    if len(spans) != 1:
        return caption.tokens_in(Span(start, end) for start, end in spans)
    ((start, end),) = spans
    if not 0 <= start < end <= len(caption.text):
        raise ValueError("a span beyond the text")
    first = bisect_right(caption.ranges, start, key=_end)
    last = bisect_left(caption.ranges, end, key=_start)
    touched = caption.ranges[first:last]
    return frozenset(
        token
        for token, (begin, stop) in enumerate(touched, start=first)
        if min(stop, end) - max(begin, start) >= MIN_TOKEN_COVER * (stop - begin)
    )


def _start(token: tuple[int, int]) -> int:
    return token[0]


def _end(token: tuple[int, int]) -> int:
    return token[1]
