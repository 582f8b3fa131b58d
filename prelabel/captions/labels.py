"""Panel labels as captions write them: items, lists and ranges of them, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

#: More labels than this in one range are no panel labels.
LONGEST_RANGE = 26


class Kind(StrEnum):
    """The kind of label of one figure: letters, numbers and so on."""

    UPPER = "A"
    LOWER = "a"
    DIGIT = "1"
    SMALL_ROMAN = "i"
    LARGE_ROMAN = "I"


ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_ROMAN_PLACE = {name: place for place, name in enumerate(ROMAN, start=1)}

_SMALL = r"(?:iii|iv|ii|ix|i|viii|vii|vi|v|x)"
#: One letter, perhaps with a part: "A1", "Ai", "a'".
PART = rf"(?:1[0-2]|[1-9]|['’′]{{1,2}}|″|{_SMALL})?(?![A-Za-z0-9])"
#: The rest of a range of parts: "-iii" of "Ai-iii".
PARTS = rf"(?:[-–—−]{_SMALL}(?![A-Za-z0-9]))?"
LETTER_ITEM = rf"[A-Za-z]{PART}"
#: Labels after Z: AA, AB, ... or AA, BB, ...; small ones are not words that another follows, nor numerals.
LONG_CAPITALS = rf"(?:A[A-Z]|{'|'.join(2 * letter for letter in ascii_uppercase[1:])})(?![A-Za-z0-9])"
LONG_SMALL = rf"(?:a(?![mnst]\s[a-z])[a-z]|{'|'.join(2 * letter for letter in 'bcdefghjklmn')})(?![A-Za-z0-9])"
NUMBER_ITEM = r"\d{1,2}(?![A-Za-z0-9])"
ROMAN_ITEM = r"(?:[ivx]{1,5}|[IVX]{1,5})(?![A-Za-z0-9])"
# Atomic and with a closed end, so that a list that fails is not tried in every way of sharing out its blanks.
JOIN = (
    r"(?>\s{0,2}(?:[-–—−‐‑~∼,/&+]\s{0,2}(?:(?:and|or)\s|&)?|\b(?:and|to|or|through|et|und|y|и)\b)\s{0,2})"
    r"(?:[Pp]anels?\s)?"
)
#: The longest list of items that is read as one marker.
MOST_ITEMS = 60
#: More panels than this are no run of letters.
MOST_LABELS = 60


def list_of(item: str) -> str:
    """The pattern of a list of such items, at most MOST_ITEMS."""
    return rf"{item}(?:{JOIN}{item}){{0,{MOST_ITEMS - 1}}}"


_RANGE = frozenset({"-", "–", "—", "−", "‐", "‑", "to", "through"})
_LETTER_SPLIT = re.compile(
    rf"(?<![A-Za-z])({LONG_CAPITALS}|{LONG_SMALL}|{LETTER_ITEM})|(-(?={_SMALL}\b)|[-–—−‐‑~∼]|\bto\b|\bthrough\b)"
)
_PLAIN_SPLIT = re.compile(
    r"(?<![A-Za-z0-9])([0-9]{1,2}|[ivxIVX]{1,5})(?![A-Za-z0-9])|([-–—−‐‑~∼]|\bto\b|\bthrough\b)"
)
_LONG = re.compile(rf"{LONG_CAPITALS}|{LONG_SMALL}")
_PART_OF = re.compile(rf"[-–—−]?({_SMALL})(?![A-Za-z0-9])")


@lru_cache(maxsize=4096)
def expand(text: str) -> tuple[str, ...]:
    """The labels of a list: "a-c, e" gives a, b, c, e; () where a range runs backwards, mixes cases, or is absurd.

    Suffixes keep their letter: "A1-A3" gives A1, A2, A3, and "Ai-iii" gives Ai, Aii, Aiii.
    """
    if len(text) == 1:
        return (text,)
    labels: list[str] = []
    open_range = False
    place = 0
    while True:
        match = _LETTER_SPLIT.search(text, place)
        if match is None:
            return tuple(dict.fromkeys(labels))
        place = match.end()
        if match.group(2):
            part = _PART_OF.match(text, match.start())
            if part is not None and labels and labels[-1][1:] in _ROMAN_PLACE:
                # "Ai-iii": the second end of the range leaves its letter out.
                between = between_labels(labels[-1], labels[-1][0] + part.group(1))
                if between:
                    labels.extend(between)
                    place = part.end()
                    continue
            open_range = True
            continue
        item = match.group(1).replace("′", "'").replace("’", "'").replace("″", "''").replace("-", "")
        if open_range and labels:
            between = between_labels(labels[-1], item)
            if not between:
                return ()
            labels.extend(between)
        else:
            labels.append(item)
        open_range = False


@lru_cache(maxsize=1024)
def expand_plain(text: str) -> tuple[str, ...]:
    """The labels of a list of numbers or roman numerals: "1-3" gives 1, 2, 3, and "i, ii" gives i, ii."""
    labels: list[str] = []
    open_range = False
    for match in _PLAIN_SPLIT.finditer(text):
        if match.group(2):
            open_range = True
            continue
        item = match.group(1)
        if open_range and labels:
            low, high = place_of(labels[-1]), place_of(item)
            if not 0 < low < high < low + LONGEST_RANGE or item.isdigit() != labels[-1].isdigit():
                return ()
            labels.extend(label_at(numeral_kind(item), place) for place in range(low + 1, high + 1))
        else:
            labels.append(item)
        open_range = False
    return tuple(dict.fromkeys(labels))


def between_labels(first: str, last: str) -> tuple[str, ...]:
    """Return the labels after `first` up to and including `last`; () if that is no range."""
    if len(first) == len(last) == 1:
        steps = ord(last) - ord(first)
        if 0 < steps < LONGEST_RANGE:
            return tuple(chr(ord(first) + step) for step in range(1, steps + 1))
        return ()
    if _LONG.fullmatch(last) and (len(first) == 1 or (_LONG.fullmatch(first) and first[1] not in _ROMAN_PLACE)):
        return _after(first, last)
    if first[0] != last[0]:
        return ()
    if first[1:].isdigit() and last[1:].isdigit():
        low, high = int(first[1:]), int(last[1:])
        if low < high < low + LONGEST_RANGE:
            return tuple(f"{first[0]}{number}" for number in range(low + 1, high + 1))
    if first[1:] in _ROMAN_PLACE and last[1:] in _ROMAN_PLACE:
        low, high = _ROMAN_PLACE[first[1:]], _ROMAN_PLACE[last[1:]]
        return tuple(first[0] + ROMAN[place] for place in range(low, high))
    if set(first[1:] + last[1:]) == {"'"}:
        return tuple(first[0] + "'" * primes for primes in range(len(first), len(last)))
    return ()


def goes_on(labels: Iterable[str]) -> bool:
    """Return whether labels go on after Z: one of them is AA."""
    return any(label in ("AA", "aa") for label in labels)


def letter_place(label: str, *, long: bool) -> int:
    """0 for A and its parts such as A1, 25 for Z. long: whether AA follows Z; 26 then, and 27 for AB or BB."""
    places = [ord(letter) - ord("A" if letter.isupper() else "a") for letter in label] if label.isalpha() else []
    if long and len(places) == 2 and label in (label.upper(), label.lower()) and places[0] in (0, places[1]):
        return 26 + places[1]
    return ord(label[0]) - ord("A" if label[0].isupper() else "a")


def _after(first: str, last: str) -> tuple[str, ...]:
    """Return the labels of a range that ends after Z: "A-AC", "X-BB", "AA-AD"; () if that is no range."""
    low, high = letter_place(first, long=True), letter_place(last, long=True)
    if first.isupper() != last.isupper() or not 26 <= high < MOST_LABELS or low >= high:
        return ()
    names = ascii_uppercase if last.isupper() else ascii_lowercase
    doubled = last[0] != names[0]
    longer = [2 * name if doubled else names[0] + name for name in names]
    return tuple([*names, *longer][low + 1 : high + 1])


def numeral_kind(label: str) -> Kind:
    """The kind of a number or roman numeral, also of "i" and "v", which elsewhere are letters."""
    if label.isdigit():
        return Kind.DIGIT
    return Kind.SMALL_ROMAN if label.islower() else Kind.LARGE_ROMAN


def place_of(label: str) -> int:
    """1 for the first label of numbers or numerals; 0 if it is neither."""
    if label.isdigit():
        return int(label)
    return _ROMAN_PLACE.get(label.lower(), 0)


def label_at(kind: Kind, place: int) -> str:
    """The label at a place from 1 on. Raises IndexError beyond the numerals known."""
    match kind:
        case Kind.DIGIT:
            return str(place)
        case Kind.SMALL_ROMAN:
            return ROMAN[place - 1]
        case Kind.LARGE_ROMAN:
            return ROMAN[place - 1].upper()
        case _:
            return chr(ord(kind) + place - 1)


def sort_key(label: str, *, long: bool) -> tuple[int, int, str]:
    """Orders labels of letters: A, A1, A2, A10, Ai, Aii, B. long: whether AA follows Z."""
    part, place = label[1:], letter_place(label, long=long)
    if part.isdigit():
        return place, int(part), ""
    return place, _ROMAN_PLACE.get(part, 0), part


def in_order(labels: Iterable[str], kind: Kind) -> tuple[str, ...]:
    """The labels without repetition, sorted as the figure has them."""
    distinct = dict.fromkeys(labels)
    if kind in (Kind.UPPER, Kind.LOWER):
        long = goes_on(distinct)
        return tuple(sorted(distinct, key=lambda label: sort_key(label, long=long)))
    return tuple(sorted(distinct, key=place_of))
