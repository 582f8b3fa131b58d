"""Handing out the text of a caption to its panels: sentence by sentence, from the markers in them.

A sentence that begins with a marker is about its panel; in others each marker stands before or after the words on
its panel, decided by the text around all of them. What a sentence says of several panels together belongs to
each of them, unless these are all panels of the figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from prelabel.captions.enumerations import respective_items
from prelabel.captions.panel_rows import (
    CLOSES,
    INTRODUCES,
    LEADING,
    Piece,
    clauses,
    labels_of,
    markers_precede_text,
    own_end,
    pieces_after,
    pieces_before,
    without_joint,
)
from prelabel.captions.sentences import is_last_note, is_legend, is_note, mentions_measures, sentences
from prelabel.captions.surroundings import Marker, Style

#: How many characters around a marker are looked at: bounded, so that time stays linear in the caption.
NEAR = 120

#: Before a marker that only refers to its panel: "as in (a)", "compared with (b)".
_REFERS = re.compile(
    r"\b(?:(?:as|shown|seen|described|depicted|presented|indicated|given|displayed|used|marked|boxed|outlined|highlighted|"
    r"listed|quantified|box(?:es)?|areas?|regions?|data|those|that|same|cells|experiments?|images?|square|rectangle)"
    r"\s(?:\w+\s)?(?:in|for|from|of|to|by|as)|compared\s(?:to|with)|similar\sto|relative\sto|than|see|"
    r"(?:Same|same|Like|like|As|as)\s(?:as|in|for)?|corresponding\sto|from|cf\.?)\s(?:the\s)?(?:panels?\s)?[('‘]?$"
)
_AT_HEAD = re.compile(
    r"\s*(?:In|For|From|As for|Regarding|Panels?|On|At|The)?\s*(?:panels?|graphs?|figures?|the|images?)?\s*$"
)
_POINTS = re.compile(r"\b(?:in|of|on)\s(?:the\s)?(?:panels?\s|graphs?\s|figures?\s)?$")
_COMPARES = re.compile(r"\b(?:as|than|like|shown|seen|those|that|same)\s(?:\w+\s)?(?:in|of|on)\s(?:\w+\s)?$")
_TELLS = re.compile(
    r"\s{0,2}(?:and\s\w+\s|,\s)?(?:indicat|show|represent|denot|mark|are|is|was|were|correspond|point|refer|depict|give|mean)"
)
#: "; C, chloroplast; M, mitochondrion": abbreviations behind the last panel.
_BEHIND = re.compile(r";\s[A-Z][A-Za-z0-9]{0,5}[,:=]\s[a-z][^;,:]{2,50};\s[A-Za-z0-9]{1,6}[,:=]\s")
_BARS = re.compile(r"\s{0,2}(?:[Ss]cale\s)?[Bb]ars?\b")
#: The figure's own label: "Fig. 2 (a) ...".
_LABEL = re.compile(r"[\s,;:.]*(?:(?:Fig(?:ure)?|FIG(?:URE)?|Abb|Рис|图|図)\.?\s?\d+\b[\s.:|]*(?=[(\[]))?\s*")
_IN_PANEL = re.compile(r"\bin\s(?:the\s)?(?:panels?\s|graphs?\s|figures?\s)?$")
#: Of more panels than this, at least one has a second sentence where they have such at all.
MANY = 3


class Assignment:
    """Walks through the sentences of one caption and hands their parts to labels, as ranges of characters."""

    def __init__(self, text: str, labels: Sequence[str], markers: Sequence[Marker]) -> None:
        self.text = text
        self.labels = labels
        self.every = frozenset(labels)
        most = max(len(self.every), 2)
        self.markers = [m for m in markers if len(m.labels) < most or not self._names_all_within(m)]
        self.found: dict[str, list[tuple[int, int]]] = {label: [] for label in labels}
        self.open: tuple[str, ...] = ()
        self.seen: set[str] = set()
        self.went_on = 0
        self.coming: Marker | None = None

    def _names_all_within(self, marker: Marker) -> bool:
        """Return whether a marker names every panel of the figure, though not at the start of a sentence."""
        if len(self.every) < 2 or not self.every.issubset(marker.labels):
            return False
        before = self.text[max(0, marker.start - 4) : marker.start].rstrip()
        return bool(before) and before[-1] not in ".:;"

    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """The ranges by label, in the order in which they were handed out."""
        place = 0
        units = self._units()
        for start, end in units:
            inside = []
            while place < len(self.markers) and self.markers[place].start < end:
                inside.append(self.markers[place])
                place += 1
            self.coming = self.markers[place] if place < len(self.markers) else None
            self._sentence(start, end, inside, last=place == len(self.markers))
        self._fill(units)
        return self.found

    def _fill(self, units: Sequence[tuple[int, int]]) -> None:
        """A panel left without words while others have some takes the first sentence that names it."""
        left = [label for label, found in self.found.items() if not found]
        if not left or len(left) == len(self.found):
            return
        for label in left:
            named = next((marker.start for marker in self.markers if label in marker.labels), None)
            sentence = next((unit for unit in units if named is not None and unit[0] <= named < unit[1]), None)
            if sentence is not None:
                self.found[label].append(sentence)

    def _units(self) -> list[tuple[int, int]]:
        """Sentences, put together again where a marker spans their border or ends at it: "(a). Cells"."""
        units: list[tuple[int, int]] = []
        waiting: int | None = None
        place = 0
        for begin, end in sentences(self.text):
            start = begin if waiting is None else waiting
            waiting = None
            while place < len(self.markers) and self.markers[place].end < end - 1:
                place += 1
            if place < len(self.markers) and self.markers[place].start < end:
                marker = self.markers[place]
                crossing = marker.end > end
                head = not self.text[start : marker.start].strip(" .,;:(") and end - marker.end <= 1
                if (crossing or head) and end < len(self.text):
                    waiting = start
                    continue
            units.append((start, end))
        if waiting is not None:
            units.append((waiting, len(self.text)))
        return units

    def _give(self, labels: Sequence[str], start: int, end: int) -> None:
        if start < end:
            for label in labels:
                self.found[label].append((start, end))

    def _share(self, labels: Sequence[str], start: int, end: int) -> None:
        """Text on all of these; on all panels it belongs to none."""
        if not self.every.issubset(labels):
            self._give(labels, start, end)

    def _sentence(self, start: int, end: int, inside: list[Marker], *, last: bool) -> None:
        if not inside:
            self._unmarked(start, end, last=last)
            return
        named = labels_of(inside)
        lead = (LEADING if start else _LABEL).match(self.text, start)
        begin = lead.end() if lead is not None else start
        fresh = [m for m in inside if not self.seen.issuperset(m.labels)]
        headed = not self.text[begin : inside[0].start].strip("([ ") or self._ends_title(inside)
        if (
            not headed
            and not fresh
            and is_note(self.text[begin : min(end, begin + 400)])
            and (
                _BARS.match(self.text, begin, end)
                or not _IN_PANEL.search(self.text[max(0, inside[0].start - 24) : inside[0].start])
            )
        ):
            self.open = () if last else self.open
            return
        if headed:
            self._headed(end, inside)
        elif not fresh:
            self._reference(start, end, inside, named)
        else:
            self._row(begin, end, fresh)
        self.seen.update(named)

    def _ends_title(self, inside: list[Marker]) -> bool:
        """Return whether a title that no stop ends is before a sentence's first marker.

        "Growth of Oaks (A and B) Roots (A) and leaves (B). (C) Bark.": the parts of the first marker come later.
        """
        first = inside[0]
        if self.seen or len(inside) == 1 or len(first.labels) == 1 or not self._heads(self.coming):
            return False
        parts = set(labels_of(inside[1:])) <= set(first.labels)
        return parts and self.text[first.end : first.end + 2].strip()[:1].isupper()

    def _unmarked(self, start: int, end: int, *, last: bool) -> None:
        """A sentence without markers goes on about the open panels, unless it is a note.

        After the last panel a note opens the closing block, which is on all of them.
        """
        if not self.open:
            return
        if last and not self.went_on and len(self.labels) > MANY:
            # Where no panel before had a second sentence, one after the last panel is rather on all of them.
            self.open = ()
            return
        text = self.text[start : min(end, start + 400)].lstrip()
        if is_note(text):
            if last:
                self.open = ()
            return
        if last and ((not self.went_on and is_legend(text)) or is_last_note(text) or mentions_measures(text)):
            self.open = ()
            return
        self.went_on += not last
        self._give(self.open, start, end)

    def _reference(self, start: int, end: int, inside: list[Marker], named: tuple[str, ...]) -> None:
        """All its panels were described before: it is about them, or goes on about the open one."""
        first = inside[0]
        head = self.text[start : first.start]
        if len(head) < 24 and _AT_HEAD.match(head):
            self._share(named, start, end)
            return
        refers = _REFERS.search(self.text[max(0, first.start - 40) : first.start])
        last = inside[-1]
        if (
            len(head) < 60
            and _POINTS.search(head)
            and not _COMPARES.search(head)
            and _TELLS.match(self.text, first.end)
        ):
            # "Arrowheads in (B) indicate awns."
            self._share(named, start, end)
            return
        if not refers and first.style is Style.PARENTHESES:
            ends = len(named) < len(self.every) and not self.text[last.end : end].strip(" .;,")
            if (len(inside) > 1 and len(named) == sum(len(m.labels) for m in inside)) or ends:
                self._row(start, end, inside)
                return
        if self.open:
            self._give(self.open, start, end)
        elif not refers:
            self._share(named, start, end)

    # Sentences that begin with a marker.

    def _headed(self, end: int, inside: list[Marker]) -> None:
        """Cut the sentence where further markers open a part of their own."""
        behind = _BEHIND.search(self.text, inside[-1].end, end)
        if behind is not None:
            end = behind.start()
        if len(inside) == 1:
            self.open = inside[0].labels
            self._respective(inside[0], end)
            return
        heads = [inside[0]]
        inner: list[list[Marker]] = [[]]
        for marker in inside[1:]:
            if set(marker.labels) <= set(heads[-1].labels):
                inner[-1].append(marker)
            elif self._opens(marker, heads[-1]):
                heads.append(marker)
                inner.append([])
        bounds = [*(head.start for head in heads[1:]), end]
        row = len(heads) > 1 and not any(inner) and self._coordinated(heads)
        for head, parts, until in zip(heads, inner, bounds, strict=True):
            stop = until if until == end else without_joint(self.text, head.end, until)
            if row and until == end:
                stop = own_end(self.text, heads, end)
            self._part(head, parts, stop)
            if stop < until == end:
                self._share(labels_of(heads), stop, end)
        self.open = heads[-1].labels
        if len(heads) > 1 and self.every.issubset(labels_of(heads)):
            self.open = ()

    def _coordinated(self, heads: list[Marker]) -> bool:
        """Return whether "and" or "or" ties the last of the heads to the one before: a row with a common end."""
        before = self.text[max(0, heads[-1].start - 12) : heads[-1].start].rstrip()
        return before.endswith((" and", " or", ",and")) and before[:-4].rstrip()[-1:] not in ".;"

    def _opens(self, marker: Marker, head: Marker) -> bool:
        before = self.text[max(head.end, marker.start - NEAR) : marker.start].rstrip()
        if not before:
            return True
        if marker.style is Style.WITHIN and self.text[marker.end : marker.end + 1] == ")":
            # "(B, C) Ejection fraction (EF; B) and fractional shortening (FS; C)"
            return False
        if all(label in self.seen for label in marker.labels):
            before = before.removesuffix(" and")
            return before[-1] in ".;" and (marker.style is not Style.PARENTHESES or marker.style is head.style)
        if _REFERS.search(before[-60:] + " "):
            return False
        after = self.text[marker.end : marker.end + 40].lstrip()
        if not after:
            return False
        if after[0] in ".,;)" and marker.style is Style.PARENTHESES:
            # "(a), Mice; (b), Rats": where the head is written like that, so are the others.
            return before[-1] in ".,;" and self.text[head.end : head.end + 1] == after[0]
        if marker.style is not Style.PARENTHESES:
            return True
        return bool(INTRODUCES.search(before[-16:].lower())) or before[-1] in ".)" or not CLOSES.match(after)

    def _part(self, head: Marker, inner: list[Marker], end: int) -> None:
        own = [marker for marker in inner if len(marker.labels) < len(head.labels)]
        if not own or len(head.labels) < 2:
            self._respective(head, end)
            return
        self._give(head.labels, head.start, head.end)
        self._row(head.end, end, own, within=head.labels)

    def _respective(self, head: Marker, end: int) -> None:
        """Give a part to its panels, each without the others' items: "(a, b) X and Y, respectively"."""
        items = respective_items(self.text, head.end, end, len(head.labels)) if len(head.labels) > 1 else []
        for label in head.labels:
            start = head.start
            for other, (first, last) in zip(head.labels, items, strict=False):
                if other != label:
                    self._give((label,), start, first)
                    start = last
            self._give((label,), start, end)

    # Sentences with markers before or after what they name.

    def _row(self, start: int, end: int, markers: list[Marker], within: tuple[str, ...] = ()) -> None:
        """The only marker of a sentence, or a row of them; within: the labels of the part that it stands in."""
        named = within or labels_of(markers)
        if len(markers) == 1 and not within:
            self._alone(start, end, markers[0])
            return
        if self.open and not within and self._goes_on_before(start, markers[0]):
            # "(b) A frog. Note its eyes; (c) a toad and (d) a newt."
            self._give(self.open, start, markers[0].start)
            start = markers[0].start
        self.open = ()
        pieces: Iterable[Piece] = () if within else clauses(self.text, start, end, markers)
        if not pieces:
            if markers_precede_text(self.text, markers, end):
                pieces = pieces_before(self.text, start, end, markers, named)
                self.open = () if self.every.issubset(named) else named
            else:
                pieces = pieces_after(self.text, start, end, markers, named)
        for labels, begin, stop in pieces:
            if begin == start and labels == named and _BARS.match(self.text, begin, stop):
                # "Scale bar, 1 cm; (D) proteins and (E) their blots."
                continue
            self._share(labels, begin, stop)

    def _goes_on_before(self, start: int, marker: Marker) -> bool:
        """Return whether the marker opens a panel after a clause on the one before, which a semicolon ends."""
        before, after = self.text[start : marker.start].rstrip(), self.text[marker.end : marker.end + 12].lstrip()
        return before[-1:] == ";" and after[:1].isalnum() and not is_note(before.lstrip())

    def _heads(self, marker: Marker | None) -> bool:
        """Return whether a marker stands at the start of a sentence or clause."""
        if marker is None:
            return False
        return self.text[max(0, marker.start - 4) : marker.start].rstrip()[-1:] in (".", ";", ":")

    def _alone(self, start: int, end: int, marker: Marker) -> None:
        """The sentence is about its panel, but not what introduces all of them."""
        before = self.text[start : marker.start].rstrip()
        after = self.text[marker.end : marker.end + 12].lstrip()
        if before[-1:] in ":,;" and after[:1].isalnum() and not CLOSES.match(after):
            if self.open and before[-1] != ":":
                # "far from the core, (b) The shape": a head within a sentence.
                self._give(self.open, start, marker.start)
                start = marker.start
            elif before[-1] == ":" and not self.seen:
                start = marker.start
        elif not self.seen and after[:1].isalnum() and not CLOSES.match(after) and self._heads(self.coming):
            # "Analysis of growth (A) Roots of oak. (B) Leaves of ash.": a title that no stop ends.
            start = marker.start
        self._give(marker.labels, start, end)
        self.open = () if self.every.issubset(marker.labels) else marker.labels
