"""Rows of panels within a sentence: "cells alive (a), dying (b) and dead (c) after a day".

Each marker comes before or after its text, decided by the text around all of them; a common beginning and
a common end are on all panels of the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from prelabel.captions.surroundings import Marker, Style

#: Labels, and the characters [start, end) on all of them.
Piece = tuple[tuple[str, ...], int, int]

_TIES = r"(?:and|or|as well as|while|whereas|but|versus|vs\.?|plus|y|et|und|och|og|ve|и|та|και)"
LEADING = re.compile(rf"[\s,;:.]*(?:\b{_TIES}\b)?[\s,]*")
_JOINT = re.compile(rf"[\s,;:.]*(?:\b{_TIES}\b|[和与及與])?[\s,]*$")
#: Words, in lower case, before a marker that comes before its text: "of (a) saline", "and (b) sugar".
INTRODUCES = re.compile(
    r"(?:[,;:–—-]|\b(?:of|in|for|with|and|or|by|the|an?|to|from|on|after|at|during|between|under|as|than|using|"
    r"showing|shows?|show|indicating|including|is|are|was|were|into|per|via|within|either|both|versus|vs\.?|"
    r"while|whereas|but|constituting|comprising|respectively|i\.e\.|namely|follows|following|against|over|among|"
    r"through|without|before|that|where|which|y|et|und|och|og|de|и|та|και)|[的和与及與])$"
)
#: Text after a marker that comes after its text.
CLOSES = re.compile(r"\s{0,2}(?:[.,;]|$|\)|(?:and|or|as well as|while|whereas|but|versus|vs|plus)\b)")
_TIED = re.compile(r"\s?(?:and|or|versus|vs)\s\w")
#: What has its opposite in the next panel.
_TURN = re.compile(r"\b(?:before|with|without|prior\sto)\s*$")
#: Going on about what the marker closed: "(c), indicating the highest density in red, and image (d)".
_GOES_ON = re.compile(
    r"\s+(?!and\b|or\b|as\swell\b|while\b|whereas\b|but\b|versus\b|vs\b|plus\b)\w|"
    r",\s(?:which|where|with|showing|indicating|\w+ing)\b"
)
#: Adding a picture to those before: ", confirmed by reconstruction (c)", ", with a view from above (d)".
_ADDED = re.compile(r",\s(?=(?:with|plus|confirmed|compared|followed|corresponding|together|along)\b)")
_PREPOSITION = re.compile(
    r"\b(?:of|for|in|on|with|by|at|from|to|after|under|between|showing|shows|show|following|during|using|among|as)\b"
)
#: Where what the last item of a row says alone may end.
_TAIL = re.compile(
    r",\s(?=\w)|\s(?=(?:of|for|in|on|with|by|at|from|to|after|under|between|during|using|among|within|across|when|where|"
    r"following|measured|obtained|as|before|against|over|per|relative|compared|in\scomparison|versus|was|were|is|are)\b)"
)
_SHOWING = re.compile(
    r"\s(?=(?:showing|demonstrating|revealing|depicting|illustrating|shows?|demonstrates?|reveals?|depicts?)\b)"
)
_SHARED_TAIL = re.compile(
    r",\s(?:when|in|at|for|from|after|with|during|under|as|where|using|by|on|of|measured|obtained|compared|respectively)\b"
)
#: The first word of a sentence or clause.
_ALONE = re.compile(r"(?:^|[.;:!?]\s{1,2})\w{1,12}$")
#: Several things of a kind, before the first panel's own words.
_PLURAL = re.compile(r"\s*(?:[\w-]+\s){0,3}\w{2,}[^\Ws]s\sof\s(?:(?:the|an?)\s)?(?=\w)")
#: Fewer words than this are a name: what precedes them may be shared.
NAME = 6


def labels_of(markers: list[Marker]) -> tuple[str, ...]:
    """The labels that markers name, each once."""
    if len(markers) == 1:
        return markers[0].labels
    return tuple(dict.fromkeys(label for marker in markers for label in marker.labels))


def without_joint(text: str, start: int, end: int) -> int:
    """`end` moved back over a trailing comma or "and"."""
    low = max(start, end - 24)
    joint = _JOINT.search(text[low:end])
    return low + joint.start() if joint is not None else end


def markers_precede_text(text: str, markers: list[Marker], end: int) -> bool:
    """Return whether markers come before their text, by the text around all of them."""
    if len(markers) > 1 and _TIED.match(text, markers[0].end):
        # "with (a) and without (b) contrast": nothing is between the first and what ties it to the next.
        return False
    if markers[0].style is Style.RUN_ON:
        return True
    if len(markers) > 1 and all(_closes_words(text, marker) for marker in markers[:-1]):
        # "scans before (A), two months after (B) and a year after (C) surgery": words end at each.
        return False
    balance = 0.0
    for marker in markers:
        before = text[max(0, marker.start - 24) : marker.start].rstrip()
        after = text[marker.end : min(end, marker.end + 24)]
        if after[:1] == ":" or text[marker.end - 1] == ":":
            balance += 2
        # "ejection fraction (EF, B)": what is in parentheses stands behind its text.
        enclosed = text[marker.end : marker.end + 1] == ")"
        balance += 1 if INTRODUCES.search(before.lower()) and not enclosed else -1
        balance += -1 if CLOSES.match(after) else 0.5
    first, last = markers[0], markers[-1]
    before = text[max(0, first.start - 24) : first.start].rstrip()
    if not text[last.end : min(end, last.end + 8)].strip(" .;,"):
        # The last one closes the sentence.
        balance -= len(markers)
    elif INTRODUCES.search(before.lower()) and text[first.end : first.end + 1] != ")":
        balance += 0.6 * len(markers)
    return balance > 0


def _closes_words(text: str, marker: Marker) -> bool:
    """Return whether words, more than "In", come right before a marker, and punctuation or a tie after it."""
    before = text[max(0, marker.start - 24) : marker.start].rstrip()
    alone = not before[-1:].isalnum() or _ALONE.search(before) is not None
    return not alone and CLOSES.match(text, marker.end) is not None


def clauses(text: str, start: int, end: int, markers: list[Marker]) -> list[Piece]:
    """Clauses set off by semicolons, each on its own panel: "test 1, in graph A; test 2, in graph B"; or []."""
    bounds = [start]
    for one, other in pairwise(markers):
        cut = text.rfind("; ", one.end, other.start)
        if cut < 0 or len(text[cut + 2 : other.start].split()) < 2:
            return []
        bounds.append(cut + 2)
    bounds.append(end)
    return [(marker.labels, *bound) for marker, bound in zip(markers, pairwise(bounds), strict=True)]


def pieces_before(
    text: str, start: int, end: int, markers: list[Marker], named: tuple[str, ...]
) -> Iterator[Piece]:
    """Assign text to markers that stand before their text; text before the first marker belongs to all of them."""
    yield named, start, without_joint(text, start, markers[0].start)
    for one, other in pairwise(markers):
        yield one.labels, one.start, without_joint(text, one.end, other.start)
    stop = own_end(text, markers, end)
    yield markers[-1].labels, markers[-1].start, stop
    yield named, stop, end


def own_end(text: str, markers: list[Marker], end: int) -> int:
    """Return where a row's last item ends and the text of the whole row begins; `end` if that is unclear."""
    items = [text[one.end : other.start] for one, other in pairwise(markers)]
    lengths = [len(item.split()) for item in items]
    begin = markers[-1].end
    last = text[begin:end]
    words = last.split()
    if (
        len(items) > 1
        and len(words) > min(lengths) + 1
        and not any(_TAIL.search(item.strip(" ,;")) for item in items)
    ):
        # None of the others says "after drought": it is on all of them.
        cut = _TAIL.search(last, len(words[0]) + 1)
        return begin + cut.start() if cut is not None else end
    if not lengths or len(words) <= max(lengths) + 3:
        return end
    least = sum(len(word) + 1 for word in words[: max(1, min(lengths) - 1)]) - 1
    shared = _SHARED_TAIL.search(last)
    if shared is not None and shared.start() >= least:
        return begin + shared.start()
    if len(words) < 2 * max(lengths) + 2:
        return end
    cuts = [cut.start() for pattern in (_TAIL, _SHOWING) if (cut := pattern.search(last, least)) is not None]
    return begin + min(cuts) if cuts else end


