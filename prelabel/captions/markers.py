"""Choosing the panel markers of a caption: which of the letters that stand alone in it name its panels.

Each candidate carries evidence of its own. All are then weighed together: labels run from A, a, 1 or
i without a gap, mostly in one style; a weak candidate counts where it fills the place of the label that is due.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from prelabel.captions.enumerations import PICTURE
from prelabel.captions.labels import (
    LONG_CAPITALS,
    LONG_SMALL,
    MOST_LABELS,
    NUMBER_ITEM,
    PART,
    PARTS,
    ROMAN_ITEM,
    Kind,
    expand,
    expand_plain,
    goes_on,
    in_order,
    label_at,
    letter_place,
    list_of,
    place_of,
)
from prelabel.captions.panel_rows import INTRODUCES
from prelabel.captions.surroundings import ELSEWHERE, PANEL_WORDS, SHORTEST_DEFINED, Marker, Style, marker_at

#: A candidate of this weight needs no neighbours to be taken in.
STRONG = 0.7
#: How far before b the a is looked for.
FAR = 400
#: One lighter than this must stand where its label is due.
DOUBTFUL = 1.3
#: After panels in parentheses, a lighter marker without them is an item of a list.
LISTED = 1.5
_LOOSE_STYLES = frozenset({Style.BARE, Style.LOOSE, Style.REFERENCE})
#: How often the labels of captions in one style, without a rival, are all of the figure's and no others.
_PLAIN_CHANCE = 0.99
_ENCLOSED = frozenset({Style.PARENTHESES, Style.HALF, Style.WITHIN})
#: Weights that a weak candidate needs within the run, and at its end.
WITHIN_RUN, AT_END = 0.2, 0.45


@dataclass(frozen=True, slots=True)
class Scheme:
    """The markers of a caption that count.

    labels: in order. markers: by offset, naming these labels only. strength: the evidence for each label, on
    average. rival: the evidence for the next best reading, as a share. filled: how many labels only stand where
    they are due. mixed: whether the labels are written in several styles.
    """

    labels: tuple[str, ...]
    markers: tuple[Marker, ...]
    strength: float = 0.0
    rival: float = 0.0
    filled: int = 0
    mixed: bool = False


NO_SCHEME = Scheme((), ())


@dataclass(frozen=True, slots=True)
class _Run:
    """Labels of one kind without a gap. first: the marker that names each label first."""

    kind: Kind
    first: tuple[Marker, ...]
    score: float
    filled: int
    main: Style


def read_scheme(text: str) -> Scheme:
    """The caption's panel labels and markers; NO_SCHEME where fewer than two panels are named."""
    candidates = find_candidates(text)
    runs = []
    upper = [marker for marker in candidates if marker.labels[0] < "a"]
    lower = _with_article(text, [marker for marker in candidates if marker.labels[0] >= "a"])
    for kind, own in ((Kind.UPPER, upper), (Kind.LOWER, lower)):
        run = _run(own, kind) if own else None
        if run is not None:
            runs.append((run, own))
    if not any(run.score >= 2.5 for run, _ in runs):
        plain = _find_plain_candidates(text)
        for kind in (Kind.DIGIT, Kind.SMALL_ROMAN, Kind.LARGE_ROMAN):
            own = [marker for marker in plain if all(_is_of(label, kind) for label in marker.labels)]
            run = _run(own, kind)
            if run is not None and run.filled == 0 and _named_apart(run, own):
                runs.append((run, own))
    while runs:
        best, own = max(runs, key=lambda entry: (entry[0].score, -entry[0].first[0].start))
        rival = max((run.score for run, _ in runs if run is not best), default=0.0) / best.score
        if best.kind is Kind.LOWER and runs[0][0].kind is Kind.UPPER and _outer(runs[0][0], best):
            best, own = runs[0]
        scheme = _scheme(best, own, rival)
        if len(scheme.labels) > 1 and scheme.markers:
            # The notes name panels again: "A habitus B head C palp. Scale bars: 1 mm (A, B), 2 mm (C)."
            return _run_on_scheme(text, scheme.markers[0].start) or scheme
        # "A1, A2, C. elegans", "A′ and A/B": its lists go beyond the run, so that too little is left of it.
        runs.remove((best, own))
    scheme = _listed_scheme(text)
    return scheme if scheme.labels else _run_on_scheme(text, len(text)) or scheme


