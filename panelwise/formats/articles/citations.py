"""Citations of figures in a paragraph: by link, by a range between links, and in plain words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from panelwise.formats.articles.labels import (
    FIGURE,
    NUMBER,
    PREFIX,
    Key,
    kind_of,
    label_key,
    parse_label,
    plain_number,
)
from panelwise.formats.articles.sentences import sentence_at, sentence_starts

#: Figures cited by one range at most; longer ones are numbers of something else.
MOST_IN_A_RANGE = 100
#: Digits of a figure's number at most.
_DIGITS = 9
#: Characters between a number and the link that belongs to it: "Schemes 1[link]", "Figure 3 ([Fig. 3])".
_NEAR = 2
#: Characters after a link in which its panels may stand: "[Fig. 3] (A, B)".
_FURTHER = 40
#: Characters before a figure's word in which the author of another work, or "Extended Data", may stand.
_AUTHORS, _LONGEST_PREFIX = 60, 16

_DASH = r"\-‐‑‒–—−"
_LETTER = r"(?<![^\W\d_])[A-Za-z](?:-[ivxIVX]+|-\d+|[ivx]+|\d|['’′″]+)?(?!\w)"
#: After the first letter: "Fig. 2B, a ..." and "Fig. 2B, Li et al." go on with words.
_NEXT = r"[A-Za-z](?:-[ivxIVX]+|-\d+|\d|['’′″]+)?(?!\w)(?!(?<=[aAI])\s+(?!and\b|or\b|to\b)[a-z])"
_AND = rf"\s?(?:,\s?(?:and|&)?|and|&|or|to|/|[{_DASH}])\s?"
_LETTERS = rf"{_LETTER}(?:{_AND}{_NEXT})*"
_IN_BRACKETS = rf"\(\s?{_LETTERS}\s?\)"
#: After a space or comma, letters are panels only if no word follows: "Fig. 1, A and B)", but "Fig. 1, B cells".
_CAPITALS = rf"[A-N](?!\w)(?:{_AND}[A-N](?!\w))*(?=[;)\],]|\.(?:\s[A-Z]|$)|$)"
_SMALL = rf"[a-h](?!\w)(?:{_AND}[a-h](?!\w))*(?=[;)\],]|\.(?:\s[A-Z]|$)|$)"
_PANELS = (
    rf"(?:\s?{_IN_BRACKETS}(?:{_AND}{_IN_BRACKETS})*|,?\s\(?panels?\s\(?{_LETTERS}"
    rf"|\s(?=[B-HJ-Z](?!\w)|A[,;)\]{_DASH}]){_LETTERS}|,?\s{_CAPITALS}|,?\s{_SMALL}"
    rf"|{_LETTERS}(?:\s?[{_DASH}]\s?(?P=number){_LETTER})?)"
)
_ITEM = re.compile(rf"(?P<number>{NUMBER})(?P<panels>{_PANELS})?(?![^\W_\u3040-\u9fff])")
_NUMBER_AND_PANELS = re.compile(rf"(?P<number>{NUMBER})(?P<panels>{_PANELS})(?![^\W_])")
_ONLY_PANELS = re.compile(rf"\W*(?P<panels>{_LETTERS})\W*")
_RANGE = re.compile(rf"[{_DASH}]|\b(?:to|through|a|à|bis)\b")
_PREFIX_BEFORE = re.compile(rf"\b{PREFIX}\.?\s*$", re.IGNORECASE)
_PREFIX_ENDS = ("supp", "suppl", "supplement", "ary", "al", "ing", "data", "appendix", "line", "web", "si")
_TO = re.compile(rf"[\s)]*(?:[{_DASH}]|to)[\s(\d]*")
_WITH_PREFIX = re.compile(r"(.*?)(\d+)")
_ONE_PANEL = re.compile(_LETTER)
_SUPPLEMENT = (
    r"(?:supp(?:l(?:ement(?:ary|al)?)?)?\.?|SI)\s+(?:files?|materials?|information|appendix|data|online\s+content)|"
    r"supporting\s+information|additional\s+files?|(?:the|data|online)\s+supplement"
)
#: What makes "Fig. 1" a figure of another work or of a supplement: its author or name before it, or after it.
_OTHER_BEFORE = re.compile(
    r"(?:\b(?i:their|his|her)\s+|"
    r"(?:\bet al\.?|(?:&|\band)\s+[A-Z]\w+),?\s[(\[]?(?:19|20)\d\d[a-z]?[)\]]?\s?[,:(\[]?\s?|"
    r"\b[A-Z]\w+,?\s[(]?(?:19|20)\d\d[a-z]?[)]?\s?[,:\[]\s?|"
    rf"\b(?:(?i:{_SUPPLEMENT})(?:\s+[S\d]+)?|SI)\s?[,:;(\[]?\s?)$"
)
#: One of these is in all that the pattern finds; looking for them first is quicker.
_OTHER_HINTS = ("19", "20", "eir ", "his ", "her ", "upp", "ddit", "SI", "UPP")
_OTHER_AFTER = re.compile(
    r"[\s,]*\b(?:in|of|from|by)\s+(?:\[|\(?refs?\b|the\s+(?:paper|article|study)\s+(?:by|of)\b|"
    rf"\(?[A-Z][\w’'-]+(?:,?\s(?:et al|(?:and|&)\s[A-Z])|\s\(?(?:19|20)\d\d)|(?:the\s+)?(?i:{_SUPPLEMENT}))"
)
#: What belongs to a figure and is not the figure: "Figure 5—source data 1".
_PART = re.compile(
    rf"\s*[{_DASH}]\s*(?:figure\s+supplement|source\s+(?:data|code)|video|movie|animation)", re.IGNORECASE
)
#: After the second number of "Fig. 3, 12 ..." of one figure by its word: else 12 counts something else.
_CLOSED = re.compile(rf"\s*(?:[.,;:)\]{_DASH}]|$|(?:and|or|to)\b)")


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link of a paragraph, half-open in its text, and the indices of the figures it names."""

    start: int
    end: int
    figures: tuple[int, ...]


