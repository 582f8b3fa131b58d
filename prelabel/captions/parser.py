"""Assignment of a caption's tokens to panels, by a small grammar of sentences and markers.

What names or describes a panel and not all panels is its subcaption, its marker included; text on a proper subset
of the panels belongs to each of them. Titles, closing notes (scale bars, error bars, abbreviations, statistics)
and text on all panels belong to none; so a caption that names no panels yields no label and no subcaption.
Time is linear in the length of the caption.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from panelwise.domain import Caption, plain_width, with_latin_letters
from prelabel.captions.assignment import Assignment
from prelabel.captions.enumerations import read_enumeration
from prelabel.captions.markers import confidence, read_scheme
from prelabel.captions.places import crossed, layout_of, read_places
from prelabel.captions.sentences import is_note, sentences

#: The chance that places name all panels, and that a caption without markers has a figure without panels.
PLACES_ONLY, NOTHING_NAMED = 0.5, 0.4


@dataclass(frozen=True, slots=True)
class ParsedCaption:
    """The panels named by a caption, and their text.

    labels: the panels named, in order. tokens: ids of caption tokens by label (each label has an entry).
    confidence: the chance that `labels` is the figure's whole set of panels, in [0, 1].
    layout: the panel's place by the caption: (label, words), as ("A", "top left") or ("left", "left").
    lettered: whether the labels are written in the image; not so where the caption names panels by place only.
    """

    labels: tuple[str, ...]
    tokens: dict[str, frozenset[int]]
    confidence: float = 1.0
    layout: tuple[tuple[str, str], ...] = ()
    lettered: bool = True

    @property
    def listed(self) -> bool:
        """Return whether panels are known by a list in words only: neither by letters nor by places."""
        return bool(self.labels) and not self.lettered and not self.layout


def parse_caption(caption: Caption | str) -> ParsedCaption:
    """The panels that a caption names, and the tokens on each; a text is cut into the default tokens first."""
    if isinstance(caption, str):
        caption = Caption.cut(caption)
    plain = _with_plain_signs(caption.text)
    text, letters = with_latin_letters(plain)
    scheme = read_scheme(text)
    if scheme.labels:
        tokens = _tokens_of(caption, Assignment(text, scheme.labels, scheme.markers).spans())
        parsed = ParsedCaption(scheme.labels, tokens, confidence(scheme), layout_of(text, scheme.markers))
        other = any(
            plain[marker.start : marker.end] != text[marker.start : marker.end] for marker in scheme.markers
        )
        return _as_written(parsed, letters) if other else parsed
    labels, markers = read_places(text)
    spans = Assignment(text, labels, markers).spans() if labels else read_enumeration(text)
    if not spans:
        return ParsedCaption((), {}, NOTHING_NAMED)
    spans = crossed(spans)
    layout = tuple((label, label) for label in spans if not label.isdigit())
    tokens = _tokens_of(caption, spans)
    return ParsedCaption(tuple(spans), tokens, PLACES_ONLY, layout, lettered=False)


def text_on_all(caption: Caption) -> frozenset[int]:
    """The tokens of a caption's first sentence that is no note, for panels that nothing in it tells apart."""
    text = _with_plain_signs(caption.text)
    found = next((span for span in sentences(text) if not is_note(text[slice(*span)].lstrip())), None)
    return frozenset() if found is None else _tokens_of(caption, {"": [found]})[""]


#: The default tokens of a caption, and a place within one.
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WITHIN_WORD = re.compile(r"\w\w")
#: Blanks that are not the plain one.
_BLANKS = ("\u2003", "\u2002", "\u2009", "\u202f", "\u2005", "\u2004", "\u3000", "\xa0", "\t", "\r")


def _with_plain_signs(text: str) -> str:
    """Return the text with blanks of all kinds and full-width characters as plain ones; just as long."""
    for blank in _BLANKS:
        if blank in text:
            text = text.replace(blank, " ")
    # No blank follows this stop.
    return plain_width(text).replace("。", "\n")


def _as_written(parsed: ParsedCaption, letters: Mapping[str, str]) -> ParsedCaption:
    """Return a caption's reading with the letters of its own script in its labels."""

    def written(label: str) -> str:
        return letters.get(label[0], label[0]) + label[1:]

    return replace(
        parsed,
        labels=tuple(map(written, parsed.labels)),
        tokens={written(label): tokens for label, tokens in parsed.tokens.items()},
        layout=tuple((written(label), words) for label, words in parsed.layout),
    )


def _tokens_of(caption: Caption, spans: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, frozenset[int]]:
    """The tokens on each label, from its ranges of characters; those on all labels on none."""
    places = {place for found in spans.values() for span in found for place in span}
    if caption.uncut:
        begun = _begun_by_default(caption.text, places)
    else:
        starts = list(map(itemgetter(0), caption.ranges))
        begun = {place: bisect_left(starts, place) for place in places}
    tokens = {
        label: frozenset[int]().union(*[range(begun[start], begun[end]) for start, end in spans[label]])
        for label in spans
    }
    everywhere = frozenset.intersection(*tokens.values())
    if len(spans) > 1 and everywhere and all(found - everywhere for found in tokens.values()):
        tokens = {label: found - everywhere for label, found in tokens.items()}
    return tokens


def _begun_by_default(text: str, places: Iterable[int]) -> dict[int, int]:
    """Count the default tokens that begin before each place, cumulatively.

    Most words stand alone between blanks and are one token each; only the others are cut.
    """
    counts: dict[int, int] = {}
    total = last = 0
    for place in sorted(places):
        pieces = text[last:place].split()
        mixed = [piece for piece in pieces if not piece.isalnum()]
        total += len(pieces) - len(mixed) + len(_TOKEN.findall(" ".join(mixed)))
        if 0 < last < place and _WITHIN_WORD.match(text, last - 1):
            # The rest of a word that began before.
            total -= 1
        counts[place] = total
        last = place
    return counts
