"""Finding panel markers in a caption: "(A)", "A)", "A.", "A:", bare "A", lists and ranges of them.

Everything here is linear in the caption's length: patterns have no nested repetition, and repetition within
parentheses is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

#: More labels than this in one range are no panel labels.
LONGEST_RANGE = 26


class Style(StrEnum):
    """How markers are written. Captions keep to one style for the main markers."""

    PARENTHESES = "(A)"
    HALF = "A)"
    POINTED = "A."  # A. A: A, or A and B, at the start of a sentence
    BARE = "a"  # at the start of a sentence, nothing after it


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: the labels it names, in order, and its characters [start, end)."""

    labels: tuple[str, ...]
    start: int
    end: int
    style: Style


_ITEM = r"[A-Za-z](?:\d{1,2}|[′']|(?:ii|iii|iv|i|v)(?![A-Za-z]))?"
# Atomic and with a closed end, so that a list that fails is not tried in every way of sharing out its blanks.
_JOIN = r"(?>\s{0,2}(?:[-–—−‐‑,;/&+]\s{0,2}(?:and\s|&)?|\band\b|\bto\b|\bor\b|\bthrough\b)\s{0,2})"
_LIST = rf"{_ITEM}(?![A-Za-z0-9])(?:{_JOIN}{_ITEM}(?![A-Za-z0-9])){{0,14}}"
_SPLIT = re.compile(rf"(?<![A-Za-z])({_ITEM})(?![A-Za-z])|([-–—−‐‑]|\bto\b|\bthrough\b)")
_RANGE = {"-", "–", "—", "−", "‐", "‑", "to", "through"}

_PARENTHESISED = re.compile(
    rf"[(\[]\s{{0,2}}(?:[Pp]anels?\s)?({_LIST})\s{{0,2}}(?:[)\]]|([,;:]\s?[^()\[\]]{{1,60}})[)\]])"
)
#: "((b) and (c))" and "(a) and (b)": one marker of several parentheses.
_COUPLED = re.compile(r"\s{0,2}(?:,|-|–|&|and|to)\s{0,2}$")
_HALF = re.compile(rf"(?<![\w(\[)])({_LIST})\)")
_START = re.compile(rf"({_LIST})(?=(\s?[.:,)]|\s)\s?\S)")
_SENTENCE_END = re.compile(r"[.!?;:]['\"”’)\]]{0,2}\s{1,3}|[.!?](?=\()|\n\s{0,3}|[.;,]\s{1,2}(?:and\s)?(?=[(\[])")


def expand(text: str) -> tuple[str, ...]:
    """The labels of a list: "a-c, e" gives a, b, c, e; () where a range runs backwards, mixes cases, or is absurd.

    Suffixes keep their letter: "A1-A3" gives A1, A2, A3.
    """
    labels: list[str] = []
    open_range = False
    for found in _SPLIT.finditer(text):
        if found.group(2):
            open_range = True
            continue
        item = found.group(1).replace("′", "'")
        if open_range and labels:
            between = _between(labels[-1], item)
            if not between:
                return ()
            labels.extend(between)
        else:
            labels.append(item)
        open_range = False
    return tuple(dict.fromkeys(labels))


def _between(first: str, last: str) -> tuple[str, ...]:
    """What follows `first` up to and with `last`; () where that is no range."""
    if len(first) == len(last) == 1:
        steps = ord(last) - ord(first)
        if 0 < steps < LONGEST_RANGE:
            return tuple(chr(ord(first) + step) for step in range(1, steps + 1))
        return ()
    if first[0] == last[0] and first[1:].isdigit() and last[1:].isdigit():
        low, high = int(first[1:]), int(last[1:])
        if low < high < low + LONGEST_RANGE:
            return tuple(f"{first[0]}{number}" for number in range(low + 1, high + 1))
    return ()


def sentence_starts(text: str) -> list[int]:
    """Offsets at which a sentence or clause may begin: 0 and what follows a mark of punctuation."""
    starts = [len(text) - len(text.lstrip())]
    for found in _SENTENCE_END.finditer(text):
        if found.end() < len(text):
            starts.append(found.end())
    return starts


def find_markers(text: str) -> list[Marker]:
    """Every candidate, of all styles, by offset. Most captions hold some that are none (units, variables)."""
    found = list(_parenthesised(text))
    taken = {marker.start for marker in found}
    for half in _HALF.finditer(text):
        labels = expand(half.group(1))
        if labels and half.start() not in taken:
            found.append(Marker(labels, half.start(), half.end(), Style.HALF))
    for start in sentence_starts(text):
        head = _START.match(text, start)
        if head is None:
            continue
        labels = expand(head.group(1))
        if not labels:
            continue
        after = head.group(2).strip()
        if after == ")":
            continue
        style = Style.POINTED if after else Style.BARE
        found.append(Marker(labels, head.start(), head.end() + len(head.group(2).rstrip()), style))
    return sorted(found, key=lambda marker: (marker.start, marker.style))


