"""Citations of figures in a paragraph: by link, by a range between links, and in plain words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from panelwise.domain.letter_forms import plain_width
from panelwise.formats.articles.labels import (
    FIGURE,
    NUMBER,
    PREFIX,
    Key,
    forms_of,
    kind_of,
    label_in_caption,
    label_key,
    parse_label,
    plain_number,
)
from panelwise.formats.articles.panels import (
    DASH,
    FURTHER,
    ITEM,
    panel_letters,
    panels_before,
    panels_of_link,
    simple_words,
)
from panelwise.formats.articles.sentences import sentences_at

#: Figures cited by one range at most; longer ones are numbers of something else.
MOST_IN_A_RANGE = 100
#: Digits of a figure's number at most.
_DIGITS = 9
#: Characters between a number and the link that belongs to it: "Schemes 1[link]", "Figure 3 ([Fig. 3])".
_NEAR = 2
#: Characters before a figure's word in which the author of another work, or "Extended Data", may stand.
_AUTHORS, _LONGEST_PREFIX = 60, 16
#: Words between the numbers of a list.
_AND = r"and|or|to|through|et|und|bis|y|e|a|à|i|ve|en|och|og|и|та|і|και|vs\.?|versus"
#: Characters between two links of a range.
_LONGEST_RANGE = 10
#: Between the links to the ends of a range.
_FROM_TO = re.compile(rf"\s?(?:[{DASH}]|to|through)\s?")
_RANGE = re.compile(rf"[{DASH}~至到]|\b(?:to|through|a|à|bis)\b")
_PREFIX_BEFORE = re.compile(rf"\b{PREFIX}(?:(?<=supp)\.|(?<=suppl)\.)?\s*$", re.IGNORECASE)
_PREFIX_ENDS = ("supp", "suppl", "supplement", "ary", "al", "ing", "data", "appendix", "line", "web", "si")
_WITH_PREFIX = re.compile(r"(.*?)(\d+)")
_SUPPLEMENT = (
    r"(?:supp(?:l(?:ement(?:ary|al)?)?)?\.?|SI)\s+(?:files?|materials?(?:\s+(?:and|&)\s+methods)?|methods|information|appendix|data|online\s+content)|"
    r"supporting\s+information|additional\s+files?|(?:the|data|online)\s+supplement"
)
#: What makes "Fig. 1" a figure of another work or of a supplement: its author or name before it, or after it.
_OTHER_BEFORE = re.compile(
    rf"(?:\b(?i:their|his|her)\s+|\b(?i:appendix|chapter)\s+\w+\s?[{DASH},]\s?|"
    r"\b(?i:ref(?:erence)?)s?\.?\s\[?\d+\]?,\s?|"
    r"(?:\bet al\.?|(?:&|\band)\s+[A-Z]\w+),?\s[(\[]?(?:19|20)\d\d[a-z]?[)\]]?\s?[,:(\[]?\s?|"
    r"\b[A-Z]\w+,?\s[(]?(?:19|20)\d\d[a-z]?[)]?\s?[,:\[]\s?|"
    rf"\b(?:(?i:{_SUPPLEMENT})(?:\s+[S\d]+)?|SI)\s?[,:;(\[]?\s?)$"
)
#: One of these is in all that the pattern finds; looking for them first is quicker.
_OTHER_HINTS = ("19", "20", "eir ", "his ", "her ", "upp", "ddit", "SI", "UPP", "ppendix", "hapter", "ef", "EF")
_OTHER_AFTER = re.compile(
    r"[\s,]*\b(?:in|of|from|by)\s+(?:\[|\(?(?i:ref(?:erence)?s?)\b|the\s+(?:paper|article|study)\s+(?:by|of)\b|"
    rf"\(?[A-Z][\w’'-]+(?:,?\s(?:et al|(?:and|&)\s[A-Z])|\s\(?(?:19|20)\d\d)|(?:the\s+)?(?i:{_SUPPLEMENT}))"
)
#: What belongs to a figure and is not the figure: "Figure 5—source data 1".
_PART = re.compile(
    rf"\s*[{DASH}]\s*(?:figure\s+supplement|source\s+(?:data|code)|video|movie|animation)", re.IGNORECASE
)
#: After the second number of "Fig. 3, 12 ..." of one figure by its word: else 12 counts something else.
_CLOSED = re.compile(rf"\s*(?:[.,;:)\]{DASH}]|$|(?:and|or|to)\b)")


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
    plural: bool
    items: list[_Item]
    ranges: list[tuple[_Item, _Item]]


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
        #: Label -> citations, of figures that the article does not have; those of its supplement are not counted.
        self.absent: Counter[str] = Counter()
        #: Labels of paragraphs that begin as captions of figures that the article does not have.
        self.loose_captions: list[str] = []
        self._keys = {figures: key for key, figures in reversed(self._figures.items())}
        words = {kind.split()[-1] for kind, _ in (*self._figures, *self._parts)} - {"figure"}
        self._pattern, self._separator = _patterns(tuple(sorted(words)))
        german = (not words and not self._figures) or any("abb" in label.lower() for label, _ in labels)
        stems = ("fig", *(["abb"] if german else []), *words)
        #: Making a text's letters small takes longer than looking for each way of writing.
        self._written = tuple(
            dict.fromkeys(form for each in stems for form in (each.capitalize(), each, each.upper()))
        )
        for label, figures in labels:
            if not parse_label(label):
                self._add_plate(label, figures)

    def _add_plate(self, label: str, figures: tuple[int, ...]) -> None:
        """Add the numbers of a plate, such as "Figures 1–4", that no figure has of its own."""
        for cited in self._lists(label):
            if cited.plural:
                for item in cited.items:
                    self._figures.setdefault((cited.kind, item.number), figures)
                for first, last in cited.ranges:
                    for number in _numbers_between(first, last):
                        self._figures.setdefault((cited.kind, number), figures)

    def possible(self, text: str) -> bool:
        """Return True if the text has a word for a figure."""
        for word in self._written:  # noqa: SIM110 - any() takes twice the time
            if word in text:
                return True
        return False

    def find(self, paragraph: Paragraph) -> list[tuple[int, Mention]]:
        """Return each citation of a paragraph with the index of its figure, in the order of the text."""
        text, links = plain_width(paragraph.text), paragraph.links
        label = label_in_caption(text)
        if label and not self._has(parse_label(label)):
            self.loose_captions.append(label)
        found: list[_Citation] = []
        simple: set[int] = set()
        for index, link in enumerate(links, start=1):
            start, end = link.start, link.end
            limit = links[index].start if index < len(links) else len(text)
            if limit < end:
                limit = len(text)
            words = simple_words(text, start, end, limit)
            if words:
                simple.add(words[0])
            panels = words[1] if words else panels_of_link(text, start, end, limit)
            for figure in link.figures:
                found.append((start, figure, "link", panels))
        for cited in self._lists(text, simple):
            own = [*self._in_words(text, cited, links)]
            if cited.kind == "figure" and not (label and cited.start == 0) and _is_own(text, cited):
                self._count_absent(text, cited)
            ranges = [
                each for first, last in cited.ranges for each in self._between(cited.kind, first, last, links)
            ]
            if own and not _is_own(text, cited):
                own, ranges = (
                    [],
                    [each for each in ranges if any(link.start <= each[0] < link.end for link in links)],
                )
            found += own + ranges
        if len(links) > 1:
            found += self._between_links(text, links, found)
        found.sort(key=lambda each: each[0])
        if "anel" in text:
            found = [
                (place, figure, kind, panels or (panels_before(text, place) if kind != "range" else ()))
                for place, figure, kind, panels in found
            ]
        sentences = sentences_at(paragraph.text, [each[0] for each in found])
        return [
            (figure, Mention(sentence, paragraph.number, kind, panels))
            for sentence, (_, figure, kind, panels) in zip(sentences, found, strict=True)
        ]

    def _has(self, parsed: tuple[Key, str] | None) -> bool:
        """Return whether a label's figure is among those of the article, or the label is no figure's."""
        return parsed is None or parsed[0] in self._figures or parsed[0] in self._parts

    def _count_absent(self, text: str, cited: _List) -> None:
        for item in cited.items:
            if item.number.isdecimal() and not self._has(((cited.kind, item.number), "")):
                self.absent[f"Figure {item.number}"] += not _PART.match(text, item.end)

    def _in_words(self, text: str, cited: _List, links: Sequence[Link]) -> Iterator[_Citation]:
        """Yield the citations of a list that have no link."""
        for item in cited.items:
            figures = self._named(cited.kind, item)
            near = [link for link in _around(links, item) if link.end >= item.start - _NEAR]
            over = [link for link in near if link.start <= item.start < link.end]
            # A link is followed, even if its number differs; several numbers in one link are cited by its words.
            several = len(cited.items) > 1 and any(
                sum(link.start <= each.start < link.end for each in cited.items) > 1 for link in over
            )
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
        inside = (link for link in _around(links, first, last) if link.end > first.start)
        done = {figure for link in inside for figure in link.figures}
        done.update(*(self._figures.get((kind, end.number), ()) for end in (first, last)))
        for number in _numbers_between(first, last):
            for figure in self._figures.get((kind, number), ()):
                if figure not in done:
                    done.add(figure)
                    yield first.start, figure, "range", ()

    def _between_links(self, text: str, links: Sequence[Link], found: Sequence[_Citation]) -> Iterator[_Citation]:
        """Yield the citations of figures between two links with a dash, where no word for figures is near."""
        for first, last in pairwise(links):
            if not 0 < last.start - first.end <= _LONGEST_RANGE or not _FROM_TO.fullmatch(
                text, first.end, last.start
            ):
                continue
            low, high = (self._keys.get(each.figures, ("", "")) for each in (first, last))
            ends = _Item(first.start, first.end, low[1], ""), _Item(last.start, last.end, high[1], "")
            if low[0] == high[0] and low[1]:
                cited = {each[1] for each in found if first.start - FURTHER < each[0] < last.end}
                for each in self._between(low[0], *ends, links):
                    if each[1] not in cited:
                        yield each

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
            item = ITEM.match(text, place)
            kind = kind_of(_prefix(text, found.start()), found["word"], item["number"] if item else "")
            while item is not None:
                items.append(_Item(item.start(), item.end(), plain_number(item["number"]), item["panels"] or ""))
                place = item.end()
                between = self._separator.match(text, place)
                item = ITEM.match(text, between.end()) if between else None
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
                yield _List(found.start(), place, kind, plural, items, ranges)


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


def _numbers_between(first: _Item, last: _Item) -> Iterator[str]:
    """Yield the numbers between the ends of a range."""
    low, high = _WITH_PREFIX.fullmatch(first.number), _WITH_PREFIX.fullmatch(last.number)
    if not low or not high or low[1] != high[1] or len(high[2]) > _DIGITS:
        return
    begin, end = int(low[2]) + 1, int(high[2])
    if end - begin < MOST_IN_A_RANGE:
        yield from (f"{low[1]}{number}" for number in range(begin, end))


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
    word = "|".join([FIGURE, *map(forms_of, words)])
    after = r"\.?\s?(?i:n[o°º]\.?\s?)?"
    return (
        re.compile(
            rf"(?:\b|(?<=[\u3040-\u9fff\uac00-\ud7a3]))(?P<word>(?i:{word}))(?![^\W\d_]){after}[(\[]?(?={NUMBER})"
        ),
        re.compile(
            rf"\s?(?:,\s?(?:and|&|or)?|;|&|/|\+|\b(?:{_AND})(?!\w)|[和与與及と至到]|(?<!\s)~|~(?=\s)|[{DASH}])\s?"
            rf"(?:(?P<word>(?i:{word})){after})?"
        ),
    )
