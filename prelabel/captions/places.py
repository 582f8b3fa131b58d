"""Places in a caption: "left", "top right", "bottom row".

They name panels that bear no letters, and are hints on those that do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from prelabel.captions.panel_rows import LEADING
from prelabel.captions.surroundings import Marker, Style

_ACROSS = {
    "left": 0,
    "leftmost": 0,
    "center": 1,
    "centre": 1,
    "central": 1,
    "middle": 1,
    "right": 2,
    "rightmost": 2,
}
_DOWN = {"top": 0, "topmost": 0, "upper": 0, "uppermost": 0, "bottom": 2, "lower": 2, "lowermost": 2}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERED = {word: place for place, word in enumerate(_ORDINALS)}
#: Behind all that are numbered.
_LAST = 20

_SIDE = r"(?:leftmost|rightmost|left|right|center|centre|central|middle)"
_LEVEL = r"(?:uppermost|lowermost|topmost|top|bottom|upper|lower|middle|central|center|centre)"
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)})"
_THING = r"(?:panels?|images?|graphs?|plots?|pictures?|photos?|photographs?|parts?|half|side|figures?|insets?)"
#: One place: a level and a side, "top row, second from left", or a numbered row; and its text.
_PLACE = (
    rf"(?:(?P<level>{_LEVEL}|{_ORDINAL}(?=\s(?:rows?|columns?|panels?)))(?:\s(?P<line>row|column)s?)?"
    rf"(?:(?:\s|-|\s?,\s?)(?:far\s|the\s|on\sthe\s)?(?:(?P<both>{_SIDE})|(?P<nth>{_ORDINAL})\sfrom\s(?:the\s)?left))?|"
    rf"(?:far\s)?(?P<side>{_SIDE})(?:\s(?P<stack>row|column)s?)?)(?:[\s-]{_THING})?"
)
_WITHIN = re.compile(
    rf"[(\[](?:on\s|in\s|at\s|to\s)?(?:the\s)?{_PLACE}(?:[)\]]|[,;:]\s[^()\[\]]{{1,60}}[)\]])", re.IGNORECASE
)
_AT_START = re.compile(
    rf"(?:on\s|in\s|at\s)?(?:the\s)?{_PLACE}"
    r"(?=\s?[:,]|\s[–—-]\s|\s(?:shows?|is|are|was|were|depicts?|represents?|displays?|illustrates?)\b|[.)]\s)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"(?<![.;:,])\s(?:(?:on|at)\s(?:the\s)?|in\sthe\s(?=(?:[\w-]{{1,12}}\s){{1,3}}{_THING}\b)){_PLACE}"
    r"(?=[,;.]|\s(?:and|or|while|whereas)\b)",
    re.IGNORECASE,
)
#: Before what stands there: "precision, on the left for edges, and on the right for nodes".
_AHEAD = re.compile(
    rf"(?:[,;:]\s(?:and\s|while\s|whereas\s)?|\s(?:and|while|whereas)\s)(?:on|at|in|to)\s(?:the\s)?{_PLACE}"
    r"(?=,?\s(?:for|with|of|in|from|after|before|under|is|are|we|the|an?)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:^|[.;:]\s{1,3}(?:and\s|while\s|whereas\s)?|,\s(?:and|while|whereas)\s|\n\s{0,3})")
#: How far before a marker a place is looked for.
NEAR = 40


def _name(found: re.Match[str]) -> str:
    """The place in its shortest words: "upper left panel" gives "top left"."""
    level = (found.group("level") or "").lower()
    side = (found.group("both") or found.group("side") or "").lower()
    line = (found.group("line") or found.group("stack") or "").lower()
    words = []
    if level in _DOWN:
        words.append(("top", "middle", "bottom")[_DOWN[level]])
    elif level:
        words.append(level if level in _NUMBERED else "middle")
    if line and (not side or not found.group("stack")):
        words.append(line)
    if side:
        words.append(("left", "middle", "right")[_ACROSS[side]])
        if found.group("stack"):
            words.append(line)
    if found.group("nth"):
        words.append(f"{found.group('nth').lower()} from left")
    return " ".join(dict.fromkeys(words))


def _order(name: str) -> tuple[float, float]:
    """In reading order: from the top, then from the left; what says nothing of one counts as its middle."""
    down = across = 1.0
    if name.endswith(" from left"):
        across = 0.1 * _NUMBERED[name.split()[-3]]
        name = name.rsplit(None, 3)[0]
    words = name.split()
    for word in words:
        if word in _NUMBERED and "column" in words:
            across = _NUMBERED[word]
        elif word in _NUMBERED:
            down = _NUMBERED[word]
        elif word in ("top", "bottom"):
            down = 0 if word == "top" else _LAST
        elif word in ("left", "right"):
            across = 0 if word == "left" else _LAST
    return down, across


def read_places(text: str) -> tuple[tuple[str, ...], tuple[Marker, ...]]:
    """Panels that the caption names by their place, in reading order, and where; () where fewer than two are."""
    markers: dict[int, Marker] = {}
    for pattern in (_WITHIN, _AFTER, _AHEAD):
        for found in pattern.finditer(text) if not markers else ():
            lead = None if pattern is _WITHIN else LEADING.match(text, found.start())
            start = found.start() if lead is None else lead.end()
            markers[start] = Marker((_name(found),), start, found.end(), Style.PARENTHESES)
    for clause in _CLAUSE.finditer(text):
        at = _AT_START.match(text, clause.end())
        if at is not None:
            stop = at.end() + (text[at.end() : at.end() + 1] in (":", ","))
            if text.startswith((" – ", " — ", " - "), at.end()):
                stop = at.end() + 2
            markers.setdefault(at.start(), Marker((_name(at),), at.start(), stop, Style.POINTED))
    names = {marker.labels[0] for marker in markers.values()}
    # "Upper part" within the text on the "top row" is no panel.
    names -= {name for name in names if any(other.startswith(f"{name} ") for other in names)}
    chosen = [markers[start] for start in sorted(markers) if markers[start].labels[0] in names]
    if len(names) < 2 or not _complete(names):
        return (), ()
    return tuple(sorted(names, key=lambda name: (_order(name), name))), tuple(chosen)


def _complete(names: Iterable[str]) -> bool:
    """Return whether the places name both ends: left and right, top and bottom, a first and a second."""
    words = {word for name in names for word in name.split()}
    return {"left", "right"} <= words or {"top", "bottom"} <= words or {"first", "second"} <= words


def crossed(spans: Mapping[str, list[tuple[int, int]]]) -> dict[str, list[tuple[int, int]]]:
    """A panel for each row and column, where places name rows alone and columns alone, two or more of each.

    "Oak (top) and ash (bottom) before (left) and after (right) pruning" is on four panels.
    """
    words = {name: set(name.split()) - {"row", "column"} for name in spans}
    rows = [name for name in spans if words[name] <= {"top", "bottom"}]
    columns = [name for name in spans if words[name] <= {"left", "right"}]
    if len(rows) != 2 or len(columns) != 2 or len(spans) != 4:
        return dict(spans)
    return {
        f"{row.split()[0]} {column.split()[0]}": sorted([*spans[row], *spans[column]])
        for row in rows
        for column in columns
    }


_LAST_WORDS = frozenset(
    (
        *(
            "left",
            "right",
            "leftmost",
            "rightmost",
            "center",
            "centre",
            "central",
            "middle",
            "top",
            "bottom",
            "upper",
        ),
        *(
            "lower",
            "uppermost",
            "lowermost",
            "topmost",
            "row",
            "rows",
            "column",
            "columns",
            "panel",
            "panels",
            "image",
        ),
        *("images", "graph", "graphs", "plot", "plots", "part", "parts", "half", "side"),
    )
)
_BEFORE = re.compile(rf"(?<!\w){_PLACE}\s?,?$", re.IGNORECASE)
_INSIDE = re.compile(rf"[(\[][^,;:]{{1,12}}[,;:]\s(?:the\s)?{_PLACE}\s?[)\],;]", re.IGNORECASE)


def layout_of(text: str, markers: Iterable[Marker]) -> tuple[tuple[str, str], ...]:
    """Find the positions that a caption gives for lettered panels: "left column (A, C)", "(B, top right)"."""
    found: dict[str, str] = {}
    for marker in markers:
        if marker.style not in (Style.PARENTHESES, Style.WITHIN):
            continue
        before = text[max(0, marker.start - NEAR) : marker.start].rstrip()
        word = before.rsplit(None, 1)[-1] if before else ""
        place = _BEFORE.search(before) if word.lower().strip(",(") in _LAST_WORDS else None
        if place is None and marker.style is Style.WITHIN:
            place = _INSIDE.match(text, marker.start, marker.end)
        if place is not None:
            name = _name(place)
            for label in marker.labels:
                found.setdefault(label, name)
    return tuple(found.items()) if len(set(found.values())) > 1 or len(found) == 1 else ()
