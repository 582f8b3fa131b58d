"""Candidates for markers among single letters of a caption, by the text around them.

Looking back or ahead is bounded, so that time stays linear in the caption's length.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class Style(StrEnum):
    """The style of a marker. Captions mostly keep to one style for the main markers."""

    PARENTHESES = "(A)"
    WITHIN = "(A, text"  # within parentheses that hold more
    HALF = "A)"
    POINTED = "A."  # A. A: at the start of a sentence; and after the word panel
    COMMA = "A,"  # A, or A and B, at the start of a sentence
    BARE = "a"  # at the start of a sentence or clause, nothing after it
    REFERENCE = "in a"  # after "in" or "for": mostly of what was described before
    LOOSE = "and a"  # anywhere else
    RUN_ON = "text A text"  # in a list without punctuation


class Marker(NamedTuple):
    """One marker: the labels it names, in order, its characters [start, end), its style, and its weight.

    weight: the evidence of its own that it is a marker; 2 and more is strong, under 1 needs neighbours.
    """

    labels: tuple[str, ...]
    start: int
    end: int
    style: Style
    weight: float = 2.0


#: An abbreviation of one letter stands for a word of at least so many.
SHORTEST_DEFINED = 4
_STOPS = frozenset(".,;:")

#: From here on, writing has no blanks between words.
_FIRST_OF_CJK = "\u3040"

#: How many characters before and after a letter are looked at.
NEAR = 200

#: Words for a panel before its letter.
_SIDES = ("top", "bottom", "left", "right")
_PANEL_NOUNS = (
    *("panel", "graph", "column", "row", "section", "part", "inset", "plot", "image", "picture", "photo", "frame"),
    "subfigure",
)
PANEL_WORDS = frozenset((*_PANEL_NOUNS, *(f"{noun}s" for noun in _PANEL_NOUNS), "harvest", *_SIDES))
_SELF = re.compile(
    r"\b(?:[Pp]anels?|PANELS?|[Gg]raphs?|[Ss]ubfigures?|[Ii]mages?|[Ff]igures?|[Ff]igs?\.?)\s{1,2}['‘\"“(]?$"
)
#: Words before a letter that is no panel of this figure.
_ELSEWHERE_NOUNS = (
    *("letter", "superscript", "track", "lane", "group", "fig", "figure", "table", "genome", "subgenome"),
    *("sub-genome", "haplotype", "allele", "type", "factor", "vitamin", "point", "arm", "clade"),
    *("chain", "protein", "subunit", "site", "domain", "box", "line", "model", "file", "movie", "video"),
    *("film", "cluster", "chromosome", "ref", "eq"),
)
ELSEWHERE = frozenset(
    (
        *_ELSEWHERE_NOUNS,
        *(f"{noun}s" for noun in _ELSEWHERE_NOUNS),
        *("series", "fig.", "figs.", "eq.", "ref.", "refs.", "dr", "dr.", "st", "st.", "prof", "prof."),
        *("hepatitis", "influenza", "strategy", "class", "stage", "grade", "phase", "additional", "appendix"),
        *("by",),
    )
)
_OTHERS = frozenset(("letter", "letters", "superscript", "superscripts", "table", "tables", "ref", "ref."))
#: After a letter: letters of significance.
_SIGNIFICANCE = re.compile(
    r"\)?,?\s{0,2}(?:above\s(?:the|each|bars?|columns?)\b|over\s(?:the\s)?bars?\b|on top|"
    r"(?:are|is)\s(?:values|significan|not)|"
    r"(?:indicat|denot|represent|mean|show)\w{0,4}\s(?:that\s)?(?:a\s)?\w{0,13}\s?significan)"
)
#: "E, eye; T, thymus": a list of abbreviations.
_LISTED = re.compile(r",\s[a-zα-ω][^.;,]{1,40};\s[A-Za-z]{1,6}[,:]\s")
_REFERRING = frozenset(("in", "for", "panels", "graphs"))
#: "Figure A: ...", "Row 1. ..." at the start of a sentence.
_FIGURE_WORDS = frozenset({"figure", "figures", "fig", "fig.", "figs."})
_LED = re.compile(r"(?:^|[.!?;:\n)\]])(\s{0,3})[A-Za-z]{3,10}\.?\s{1,2}['‘\"“(]?$")
_CLAUSE_END = frozenset(".!?;:\n|")
_JOINING_WORDS = frozenset(
    (
        *("and", "or", "of", "in", "with", "for", "the", "at", "by", "while", "whereas", "versus", "vs", "vs."),
        *("between", "under", "from"),
    )
)
_JOINING_MARKS = frozenset(",;:)–—-")
#: A letter and a stop that end no sentence: initials, units, "s. e. m.".
_INITIAL = re.compile(r"(?:^|[\s(.])[^\W\d_]\.\s?$")


def marker_at(
    text: str, labels: tuple[str, ...], start: int, end: int, begin: int, before: str, after: str, word: str
) -> Marker | None:
    """Return the possible marker at [start, end). begin: of the last character before it that is no blank."""
    stop = end
    while text[stop : stop + 1] == " " and stop < end + 2:
        stop += 1
    closing = text[stop : stop + 1]
    if word != "in" and _SIGNIFICANCE.match(text, end, end + 48) and text[max(0, begin - 3) : begin + 1] != "in (":
        return None
    if before in "([" and before:
        opened = text[max(0, begin - 14) : begin].rsplit(None, 1)
        if opened and opened[-1].lower() in _OTHERS:
            return None
        if closing in ".:" and text[stop + 1 : stop + 2] in (")", "]"):
            stop, closing = stop + 1, ")"
        if closing in ")]" and closing:
            # "fatigue (F)" defines an abbreviation, unless F is due.
            defines = (
                len(labels) == 1 and labels[0].isupper() and _initial_of(text, begin) == written_initial(labels[0])
            )
            return Marker(labels, begin, stop + 1, Style.PARENTHESES, 1.2 if defines else 3.0)
        return _within(text, labels, start, end, begin, closing)
    if before in "“‘\"'|" and before:
        quoted = _quoted(text, labels, start, end, begin, before, after)
        if quoted is not None:
            return quoted
    if (word in PANEL_WORDS or word in _FIGURE_WORDS) and after in ".:)" and after:
        led = _LED.search(text, max(0, begin - 14), start)
        if led is not None:
            return Marker(labels, led.end(1), end + 1, Style.POINTED, 2.2)
    if word in PANEL_WORDS or (word in _FIGURE_WORDS and closing == ")") or (before in "'‘\"“" and before):
        head = text[max(0, begin - 17) : start]
        if before.isalnum() or _SELF.search(head) is not None:
            return _after_panel_word(text, labels, start, end, stop, closing, begin, head)
    if word in ELSEWHERE:
        return None
    if closing == ")":
        return _half(text, labels, start, end, stop, begin, before)
    return _in_text(text, labels, start, end, begin, before, after, word)


def written_initial(label: str) -> str:
    """The capital that an abbreviation of one letter stands for; "" where the label is longer or small."""
    return label.lower() if len(label) == 1 and label.isupper() else " "


def _initial_of(text: str, end: int) -> str:
    """The first letter, made small, of the word that ends before `end`.

    "" where a stop or comma follows the word, and where it is as short as "in" or "and".
    """
    if not text[end - 1 : end].isspace():
        return ""
    word = text[max(0, end - 24) : end].rsplit(None, 1)
    if not word or len(word[-1]) < SHORTEST_DEFINED or word[-1].rstrip("\"'”’")[-1:] in _STOPS:
        return ""
    return word[-1][:1].lower()


def _within(text: str, labels: tuple[str, ...], start: int, end: int, begin: int, closing: str) -> Marker | None:
    """After an opening parenthesis that does not close at once: "(A, left; blue)", "(A for one, B for two)"."""
    close = text.find(")", end, end + NEAR)
    inner = text.find("(", end, end + NEAR)
    simple = close >= 0 and not 0 <= inner < close
    if closing in ",;:" and closing:
        if simple and len(labels) == 1 and _names_next(text, labels[0], end, close):
            return Marker(labels, start, end + (closing == ":"), Style.POINTED, 1.9)
        if simple:
            return Marker(labels, begin, close + 1, Style.WITHIN, 1.6 if text[end + 1 : end + 2] == " " else 0.8)
        return Marker(labels, start, end, Style.LOOSE, 0.6)
    if simple and len(labels) == 1 and _names_next(text, labels[0], end, close):
        return Marker(labels, start, end, Style.BARE, 1.5)
    if text.startswith((" for ", " in ", " and ", " top", " left", " right", " bottom", " upper"), end):
        return Marker(labels, start, end, Style.LOOSE, 0.8)
    return Marker(labels, start, end, Style.LOOSE, 0.3 if len(labels[0]) == 1 else 0.1)


def _quoted(
    text: str, labels: tuple[str, ...], start: int, end: int, begin: int, before: str, after: str
) -> Marker | None:
    """A label between quotation marks or bars at the start of a sentence; None elsewhere."""
    if after not in "”’\"'|" or not after:
        return None
    previous = text[max(0, begin - 3) : begin].rstrip()[-1:]
    if previous and previous not in _CLAUSE_END:
        return None
    return Marker(labels, begin, end + 1, Style.HALF, 2.2)


def _names_next(text: str, label: str, start: int, end: int) -> bool:
    """Return whether the next label is named before `end`, set off by punctuation: "(a: one; b: two)"."""
    following = chr(ord(label[0]) + 1)
    place = text.find(following, start, end)
    while place >= 0:
        if text[place + 1 : place + 2] in " :,." and text[place - 2 : place].rstrip()[-1:] in ",;.":
            return True
        if text[place + 1 : place + 2] in " :,." and text[place - 5 : place] == " and ":
            return True
        place = text.find(following, place + 1, end)
    return False


def _after_panel_word(
    text: str,
    labels: tuple[str, ...],
    start: int,
    end: int,
    stop: int,
    closing: str,
    begin: int,
    head: str,
) -> Marker:
    """After "panel", "graph", "column": inside parentheses, at the start of a sentence, or in running text."""
    word = _SELF.search(head)
    if word is not None:
        word_start = start - (len(head) - word.start())
        previous = text[max(0, word_start - 3) : word_start].rstrip()
        if closing == ")" and previous[-1:] == "(":
            return Marker(labels, word_start - 1, stop + 1, Style.PARENTHESES, 3.0)
        if not previous or previous[-1] in _CLAUSE_END or previous[-1] in ")]":
            return Marker(labels, word_start, stop + (closing in ".:,)" and closing != ""), Style.POINTED, 2.2)
        if closing == ")":
            return Marker(labels, word_start, end, Style.WITHIN, 1.4)
        return Marker(labels, word_start, end, Style.LOOSE, 0.9)
    if closing == ")":
        return Marker(labels, start, end, Style.WITHIN, 1.0)
    return Marker(labels, start, end, Style.LOOSE, 0.4)


def _half(
    text: str, labels: tuple[str, ...], start: int, end: int, stop: int, begin: int, before: str
) -> Marker | None:
    """Before a closing parenthesis: "A) text", or the end of "(name, A)"."""
    low = max(0, start - NEAR)
    opened = text.rfind("(", low, start)
    if opened > text.rfind(")", low, start) or (
        opened >= 0 and text.count("(", low, start) > text.count(")", low, start)
    ):
        if before in ",;:" and before:
            return Marker(labels, start, end, Style.WITHIN, 1.0 if before == ";" else 0.9)
        return Marker(labels, start, end, Style.LOOSE, 0.2)
    at_start = not before or before in _CLAUSE_END or before in ")]"
    return Marker(labels, start, stop + 1, Style.HALF, 2.6 if at_start else 1.6)


def _in_text(
    text: str,
    labels: tuple[str, ...],
    start: int,
    end: int,
    begin: int,
    before: str,
    after: str,
    word: str,
) -> Marker | None:
    """In running text: at the start of a sentence or clause, or anywhere."""
    single = len(labels) == 1 and len(labels[0]) == 1
    upper = labels[0][0].isupper()
    follow = text[end + 1 : end + 4].lstrip() if after in " \t\n\xa0.,:" else text[end : end + 2]
    at_start = not before or before in _CLAUSE_END
    initial = before == "." and single and after == "." and _INITIAL.search(text[max(0, begin - 3) : begin + 1])
    if initial and not _SELF.search(text[max(0, begin - 12) : begin - 1]):
        # "s. e. m.", "J. F. Smith": no sentence ends here, but "as in image A. L. Lengths".
        return None
    if at_start and (
        start - begin > 1 or not before or labels[0] != "a" or follow[:1].isupper() or before == "\n"
    ):
        if after == "." and (end + 1 >= len(text) or text[end + 1] in " \n\xa0" or text[end + 1] >= _FIRST_OF_CJK):
            # "C. elegans" is a species, "B. Left lung" a panel.
            nextword = text[end + 1 : end + 4].lstrip()
            return Marker(labels, start, end + 1, Style.POINTED, 2.0 if not nextword[:1].islower() else 0.9)
        if after == "|" or text.startswith(" |", end):
            return Marker(labels, start, text.index("|", end) + 1, Style.POINTED, 2.2)
        if after == "=" or text.startswith(" =", end):
            sign = text.index("=", end)
            following = text[sign + 1 : sign + 3].lstrip()
            return Marker(labels, start, end, Style.BARE, 0.9) if following[:1].isalpha() else None
        if after == ":" or text.startswith(" :", end):
            listed = 1.8 if before and before in ";:" else 2.4
            return Marker(labels, start, text.index(":", end) + 1, Style.POINTED, listed)
        if after in ",;" and after:
            weight = 1.7 if before not in (";", ":") else 1.2
            if _LISTED.match(text, end):
                weight = 0.1
            return Marker(labels, start, end + 1, Style.COMMA, weight if single else 1.9)
        if after in " \t\n\xa0–—" and after:
            return Marker(labels, start, end, Style.BARE, _bare_weight(labels, follow, upper, single, before))
        return Marker(labels, start, end, Style.LOOSE, 0.1)
    if after == "=":
        return None
    if upper and single and after == "." and follow[:1].islower():
        # A species: "C. elegans".
        return None
    if word in _REFERRING:
        # "In a, b": the start of a sentence; "the lines in B" needs no neighbours less.
        strong = text[max(0, begin - len(word) + 1)].isupper()
        if (strong or word != "for") and (upper or not single or labels[0] != "a" or strong):
            return Marker(labels, start, end, Style.REFERENCE, 0.65 if strong else 0.5)
    if before == "," or word in _JOINING_WORDS or (before in _JOINING_MARKS and start - begin > 1):
        weight = 0.5 if labels[0] not in ("a", "A", "I") else 0.35
        if len(labels[0]) > 1:
            weight = 0.1
        if after == ")" or (after in " :,." and after):
            return Marker(labels, start, end + (after in ":," and after != ""), Style.LOOSE, weight)
        return None
    if after in " .,;:" or not after:
        return Marker(labels, start, end, Style.LOOSE, _loose_weight(labels, follow, upper, single, after))
    return None


def _loose_weight(labels: tuple[str, ...], follow: str, upper: bool, single: bool, after: str) -> float:
    """Return the weight of a letter without punctuation: "from the tracker a Comparison", "A soybean B wheat"."""
    if len(labels[0]) > 1:
        return 0.1
    if after == ":" and single:
        # "A: oak B: ash"
        return 0.65
    if not upper and after == " " and follow[:1].isupper():
        return 0.3 if labels[0] == "a" else 0.45
    if not single:
        return 0.25 if upper else 0.45
    if labels[0] in "bcef" and after != " ":
        return 0.45
    return 0.25 if upper or labels[0] != "a" else 0.1


def _bare_weight(labels: tuple[str, ...], follow: str, upper: bool, single: bool, before: str) -> float:
    """Return the weight of "a Text" at the start of a sentence, by the article and the next word."""
    if not single:
        return 2.0
    capital = follow[:1].isupper() or not follow[:1].isalpha()
    if labels[0] == "A":
        return 0.9 if capital else 0.4
    if labels[0] == "I":
        return 0.3
    if labels[0] == "a":
        return (1.9 if capital else 0.5) if before != ";" else 0.6
    weight = 1.9 if capital or not upper else 1.4
    return weight if before not in (";", ":") else weight - 0.6