def _run_on_scheme(text: str, before: int) -> Scheme | None:
    """Return the panels of a list without punctuation before a place, None without one."""
    markers = _find_run_on(text, before)
    return Scheme(tuple(marker.labels[0] for marker in markers), tuple(markers), STRONG) if markers else None


#: "A, anterior; B, posterior; and C, dorsal views": panels where the letters run on and the list ends there.
_LISTED_PANELS = re.compile(
    r"(?:(?:^|[.:]\s)A|(?:^|[.:]\s|\b(?:of|for|with|in|at)\s)a),\s[^.;]{1,120}"
    r"(?:;\s(?:and\s)?[B-Zb-z],\s[^.;]{1,120}){2,25}(?:\.|$)"
)
_LISTED_LETTER = re.compile(r"(?:^|[.:;]\s(?:and\s)?|(?<=\w)\s)([A-Za-z]),(?=\s)")


def _listed_scheme(text: str) -> Scheme:
    """Three or more letters from A on in a list that would be one of abbreviations did they not run on."""
    match = _LISTED_PANELS.search(text)
    if match is None:
        return NO_SCHEME
    markers: list[Marker] = []
    first = "A" if "A," in match.group()[:4] else "a"
    for letter in _LISTED_LETTER.finditer(text, max(0, match.start() - 1), match.end()):
        if letter.group(1) == chr(ord(first) + len(markers)):
            start, end = letter.start(1), letter.end()
            markers.append(Marker((letter.group(1),), start, end, Style.COMMA, STRONG))
        elif text[letter.start()] in ".:;":
            return NO_SCHEME
    if len(markers) < 3:
        return NO_SCHEME
    return Scheme(tuple(marker.labels[0] for marker in markers), tuple(markers), STRONG)


def _with_article(text: str, own: list[Marker]) -> list[Marker]:
    """With the article before the first b, where nothing else may be the a: "with a diesel and b waste oil"."""
    second = next((marker for marker in own if marker.labels[0] == "b" and marker.weight >= AT_END), None)
    if second is None or any("a" in marker.labels and marker.start < second.start for marker in own):
        return own
    place = text.rfind(" a ", max(0, second.start - FAR), second.start) + 1
    if not place and text.startswith("a "):
        return [Marker(("a",), 0, 1, Style.BARE, AT_END), *own]
    if not place or (". " in text[place : second.start] and second.weight < STRONG):
        return own
    return sorted([*own, Marker(("a",), place, place + 1, Style.LOOSE, 0.3)], key=lambda marker: marker.start)


def confidence(scheme: Scheme) -> float:
    """The chance that these are all panels of the figure and no others, from how well the labels are attested."""
    chance = _PLAIN_CHANCE
    if scheme.mixed:
        chance *= 0.94
    if scheme.filled:
        chance *= 0.96
    if scheme.strength < STRONG:
        chance *= 0.97
    return chance * (1.0 - 0.2 * min(scheme.rival, 1.0))


def _is_of(label: str, kind: Kind) -> bool:
    if kind is Kind.DIGIT:
        return label.isdigit()
    return place_of(label) > 0 and not label.isdigit() and label.islower() is (kind is Kind.SMALL_ROMAN)


def _named_apart(run: _Run, own: Iterable[Marker]) -> bool:
    """Return whether numbers or numerals are named beside a list of all of them, such as "(1-3)"."""
    count = len(run.first)
    return sum(len(marker.labels) < count and place_of(marker.labels[0]) <= count for marker in own) > 1


def _outer(upper: _Run, lower: _Run) -> bool:
    """Return whether small letters are parts of panels named by capitals around them, both well set off."""
    styled = all(marker.weight >= STRONG for marker in upper.first)
    early = upper.first[0].start < lower.first[0].start
    return styled and early and upper.main in (Style.PARENTHESES, Style.HALF) and upper.filled == 0


#: The first part of a panel: without one of these, "G0" and "T7" are not panels.
_FIRST_PARTS = frozenset({"1", "i", "'"})
_PARTS = frozenset({"1", "2", "i", "ii", "'", "''"})