class Paragraph(msgspec.Struct, frozen=True, gc=False):
    """A paragraph without its floats, white space collapsed. number: its place in the body, None elsewhere."""

    number: int | None
    text: str
    links: tuple[Link, ...]


class Mention(msgspec.Struct, frozen=True, gc=False):
    """One citation of a figure. kind: "link", "range" or "text". panels: letters in capitals."""

    sentence: str
    paragraph: int | None
    kind: str
    panels: tuple[str, ...]


class _Item(msgspec.Struct, frozen=True, gc=False):
    """A number in a list of cited figures; `start` and `end` bound the number and its panels."""

    start: int
    end: int
    number: str
    panels: str


class _List(msgspec.Struct, frozen=True, gc=False):
    """Figures cited together ("Figs. 1-3 and 5A"). start, end: of its words. ranges: first and last items."""

    start: int
    end: int
    kind: str
    items: list[_Item]
    ranges: list[tuple[_Item, _Item]]


#: Words that name one figure, after which no more can follow: "Fig. 2B" in "(Fig. 2B)" and "Fig. 2B shows".
_SIMPLE = re.compile(
    r"fig(?:ure|ura)?\.?\s?(?P<number>\d+)(?:\s?\((?P<bracket>[A-Za-z])\)|(?P<panel>[A-Za-z]))?"
    r"(?=[);\]]|\.(?:\s|$)|\s(?!(?:and|or|to|through|et|und|bis|vs|versus|panels?)\b)[a-z]{2})",
    re.IGNORECASE,
)
#: Characters before a link's number in which the word for it begins.
_WORD = 9

#: Position of a citation, its figure, its kind and its panels.
_Citation = tuple[int, int, str, tuple[str, ...]]


