"""Which tokens of a caption describe which panel, by a small grammar of sentences and markers.

What names or describes a panel and not all panels is its subcaption, its marker included; text on a proper subset
of the panels belongs to each of them. Titles, closing notes (scale bars, error bars, abbreviations, statistics)
and text on all panels belong to none; so a caption that names no panels yields no label and no subcaption.
Time is linear in the length of the caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotator.domain.caption import Caption, Span
from prelabel.classic.markers import Marker, Style, read_scheme


@dataclass(frozen=True, slots=True)
class ParsedCaption:
    """labels: the panels named, in order. tokens: ids of caption tokens by label (each label has an entry)."""

    labels: tuple[str, ...]
    tokens: dict[str, frozenset[int]]


#: How many characters around a marker are looked at: bounded, so that time stays linear in the caption.
NEAR = 120

#: What a mark of punctuation does not end a sentence after.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Figs?|figs?|vs|cf|al|ca|approx|resp|no|No|spp?|var|Dr|St|Eq|Ref|subsp|e\.g|i\.e|i\.v|i\.p)|\b[A-Z](?=\.\s[a-z]))\.(?=.{0,2}$)",
    re.DOTALL,
)
_SENTENCE = re.compile(r"[.!?][)\]'\"”’]{0,2}(?=\s{1,4}|[(\[]|$)|;(?=\s)|\n")

#: Sentences on the figure as a whole, by how they begin.
_GENERAL = re.compile(
    r"(?:[*#†‡§+]{1,4}|(?:Bars?|Scale|Scales|Error|Errors|Data|Values?|Means?|Results|Original\s+magnification|"
    r"Magnifications?|Statistic\w*|Abbreviations?|Asterisks?|Significan\w+|Source|Additional|See|Reprinted|Adapted|"
    r"Modified|Reproduced|Experiments|Quantifications?\s+(?:are|is)|Presented|Shown\s+(?:are|is)|All\s+(?:data|panels|"
    r"images|scale|values|error|experiments|results)|The\s+raw\s+data|Two-way|One-way|Student|Unpaired|Paired|"
    r"Repeated\s+measures|Boxes|Whiskers|Planned|Full|Different\s+(?:letters|lowercase)|Lowercase|Letters|"
    r"Each\s+(?:data|dot|point|value|experiment|bar)|Images?\s+(?:are|is|were)|Photo\w*|Credit|Note|Notes|Abbr|"
    r"For\s+(?:clarity|details|abbreviations|all|each)|In\s+(?:all|each)|Throughout|Both|Likewise)\b|"
    r"(?:[nNpP]\s?[=<>≤≥])|(?:\w[\w/+-]{0,14}\s?(?:,|:|=)\s[^.;]{3,90}(?:;|\.?$)))"
)
_BREAK = re.compile(r"[,;:.)–—]$|\b(?:and|or|while|whereas|but)$")
_JOINING = re.compile(r"[\s,;:.]*(?:\b(?:and|or|as well as|while|whereas)\b)?[\s,]*$")
_LEADING = re.compile(r"[\s,;:.]*(?:\b(?:and|or|as well as|while|whereas)\b)?\s*")
_GOES_ON = re.compile(r"\s+(?!and\b|or\b)\w|,\s(?:which|where|with|showing|indicating|\w+ing)\b")
_PREPOSITION = re.compile(
    r"\b(?:of|for|in|on|with|by|at|from|to|after|under|between|showing|shows|show|following)\b"
)


def parse_caption(caption: Caption | str) -> ParsedCaption:
    """The panels that a caption names, and the tokens on each; a text is cut into the default tokens first."""
    if isinstance(caption, str):
        caption = Caption.cut(caption)
    scheme = read_scheme(caption.text)
    if not scheme.labels:
        return ParsedCaption((), {})
    spans = _Assignment(caption.text, scheme.labels, scheme.markers).spans()
    tokens = {label: caption.tokens_in(spans[label]) for label in scheme.labels}
    everywhere = frozenset.intersection(*tokens.values())
    if len(scheme.labels) > 1 and all(found - everywhere for found in tokens.values()):
        tokens = {label: found - everywhere for label, found in tokens.items()}
    return ParsedCaption(scheme.labels, tokens)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges of sentences and of clauses that a semicolon or newline sets off; blanks included."""
    start = 0
    for found in _SENTENCE.finditer(text):
        if found.group().startswith(".") and _ABBREVIATION.search(
            text[max(0, found.start() - 8) : found.start() + 3]
        ):
            continue
        if text[start : found.end()].strip():
            yield start, found.end()
        start = found.end()
    if text[start:].strip():
        yield start, len(text)


