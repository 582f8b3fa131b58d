"""One block's lines as typed records, and these as columns; other than plainly valid lines are apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Raw, UnsetType
from numpy.typing import NDArray

from agreement.columns.contents import content_digests, distinct
from agreement.columns.corpus import STATUSES, Corpus, common_of, numbered
from agreement.primitives.iou import Boxes, box_area
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, TokenPlaces, starts_of
from agreement.reading.shared_texts import SharedText, without_shared_texts
from agreement.reading.texts import Bounds, Characters, sharing_a_token, tokens_under, well_ordered
from agreement.reading.times import NO_TIME, moments
from panelwise.domain.annotation import EDGE_SLACK, began_from_prediction

_STATUS = {status.value: number for number, status in enumerate(STATUSES)}
_LARGEST = 2**31 - 1
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
    document: str | UnsetType | None = UNSET
    reason: str | UnsetType | None = UNSET
    viewed: list[str] | UnsetType | None = UNSET
    unchanged: bool | UnsetType = UNSET
    partly_read: bool | UnsetType = UNSET
    # For others to look at.
    batch: str | int | float | UnsetType | None = UNSET


_decoder = msgspec.json.Decoder(Record)
_decode = _decoder.decode
_optional = attrgetter(*Record.__struct_fields__[8:])
#: Bytes searched, and lines decoded, together, so that all that is made of them stays in the processor's cache.
_WINDOW, _TOGETHER = 1 << 16, 1 << 8
#: Keys of which many lines or parts have the same value; what becomes arrays.
_NAMED = ("figure_id", "annotator", "phase", "status", "seeded_by", "label")
_ARRAYS = (*_NAMED, "width", "height", "revision", "partial", "saved_at", "panels", "spans", "spans_of")
#: Bytes of a box in MessagePack: its size, and four numbers with their type.
_BOX = 1 + 4 * 9
decode_caption = msgspec.json.Decoder(str | None).decode
_skip = msgspec.json.Decoder(Raw).decode
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


class Lines(NamedTuple):
    """N lines. records: of each line, None if it is not plainly valid. texts: (N,) index in `shared` of a line's
    caption and tokens, -1 if its record has them.
    """

    records: Sequence[Any]
    texts: Indices
    shared: Sequence[SharedText]


def lines_of(text: bytes, starts: Indices, ends: Indices) -> Lines:
    """Return `record_of` of each line, decoding all at once if all are plainly valid.

    starts, ends: (L,) start of each line, and of the next.
    """
    points = np.frombuffer(text, dtype=np.uint8)
    if _each_an_object(points, starts, ends):
        short, texts, shared = without_shared_texts(text, points, starts, ends)
        records = []
        with suppress(*REFUSALS):
            records = _decoder.decode_lines(short)
        # No line has fewer signs than keys, so if they are equal in all, they are in each.
        if len(records) == len(starts) and _signs_of_keys(short) == _keys(records):
            whole = [(record.caption, record.tokens) != (UNSET, UNSET) for record in records]
            if not (np.array(whole, dtype=np.bool_) & (texts >= 0)).any():
                return Lines(records, texts, shared)
    single = [record_of(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return Lines(single, np.full(len(starts), -1), ())


def _each_an_object(points: NDArray[np.uint8], starts: Indices, ends: Indices) -> bool:
    """Return True if each line looks like an object, so that no record spans lines."""
    if not len(starts):
        return True
    last = ends - 1
    last -= points[last] == ord("\n")
    last = np.maximum(last - (points[last] == ord("\r")), starts)
    return bool((points[starts] == ord("{")).all() and (points[last] == ord("}")).all())


def _signs_of_keys(text: bytes) -> int:
    """Count quotation marks before a colon, ignoring blanks between them."""
    points = np.frombuffer(text, dtype=np.uint8)
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
    keys = len(Record.__struct_fields__) * len(records) - absent
    return keys + 3 * len(subcaptions) - subcaptions.count(UNSET)


class Values:
    """The values of N plainly valid lines that columns are made of, with P parts.

    plain: indices of the lines. texts: of each, its index in `shared`, which may repeat a text. boxes: as
    MessagePack writes them. Lines' objects are let go at once: their memory stays in the processor's cache.
    """

    def __init__(self, text: bytes, starts: Indices, ends: Indices) -> None:
        self.plain: list[int] = []
        self.texts: list[int] = []
        self.shared: list[SharedText] = []
        self.articles: dict[str, str] = {}
        self.boxes: list[bytes] = []
        self._arrays: dict[str, list[Indices]] = {name: [_NO_TOKENS.reshape(-1)] for name in _ARRAYS}
        self._tables: dict[str, defaultdict[Any, int]] = {name: defaultdict() for name in _NAMED}
        for table in self._tables.values():
            table.default_factory = table.__len__
        for first in range(0, len(starts), _TOGETHER):
            own = slice(first, first + _TOGETHER)
            begin = int(starts[first])
            self._add(first, lines_of(text[begin : int(ends[own][-1])], starts[own] - begin, ends[own] - begin))

    def _add(self, first: int, lines: Lines) -> None:
        records: Sequence[Record] = [record for record in lines.records if record is not None]
        self.plain += [first + place for place, record in enumerate(lines.records) if record is not None]
        self._add_texts(lines)
        self.articles |= {record.figure_id: record.document for record in records if record.document}
        listed = [record.subfigures for record in records]
        parts = list(chain.from_iterable(listed))
        for name, table in self._tables.items():
            things: Sequence[Any] = parts if name == "label" else records
            self._append(name, map(table.__getitem__, map(attrgetter(name), things)), len(things))
        for name in ("width", "height"):
            self._append(name, map(attrgetter(name), records), len(records))
        self._append("revision", [record.revision or 1 for record in records], len(records))
        self._append("partial", [record.partly_read is True for record in records], len(records))
        self._append("panels", map(len, listed), len(records))
        self._arrays["saved_at"].append(moments([record.saved_at for record in records]))
        # Numbers leave as bytes of one size each, which is twice as fast as one object after the other.
        boxes = msgspec.msgpack.encode([part.box for part in parts])
        self.boxes.append(boxes[len(boxes) - _BOX * len(parts) :])
        spans = [part.subcaption or () for part in parts]
        self._append("spans_of", map(len, spans), len(parts))
        self._append("spans", chain.from_iterable(chain.from_iterable(spans)), -1)

    def _append(self, name: str, values: Iterable[Any], size: int) -> None:
        self._arrays[name].append(np.fromiter(values, np.int64, size))

    def _add_texts(self, lines: Lines) -> None:
        own: dict[SharedText, int] = {}
        before, texts = len(self.shared) + len(lines.shared), len(self.shared)
        for record, text in zip(lines.records, lines.texts.tolist(), strict=True):
            if text >= 0:
                self.texts.append(texts + text)
            elif record is not None:
                key = SharedText(bytes(record.caption or b""), bytes(record.tokens or b""))
                self.texts.append(before + own.setdefault(key, len(own)))
        self.shared += [*lines.shared, *own]

    def array(self, name: str) -> Indices:
        """Return the whole numbers of a key, (N,) or (P,); of `spans` all starts and ends."""
        return np.concatenate(self._arrays[name])

    def named(self, name: str) -> tuple[list[Any], Indices]:
        """Return the distinct values of a key, and the index of each line's or part's."""
        return list(self._tables[name]), self.array(name)

    def numbered(self, name: str) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """Return the same with names in order; see `agreement.columns.corpus.numbered`."""
        values, places = self.named(name)
        names, numbers = numbered(list(map(str, values)))
        return names, numbers[places]


def columns_of(values: Values, *, raw: bool) -> Corpus | Mask:
    """Return the columns of these lines, without rows; or (N,) which of them are invalid after all.

    raw: for values as listed; records whose raw values differ from the domain's are invalid then.
    """
    image = np.stack([values.array("width"), values.array("height")], axis=1)
    contents = _Contents(values, image)
    saved, panels = values.array("saved_at"), values.array("panels")
    owners = np.repeat(np.arange(len(image)), panels)
    numbers = np.frombuffer(b"".join(values.boxes), dtype=np.uint8).reshape(-1, _BOX)[:, 1:].reshape(-1, 9)
    boxes = np.ascontiguousarray(numbers[:, 1:]).view(">f8").astype(np.float64).reshape(-1, 4)
    spans = values.array("spans").reshape(-1, 2)
    whose = np.repeat(np.arange(len(owners)), values.array("spans_of"))
    captions = contents.of_record[owners]
    statuses, places = values.named("status")
    status = np.array([_STATUS.get(each, -1) for each in statuses], dtype=np.int8)[places]

    wrong = (status < 0) | ~contents.fine[contents.of_record]
    wrong |= saved == NO_TIME
    wrong[owners[_misplaced(boxes, image[owners])]] = True
    labels, which = values.named("label")
    wrong[owners[np.array([each != each.strip() for each in labels], dtype=np.bool_)[which]]] = True
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
    text = contents.places.sets_of_ranges(captions, *tokens_under(*where))
    annotators, annotator = values.numbered("annotator")
    phases, phase = values.numbered("phase")
    figures, figure = values.numbered("figure_id")
    names, label = values.numbered("label")
    seeds, seed = values.named("seeded_by")
    panel_starts = starts_of(panels)
    number, digests, first = contents.numbered()
    return Corpus(
        annotators=annotators,
        phases=phases,
        figures=figures,
        annotator=annotator,
        phase=phase,
        figure=figure,
        revision=values.array("revision").astype(np.int32),
        status=status,
        seeded=np.array([began_from_prediction(each or None) for each in seeds], dtype=np.bool_)[seed],
        partial=values.array("partial").astype(np.bool_),
        saved_at=saved,
        content=number[contents.of_record],
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

    def __init__(self, values: Values, image: Indices) -> None:
        known: dict[tuple[int, int, int], int] = {}
        keys = zip(values.texts, *image.T.tolist(), strict=True)
        self.of_record = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
        self.sizes = [(width, height) for _, width, height in known]
        captions, given = [[values.shared[text][part] for text, _, _ in known] for part in (0, 1)]
        read = list(map(_text, captions))
        self.texts = [text or "" for text in read]
        characters = Characters(self.texts)
        self.lengths = characters.lengths
        # What is taken out of lines was not decoded with them.
        valid = _is_json(b"[%b]" % b",".join(filter(None, given)))
        pairs = np.array(
            [_pairs(tokens) if valid or not tokens or _is_json(tokens) else -1 for tokens in given], dtype=np.int64
        )
        bounds = _parsed([tokens for tokens, number in zip(given, pairs.tolist(), strict=True) if number > 0])
        starts = starts_of(np.maximum(pairs, 0))
        self.fine = well_ordered(bounds, starts, self.lengths) & (pairs >= 0)
        self.fine &= np.array([text is not None for text in read], dtype=np.bool_)
        cut = [number for number, tokens in enumerate(given) if tokens in _TO_BE_CUT]
        if cut or not self.fine.all():
            pieces = np.split(bounds, starts[1:-1])
            for number in cut:
                pieces[number] = characters.cut(number)
            for number in np.flatnonzero(~self.fine).tolist():
                pieces[number] = _NO_TOKENS
            bounds = np.concatenate([_NO_TOKENS, *pieces])
            starts = starts_of(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        self.bounds, self.starts = bounds, starts
        of_token = np.repeat(np.arange(len(known)), np.diff(starts))
        self.places = TokenPlaces.of(characters.counting(of_token, bounds), self.starts)

    def numbered(self) -> tuple[NDArray[np.int32], NDArray[np.uint64], Indices]:
        """Return a number for each, equal ones the same (written differently, a caption is the same), the digests
        of the numbers, and the first of each.
        """
        digests = content_digests(self.texts, self.bounds, self.starts, self.sizes)
        numbers, first = distinct(digests)
        return numbers, digests[first], first


def _text(caption: bytes) -> str | None:
    """Return the caption's text; None if it is not plainly valid."""
    try:
        return decode_caption(caption) or "" if caption else ""
    except REFUSALS:
        return None


