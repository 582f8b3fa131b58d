"""Lines of annotations.jsonl as typed records, and these as columns; other than plainly valid lines are apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agreement.columns.contents import content_digests, distinct
from agreement.columns.corpus import STATUSES, Corpus, common_of, numbered
from agreement.columns.raw import Submitted
from agreement.columns.row_traits import attention_in_memory
from agreement.pairs.parts import articles_of
from agreement.primitives.iou import Boxes, box_area
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask, TokenPlaces, starts_of
from agreement.reading.joining import joined
from agreement.reading.texts import (
    NO_TIME,
    Bounds,
    Characters,
    moments,
    sharing_a_token,
    tokens_under,
    well_ordered,
)
from panelwise.domain import EDGE_SLACK, NO_ITEMS, Annotation, Attention, Status, began_from_prediction
from panelwise.files import signs_of_keys
from panelwise.formats import Record, decoded_record, is_judged, plain_record, values_of

_NO_TOKENS: Bounds = np.zeros((0, 2), dtype=np.int64)
#: `tokens` that is not there, or null.
_TO_BE_CUT = (b"", b"null")
_DIGITS_AND_BLANKS, _BRACKETS_AND_BLANKS = b"0123456789 \t\r\n", b"[] \t\r\n"
#: Bytes searched, and lines read, together, so that all that is made of them stays in the processor's cache.
_WINDOW, _TOGETHER = 1 << 16, 1 << 8
#: Keys of which many lines or parts have the same value; what becomes arrays.
_NAMED = ("figure_id", "annotator", "phase", "status", "seeded_by", "label")
_ARRAYS = (*_NAMED, "width", "height", "revision", "partial", "saved_at", "panels", "spans", "spans_of")
#: Keys without which a line is not plainly valid here.
_needed = attrgetter("width", "height", "saved_at", "phase", "status")
#: Bytes of a box in MessagePack: its size, and four numbers with their type.
_BOX = 1 + 4 * 9


def record_of(line: bytes) -> Record | None:
    """Return the record of a plainly valid line with subfigures only; None for any other line."""
    return _usable(plain_record(line))


def records_of(lines: Sequence[bytes]) -> list[Record | None]:
    """Return `record_of` of each line; keys are counted once for all lines if none has one too many."""
    records = [decoded_record(line) for line in lines]
    values = sum([values_of(record) for record in records if record is not None])
    if None in records or _signs_of_keys(b"".join(lines)) != values:
        return [record_of(line) for line in lines]
    return [_usable(record) for record in records]


def _signs_of_keys(text: bytes) -> int:
    """Count as `signs_of_keys` does, three times as fast where there are no blanks after quotes."""
    points = np.frombuffer(text, dtype=np.uint8)
    signs = 0
    for begin in range(0, len(points) - 1, _WINDOW):
        window = points[begin : begin + _WINDOW + 1]
        quotes = window[:-1] == ord('"')
        if (quotes & (window[1:] <= ord(" "))).any():
            return signs_of_keys(text)
        signs += int(np.count_nonzero(quotes & (window[1:] == ord(":"))))
    return signs


def _usable(record: Record | None) -> Record | None:
    if record is None or None in _needed(record) or is_judged(record):
        return None
    for part in record.subfigures:
        if part.label is None:
            return None
    return record


class Values:
    """The values of N plainly valid lines, or rows of a table, that columns are made of, with P parts.

    texts: of each line, its index in `shared`, the captions with their tokens as written. articles: figure -> its
    article, where a line names one. looked: line -> see `attention_on`.
    """

    def __init__(self) -> None:
        self.texts: list[int] = []
        self.shared: dict[tuple[str, bytes], int] = {}
        self.articles: dict[str, str] = {}
        self.looked: dict[int, Attention] = {}
        self.boxes: list[Boxes] = [np.zeros((0, 4))]
        self._arrays: dict[str, list[Indices]] = {name: [_NO_TOKENS.reshape(-1)] for name in _ARRAYS}
        self._tables: dict[str, defaultdict[Any, int]] = {name: defaultdict() for name in _NAMED}
        for table in self._tables.values():
            table.default_factory = table.__len__

    def add(self, records: Sequence[Record]) -> None:
        """Add the values of some lines, whose objects can be let go at once."""
        number = len(self.texts)
        listed = [record.subfigures for record in records]
        parts = list(chain.from_iterable(listed))
        self.add_texts((record.caption or "", bytes(record.tokens or b"")) for record in records)
        for place, record in enumerate(records, number):
            if record.viewed is not None and record.status is Status.ACCEPTED:
                self.looked[place] = _attention(record, record.viewed)
        self.articles |= {record.figure_id: record.document for record in records if record.document}
        for name in _NAMED:
            self.add_names(name, map(attrgetter(name), parts if name == "label" else records))
        for name in ("width", "height"):
            self.add_numbers(name, map(attrgetter(name), records))
        self.add_numbers("revision", [record.revision or 1 for record in records])
        self.add_numbers("partial", [record.partly_read is True for record in records])
        self.add_numbers("panels", map(len, listed))
        self.add_times([record.saved_at or "" for record in records])
        # Numbers leave as bytes of one size each, which is twice as fast as one object after the other.
        boxes = msgspec.msgpack.encode([part.box for part in parts])
        numbers = np.frombuffer(boxes[len(boxes) - _BOX * len(parts) :], dtype=np.uint8).reshape(-1, _BOX)
        edges = np.ascontiguousarray(numbers[:, 1:].reshape(-1, 9)[:, 1:])
        self.boxes.append(edges.view(">f8").astype(np.float64).reshape(-1, 4))
        spans = [part.subcaption or () for part in parts]
        self.add_numbers("spans_of", map(len, spans))
        self.add_numbers("spans", chain.from_iterable(chain.from_iterable(spans)))

    def add_texts(self, written: Iterable[tuple[str, bytes]]) -> None:
        """Add the captions of some lines, with their tokens as JSON."""
        shared = self.shared
        self.texts += [shared.setdefault(text, len(shared)) for text in written]

    def add_numbers(self, name: str, numbers: Iterable[int] | Indices) -> None:
        """Add whole numbers of a key; of `spans` all starts and ends."""
        array = numbers if isinstance(numbers, np.ndarray) else np.fromiter(numbers, np.int64)
        self._arrays[name].append(array)

    def add_names(self, name: str, names: Iterable[str | None]) -> None:
        """Add the values of a key that many lines or parts have in common."""
        self.add_numbers(name, map(self._tables[name].__getitem__, names))

    def add_times(self, texts: Sequence[str]) -> None:
        """Add the times at which some lines' work was saved."""
        self._arrays["saved_at"].append(moments(texts))

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