class _Assignment:
    """Walks through the sentences of one caption and hands their parts to labels."""

    def __init__(self, text: str, labels: Sequence[str], markers: Sequence[Marker]) -> None:
        self.text = text
        self.labels = labels
        self.markers = markers
        self.found: dict[str, list[Span]] = {label: [] for label in labels}
        self.open: tuple[str, ...] = ()
        self.seen: set[str] = set()

    def spans(self) -> dict[str, list[Span]]:
        """The spans by label, in the order in which they were handed out."""
        place = 0
        for start, end in self._units():
            inside = []
            while place < len(self.markers) and self.markers[place].start < end:
                inside.append(self.markers[place])
                place += 1
            self._sentence(start, end, inside)
        return self.found

    def _units(self) -> Iterator[tuple[int, int]]:
        """Sentences, put together again where a marker spans their border."""
        waiting: tuple[int, int] | None = None
        place = 0
        for start, end in sentences(self.text):
            if waiting is not None:
                start = waiting[0]
                waiting = None
            while place < len(self.markers) and self.markers[place].end <= end:
                place += 1
            if place < len(self.markers) and self.markers[place].start < end < self.markers[place].end:
                waiting = (start, end)
                continue
            yield start, end
        if waiting is not None:
            yield waiting

    def _give(self, labels: Sequence[str], start: int, end: int) -> None:
        text = self.text[start:end]
        start += len(text) - len(text.lstrip(" \t\n,;"))
        end -= len(text) - len(text.rstrip())
        if start < end:
            for label in labels:
                self.found[label].append(Span(start, end))

    def _sentence(self, start: int, end: int, inside: list[Marker]) -> None:
        text = self.text[start:end].strip()
        if not inside:
            if self.open and _GENERAL.match(text):
                self.open = ()
            self._give(self.open, start, end)
            return
        named = tuple(dict.fromkeys(label for marker in inside for label in marker.labels))
        begins = not _LEADING.sub("", self.text[start : inside[0].start], count=1).strip("([ ")
        if begins:
            self._headed(end, inside)
        elif all(label in self.seen for label in named):
            if _GENERAL.match(text):
                self.open = ()
                return
            # It refers to panels described before: it is about them, or goes on about the open one.
            self._give(tuple(dict.fromkeys((*self.open, *(named if not self.open else ())))), start, end)
        else:
            fresh = [m for m in inside if any(label not in self.seen for label in m.labels)]
            if self._follows(fresh[-1], end) and not (len(fresh) > 1 and self._names_end(fresh, end)):
                self._before_text(start, end, fresh)
            else:
                self._after_text(start, end, fresh)
        self.seen.update(named)

    def _follows(self, marker: Marker, end: int) -> bool:
        """Whether text follows the marker that describes its panel, as in "treated with (a) saline"."""
        after = self.text[marker.end : min(end, marker.end + NEAR)].lstrip()
        if not after or after[0] in ".,;:)":
            return False
        before = self.text[max(0, marker.start - NEAR) : marker.start].rstrip()[-12:]
        words = len(after.split(None, 8))
        if re.match(
            r"(?:and|or|in|of|with|for|was|were|is|are|by|at|from|indicates?|shows?|showing|included)\b", after
        ):
            return False
        return words >= 2 or bool(_BREAK.search(before))

    def _headed(self, end: int, inside: list[Marker]) -> None:
        """A sentence that begins with a marker: cut it where further markers open a part of their own."""
        heads = [inside[0]]
        inner: list[list[Marker]] = [[]]
        for marker in inside[1:]:
            if set(marker.labels) <= set(heads[-1].labels):
                inner[-1].append(marker)
            elif self._opens(marker, heads[-1]):
                heads.append(marker)
                inner.append([])
        bounds = [*(head.start for head in heads[1:]), end]
        for head, parts, until in zip(heads, inner, bounds, strict=True):
            stop = until if until == end else self._without_joint(head.end, until)
            self._part(head, parts, stop)
        self.open = heads[-1].labels

    def _opens(self, marker: Marker, head: Marker) -> bool:
        before = self.text[max(head.end, marker.start - NEAR) : marker.start].rstrip()
        if not before:
            return True
        if all(label in self.seen for label in marker.labels):
            return False
        after = self.text[marker.end : marker.end + 40].lstrip()
        if not after or after[0] in ".,;)":
            return False
        return (
            bool(_BREAK.search(before[-12:]))
            or marker.style is not Style.PARENTHESES
            or self._follows(marker, marker.end + 40)
        )

    def _without_joint(self, start: int, end: int) -> int:
        """`end` moved back over a trailing comma or "and"."""
        joint = _JOINING.search(self.text, max(start, end - 24), end)
        return joint.start() if joint is not None else end

    def _part(self, head: Marker, inner: list[Marker], end: int) -> None:
        own = [marker for marker in inner if len(marker.labels) < len(head.labels)]
        if not own or len(head.labels) < 2:
            self._give(head.labels, head.start, end)
            return
        self._give(head.labels, head.start, head.end)
        if self._follows(own[-1], end) and not self._names_end(own, end):
            self._before_text(head.end, end, own)
        else:
            self._after_text(head.end, end, own)

    def _names_end(self, own: list[Marker], end: int) -> bool:
        """Whether most markers stand after what they name: followed by punctuation or "and"."""
        closing = 0
        for marker in own:
            after = self.text[marker.end : min(end, marker.end + 8)].lstrip()
            closing += not after or after[0] in ".,;:" or after.startswith(("and ", "or "))
        return 2 * closing >= len(own)

    def _before_text(self, start: int, end: int, markers: list[Marker]) -> None:
        """Each marker stands before its text; what precedes the first is on all of them."""
        named = tuple(dict.fromkeys(label for marker in markers for label in marker.labels))
        if len(named) < len(self.labels):
            self._give(named, start, self._without_joint(start, markers[0].start))
        for place, marker in enumerate(markers):
            last = place + 1 == len(markers)
            self._give(
                marker.labels,
                marker.start,
                end if last else self._without_joint(marker.end, markers[place + 1].start),
            )
        self.open = markers[-1].labels

    def _after_text(self, start: int, end: int, markers: list[Marker]) -> None:
        """Each marker stands after its text; a common beginning and a common end are on all of them."""
        named = tuple(dict.fromkeys(label for marker in markers for label in marker.labels))
        joint = _LEADING.match(self.text, start)
        begin = joint.end() if joint is not None and joint.end() <= markers[0].start else start
        shared = self._shared_head(begin, markers)
        if shared > begin:
            self._give(named, begin, shared)
            begin = shared
        for place, marker in enumerate(markers):
            self._give(marker.labels, begin, marker.end)
            begin = marker.end
            if place + 1 < len(markers):
                # "(c), indicating the highest density in red, and image (d)": the middle part goes on about (c).
                between = self.text[marker.end : markers[place + 1].start]
                turn = between.rfind(" and ")
                if turn > 0 and _GOES_ON.match(between):
                    begin += turn
                    self._give(marker.labels, marker.end, begin)
                joint = _LEADING.match(self.text, begin)
                begin = joint.end() if joint is not None else begin
        tail = self.text[markers[-1].end : end]
        if len(tail.strip(" .,;:")) > 2:
            self._give(named if tail[:1] != "," else markers[-1].labels, markers[-1].end, end)
        elif tail.strip():
            self._give(markers[-1].labels, markers[-1].end, end)
        self.open = ()

    def _shared_head(self, begin: int, markers: list[Marker]) -> int:
        """Where the first panel's own words begin: "SEM images of the | BM (c), PM (d) and SMNp (e)".

        Items after the first that are as short as a name share what precedes the first one's name.
        """
        if len(markers) < 2:
            return begin
        lengths = []
        for one, other in pairwise(markers):
            lengths.append(len(self.text[one.end : other.start].strip(" ,;").removeprefix("and ").split()))
        first = self.text[begin : markers[0].start]
        if max(lengths) > 5 or len(first.split()) < max(lengths) + 3:
            return begin
        joints = list(_PREPOSITION.finditer(first))
        if not joints:
            return begin
        cut = begin + joints[-1].end()
        article = re.match(r"\s+(?:the|an?)\b", self.text[cut : cut + 8])
        return cut + (article.end() if article else 0)