def _run(own: Sequence[Marker], kind: Kind) -> _Run | None:
    """The longest run from the first label on that strong candidates name, weak ones filling what is missing."""
    letters = kind in (Kind.UPPER, Kind.LOWER)
    if letters and kind not in {label[0] for marker in own for label in marker.labels}:
        return None
    long = letters and goes_on(label for marker in own for label in marker.labels)
    strong: dict[int, list[Marker]] = defaultdict(list)
    weak: dict[int, list[Marker]] = defaultdict(list)
    plain: set[int] = set()
    parts: dict[int, set[str]] = defaultdict(set)
    for marker in own:
        table = strong if marker.weight >= STRONG else weak
        for label in marker.labels:
            place = letter_place(label, long=long) if letters else place_of(label) - 1
            if not 0 <= place < MOST_LABELS:
                continue
            if table is strong and letters:
                if len(label) == 1 or place > 25:
                    plain.add(place)
                else:
                    parts[place].add(label[1:])
            table[place].append(marker)
    for place, named in parts.items():
        if place not in plain and not named & _FIRST_PARTS:
            strong.pop(place, None)
    if (not strong and len(weak) < 2) or (0 not in strong and 0 not in weak):
        return None
    main = _main_style(strong)
    first: dict[int, Marker] = {}
    filled = 0
    for place in range(MOST_LABELS):
        found = _strong_one(place, strong, main, first)
        if found is None:
            found = _filling(place, strong, weak, first)
            if found is None:
                break
            filled += 1
        first[place] = found
    if not first or (len(first) == 2 and first[1].weight < AT_END):
        return None
    if len(first) == 1 and (0 in plain or len(parts[0] & _PARTS) < 2):
        return None
    distinct = {id(marker) for marker in first.values()}
    score = sum(min(marker.weight, 3.0) for marker in first.values())
    if len(distinct) == 1:
        # All in one list, such as "(a-d)": letters of significance look like that.
        score = min(score, 2.0 * first[0].weight) / 2
    return _Run(kind, tuple(first.values()), score, filled, main)


def _main_style(strong: dict[int, list[Marker]]) -> Style:
    """The style with the most evidence in the first run of labels, each label counted once."""
    styles = {marker.style for markers in strong.values() for marker in markers}
    if len(styles) < 2:
        return next(iter(styles), Style.LOOSE)
    weights: dict[Style, float] = defaultdict(float)
    place = missing = 0
    while missing < 2:
        best: dict[Style, float] = {}
        for marker in strong.get(place, ()):
            best[marker.style] = max(marker.weight, best.get(marker.style, 0.0))
        for style, weight in best.items():
            weights[style] += weight
        missing = 0 if best else missing + 1
        place += 1
    return max(weights, key=lambda style: weights[style], default=Style.LOOSE)


def _strong_one(
    place: int, strong: dict[int, list[Marker]], main: Style, first: dict[int, Marker]
) -> Marker | None:
    """The strong marker that names a label first: of the main style, or of another in its due place."""
    named = strong.get(place)
    if not named:
        return None
    if named[0].style is main and named[0].weight >= DOUBTFUL:
        return named[0]
    previous = first.get(place - 1)
    enclosed = main in _ENCLOSED and (place == 0 or first[0].style in _ENCLOSED)
    certain = any(marker.style is Style.PARENTHESES and marker.weight >= DOUBTFUL for marker in named)
    for marker in named:
        in_place = previous is None or marker.start >= previous.start
        if not in_place and marker.weight >= 1.0 and place + 1 in strong:
            in_place = True
        if marker.style is Style.PARENTHESES and marker.weight < DOUBTFUL:
            if not certain and (in_place or place + 1 in strong):
                return marker
            continue
        if marker.style is main:
            return marker
        # "E, eye; T, thymus" after panels in parentheses is a list of abbreviations.
        if in_place and not (enclosed and marker.style not in _ENCLOSED and _stray(marker)):
            return marker
    return None


def _stray(marker: Marker) -> bool:
    """Return whether a marker is too weak to follow panels in parentheses: "C, cortex", "B cells were seen"."""
    return marker.weight < LISTED or (marker.style is Style.BARE and marker.labels[0].isupper())