def _parenthesised(text: str) -> Iterator[Marker]:
    """Markers in parentheses; neighbours such as "(b) and (c)" in one outer pair are joined."""
    waiting: Marker | None = None
    for found in _PARENTHESISED.finditer(text):
        labels = expand(found.group(1))
        if not labels or (found.group(2) and len(labels[0]) > 1):
            continue
        start, end = found.span()
        marker = Marker(labels, start, end, Style.PARENTHESES)
        if waiting is not None:
            opened = text[waiting.start - 1 : waiting.start] == "("
            if opened and _COUPLED.match(text[waiting.end : start]):
                waiting = Marker((*waiting.labels, *labels), waiting.start, end, Style.PARENTHESES)
                if text[end : end + 1] == ")":
                    yield Marker(waiting.labels, waiting.start - 1, end + 1, Style.PARENTHESES)
                    waiting = None
                continue
            yield waiting
        waiting = marker
    if waiting is not None:
        yield waiting


@dataclass(frozen=True, slots=True)
class Scheme:
    """The markers of a caption that count. labels: in order; markers: by offset, naming these labels only."""

    labels: tuple[str, ...]
    markers: tuple[Marker, ...]


NO_SCHEME = Scheme((), ())


def read_scheme(text: str) -> Scheme:
    """The caption's panel labels and markers; NO_SCHEME where fewer than two panels are named.

    Labels run from A (or a) without a gap, all in one case: what lies outside the run is taken for a variable, a
    unit or a reference to something else.
    """
    candidates = [marker for marker in find_markers(text) if not _refers_elsewhere(text, marker)]
    main = _main_run(candidates)
    upper = main[0].labels[0].isupper() if main else None
    if main:
        last = max(label[0] for label in _names(main))
        begin = max(marker.end for marker in main if last in {label[0] for label in marker.labels})
        main = _extended(text, main, candidates, chr(ord(last) + 1), begin)
    for case in (False, True) if upper is None else ():
        main = _loose_chain(text, case)
        if main:
            upper = case
            break
    if not main or upper is None:
        return NO_SCHEME
    letters = {label[0] for label in _names(main)}
    plain = {label for label in _names(main) if len(label) == 1}
    labels: dict[str, None] = {}
    for letter in sorted(letters):
        # Where "A" itself is a marker, "A1" is a part of it; where only "A1" and "A2" are, they are the panels.
        variants = [letter] if letter in plain else [label for label in _names(main) if label[0] == letter]
        labels.update(dict.fromkeys(variants))
    starts = {marker.start for marker in main}
    # Parentheses may stand within the text that a bare marker opens: "c, d Images of cells (c) and tissue (d)".
    styles = {Style.PARENTHESES} | {
        style
        for style in (Style.BARE, Style.POINTED)
        if run_length(_names([m for m in candidates if m.style is style]), upper=upper) == len(letters)
    }
    references = (m for m in candidates if m.style in styles and m.start not in starts)
    kept = []
    for marker in sorted((*main, *references), key=lambda each: each.start):
        named = tuple(dict.fromkeys(label if label in labels else label[0] for label in marker.labels))
        if all(label in labels for label in named):
            kept.append(Marker(named, marker.start, marker.end, marker.style))
    return Scheme(tuple(labels), tuple(kept))


def _names(markers: Iterable[Marker]) -> list[str]:
    return list(dict.fromkeys(label for marker in markers for label in marker.labels))


#: Before a marker: what follows is no panel of this figure.
_ELSEWHERE = re.compile(
    r"(?:\b(?:letters?|superscripts?|tracks?|lanes?|groups?|Figs?\.?|Figures?|Tables?|genomes?|alleles?|types?|"
    r"factors?|vitamins?|hepatitis|influenza|strategy|class|stage|grade|phase)\s{1,2})$",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"\b(?:letters?|superscripts?|Figs?\.?|Figures?|Tables?)\s{1,2}$", re.IGNORECASE)
#: After a marker: letters of significance.
_SIGNIFICANCE = re.compile(
    r"\s{0,2}(?:above|over|on top|(?:indicate|denote|represent|mean|show)s?\s\w{0,13}\s?significan)"
)


def _refers_elsewhere(text: str, marker: Marker) -> bool:
    if _SIGNIFICANCE.match(text, marker.end):
        return True
    if marker.style is Style.PARENTHESES:
        return _LETTERS.search(text[max(0, marker.start - 16) : marker.start]) is not None
    if marker.style is Style.HALF and text.rfind("(", max(0, marker.start - 60), marker.start) > text.rfind(
        ")", max(0, marker.start - 60), marker.start
    ):
        return True
    return _ELSEWHERE.search(text[max(0, marker.start - 16) : marker.start]) is not None