def pieces_after(
    text: str, start: int, end: int, markers: list[Marker], named: tuple[str, ...]
) -> Iterator[Piece]:
    """Assign text to markers that stand after their text; a common beginning and end belong to all of them."""
    begin = start
    went_on = False
    groups = _groups(text, start, markers)
    for place, marker in enumerate(markers):
        if place and begin >= marker.start and place + 1 == len(markers):
            # "gene structure (C), and (D) motif logo": the last stands before its text.
            yield marker.labels, marker.start, end
            return
        if place in groups:
            shared = _shared_head(text, begin, groups[place])
            yield labels_of(groups[place]), begin, shared
            begin = shared
        stop = marker.end + (text[marker.end : marker.end + 1] == ")")
        yield marker.labels, begin, stop
        begin = stop
        if place + 1 < len(markers):
            between = text[stop : markers[place + 1].start]
            turn = between.rfind("; ")
            turn = between.rfind(" and ") if turn < 0 else turn
            added = _ADDED.search(between) if turn < 0 else None
            if turn > 0 and _GOES_ON.match(between):
                begin += turn
                went_on = True
                yield marker.labels, stop, begin
            elif added is not None and _GOES_ON.match(between):
                # "axial (a) and coronal (b) MRI of the heart, confirmed by CT (c)"
                begin += added.start()
                yield labels_of(markers[: place + 1]), stop, begin
            joint = LEADING.match(text, begin)
            begin = joint.end() if joint is not None else begin
    if len(text[markers[-1].end : end].strip(" .,;:")) > 2:
        yield markers[-1].labels if went_on else named, markers[-1].end, end