def _filling(
    place: int,
    strong: dict[int, list[Marker]],
    weak: dict[int, list[Marker]],
    first: dict[int, Marker],
) -> Marker | None:
    """A weak marker where the label is due: after the one before it, and before the next that is strong."""
    if place not in weak:
        return None
    previous = first.get(place - 1)
    begin = previous.end if previous is not None else 0
    limit = _next_start(strong, place, begin, 0.0)
    if limit is None and place == 0:
        limit = _next_start(weak, 0, 0, WITHIN_RUN if weak.get(2) else AT_END)
    needed = WITHIN_RUN if limit is not None else AT_END
    loose = previous is None or previous.style in _LOOSE_STYLES
    if limit is None and place > 1 and previous is not None and previous.style in (Style.PARENTHESES, Style.HALF):
        # After panels in parentheses, a letter in running text is something else.
        return previous if previous in weak.get(place, ()) else None
    following = _last_start(weak.get(place + 1, ()))
    led = place >= 2 and first[place - 1].weight < STRONG and first[0].style in _LOOSE_STYLES
    due = []
    for marker in weak.get(place, ()):
        if marker is previous:
            return marker
        if marker.start < begin or marker.weight < WITHIN_RUN or (limit is not None and marker.start >= limit):
            continue
        # "A Forest B Meadow C Hedge": none is worth much, but each follows where it is due.
        if marker.weight >= needed or (loose and (led or following > marker.end)):
            due.append(marker)
            if place:
                break
    # Of many articles the best placed one; of equals the last before b.
    return max(due, key=lambda marker: (marker.weight, marker.start), default=None)


def _last_start(markers: Sequence[Marker]) -> int:
    """Return where the last series of convincing markers begins; -1 if there is none."""
    return max((marker.start for marker in markers if marker.weight >= WITHIN_RUN), default=-1)


def _next_start(table: dict[int, list[Marker]], place: int, begin: int, least: float) -> int | None:
    """Return where the next label, or the one after it, is first named from `begin` on."""
    same = {id(marker) for marker in table.get(place, ())}
    for ahead in (1, 2):
        for marker in table.get(place + ahead, ()):
            if marker.start >= begin and marker.weight >= least and id(marker) not in same:
                return marker.start
    return None


def _scheme(run: _Run, own: Sequence[Marker], rival: float) -> Scheme:
    """All markers of the run, by offset, and its labels in order."""
    chosen = {id(marker) for marker in run.first}
    begun = {label: marker.start for marker in run.first for label in marker.labels}
    count = len(run.first)
    styles = {marker.style for marker in run.first if marker.weight >= STRONG}
    kept = [
        marker
        for marker in own
        if id(marker) in chosen
        or (marker.style is Style.PARENTHESES and marker.weight >= DOUBTFUL)
        or (marker.weight >= STRONG and marker.style in styles and not _defined_before(marker, begun))
        or (marker.style is Style.WITHIN and Style.PARENTHESES in styles)
        or (marker.style in (Style.BARE, Style.POINTED) and marker.weight >= LISTED)
        or marker.style is Style.REFERENCE
    ]
    if run.kind in (Kind.UPPER, Kind.LOWER):
        long = goes_on(label for marker in own for label in marker.labels)
        kept = [m for m in kept if all(letter_place(label, long=long) < count for label in m.labels)]
    else:
        allowed = frozenset([label_at(run.kind, place + 1) for place in range(count)])
        kept = [m for m in kept if allowed.issuperset(m.labels)]
    labels = _variants(kept, run.kind)
    known = frozenset(labels)
    markers = []
    for marker in kept:
        if known.issuperset(marker.labels):
            markers.append(marker)
        elif marker.style in _ENCLOSED:
            # "(B1)" where B is the panel.
            named = tuple(dict.fromkeys(label if label in known else label[0] for label in marker.labels))
            if known.issuperset(named):
                markers.append(Marker(named, marker.start, marker.end, marker.style, marker.weight))
    mixed = len({marker.style for marker in run.first}) > 1
    return Scheme(labels, tuple(markers), run.score / count, rival, run.filled, mixed)


def _defined_before(marker: Marker, begun: Mapping[str, int]) -> bool:
    """Return whether a marker looks like an abbreviation whose panel is clearly named later: "in control (C)"."""
    doubtful = marker.style is Style.PARENTHESES and marker.weight < DOUBTFUL
    return doubtful and all(marker.start < begun.get(label, 0) for label in marker.labels)