def run_length(labels: Iterable[str], *, upper: bool) -> int:
    """How many labels of one case run from A (or a) without a gap; suffixes ("A1") count for their letter."""
    letters = {label[0] for label in labels}
    first = ord("A" if upper else "a")
    count = 0
    while count < 26 and chr(first + count) in letters:
        count += 1
    return count


def _main_run(candidates: Sequence[Marker]) -> tuple[Marker, ...]:
    """The markers of the style and case whose labels run furthest; () where none runs to two.

    A run that stands in a single list, such as "(a-d)", counts two: letters of significance look like that.
    Where runs tie, the stronger style wins, then the one that begins first.
    """
    best: tuple[tuple[int, int, int], tuple[Marker, ...]] = ((0, 0, 0), ())
    for strength, style in enumerate((Style.BARE, Style.POINTED, Style.HALF, Style.PARENTHESES)):
        for upper in (False, True):
            chosen = [m for m in candidates if m.style is style and m.labels[0][0].isupper() is upper]
            count = run_length(_names(chosen), upper=upper)
            if count < 2:
                continue
            end = chr(ord("A" if upper else "a") + count)
            chosen = [m for m in chosen if all(label[0] < end for label in m.labels)]
            if run_length(_names(chosen), upper=upper) < 2:
                continue
            rank = (min(count, 2 * len({m.labels for m in chosen})), strength, -chosen[0].start)
            best = max(best, (rank, tuple(chosen)), key=lambda entry: entry[0])
    return best[1]


_LOOSE = re.compile(
    rf"(?:(?<=[,;:.)\]]\s)|(?<=\band\s)|(?<=\bor\s)|(?<=\bof\s)|(?<=\bin\s)|(?<=\bwith\s))"
    rf"\(?({_LIST})(?=\)?[.:,]?\s\S)"
)
_ANYWHERE = re.compile(r"(?<=\s)([A-Z](?:[-–—][A-Z])?)(?=[:.]?\s\S)")


def _extended(
    text: str, main: tuple[Marker, ...], candidates: Sequence[Marker], expected: str, begin: int
) -> tuple[Marker, ...]:
    """The run carried on by markers of another style, each naming the next label: "c Trees and (d) maps"."""
    result = list(main)
    for marker in candidates:
        if marker.start < begin or marker.labels[0] != expected or marker.style is Style.HALF:
            continue
        # "E, eye; T, thymus" after the panels is a list of abbreviations.
        pointed = marker.style is Style.POINTED and text[marker.end - 1] == ","
        if not (pointed and main[0].style is Style.PARENTHESES):
            result.append(marker)
            begin, expected = marker.end, chr(ord(marker.labels[-1][0]) + 1)
    if all(marker.style in (Style.BARE, Style.POINTED) for marker in main):
        result.extend(_chain(text, _LOOSE, expected, begin))
    return tuple(result)


def _chain(text: str, pattern: re.Pattern[str], expected: str, begin: int) -> list[Marker]:
    """Loose markers from `begin` on, each naming the label that comes next."""
    result = []
    for found in pattern.finditer(text, begin):
        labels = expand(found.group(1))
        if not labels or labels[0] != expected:
            if not found.group(1).startswith(expected) or len(found.group(1)) < 3:
                continue
            labels = (expected,)
        end = found.end(1) if len(labels) > 1 or labels[0] == found.group(1) else found.start(1) + 1
        if text[found.start()] == "(" and text[end : end + 1] == ")":
            end += 1
        result.append(Marker(labels, found.start(), end, Style.BARE))
        expected = chr(ord(labels[-1][0]) + 1)
    return result


def _loose_chain(text: str, upper: bool) -> tuple[Marker, ...]:
    """Markers that no punctuation sets off: "soil with a diesel oil and b waste oil", "A Forest B Meadow C Hedge".

    The first stands at the start of a sentence, or is the last "a" before "b"; of capitals three are asked for.
    """
    if upper:
        starts = [start for start in sentence_starts(text) if text[start : start + 1] == "A"]
        for start in starts[:3]:
            head = _START.match(text, start)
            if head is not None and (labels := expand(head.group(1)[:3])) and labels[0] == "A":
                first = Marker(labels, start, start + len(head.group(1)[:3].rstrip()), Style.BARE)
                rest = _chain(text, _ANYWHERE, chr(ord(labels[-1][0]) + 1), first.end)
                if len(rest) >= 2:
                    return (first, *rest)
        return ()
    rest = _chain(text, _LOOSE, "b", 0)
    if not rest:
        return ()
    before = [found.start() for found in re.finditer(r"(?<![\w.(])\(?a\b(?=\)?[:.,]?\s\S)", text[: rest[0].start])]
    if not before:
        return ()
    at_start = set(sentence_starts(text)) & set(before)
    start = max(at_start) if at_start else before[-1]
    end = start + (3 if text.startswith("(a)", start) else 1)
    return (Marker(("a",), start, end, Style.BARE), *rest)
