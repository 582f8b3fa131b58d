"""Whatever may be a panel marker in a caption: letters standing alone, with how they stand and how likely that is.

Most captions hold some that are none (articles, units, variables, genomes): markers.py chooses among them.
Everything is linear in the caption's length: patterns have no nested repetition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from prelabel.captions.enumerations import PICTURE
from prelabel.captions.labels import NUMBER_ITEM, PART, PARTS, ROMAN_ITEM, expand, expand_plain, list_of
from prelabel.captions.panel_rows import INTRODUCES
from prelabel.captions.surroundings import ELSEWHERE, PANEL_WORDS, SHORTEST_DEFINED, Marker, Style, marker_at

# The character before is matched, not looked back at: much faster, as most characters are ruled out at once.
_AFTER = r"(?![-‐‑–—'’′&/+*]\w|[\w°%]|\.\w\w?\.)"
# Most words are ruled out by their second letter.
_ALONE = r"(?=[A-Za-z](?:[^A-Za-hj-uwyz]|$))"
_LETTER_LIST = rf"({list_of(f'[A-Z]{PART}{PARTS}')}|{list_of(f'[a-z]{PART}{PARTS}')}){_AFTER}"
_NUMBERS = rf"({list_of(NUMBER_ITEM)}){_AFTER}"
_ROMANS = rf"({list_of(ROMAN_ITEM)}){_AFTER}"
_Patterns = tuple[re.Pattern[str], re.Pattern[str]]
# "No word character" is checked last: a table of letters and digits rules out most places before.
_LETTER_PATTERNS: _Patterns = (
    re.compile(_ALONE + _LETTER_LIST),
    re.compile(rf"[^A-Za-z0-9_'’′@#°*]{_ALONE}(?<!\w){_LETTER_LIST}"),
)
_NUMBER_PATTERNS: _Patterns = (re.compile(_NUMBERS), re.compile(rf"[^\w.,'’′@#°*-]{_NUMBERS}"))
_ROMAN_PATTERNS: _Patterns = (re.compile(_ROMANS), re.compile(rf"[^\w.'’′@#°*-]{_ROMANS}"))


def find_candidates(text: str) -> list[Marker]:
    """Every letter or list of letters that may be a marker, by offset; "(a)–(c)" and "(a) and (b)" are one."""
    found: list[Marker] = []
    weighed = list(_weighed(text, _LETTER_PATTERNS, letters=True))
    things = _things(text, weighed)
    for marker, word in weighed:
        if things and word.removesuffix("s") in things:
            continue
        if found and marker.style is found[-1].style and marker.style in (Style.PARENTHESES, Style.HALF):
            joined = _joined(text, found[-1], marker)
            if joined is not None:
                found[-1] = joined
                continue
        found.append(marker)
    return found


#: Words for a picture, after which a letter names it.
_PICTURES = re.compile(
    rf"{PICTURE}|(?:fig(?:ure)?|enlargement|magnification|detail|inset|quadrant|plate|map|diagram|chart|scheme|drawing|slide|histogram|spectrum|curve|table|bild|teil|abbildung|"
    r"foto|imagen|vista|parte|vue|partie)s?"
)


def _things(text: str, weighed: Iterable[tuple[Marker, str]]) -> set[str]:
    """The nouns, without an s, that name several things by letters from A on: "treatment A and treatment B".

    Not words for pictures, nor one that only ends the text before each letter: "left lung a, right lung b".
    """
    letters: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    leading: set[str] = set()
    phrases: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for marker, word in weighed:
        if len(word) < SHORTEST_DEFINED or not word.isalpha() or word in PANEL_WORDS or _PICTURES.fullmatch(word):
            continue
        if INTRODUCES.match(word):
            continue
        noun = word.removesuffix("s")
        letters[noun].add(marker.labels)
        before = text[max(0, marker.start - 40) : marker.start].rstrip()[: -len(word)].rstrip()
        phrase = noun, before.rpartition(" ")[2].lower()
        phrases[phrase].add(marker.labels)
        # "Protein kinase A and protein kinase B": a phrase that is the same before each.
        if not before or before[-1] in ".([|" or INTRODUCES.search(before.lower()) or len(phrases[phrase]) > 1:
            leading.add(noun)
    return {
        noun
        for noun in leading
        if len(letters[noun]) > 1 and any(labels[0][0] in "aA" for labels in letters[noun])
    }


#: Before markers that are named together, whatever follows.
_OF_ALL = re.compile(r"\b(?:in|for|of|from|on|between|panels|graphs|images|figures)$", re.IGNORECASE)
_COUPLED = re.compile(r"\s{0,2}(?:,\s?(?:and\s)?|[-–—−~∼]|&|and\s|to\s|through\s)\s?")


def _joined(text: str, one: Marker, other: Marker) -> Marker | None:
    """Two markers with nothing but a dash, a comma or "and" between them as one; None if they are not."""
    if other.start - one.end > 8:
        return None
    between = _COUPLED.fullmatch(text, one.end, other.start)
    if between is None:
        return None
    ranged = text[one.end : other.start].strip()
    if ranged and ranged[0] in "-–—−~∼t":
        labels = expand(f"{one.labels[-1]}-{other.labels[0]}")
        if not labels:
            return None
        named = (*one.labels, *labels[1:], *other.labels[1:])
    else:
        after = text[other.end : other.end + 2].lstrip()
        before = text[max(0, one.start - 14) : one.start].rstrip()
        if before[-1:].isalnum() and after[:1].isalnum() and not _OF_ALL.search(before):
            # "leaf count (b), and (c) a map": each has its own text; not so "the axis in (b) and (c) shows".
            return None
        named = (*one.labels, *other.labels)
    start, end = one.start, other.end
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        start, end = start - 1, end + 1
    return Marker(tuple(dict.fromkeys(named)), start, end, one.style, max(one.weight, other.weight))


def find_plain_candidates(text: str) -> list[Marker]:
    """The same of numbers and roman numerals: only where they stand as markers do, not within a sentence."""
    found = [
        marker
        for patterns in (_NUMBER_PATTERNS, _ROMAN_PATTERNS)
        for marker, _ in _weighed(text, patterns, letters=False)
        if marker.weight >= 2.0 and marker.style in _SET_OFF
    ]
    return sorted(found, key=lambda marker: marker.start)


#: A capital alone between words; and what begins the notes behind them.
_RUN_ON = re.compile(r"(?<!\w)(\w{1,40})[.,;:)]?\s([A-Z])(?=\s\w)")
_SCALE = re.compile(r"[.;]\s(?:Scale|Bar)s?\b")
_TIES = frozenset({"and", "or", "of", "in", "for", "with", "from", "the", "to", "versus", "vs", "by", "at", "on"})
#: Fewer capitals are no list.
FEWEST_RUN_ON = 3


def find_run_on(text: str, before: int) -> list[Marker]:
    """Return the markers of a list without punctuation, "male A habitus B head C palp. Scale bars: ...", or [].

    before: where the other markers begin, behind the beginning of the notes; the text's end without any.
    """
    scale = _SCALE.search(text, 0, before)
    if scale is None and before < len(text):
        return []
    markers: list[Marker] = []
    words: set[str] = set()
    for found in _RUN_ON.finditer(text, 0, scale.start() if scale else before):
        due = chr(ord("A") + len(markers))
        if found[2] != due or found[1].lower() in ELSEWHERE | _TIES:
            return []
        words.add(found[1].lower())
        markers.append(Marker((due,), found.start(2), found.end(2), Style.RUN_ON))
    # "Treatment A in roots, treatment B in stems": one noun before all letters names things.
    return markers if len(markers) >= FEWEST_RUN_ON and len(words) > 1 else []


_SET_OFF = frozenset({Style.PARENTHESES, Style.HALF, Style.POINTED})
#: Words after which a single small "a" may be a marker though a small letter follows.
_BEFORE_FIRST = frozenset({"of", "and", "or", "with", "in", "for", "a"})


def _weighed(text: str, patterns: _Patterns, *, letters: bool) -> Iterator[tuple[Marker, str]]:
    """Yield possible markers, each with the word right before it in small letters, "" without one."""
    size = len(text)
    at_begin, anywhere = patterns
    first = at_begin.match(text)
    for found in chain(
        (first,) if first is not None else (), anywhere.finditer(text, first.end() if first else 0)
    ):
        start, end = found.span(1)
        after = text[end] if end < size else ""
        begin = start - 1
        while begin >= 0 and text[begin] in " \t\xa0" and begin > start - 4:
            begin -= 1
        before = text[begin] if begin >= 0 else ""
        written = found.group(1)
        word = _word_before(text, begin) if before.isalnum() or before == "." else ""
        # The article, by far the most frequent: nothing sets it off and a small letter follows.
        article = written == "a" and after == " " and word and before != "." and word not in _BEFORE_FIRST
        if article and text[end + 1 : end + 2].islower():
            continue
        labels = expand(written) if letters else expand_plain(written)
        if not labels:
            continue
        marker = marker_at(text, labels, start, end, begin, before, after, word)
        if marker is not None:
            yield marker, word


def _word_before(text: str, begin: int) -> str:
    """The word that ends at `begin`, in small letters: at most 14 characters of it."""
    word = text[max(0, begin - 14) : begin + 1].rsplit(None, 1)
    return word[-1].lstrip("(['\"“‘").lower() if word else ""
