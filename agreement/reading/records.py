"""One block's lines as typed records, and these as columns; other than plainly valid lines are apart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, repeat
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Raw, UnsetType
from numpy.typing import NDArray

from agreement.columns.corpus import STATUSES, Corpus, common_of, content_bytes, numbered
from agreement.primitives.iou import Boxes, box_area
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, TokenPlaces, starts_of
from agreement.reading.texts import Bounds, Characters, sharing_a_token, tokens_under, well_ordered
from panelwise.domain.annotation import EDGE_SLACK, began_from_prediction

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STATUS = {status.value: number for number, status in enumerate(STATUSES)}
_LARGEST = 2**31 - 1
#: Stands for a time that is none; no time is as early.
_NO_TIME = np.iinfo(np.int64).min
#: The usual form of a time, 2026-11-21T10:00:00Z: its length, its marks and where these and its digits stand.
_TIME, _MARKED = 20, np.frombuffer(b"--T::Z", dtype=np.uint8)
_MARKS = [4, 7, 10, 13, 16, 19]
_DIGITS = [place for place in range(_TIME) if place not in _MARKS]
_Place = Annotated[int, Meta(ge=0, le=_LARGEST)]
_Size = Annotated[int, Meta(ge=1, le=_LARGEST)]
_Name = Annotated[str, Meta(min_length=1)]
#: Beyond this no number is taken with care either.
_Number = Annotated[float, Meta(gt=-1e300, lt=1e300)]
_NO_TOKENS: Bounds = np.zeros((0, 2), dtype=np.int64)
#: `tokens` that is not there, or null.
_TO_BE_CUT = (b"", b"null")
_BLANKS = b" \t\r\n"
_DIGITS_AND_BLANKS, _BRACKETS_AND_BLANKS = b"0123456789 \t\r\n", b"[] \t\r\n"


class Part(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A subfigure."""

    label: _Name
    box: tuple[float, float, float, float]
    subcaption: list[tuple[_Place, _Place]] | UnsetType | None = UNSET