class Citations:
    """Finds the citations of an article's figures.

    labels: (label, indices of its figures); the first of equal labels counts. "Figure 1A" is a part
    of figure 1.
    """

    def __init__(self, labels: Iterable[tuple[str, tuple[int, ...]]]) -> None:
        labels = list(labels)
        self._figures: dict[Key, tuple[int, ...]] = {}
        #: Of figures whose panels are figures of their own: letter -> figures.
        self._parts: defaultdict[Key, dict[str, tuple[int, ...]]] = defaultdict(dict)
        for label, figures in labels:
            parsed = parse_label(label)
            if parsed:
                key, panel = parsed
                if panel:
                    self._parts[key].setdefault(panel, figures)
                else:
                    self._figures.setdefault(key, figures)
        words = {kind.split()[-1] for kind, _ in (*self._figures, *self._parts)} - {"figure"}
        self._pattern, self._separator = _patterns(tuple(sorted(words)))
        german = (not words and not self._figures) or any("abb" in label.lower() for label, _ in labels)
        stems = ("fig", *(["abb"] if german else []), *words)
        #: Making a text's letters small takes longer than looking for each way of writing.
        self._written = {form for each in stems for form in (each, each.capitalize(), each.upper())}

    def possible(self, text: str) -> bool:
        """Return True if the text has a word for a figure."""
        for word in self._written:  # noqa: SIM110 - any() takes twice the time
            if word in text:
                return True
        return False

    def find(self, paragraph: Paragraph) -> list[tuple[int, Mention]]:
        """Return each citation of a paragraph with the index of its figure, in the order of the text."""
        text, links = paragraph.text, paragraph.links
        found: list[_Citation] = []
        simple: set[int] = set()
        for index, link in enumerate(links):
            following = links[index + 1].start if index + 1 < len(links) else len(text)
            limit = following if following >= link.end else len(text)
            place, panels = _simple(text, link, limit) or (-1, _panels_of_link(text, link, limit))
            simple.add(place)
            for figure in link.figures:
                found.append((link.start, figure, "link", panels))
        for cited in self._lists(text, simple):
            own = [*self._in_words(text, cited, links)]
            ranges = [
                each for first, last in cited.ranges for each in self._between(cited.kind, first, last, links)
            ]
            if own and not _is_own(text, cited):
                own, ranges = (
                    [],
                    [each for each in ranges if any(link.start <= each[0] < link.end for link in links)],
                )
            found += own + ranges
        found.sort(key=lambda each: each[0])
        starts = sentence_starts(text) if found else []
        return [
            (figure, Mention(sentence_at(text, starts, place), paragraph.number, kind, panels))
            for place, figure, kind, panels in found
        ]

    def _in_words(self, text: str, cited: _List, links: Sequence[Link]) -> Iterator[_Citation]:
        """Yield the citations of a list that have no link."""
        for item in cited.items:
            figures = self._named(cited.kind, item)
            near = [link for link in _around(links, item) if link.end >= item.start - _NEAR]
            over = [link for link in near if link.start <= item.start < link.end]
            # A link is followed, even if its number differs; several numbers in one link are cited by its words.
            several = any(sum(link.start <= each.start < link.end for each in cited.items) > 1 for link in over)
            for figure in figures:
                linked = any(figure in link.figures for link in near) or (over and not several)
                if not linked and not _PART.match(text, item.end):
                    yield item.start, figure, "text", panel_letters(item.panels)

    def _named(self, kind: str, item: _Item) -> tuple[int, ...]:
        key = kind, item.number
        parts = self._parts.get(key)
        if not parts:
            return self._figures.get(key, ())
        named = [letter for letter in panel_letters(item.panels) if letter in parts] or list(parts)
        return (*self._figures.get(key, ()), *(figure for letter in named for figure in parts[letter]))

    def _between(self, kind: str, first: _Item, last: _Item, links: Sequence[Link]) -> Iterator[_Citation]:
        """Yield the citations of the figures between the ends of a range that have no link."""
        low, high = _WITH_PREFIX.fullmatch(first.number), _WITH_PREFIX.fullmatch(last.number)
        if not low or not high or low[1] != high[1] or len(high[2]) > _DIGITS:
            return
        if int(high[2]) - int(low[2]) > MOST_IN_A_RANGE:
            return
        inside = (link for link in _around(links, first, last) if link.end > first.start)
        linked = {figure for link in inside for figure in link.figures}
        for number in range(int(low[2]) + 1, int(high[2])):
            for figure in self._figures.get((kind, f"{low[1]}{number}"), ()):
                if figure not in linked:
                    yield first.start, figure, "range", ()

    def _words(self, text: str) -> list[int]:
        """Return where words for figures may begin: searching for each word alone is far quicker than for all."""
        starts = []
        for word in self._written:
            start = text.find(word)
            while start >= 0:
                starts.append(start)
                start = text.find(word, start + 1)
        return sorted(starts)

    def _lists(self, text: str, simple: Container[int] = ()) -> Iterator[_List]:
        """Yield the lists of a text, without those at the places `simple`."""
        place = 0
        for start in self._words(text):
            found = self._pattern.match(text, start) if start >= place and start not in simple else None
            if found is None:
                continue
            plural = found["word"].lower().endswith("s")
            items: list[_Item] = []
            dashes: list[bool] = []
            place = found.end()
            item = _ITEM.match(text, place)
            kind = kind_of(_prefix(text, found.start()), found["word"], item["number"] if item else "")
            while item is not None:
                items.append(_Item(item.start(), item.end(), plain_number(item["number"]), item["panels"] or ""))
                place = item.end()
                between = self._separator.match(text, place)
                item = _ITEM.match(text, between.end()) if between else None
                if item is not None and between is not None:
                    dash = _RANGE.search(between[0]) is not None
                    if between["word"]:
                        prefix, _, word = kind.rpartition(" ")
                        # "Scheme 3A and Figure 3" and "Supplementary Fig. 1 and Fig. 2" are two lists.
                        if kind_of(None, between["word"], "") != word or (prefix and not dash):
                            break
                    # "Figure 4; 2) they save" counts steps.
                    closed = ";" not in between[0] and _CLOSED.match(text, item.end())
                    if not (plural or between["word"] or dash or closed):
                        item = None
                    dashes.append(dash)
            pairs = zip(items, items[1:], dashes, strict=False)
            # "5A-1" is a panel's part, "1A to 3" a range.
            ranges = [
                (a, b)
                for a, b, dash in pairs
                if dash and (b.panels or not a.panels or text[a.end : b.start].strip().isalpha())
            ]
            if items:
                yield _List(found.start(), place, kind, items, ranges)