def _groups(text: str, start: int, markers: list[Marker]) -> dict[int, list[Marker]]:
    """Rows that share a beginning, by the place of their first: an item as long as a sentence opens another.

    "Weight of grains (a) and leaves (b), and length of the longest roots of plants (c) and shoots (d)".
    """
    groups: dict[int, list[Marker]] = {0: [markers[0]]}
    lead, longest = 0, len(text[start : markers[0].start].split())
    for place, (one, other) in enumerate(pairwise(markers), start=1):
        words = _words(text, one, other)
        if words >= NAME and 2 * words > longest:
            lead, longest = place, words
            groups[lead] = []
        groups[lead].append(other)
    return groups


def _words(text: str, one: Marker, other: Marker) -> int:
    """Count the words between two markers, without an "and"."""
    return len(text[one.end : other.start].strip(" ,;").removeprefix("and ").split())


def _opening(text: str, markers: list[Marker]) -> str | None:
    """The preposition that the second item of a row begins with; None if it begins with another word."""
    if len(markers) < 2:
        return None
    lead = LEADING.match(text, markers[0].end)
    match = _PREPOSITION.match(text, lead.end() if lead is not None else markers[0].end)
    return match.group() if match is not None and match.start() < markers[1].start else None


def _shared_head(text: str, begin: int, markers: list[Marker]) -> int:
    """Return where the first panel's own words begin: "SEM images of the | BM (c), PM (d) and SMNp (e)".

    Items after the first that are as short as a name share what precedes the first one's name.
    """
    first = text[begin : markers[0].start]
    colon = first.rfind(": ")
    if colon > 0:
        return begin + colon + 2
    turn = _TURN.search(first)
    if turn is not None:
        # "scans before (a) and after (b) surgery"
        return begin + turn.start()
    longest = max((_words(text, one, other) for one, other in pairwise(markers)), default=NAME)
    if longest >= NAME:
        return begin
    if len(first.split()) < longest + 2:
        # "Maps of rainfall (A) and soil type (B)"
        plural = _PLURAL.match(first) if _opening(text, markers) is None else None
        return begin + plural.end() if plural is not None else begin
    joints = list(_PREPOSITION.finditer(first))
    if not joints:
        return begin
    cut = begin + joints[-1].end()
    again = _opening(text, markers)
    if again is not None and any(joint.group() == again for joint in joints):
        # "derived from the 5' arm (A) and from the 3' arm (B)": items begin alike.
        return begin + next(joint.start() for joint in reversed(joints) if joint.group() == again)
    comma = first.rfind(", ", joints[-1].end())
    if comma > 0 and 0 < len(first[comma + 2 :].split()) <= longest:
        # "MRI, with contrast, axial (a), coronal (b)"
        return begin + comma + 2
    article = re.match(r"\s+(?:the|an?)\b", text[cut : cut + 8])
    return cut + (article.end() if article else 0)