def _is_json(value: bytes) -> bool:
    try:
        _skip(value)
    except REFUSALS:
        return False
    return True


def _pairs(tokens: bytes) -> int:
    """Return the number of pairs; -1 if it is no list of pairs of plain integers.

    tokens: valid JSON, so that its form follows from what remains without digits and blanks.
    """
    form = b"[]" if tokens in _TO_BE_CUT else tokens.translate(None, _DIGITS_AND_BLANKS)
    pairs = len(form) // 4
    return pairs if form in (b"[]", _form(pairs)) else -1


@lru_cache(maxsize=4096)
def _form(pairs: int) -> bytes:
    return b"[" + b",".join([b"[,]"] * pairs) + b"]"


def _parsed(listed: Sequence[bytes]) -> Bounds:
    """Return all numbers as pairs, some twenty times as fast as through lists; none exceeds int64."""
    text = b",".join(listed).translate(None, _BRACKETS_AND_BLANKS)
    return np.fromstring(text, dtype=np.int64, sep=",").reshape(-1, 2) if text else _NO_TOKENS


def _misplaced(boxes: Boxes, image: Indices) -> Indices:
    """Return panels whose box has no area, leaves the image or lies in its first pixel. image: (P, 2) sides."""
    inside = (boxes[:, :2] >= -EDGE_SLACK).all(axis=1) & (boxes[:, 2:] <= image + EDGE_SLACK).all(axis=1)
    # Sides may be so short that their product is 0, or so long, outside the image, that it is infinite.
    with np.errstate(over="ignore"):
        drawn = (boxes[:, :2] < boxes[:, 2:]).all(axis=1) & (box_area(boxes) > 0.0)
    # Where all of an image's boxes lie in its first pixel they are refused; that is for the careful reader.
    return np.flatnonzero(~(inside & drawn) | (boxes[:, 2:] <= 1.0).all(axis=1))