class Record(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A plainly valid line with subfigures only. The first eight keys are required."""

    figure_id: _Name
    annotator: _Name
    phase: int | _Name
    status: str
    width: _Size
    height: _Size
    subfigures: list[Part]
    saved_at: str
    # Annotators of one figure share these: they are decoded once for all.
    caption: Raw | UnsetType = UNSET
    tokens: Raw | UnsetType = UNSET
    revision: _Size | UnsetType | None = UNSET
    seeded_by: str | UnsetType | None = UNSET
    guideline: str | UnsetType | None = UNSET
    seconds: _Number | UnsetType | None = UNSET
    kind: UnsetType | None = UNSET
    verdicts: UnsetType | None = UNSET
    answers: UnsetType | None = UNSET
    #: For others to look at; here it is only no fault.
    batch: str | int | float | UnsetType | None = UNSET


class _Fields(NamedTuple):
    """The values of N records that columns are made of, one sequence for each key."""

    figure_id: Sequence[str]
    annotator: Sequence[str]
    phase: Sequence[int | str]
    status: Sequence[str]
    width: Sequence[int]
    height: Sequence[int]
    subfigures: Sequence[list[Part]]
    saved_at: Sequence[str]
    caption: Sequence[Any]
    tokens: Sequence[Any]
    revision: Sequence[Any]
    seeded_by: Sequence[Any]


_values = attrgetter(*_Fields._fields)
_decoder = msgspec.json.Decoder(Record)
_decode = _decoder.decode
_optional = attrgetter(*Record.__struct_fields__[8:])
_OPTIONAL = len(Record.__struct_fields__) - 8
#: Bytes searched together, so that they stay in the processor's cache.
_WINDOW = 1 << 16
decode_caption = msgspec.json.Decoder(str | None).decode
decode_tokens = msgspec.json.Decoder(list[tuple[_Place, _Place]] | None).decode
#: What decoding raises.
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def record_of(line: bytes) -> Record | None:
    """Return the line's record; None if it is not plainly valid, or may have a repeated key."""
    try:
        record = _decode(line)
    except REFUSALS:
        return None
    # As many keys as there are signs of keys, whatever the blanks: a decoder keeps the last of two without a word.
    keys = 8 + 3 * len(record.subfigures)
    for part in record.subfigures:
        if part.subcaption is UNSET:
            keys -= 1
    for value in _optional(record):
        if value is not UNSET:
            keys += 1
    return record if line.translate(None, _BLANKS).count(b'":') == keys else None


def records_of(
    text: bytes, points: NDArray[np.uint8], starts: Indices, ends: Indices
) -> Sequence[Record] | Sequence[Record | None]:
    """Return `record_of` of each line, decoding all at once if all are plainly valid.

    points: the bytes of `text`. starts, ends: (L,) start of each line, and its newline.
    """
    if not _each_an_object(points, starts, ends):
        return [record_of(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    try:
        records = _decoder.decode_lines(text)
    except REFUSALS:
        records = []
    # No line has fewer signs than keys, so if they are equal in all, they are in each.
    if len(records) == len(starts) and _signs_of_keys(text, points) == _keys(records):
        return records
    return [record_of(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _each_an_object(points: NDArray[np.uint8], starts: Indices, ends: Indices) -> bool:
    """Return True if each line looks like an object, so that no record spans lines."""
    if not len(starts):
        return True
    last = ends - 1
    last -= points[last] == ord("\n")
    last = np.maximum(last - (points[last] == ord("\r")), starts)
    return bool((points[starts] == ord("{")).all() and (points[last] == ord("}")).all())


def _signs_of_keys(text: bytes, points: NDArray[np.uint8]) -> int:
    """Count quotation marks before a colon, ignoring blanks between them."""
    signs = 0
    for begin in range(0, len(points) - 1, _WINDOW):
        window = points[begin : begin + _WINDOW + 1]
        quotes = window[:-1] == ord('"')
        if (quotes & (window[1:] <= ord(" "))).any():
            return text.translate(None, _BLANKS).count(b'":')
        signs += int(np.count_nonzero(quotes & (window[1:] == ord(":"))))
    return signs


def _keys(records: Sequence[Record]) -> int:
    """Count the keys of all records."""
    subcaptions = [part.subcaption for record in records for part in record.subfigures]
    absent = sum([_optional(record).count(UNSET) for record in records])
    return (8 + _OPTIONAL) * len(records) - absent + 3 * len(subcaptions) - subcaptions.count(UNSET)


def columns_of(records: Sequence[Record], *, raw: bool) -> Corpus | Mask:
    """Return the columns of these records, without rows; or (N,) which of them are invalid after all.

    raw: for values as listed; records whose raw values differ from the domain's are invalid then.
    """
    fields = _Fields(*(zip(*map(_values, records), strict=True) if records else [()] * len(_Fields._fields)))
    contents = _Contents(fields)
    saved = _moments(fields.saved_at)
    parts = list(chain.from_iterable(fields.subfigures))
    sizes = np.fromiter(map(len, fields.subfigures), np.int64, len(records))
    owners = np.repeat(np.arange(len(records)), sizes)
    edges = chain.from_iterable([part.box for part in parts])
    boxes = np.fromiter(edges, np.float64, 4 * len(parts)).reshape(-1, 4)
    listed = [part.subcaption or () for part in parts]
    spans = _pairs(listed)
    whose = np.repeat(np.arange(len(parts)), np.fromiter(map(len, listed), np.int64, len(parts)))
    captions = contents.of_record[owners]
    status = np.fromiter(map(_STATUS.get, fields.status, repeat(-1)), np.int8, len(records))

    wrong = (status < 0) | ~contents.fine[contents.of_record]
    wrong |= saved == _NO_TIME
    wrong[owners[_misplaced(boxes, fields, owners)]] = True
    beyond = (spans[:, 0] >= spans[:, 1]) | (spans[:, 1] > contents.lengths[captions[whose]])
    wrong[owners[whose[beyond]]] = True
    if wrong.any():
        return wrong
    where = (spans, whose, captions, contents.bounds, contents.starts, contents.lengths)
    if raw:
        # A token that several spans touch may be listed again: the careful reader says how often.
        wrong[owners[sharing_a_token(*where)]] = True
        if wrong.any():
            return wrong
    under = tokens_under(*where)
    labels = [part.label for part in parts]
    return _corpus(fields, saved, status, sizes, boxes, labels, captions, under, contents, raw)


def _corpus(
    fields: _Fields,
    saved: Indices,
    status: NDArray[np.int8],
    sizes: Indices,
    boxes: Boxes,
    labels: Sequence[str],
    captions: Indices,
    under: tuple[Indices, Indices, Indices],
    contents: _Contents,
    raw: bool,
) -> Corpus:
    text = contents.places.sets_of_ranges(captions, *under)
    annotators, annotator = numbered(fields.annotator)
    phases, phase = numbered(list(map(str, fields.phase)))
    figures, figure = numbered(fields.figure_id)
    began = {each: began_from_prediction(each or None) for each in set(fields.seeded_by)}
    names, label = numbered(labels)
    panel_starts = starts_of(sizes)
    number, digests, first = contents.numbered()
    content = number[contents.of_record]
    return Corpus(
        annotators=annotators,
        phases=phases,
        figures=figures,
        annotator=annotator,
        phase=phase,
        figure=figure,
        revision=np.array([each or 1 for each in fields.revision], dtype=np.int32),
        status=status,
        seeded=np.fromiter(map(began.__getitem__, fields.seeded_by), np.bool_, len(status)),
        saved_at=saved,
        content=content,
        digests=digests,
        tokens=contents.places.tokens[first],
        counted=contents.places.counted[first],
        panel_starts=panel_starts,
        boxes=boxes,
        labels=names,
        label=label,
        text=text,
        repeated_panels=np.zeros(0, dtype=np.int64),
        repeated_places=np.zeros(0, dtype=np.int64),
        common=common_of(text, panel_starts, contents.places.widths[contents.of_record]) if raw else None,
        rows=(),
    )


class _Contents:
    """The different captions of a block, each with its tokens and image size.

    of_record: (N,) which a record has. fine: (C,) whether it is right; the rest of wrong ones is empty. bounds:
    (T, 2) of all tokens, starts: (C + 1,); lengths: (C,) characters.
    """

    def __init__(self, fields: _Fields) -> None:
        known: dict[tuple[bytes, bytes, int, int], int] = {}
        numbers = []
        last: tuple[Any, ...] = ()
        for caption, tokens, width, height in zip(
            fields.caption, fields.tokens, fields.width, fields.height, strict=True
        ):
            key = (bytes(caption or b""), bytes(tokens or b""), width, height)
            if key != last:
                number, last = known.setdefault(key, len(known)), key
            numbers.append(number)
        self.of_record = np.array(numbers, dtype=np.int64)
        self.sizes = [(width, height) for _, _, width, height in known]
        read = [_text(caption) for caption, _, _, _ in known]
        self.texts = [text or "" for text in read]
        characters = Characters(self.texts)
        self.lengths = characters.lengths
        listed = [_numbers(tokens) for _, tokens, _, _ in known]
        given = [numbers or b"" for numbers in listed]
        counts = np.fromiter(
            (numbers.count(b",") + 1 if numbers else 0 for numbers in given), np.int64, len(given)
        )
        bounds = _parsed(given)
        starts = starts_of(counts // 2)
        self.fine = well_ordered(bounds, starts, self.lengths)
        self.fine &= np.fromiter((text is not None for text in read), np.bool_, len(read))
        self.fine &= np.fromiter((numbers is not None for numbers in listed), np.bool_, len(read))
        pieces = [bounds[begin:end] for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        cut = [number for number, (_, tokens, _, _) in enumerate(known) if tokens in _TO_BE_CUT]
        if cut or not self.fine.all():
            for number in cut:
                pieces[number] = characters.cut(number)
            for number in np.flatnonzero(~self.fine).tolist():
                pieces[number] = _NO_TOKENS
            bounds = np.concatenate([_NO_TOKENS, *pieces])
        self.bounds, self._pieces = bounds, pieces
        self.starts = starts_of(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        of_token = np.repeat(np.arange(len(pieces)), np.diff(self.starts))
        self.places = TokenPlaces.of(characters.counting(of_token, bounds), self.starts)

    def numbered(self) -> tuple[NDArray[np.int32], NDArray[np.uint64], Indices]:
        """A number for each, equal ones the same: written differently, a caption is the same. With the digests of
        the numbers, and the first of each.
        """
        digests = [
            content_bytes(text, np.ascontiguousarray(pairs).data, width, height)
            for text, pairs, (width, height) in zip(self.texts, self._pieces, self.sizes, strict=True)
        ]
        known: dict[bytes, int] = {}
        numbers = [known.setdefault(digest, len(known)) for digest in digests]
        first = np.zeros(len(known), dtype=np.int64)
        first[numbers[::-1]] = np.arange(len(numbers))[::-1]
        return (
            np.array(numbers, dtype=np.int32),
            np.frombuffer(b"".join(known), dtype="<u8").reshape(-1, 2).astype(np.uint64),
            first,
        )


def _text(caption: bytes) -> str | None:
    """Return the caption's text; None if it is not plainly valid."""
    try:
        return decode_caption(caption) or "" if caption else ""
    except REFUSALS:
        return None


def _numbers(tokens: bytes) -> bytes | None:
    """Return the numbers of a list of pairs, separated by commas; None if it is no list of pairs of plain
    integers.

    tokens: valid JSON, so that its form follows from what remains without digits and blanks.
    """
    if tokens in _TO_BE_CUT:
        return b""
    form = tokens.translate(None, _DIGITS_AND_BLANKS)
    if form == b"[]":
        return b""
    return tokens.translate(None, _BRACKETS_AND_BLANKS) if form == _form(len(form) // 4) else None


@lru_cache(maxsize=4096)
def _form(pairs: int) -> bytes:
    return b"[" + b",".join([b"[,]"] * pairs) + b"]"


def _parsed(listed: Sequence[bytes]) -> Bounds:
    """Return all numbers as pairs, some twenty times as fast as through lists; none exceeds int64."""
    text = b",".join([numbers for numbers in listed if numbers])
    return np.fromstring(text, dtype=np.int64, sep=",").reshape(-1, 2) if text else _NO_TOKENS


def _pairs(lists: Sequence[Sequence[tuple[int, int]]]) -> Bounds:
    return np.fromiter(chain.from_iterable(chain.from_iterable(lists)), np.int64).reshape(-1, 2)


def _moments(texts: Sequence[str]) -> Indices:
    """Return microseconds since 1970, (N,); `_NO_TIME` for a text that is no time with a zone."""
    whole = "".join(texts)
    if whole.isascii() and len(whole) == _TIME * len(texts) and all(map(_TIME.__eq__, map(len, texts))):
        points = np.frombuffer(whole.encode(), dtype=np.uint8).reshape(-1, _TIME)
        digits = points[:, _DIGITS]
        plain = (points[:, _MARKS] == _MARKED).all() and ((digits >= ord("0")) & (digits <= ord("9"))).all()
        # There is no year 0.
        if plain and (digits[:, :4] > ord("0")).any(axis=1).all():
            with suppress(ValueError):
                known = np.array([text[:-1] for text in texts], dtype="datetime64[us]")
                return known.astype(np.int64)
    found = map(moment_of, texts)
    return np.array([_NO_TIME if each is None else each for each in found], dtype=np.int64)


def moment_of(text: str) -> int | None:
    """Return microseconds since 1970; None for a text that is no time with a zone."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            return None
        since = (moment if moment.tzinfo is UTC else moment.astimezone(UTC)) - _EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    except (ValueError, OverflowError):
        return None


def _misplaced(boxes: Boxes, fields: _Fields, owners: Indices) -> Indices:
    """Return panels whose box has no area or is outside the image."""
    if not len(boxes):
        return np.zeros(0, dtype=np.int64)
    size = np.array([fields.width, fields.height], dtype=np.float64).T[owners] + EDGE_SLACK
    inside = (boxes[:, :2] >= -EDGE_SLACK).all(axis=1) & (boxes[:, 2:] <= size).all(axis=1)
    # Sides may be so short that their product is 0, or so long, outside the image, that it is infinite.
    with np.errstate(over="ignore"):
        drawn = (boxes[:, :2] < boxes[:, 2:]).all(axis=1) & (box_area(boxes) > 0.0)
    return np.flatnonzero(~(inside & drawn))