def panels_named(sentences: Sequence[str], label: str = "") -> tuple[tuple[str, ...], ...]:
    """Return the panels of one figure that each sentence names, in capitals; () for the whole figure.

    sentences: all cite this figure. label: such as "Fig. 2"; without one, the figure is the one that most
    sentences cite.
    """
    own = label_key(label)
    lists = Citations([(label, ())])
    cited = [
        [
            ((each.kind, item.number), panel_letters(item.panels))
            for each in lists._lists(text)
            for item in each.items
        ]
        for text in sentences
    ]
    if own is None:
        counts = Counter(key for each in cited for key in dict.fromkeys(key for key, _ in each))
        own = max(counts, key=counts.__getitem__, default=None)
    return tuple(
        tuple(dict.fromkeys(letter for key, panels in each if key == own for letter in panels)) for each in cited
    )


def _around(links: Sequence[Link], first: _Item, last: _Item | None = None) -> Sequence[Link]:
    """Return the links that begin near an item, or from one to the other, and a few before."""
    end = bisect_right(links, (last or first).end + _NEAR, key=lambda link: link.start)
    begin = bisect_right(links, first.start, key=lambda link: link.start)
    return links[max(0, begin - 3) : end]


def _is_own(text: str, cited: _List) -> bool:
    """Return False if the words name a figure of another work."""
    before = text[max(0, cited.start - _AUTHORS) : cited.start]
    other = any(each in before for each in _OTHER_HINTS) and _OTHER_BEFORE.search(before)
    return not other and not _OTHER_AFTER.match(text, cited.end)


def _prefix(text: str, place: int) -> str | None:
    """Return the word before a figure's word if it belongs to that, as "Supplementary" does."""
    before = text[max(0, place - _LONGEST_PREFIX) : place].rstrip()
    if not before.rstrip(".").lower().endswith(_PREFIX_ENDS):
        return None
    found = _PREFIX_BEFORE.search(before)
    return found["prefix"] if found else None


@lru_cache
def _patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a list's beginning and of the text between its items. words: beside "figure"."""
    word = "|".join([FIGURE, *(f"{re.escape(each)}s?" for each in words)])
    after = r"\.?\s?(?i:n[o°º]\.?\s?)?"
    return (
        re.compile(rf"(?:\b|(?<=[\u3040-\u9fff]))(?P<word>(?i:{word}))(?![^\W\d_]){after}[(\[]?(?={NUMBER})"),
        re.compile(
            rf"\s?(?:,\s?(?:and|&|or)?|;|&|/|\+|\b(?:and|or|to|through|et|und|y|e|a|à|bis|vs\.?|versus)(?!\w)|[{_DASH}])\s?"
            rf"(?:(?P<word>(?i:{word})){after})?"
        ),
    )


def panel_letters(words: str) -> tuple[str, ...]:
    """Return the letters that a text such as "A, C-E" names, in capitals, each once."""
    letters: list[str] = []
    end = 0
    for found in _ONE_PANEL.finditer(words):
        letter = found[0][0].upper()
        if letters and _TO.fullmatch(words, end, found.start()):
            letters += [chr(code) for code in range(ord(letters[-1]) + 1, ord(letter))]
        letters.append(letter)
        end = found.end()
    return tuple(dict.fromkeys(letters))


def _simple(text: str, link: Link, limit: int) -> tuple[int, tuple[str, ...]] | None:
    """Return where simple words of a link begin, and their panel if any; None for others. limit: of their end."""
    place = link.start
    if text[place : place + 1] not in ("F", "f"):
        place = text.rfind("ig", max(0, place - _WORD), place) - 1
    found = _SIMPLE.match(text, place) if place >= 0 else None
    if found is None or found.end() > limit:
        return None
    start, end = found.span("number")
    if not link.start <= start < end <= link.end <= found.end():
        return None
    panel = found["panel"] or found["bracket"]
    return place, (panel.upper(),) if panel else ()


def _panels_of_link(text: str, link: Link, limit: int) -> tuple[str, ...]:
    """Return the panels that a link names, with those that follow it before the position `limit`."""
    words = text[link.start : link.end]
    alone = _ONLY_PANELS.fullmatch(words)
    if alone:
        return panel_letters(alone["panels"])
    found = _NUMBER_AND_PANELS.search(text, link.start, min(limit, link.end + _FURTHER))
    if found is None or found.start() > link.end:
        return ()
    return panel_letters(found["panels"])