def _attention(record: Record, viewed: Sequence[str]) -> Attention:
    """Return the counts of a figure's subfigures, as `attention_of` does."""
    labels = {part.label for part in record.subfigures}
    seen = len(labels.intersection(viewed))
    return Attention.of_figure(len(labels), seen, unchanged=record.unchanged is True, seconds=record.seconds)


def values_of_lines(lines: Sequence[bytes]) -> tuple[Values, Indices]:
    """Return the values of the plainly valid lines, and which lines these are."""
    values, plain = Values(), []
    # A few lines at a time: the memory of their objects stays in the processor's cache.
    for first in range(0, len(lines), _TOGETHER):
        read = records_of(lines[first : first + _TOGETHER])
        plain += [place for place, record in enumerate(read, first) if record is not None]
        values.add([record for record in read if record is not None])
    return values, np.array(plain, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A annotations of a part of a file. places: (A,) of their lines or rows in it. judged: (A,) see `traits_of`.

    articles: figure -> its article, of those that name one. looked: see `attention_on`.
    """

    corpus: Corpus
    places: Indices
    judged: Mask
    articles: dict[str, str]
    looked: dict[int, Attention]


def read_part(
    size: int,
    values_of: Callable[[Indices], tuple[Values, Indices]],
    careful: Callable[[Indices], Iterable[Submitted | None]],
    *,
    raw: bool = False,
) -> Part:
    """Return the annotations of `size` lines or rows, in their order.

    values_of: gives the values of the plainly valid ones among some places, and which places these are. careful:
    makes an annotation of each of the others, which it gets in order; None, and a reported problem, of a bad one.
    """
    places: Indices = np.arange(size)
    while True:
        values, places = values_of(places)
        corpus = columns_of(values, raw=raw)
        if isinstance(corpus, Corpus):
            break
        # What the arrays show to be wrong goes the other way; the rest is made again without it.
        places = places[~corpus]
    odd = np.setdiff1d(np.arange(size), places)
    made = [(place, work) for place, work in zip(odd.tolist(), careful(odd), strict=True) if work is not None]
    judged: Mask = np.zeros(len(places), dtype=np.bool_)
    if not made:
        return Part(corpus, places, judged, values.articles, values.looked)
    works = [work for _, work in made]
    places = np.append(places, [place for place, _ in made]).astype(np.int64)
    judged = np.append(judged, [isinstance(work, Annotation) and work.items != NO_ITEMS for work in works])
    order = np.argsort(places)
    looked = values.looked | {len(corpus) + at: own for at, own in attention_in_memory(works).items()}
    moved = {at: looked[old] for at, old in enumerate(order.tolist()) if old in looked}
    corpus = joined([corpus, Corpus.of(works)]).take(order)
    return Part(corpus, places[order], judged[order], values.articles | articles_of(works), moved)


def columns_of(values: Values, *, raw: bool) -> Corpus | Mask:
    """Return the columns of these lines, without rows; or (N,) which of them are invalid after all.

    raw: for values as listed; records whose raw values differ from the domain's are invalid then.
    """
    image = np.stack([values.array("width"), values.array("height")], axis=1)
    contents = _Contents(values, image)
    saved, panels = values.array("saved_at"), values.array("panels")
    owners = np.repeat(np.arange(len(image)), panels)
    boxes = np.concatenate(values.boxes)
    spans = values.array("spans").reshape(-1, 2)
    whose = np.repeat(np.arange(len(owners)), values.array("spans_of"))
    captions = contents.of_record[owners]
    statuses, places = values.named("status")

    wrong: Mask = ~contents.fine[contents.of_record] | (saved == NO_TIME)
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
        status=np.array([STATUSES.index(each) for each in statuses], dtype=np.int8)[places],
        seeded=np.array([began_from_prediction(each or None) for each in seeds], dtype=np.bool_)[seed],
        partial=values.array("partial").astype(np.bool_),
        saved_at=saved,
        content=number[contents.of_record],
        digests=digests,
        tokens=contents.places.tokens[first],
        counted=contents.places.counted[first],
        sizes=np.array(contents.sizes, dtype=np.int64).reshape(-1, 2)[first],
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
        written = list(values.shared)
        self.texts = [written[text][0] for text, _, _ in known]
        given = [written[text][1] for text, _, _ in known]
        characters = Characters(self.texts)
        self.lengths = characters.lengths
        pairs = np.array(list(map(_pairs, given)), dtype=np.int64)
        bounds = _parsed([tokens for tokens, number in zip(given, pairs.tolist(), strict=True) if number > 0])
        starts = starts_of(np.maximum(pairs, 0))
        self.fine = well_ordered(bounds, starts, self.lengths) & (pairs >= 0)
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