def _variants(markers: Iterable[Marker], kind: Kind) -> tuple[str, ...]:
    """The labels named. Where "A" itself is one, "A1" is a part of it; where not, A1 and A2 are the panels."""
    named = dict.fromkeys([label for marker in markers for label in marker.labels])
    if kind not in (Kind.UPPER, Kind.LOWER):
        return in_order(named, kind)
    long = goes_on(named)
    plain = {label for label in named if len(label) == 1 or letter_place(label, long=long) > 25}
    if len(plain) == len(named):
        return in_order(plain, kind)
    primed = {label[0] for label in named if label[1:] in ("'", "''")}
    beside = any(len(marker.labels) > 1 and marker.labels[1:2] == (marker.labels[0] + "'",) for marker in markers)
    if beside and len(primed) > 1:
        # "(A, A', A'') Wild type. (B, B', B'') Mutant.": each prime is a panel.
        plain -= primed
    return in_order((label if label in plain or label[0] not in plain else label[0] for label in named), kind)


# The character before is matched, not looked back at: much faster, as most characters are ruled out at once.
_AFTER = r"(?![-‐‑–—'’′&/+*]\w|[\w°%]|\.\w\w?\.)"
# Most words are ruled out by their second letter.
_ALONE = r"(?=[A-Za-z](?:[^A-Za-hj-uwyz]|$))"
_LETTER_LIST = rf"({list_of(f'[A-Z]{PART}{PARTS}')}|{list_of(f'[a-z]{PART}{PARTS}')}){_AFTER}"
_LONG_LIST = (
    rf"({list_of(f'(?:{LONG_CAPITALS}|[A-Z]{PART}{PARTS})')}|"
    rf"{list_of(f'(?:{LONG_SMALL}|[a-z]{PART}{PARTS})')}){_AFTER}"
)
_NUMBERS = rf"({list_of(NUMBER_ITEM)}){_AFTER}"
_ROMANS = rf"({list_of(ROMAN_ITEM)}){_AFTER}"
_Patterns = tuple[re.Pattern[str], re.Pattern[str]]
# "No word character" is checked last: a table of letters and digits rules out most places before.
_LETTER_PATTERNS: _Patterns = (
    re.compile(_ALONE + _LETTER_LIST),
    re.compile(rf"[^A-Za-z0-9_'’′@#°*]{_ALONE}(?<!\w){_LETTER_LIST}"),
)
#: Where AA is named, alone or in a range from one letter: "(AA)", "X-AB". Elsewhere two letters are no label.
_LONG = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:AA|aa)(?![A-Za-z0-9])|[A-Za-z]\)?\s?(?:[-–—−‐‑~∼]|\bto\b|\bthrough\b)\s?\(?"
    rf"(?:{LONG_CAPITALS}|{LONG_SMALL}))"
)
_LONG_PATTERNS: _Patterns = (
    re.compile(_LONG_LIST),
    re.compile(rf"[^A-Za-z0-9_'’′@#°*](?<!\w){_LONG_LIST}"),
)
_NUMBER_PATTERNS: _Patterns = (re.compile(_NUMBERS), re.compile(rf"[^\w.,'’′@#°*-]{_NUMBERS}"))
_ROMAN_PATTERNS: _Patterns = (re.compile(_ROMANS), re.compile(rf"[^\w.'’′@#°*-]{_ROMANS}"))


def find_candidates(text: str) -> list[Marker]:
    """Every letter or list of letters that may be a marker, by offset; "(a)–(c)" and "(a) and (b)" are one."""
    found: list[Marker] = []
    patterns = _LONG_PATTERNS if _LONG.search(text) else _LETTER_PATTERNS
    weighed = list(_weighed(text, patterns, letters=True))
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


def _find_plain_candidates(text: str) -> list[Marker]:
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
_FEWEST_RUN_ON = 3


def _find_run_on(text: str, before: int) -> list[Marker]:
    """Return the markers of a list without punctuation, "male A habitus B head C palp. Scale bars: ...", or [].

    before: where the other markers begin, behind the beginning of the notes; the text's end without any.
    """
    scale = _SCALE.search(text, 0, before)
    if scale is None and before < len(text):
        return []
    markers: list[Marker] = []
    words: set[str] = set()
    for match in _RUN_ON.finditer(text, 0, scale.start() if scale else before):
        due = chr(ord("A") + len(markers))
        if match[2] != due or match[1].lower() in ELSEWHERE | _TIES:
            return []
        words.add(match[1].lower())
        markers.append(Marker((due,), match.start(2), match.end(2), Style.RUN_ON))
    # "Treatment A in roots, treatment B in stems": one noun before all letters names things.
    return markers if len(markers) >= _FEWEST_RUN_ON and len(words) > 1 else []


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
