"""Pairing boxes with the panels that a caption names, by weighed evidence.

Letters found in the image, the order in which panels are read, and the caption's words for places each give a cost
(a negative log-likelihood ratio, about); of several orders the one with the cheapest pairing wins. Within an order
every panel takes a run of boxes: one mostly, several where the image shows more than the caption names, none where
it shows fewer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log2

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from panelwise.domain import Box, in_latin
from prelabel.captions.labels import goes_on, sort_key
from prelabel.captions.parser import ParsedCaption
from prelabel.panels.letters.find import letter_names
from prelabel.panels.reading_order import column_odds, reading_order
from prelabel.panels.splitter import Split

#: A letter found in a box that is its panel's, begins its panel's ("A" of "A1"), is another panel's, or is none of
#: the caption's.
OWN_LETTER, FIRST_LETTER, OTHER_LETTER, STRANGE_LETTER = -3.0, -1.0, 1.5, 0.5

#: A box in a place that is as wrong as can be by one of the caption's words.
WRONG_PLACE = 2.5

#: Panels read in no order, where they have letters and where they have places only; and for each box out of its
#: place. Panels read by column: see `column_odds`.
NO_ORDER, NO_ORDER_OF_PLACES, OUT_OF_PLACE = 4.0, 2.0, 0.5

#: A panel without a box, at the end of the caption or before; a box that joins its neighbour's panel; and besides,
#: where there are boxes enough for all panels, or panels enough for all boxes.
UNUSED_LAST, UNUSED, SHARED, AGAINST_COUNT = 0.8, 1.0, 1.0, 2.0

#: A box of no panel, without a letter and with a letter that is none of the caption's.
NO_PANEL, STRANGE_PANEL = 2.0, 0.3

#: A panel's letter in another than the first of its boxes.
LATE_LETTER = 0.8

#: Where there are twice, three times, ... as many boxes as panels: a panel with one more or fewer than its share.
UNEVEN = 0.4

#: From so many letters on, those that break an order which this share of them keeps are misread.
MANY_LETTERS, IN_ORDER = 12, 0.8

_NATURAL = re.compile(r"\d+|\D+")
_ROMAN = {
    f"{ten}{one}": 10 * tens + ones
    for tens, ten in enumerate(("", "x", "xx"))
    for ones, one in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if ten or one
}

Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A box, by its position in the split, the label it gets, and the caption's label whose text it takes."""

    place: int
    label: str
    source: str | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """pairs: in the order of the panels, one for each box. unused: labels of the caption that got no box.

    way: "rows", "columns" or "letters", the order that won. margin: how much worse the best other pairing is.
    """

    pairs: tuple[Pairing, ...]
    unused: tuple[str, ...]
    way: str
    margin: float


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence for pairing each box (row) with each panel (column), apart from their order.

    costs: of giving the box to the panel. own: 1 where the box has the panel's letter. stray: what it costs each
    box to have no panel.
    """

    costs: Costs
    own: Costs
    stray: Costs


@dataclass(frozen=True, slots=True)
class _Reading:
    """A pairing of all boxes: for each box in `order` the position of its panel, None if it has none."""

    order: tuple[int, ...]
    panels: tuple[int | None, ...]
    cost: float
    way: str

    def by_box(self) -> dict[int, int | None]:
        return dict(zip(self.order, self.panels, strict=True))


def align(split: Split, parsed: ParsedCaption) -> Alignment:
    """Each box with its label. Labels come once each; boxes that share a panel's text are "a1", "a2", ...

    Without labels in the caption boxes take the letters found in the image, or are numbered from 1, and take no
    text. So are those numbered whose panels the caption names by place only.
    """
    boxes = split.boxes
    letters = _letters(split)
    if not parsed.labels:
        order = _best_order(boxes, letters)
        numbers = _numbered([letters[place] for place in order])
        pairs = tuple(Pairing(place, name, None) for place, name in zip(order, numbers, strict=True))
        return Alignment(pairs, (), "rows", 0.0)
    # A caption may name its panels out of order: "(A, C) ... (B, D)".
    labels = in_natural_order(parsed.labels) if parsed.lettered else parsed.labels
    letters = _without_misread(letters, boxes, labels)
    readings = _readings(boxes, _evidence(boxes, letters, labels, parsed), ordered=parsed.lettered)
    best = min(readings, key=lambda reading: reading.cost)
    others = [each.cost for each in readings if each.by_box() != best.by_box()]
    margin = min(others) - best.cost if others else NO_ORDER
    used = {panel for panel in best.panels if panel is not None}
    unused = tuple(label for panel, label in enumerate(labels) if panel not in used)
    sources = {place: None if panel is None else labels[panel] for place, panel in best.by_box().items()}
    if parsed.lettered:
        names = _labelled(sources, letters, labels)
    else:
        order = reading_order(boxes)
        names = dict(zip(order, _numbered([letters[place] for place in order]), strict=True))
    pairs = tuple(Pairing(place, names[place], sources[place]) for place in best.order)
    return Alignment(pairs, unused, best.way, margin)


def in_natural_order(labels: Sequence[str]) -> tuple[str, ...]:
    """As panels are counted: letters and numbers by `natural`; by their value i, ii, iii, ..., and AA after Z."""
    if goes_on(labels):
        return tuple(sorted(labels, key=lambda label: sort_key(label, long=True)))
    folded = [label.casefold() for label in labels]
    if "ii" in folded and all(label in _ROMAN for label in folded):
        return tuple(sorted(labels, key=lambda label: (_ROMAN[label.casefold()], label)))
    return tuple(sorted(labels, key=natural))


def natural(label: str) -> tuple[tuple[int, int, str], ...]:
    """A key that puts "a2" before "a10", "Aii" before "Av", and both after "a" and "A"."""
    parts: list[tuple[int, int, str]] = []
    text = label.casefold()
    if len(text) > 1 and text[0].isalpha() and text[1:] in _ROMAN:
        return ((1, 0, text[0]), (0, _ROMAN[text[1:]], ""))
    for part in _NATURAL.findall(text):
        if part.isdigit():
            parts.append((0, int(part[:9]), ""))
        else:
            parts.extend((1, 0, in_latin(character)) for character in part)
    return tuple(parts)


def _letters(split: Split) -> tuple[str | None, ...]:
    """The letter found at each box; one found at several boxes is trusted at none of them."""
    found = split.labels or (None,) * len(split.boxes)
    folded = [label.casefold() for label in found if label is not None]
    return tuple(label if label is not None and folded.count(label.casefold()) == 1 else None for label in found)


def _without_misread(
    letters: tuple[str | None, ...], boxes: Sequence[Box], labels: Sequence[str]
) -> tuple[str | None, ...]:
    """The letters without the few of many that break an order, by rows or columns, which all others keep."""
    read = sum(letter is not None for letter in letters)
    if read < MANY_LETTERS or len(boxes) != len(labels):
        return letters
    for order in (reading_order(boxes), reading_order(boxes, by_column=True)):
        due = {place: label.casefold() for place, label in zip(order, labels, strict=True)}
        kept = tuple(
            letter if letter is not None and letter.casefold() == due[place] else None
            for place, letter in enumerate(letters)
        )
        if sum(letter is not None for letter in kept) >= IN_ORDER * read:
            return kept
    return letters


def _evidence(
    boxes: Sequence[Box], letters: Sequence[str | None], labels: Sequence[str], parsed: ParsedCaption
) -> _Evidence:
    """The evidence of letters and of words for places."""
    costs, own = np.zeros((len(boxes), len(labels))), np.zeros((len(boxes), len(labels)))
    stray = np.full(len(boxes), NO_PANEL)
    words: dict[str, list[str]] = {}
    for label, place in parsed.layout:
        words.setdefault(label, []).append(place)
    known = {label.casefold() for label in labels}
    placed = places(boxes) if words else ()
    for number, letter in enumerate(letters):
        folded = letter.casefold() if letter is not None and parsed.lettered else ""
        if folded and not any(_related(folded, label) for label in known):
            stray[number] = STRANGE_PANEL
        for panel, label in enumerate(labels):
            if folded:
                costs[number, panel] += _letter_cost(folded, label.casefold(), known)
                own[number, panel] = float(folded == label.casefold())
            if label in words:
                # A panel of several places fits a box in any of them.
                costs[number, panel] += WRONG_PLACE * min(misfit(each, placed[number]) for each in words[label])
    return _Evidence(costs, own, stray)


def _related(letter: str, label: str) -> bool:
    return label.startswith(letter) or letter.startswith(label)


def _letter_cost(letter: str, label: str, known: Iterable[str]) -> float:
    if letter == label:
        return OWN_LETTER
    if _related(letter, label):
        return FIRST_LETTER
    return OTHER_LETTER if letter in known else STRANGE_LETTER


def _readings(boxes: Sequence[Box], evidence: _Evidence, *, ordered: bool) -> list[_Reading]:
    """The cheapest pairing in each order; the free one only where something tells boxes apart."""
    by_row, by_column = reading_order(boxes), reading_order(boxes, by_column=True)
    found = [_in_order(boxes, by_row, evidence, "rows", 0.0)]
    if by_column != by_row:
        found.append(_in_order(boxes, by_column, evidence, "columns", -column_odds(boxes)))
    if evidence.costs.any():
        found.append(_free(boxes, by_row, evidence, ordered=ordered))
        if by_column != by_row:
            found.append(_free(boxes, by_column, evidence, ordered=ordered))
    return found


def _free(boxes: Sequence[Box], order: tuple[int, ...], evidence: _Evidence, *, ordered: bool) -> _Reading:
    """Boxes moved to where their evidence wants them, the rest left as they are in `order`."""
    count, panels = evidence.costs.shape
    rank = np.empty(count)
    rank[list(order)] = np.arange(count)
    step = (count - 1) / max(1, panels - 1) if count > panels else 1.0
    away = np.abs(rank[:, None] - step * np.arange(panels)[None, :])
    rows, columns = linear_sum_assignment(evidence.costs + OUT_OF_PLACE * np.minimum(away, 4.0))
    wish = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    moved = sorted(order, key=lambda each: (wish[each] * step if each in wish else rank[each], rank[each]))
    start = [each for each in order if each in wish]
    target = sorted(start, key=lambda each: wish[each])
    displaced = sum(one != other for one, other in zip(start, target, strict=True))
    price = (NO_ORDER if ordered else NO_ORDER_OF_PLACES) + OUT_OF_PLACE * displaced
    return _in_order(boxes, tuple(moved), evidence, "letters" if ordered else "places", price)


def _in_order(
    boxes: Sequence[Box], order: tuple[int, ...], evidence: _Evidence, way: str, price: float
) -> _Reading:
    """The cheapest pairing in which panels follow each other as their boxes do, each with a run of boxes."""
    count, panels = evidence.costs.shape
    if count == panels and not evidence.costs.any():
        return _Reading(order, tuple(range(panels)), price, way)
    ranks = list(order)
    unused = UNUSED + (AGAINST_COUNT if count >= panels else 0.0)
    # As lists: the loops below look at single numbers only.
    stray = evidence.stray[ranks].tolist()
    joining = np.cumsum(_sharing(boxes, order, panels)).tolist()
    sums = np.vstack([np.zeros(panels), np.cumsum(evidence.costs[ranks], axis=0)]).tolist()
    late = np.vstack([np.zeros(panels), np.cumsum(evidence.own[ranks], axis=0)]).tolist()
    even = count // panels if count > panels and count % panels == 0 else 0
    longest = max(1, count - panels + 3)
    # best[i][j]: the first i boxes are paired, with panels before j; reached from back[i][j].
    best = [[inf] * (panels + 1) for _ in range(count + 1)]
    back: dict[tuple[int, int], tuple[int, int]] = {}
    best[0][0] = 0.0
    for i in range(count + 1):
        for j in range(panels + 1):
            least, where = best[i][j], (i, j)
            if j and best[i][j - 1] + unused < least:
                least, where = best[i][j - 1] + unused, (i, j - 1)
            if i and best[i - 1][j] + stray[i - 1] < least:
                least, where = best[i - 1][j] + stray[i - 1], (i - 1, j)
            for k in range(max(0, i - longest), i) if j else ():
                cost = best[k][j - 1] + sums[i][j - 1] - sums[k][j - 1] + joining[i - 1] - joining[k]
                cost += LATE_LETTER * (late[i][j - 1] - late[k + 1][j - 1])
                cost += UNEVEN * abs(i - k - even) if even else 0.0
                if cost < least - 1e-9:
                    least, where = cost, (k, j - 1)
            best[i][j], back[i, j] = least, where
    ends = [best[count][j] + (UNUSED_LAST + unused - UNUSED) * (panels - j) for j in range(panels + 1)]
    j = ends.index(min(ends))
    total, i = ends[j] + price, count
    paired: list[int | None] = [None] * count
    while (i, j) != (0, 0):
        k, before = back[i, j]
        if k < i and before < j:
            paired[k:i] = [before] * (i - k)
        i, j = k, before
    return _Reading(order, tuple(paired), total, way)


def _sharing(boxes: Sequence[Box], order: Sequence[int], panels: int) -> NDArray[np.float64]:
    """Return the cost of joining each box to the one before it in order: less for small boxes that lie close."""
    costs = np.zeros(len(order))
    if len(order) <= 1:
        return costs
    # As large as a panel would be on average, were all of them in boxes.
    average = sum(box.area for box in boxes) / min(panels, len(boxes))
    gaps = [_gap(boxes[one], boxes[other]) for one, other in pairwise(order)]
    usual = max(1.0, float(np.median(gaps)))
    basis = SHARED + (AGAINST_COUNT if len(order) <= panels else 0.0)
    for rank in range(1, len(order)):
        one, other = boxes[order[rank - 1]], boxes[order[rank]]
        joint = _around((one, other)).area
        size = min(1.0, max(-1.0, log2(joint / average)))
        apart = min(1.0, max(-1.0, gaps[rank - 1] / usual - 1.0))
        costs[rank] = basis + 0.5 * size + 0.2 * apart
    return costs


def _gap(one: Box, other: Box) -> float:
    return max(other.x0 - one.x1, one.x0 - other.x1, other.y0 - one.y1, one.y0 - other.y1, 0.0)


def _around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _labelled(
    sources: Mapping[int, str | None], letters: Sequence[str | None], labels: Sequence[str]
) -> dict[int, str]:
    """Return each box's label: its panel's, with a number if several boxes share it; a letter for a stray box."""
    shared = Counter(sources.values())
    taken = set(labels)
    result: dict[int, str] = {}
    for place, source in sources.items():
        letter = letters[place]
        if source is not None and shared[source] == 1:
            result[place] = source
            continue
        name = letter if source is None and letter is not None and letter not in taken else ""
        number = 0
        while not name or name in taken:
            number += 1
            name = f"{source or ''}{number}"
        taken.add(name)
        result[place] = name
    return result


def _best_order(boxes: Sequence[Box], letters: Sequence[str | None]) -> tuple[int, ...]:
    """By rows or by columns: as more letters follow each other, or where they do not tell as the boxes stand."""
    by_row, by_column = reading_order(boxes), reading_order(boxes, by_column=True)
    rows, columns = (_rising([letters[place] for place in order]) for order in (by_row, by_column))
    return by_column if (columns, column_odds(boxes)) > (rows, 0.0) else by_row


def _rising(letters: Sequence[str | None]) -> int:
    keys = [natural(letter) for letter in letters if letter is not None]
    return sum(one < other for one, other in pairwise(keys))


def _numbered(letters: Sequence[str | None]) -> list[str]:
    """The letters where half of the boxes have one and all fit into one row (a, b, ...), else numbers from 1."""
    found = [letter for letter in letters if letter is not None]
    if found and len(found) == len(letters):
        return found
    capitals = letter_names(len(letters))
    for row in ([name.lower() for name in capitals], list(capitals)):
        fits = len(row) == len(letters) and 2 * len(found) >= len(letters)
        if fits and all(letter in (None, name) for letter, name in zip(letters, row, strict=True)):
            return row
    return [str(number) for number in range(1, len(letters) + 1)]


#: Boxes stand in one row (or column) if they share this much of the shorter one's height (or width).
_IN_A_ROW = 0.5

#: Or, looked at from the top, if one begins less than this share of the lower one's height below the other.
_LIKE_TOPS = 0.3

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNT = {word: place for place, word in enumerate(_ORDINALS)} | {
    f"{place + 1}{ending}": place
    for place in range(20)
    for ending in ("th" if place > 2 else ("st", "nd", "rd")[place],)
}
_WORD = re.compile(r"[a-z]+|\d{1,2}(?:st|nd|rd|th)?")
_PHRASE = re.compile(r"[,;]|\band\b")
_FIRST_ROW, _LAST_ROW = {"top", "upper", "uppermost", "above"}, {"bottom", "lower", "lowermost", "below"}
_FIRST_COLUMN, _LAST_COLUMN = {"left", "leftmost"}, {"right", "rightmost"}
_MIDDLE = {"middle", "center", "centre", "central"}


@dataclass(frozen=True, slots=True)
class Position:
    """A place along one direction: from the start (0, 1, ...), from the end (-1, ...), or the middle (None)."""

    place: int | None

    def misfit(self, place: int, count: int) -> float:
        """Return the misfit of `place` of `count`, from 0 (right) to 1 (at the other end)."""
        if count < 2:
            # "left" of a panel that has no neighbour says nothing; neither does it contradict.
            return 0.3 if self.place is not None else 0.0
        if self.place is None:
            off = abs(place - (count - 1) / 2) - (0.5 if count % 2 == 0 else 0.0)
        else:
            off = abs(place - (self.place if self.place >= 0 else count + self.place))
        return min(1.0, off / (count - 1) + 0.3 * (off > 0))


@dataclass(frozen=True, slots=True)
class _Placed:
    """The place of a box in its column and in its row, from 0, and the size of both."""

    row: int
    rows: int
    column: int
    columns: int


def places(boxes: Sequence[Box]) -> tuple[tuple[_Placed, ...], ...]:
    """Return each box's places: among those beside it, among those above and below it, and in rows by their tops.

    In a figure of plain rows the two are one.
    """
    by_tops = _by_tops(boxes)
    return tuple((_placed(box, boxes), by_tops[number]) for number, box in enumerate(boxes))


def _by_tops(boxes: Sequence[Box]) -> dict[int, _Placed]:
    """Return rows of boxes of similar tops, each from left to right."""
    rows: list[list[int]] = []
    for number in sorted(range(len(boxes)), key=lambda each: (boxes[each].y0, boxes[each].x0)):
        first = boxes[rows[-1][0]] if rows else None
        if first is not None and boxes[number].y0 - first.y0 < _LIKE_TOPS * min(
            boxes[number].height, first.height
        ):
            rows[-1].append(number)
        else:
            rows.append([number])
    found = {}
    for row, members in enumerate(rows):
        for column, number in enumerate(sorted(members, key=lambda member: boxes[member].x0)):
            found[number] = _Placed(row, len(rows), column, len(members))
    return found


def _placed(box: Box, boxes: Sequence[Box]) -> _Placed:
    beside = [each for each in boxes if _share((box.y0, box.y1), (each.y0, each.y1)) >= _IN_A_ROW]
    stacked = [each for each in boxes if _share((box.x0, box.x1), (each.x0, each.x1)) >= _IN_A_ROW]
    return _Placed(
        sum(each.y0 + each.y1 < box.y0 + box.y1 for each in stacked),
        len(stacked),
        sum(each.x0 + each.x1 < box.x0 + box.x1 for each in beside),
        len(beside),
    )


def _share(one: tuple[float, float], other: tuple[float, float]) -> float:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared / min(one[1] - one[0], other[1] - other[0])


def read_position(words: str) -> tuple[Position | None, Position | None]:
    """Row and column that the words ask for, None if they say nothing: "upper row, left", "second from right".

    A number or "middle" without the word row or column is a column, unless other words name the column.
    """
    row: Position | None = None
    column: Position | None = None
    open_places: list[Position] = []
    for phrase in _PHRASE.split(words.lower()):
        found = _WORD.findall(phrase)
        if "from" in found:
            counted = next((place for place in map(_place, found) if place is not None), Position(0))
            ends = set(found[found.index("from") :])
            from_end = counted.place if counted.place is not None else 0
            if ends & (_FIRST_COLUMN | _LAST_COLUMN):
                column = Position(-1 - from_end) if ends & _LAST_COLUMN else Position(from_end)
            elif ends & (_FIRST_ROW | _LAST_ROW):
                row = Position(-1 - from_end) if ends & _LAST_ROW else Position(from_end)
            continue
        row_here = bool({"row", "rows"} & set(found))
        column_here = bool({"column", "columns"} & set(found))
        for word in found:
            if word in _FIRST_ROW:
                row = Position(0)
            elif word in _LAST_ROW:
                row = Position(-1)
            elif word in _FIRST_COLUMN:
                column = Position(0)
            elif word in _LAST_COLUMN:
                column = Position(-1)
            elif (place := _place(word, numbers=row_here or column_here)) is not None:
                if row_here:
                    row = place
                elif column_here:
                    column = place
                else:
                    open_places.append(place)
    for place in open_places:
        if column is None:
            column = place
        elif row is None:
            row = place
    return row, column


def _place(word: str, *, numbers: bool = False) -> Position | None:
    """The place that an ordinal or "middle" names, or a number beside "row" or "column"; else None."""
    if word in _MIDDLE:
        return Position(None)
    if word in _COUNT:
        return Position(_COUNT[word])
    if word == "last":
        return Position(-1)
    return Position(int(word) - 1) if numbers and word.isdigit() and 0 < int(word) <= 20 else None


def misfit(words: str, placed: Sequence[_Placed]) -> float:
    """Return the misfit of a box's better place to the words: 0 (as they say, or none) to 2 (opposite corner)."""
    row, column = read_position(words)
    return min(
        (row.misfit(each.row, each.rows) if row else 0.0)
        + (column.misfit(each.column, each.columns) if column else 0.0)
        for each in placed
    )
