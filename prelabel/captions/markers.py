"""Choosing the panel markers of a caption: which of the letters that stand alone in it name its panels.

Candidates carry evidence of their own (candidates.py). Here they are weighed together: labels run from A, a, 1 or
i without a gap, mostly in one style; a weak candidate counts where it fills the place of the label that is due.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prelabel.captions.candidates import find_candidates, find_plain_candidates, find_run_on
from prelabel.captions.labels import Kind, in_order, label_at, place_of
from prelabel.captions.surroundings import Marker, Style

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
        plain = find_plain_candidates(text)
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
    markers = find_run_on(text, before)
    return Scheme(tuple(marker.labels[0] for marker in markers), tuple(markers), STRONG) if markers else None


#: "A, anterior; B, posterior; and C, dorsal views": panels where the letters run on and the list ends there.
_LISTED_PANELS = re.compile(
    r"(?:(?:^|[.:]\s)A|(?:^|[.:]\s|\b(?:of|for|with|in|at)\s)a),\s[^.;]{1,120}"
    r"(?:;\s(?:and\s)?[B-Zb-z],\s[^.;]{1,120}){2,25}(?:\.|$)"
)
_LISTED_LETTER = re.compile(r"(?:^|[.:;]\s(?:and\s)?|(?<=\w)\s)([A-Za-z]),(?=\s)")


def _listed_scheme(text: str) -> Scheme:
    """Three or more letters from A on in a list that would be one of abbreviations did they not run on."""
    found = _LISTED_PANELS.search(text)
    if found is None:
        return NO_SCHEME
    markers: list[Marker] = []
    first = "A" if "A," in found.group()[:4] else "a"
    for letter in _LISTED_LETTER.finditer(text, max(0, found.start() - 1), found.end()):
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
#: More panels than this are no run of letters.
MOST_LABELS = 60


def _run(own: Sequence[Marker], kind: Kind) -> _Run | None:
    """The longest run from the first label on that strong candidates name, weak ones filling what is missing."""
    letters = kind in (Kind.UPPER, Kind.LOWER)
    if letters and kind not in {label[0] for marker in own for label in marker.labels}:
        return None
    origin = ord(kind)
    strong: dict[int, list[Marker]] = defaultdict(list)
    weak: dict[int, list[Marker]] = defaultdict(list)
    plain: set[int] = set()
    parts: dict[int, set[str]] = defaultdict(set)
    for marker in own:
        table = strong if marker.weight >= STRONG else weak
        for label in marker.labels:
            place = ord(label[0]) - origin if letters else place_of(label) - 1
            if not 0 <= place < MOST_LABELS:
                continue
            if table is strong and letters:
                if len(label) == 1:
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
    allowed = frozenset([label_at(run.kind, place + 1) for place in range(count)])
    if run.kind in (Kind.UPPER, Kind.LOWER):
        kept = [m for m in kept if allowed.issuperset([label[0] for label in m.labels])]
    else:
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
    plain = {label for label in named if len(label) == 1}
    if len(plain) == len(named):
        return tuple(sorted(plain))
    primed = {label[0] for label in named if label[1:] in ("'", "''")}
    beside = any(len(marker.labels) > 1 and marker.labels[1:2] == (marker.labels[0] + "'",) for marker in markers)
    if beside and len(primed) > 1:
        # "(A, A', A'') Wild type. (B, B', B'') Mutant.": each prime is a panel.
        plain -= primed
    return in_order((label if len(label) == 1 or label[0] not in plain else label[0] for label in named), kind)
