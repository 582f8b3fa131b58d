"""Words that the guidelines for pairs speak of (colours, shapes, places), and texts that say the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import token_sort_ratio

from agreement.questions import normalised

_WORD = re.compile(r"\w+(?:[.,]\d+)*")

_PLAIN = "black white grey gray red green blue yellow orange purple pink brown violet"
#: Colours that readers know by a plainer name; they mean nothing else.
_EXOTIC = (
    "aqua aquamarine azure beige burgundy cerulean chartreuse crimson cyan ecru fuchsia indigo lavender lilac "
    "magenta maroon mauve ochre periwinkle scarlet taupe teal turquoise ultramarine vermilion"
)
#: Colours that are also something else, as a method's name: colours only where a colour is requested.
_AMBIGUOUS = (
    "amber apricot bronze charcoal copper coral cream emerald gold ivory jade khaki lime mint mustard navy olive "
    "peach plum rose ruby rust salmon sapphire silver tan tomato"
)
#: The plain name of some that are common in plots.
PLAIN_NAMES = {
    **dict.fromkeys(("cyan", "aqua", "azure", "cerulean", "sapphire"), "light blue"),
    **dict.fromkeys(("navy", "ultramarine", "indigo"), "dark blue"),
    **dict.fromkeys(("teal", "turquoise", "aquamarine"), "blue-green"),
    **dict.fromkeys(("magenta", "fuchsia", "rose", "salmon", "coral"), "pink"),
    **dict.fromkeys(("maroon", "burgundy", "crimson", "scarlet", "ruby", "vermilion"), "dark red"),
    **dict.fromkeys(("lavender", "lilac", "mauve", "plum", "periwinkle"), "light purple"),
    **dict.fromkeys(("gold", "amber", "mustard", "ochre"), "yellow"),
    **dict.fromkeys(("lime", "chartreuse", "mint"), "light green"),
    **dict.fromkeys(("olive", "emerald", "jade"), "dark green"),
    **dict.fromkeys(("beige", "tan", "khaki", "copper", "bronze", "rust"), "light brown"),
    **dict.fromkeys(("silver", "charcoal", "taupe"), "grey"),
}


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def _listed(words: str, ending: str = "") -> str:
    return f"(?:{'|'.join(words.split())}){ending}"


_THING = r"(?:circle|dot|box|node|bar|slice|bubble|square|line|arrow|section|area)(?:e?s)?"
_ASKED_COLOUR = re.compile(r"\bcolou?r(?:s|ed|ing)?\b", re.IGNORECASE)
#: What is visual and nothing else.
_ATTRIBUTE = _any(
    r"(?:multi|light|dark)?-?colou?r(?:s|ed|ing)?",
    r"(?:light|dark)(?:er|est)?",
    _listed(_PLAIN, r"(?:ish|er|est)?"),
    _listed(_EXOTIC),
    # shapes, and how lines are drawn
    r"shap(?:e|es|ed)|circ(?:le|les|led|ular)|squares?|rectang(?:le|les|ular)|triang(?:le|les|ular)|diamonds?",
    r"hexagons?|pentagons?|ellips\w*|oval\w*|round(?:ed)?|stars?|cross(?:es)?|plus (?:marker|sign)s?",
    r"dash(?:ed|es)?|dott?(?:ed)|dots?|solid|striped?|hatch\w*|shad(?:ed|ing|ow)|bold|curv(?:ed|y)|zigzag|markers?",
    r"arrows?|arrowheads?|slices?|horizontal(?:ly)?|vertical(?:ly)?|diagonal(?:ly)?|slop(?:e|es|ing)",
    # sizes
    rf"siz(?:e|ed|es) of the {_THING}|(?:large|small|big)(?:r|er|est|st|gest|ger) {_THING}",
    rf"(?:short|long)(?:er|est)? {_THING}|thick(?:er|est|ness)?|thin(?:ner|nest)?|tall(?:er|est)?|height",
    r"wid(?:e|er|est|th)|narrow(?:er|est)?",
    # places
    r"left|right|(?:left|right|top|bottom|upper|lower)[- ]?most|top|bottom|(?:upper|lower) (?:left|right)",
    r"(?:centre|center|middle)|corners?|edge of the|beside|underneath|inside|outside|adjacent|clockwise",
    r"upwards?|downwards?|pointing|direction|towards",
)
#: Words that are visual in some questions only: enough for a visual one, too little against a non-visual one.
_MAYBE = _any(
    r"highest|lowest|higher|lower|largest|smallest|biggest|above|below|between|under|over|next to|near|around",
    r"first|second|third|fourth|last|peaks?|lines?|curves?|bars?|box(?:es)?|cells?|region|overlap\w*|intersect\w*",
    r"increas\w*|decreas\w*|rises?|falls?|steep\w*|flat|trend\w*|fluctuat\w*|connected|column|row|root|leaf|leaves",
)
#: Words between two things of which one is more, or comes first.
_COMPARING = frozenset(
    ("than", "to", "from", "over", "before", "after", "versus", "vs", "into", "as", "not", "without")
)
#: Letters that a word has at least for one of them to be a slip.
_SLIP_FROM = 6
_SMALL = "a an and are as at be by for from in is it its of on or that the this to was were with approximately"
_STOP = frozenset(_SMALL.split())


_UNKNOWN = re.compile(r"i (?:do not|don['’]?t) know\.?")


def says_unknown(answer: str) -> bool:
    """Return whether a text is "I don't know", written out."""
    return _UNKNOWN.fullmatch(normalised(answer)) is not None


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text as one compares them: case, accents' encoding and punctuation left out."""
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def shortened(text: str) -> str:
    """The text in one line of at most 60 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def names_visual(text: str) -> str | None:
    """The first word of a text that is visual beyond doubt, None if there is none.

    A word in capitals is a name, as of a measure called BLUE.
    """
    found = (each[0] for each in _ATTRIBUTE.finditer(text))
    return next((word for word in found if not word.isupper()), None)


def may_be_visual(text: str) -> bool:
    """Return whether any word of the text may name something visible."""
    return names_visual(text) is not None or _MAYBE.search(text) is not None


def exotic_colours(question: str, others: Iterable[str]) -> tuple[str, ...]:
    """Names of colours in a pair's texts that have a plainer one, in order, each once.

    others: its options and answer. Words that also mean something else count only in pairs about a colour.
    """
    texts = (question, *others)
    known = set(_EXOTIC.split())
    if any(_ASKED_COLOUR.search(text) for text in texts):
        known |= set(_AMBIGUOUS.split())
    return tuple(dict.fromkeys(word for text in texts for word in words_of(text) if word in known))


def likeness(one: str, other: str, *, least: float = 0.0) -> float:
    """Return the similarity of two texts' words in any order, in [0, 100]; 0 for less than `least`."""
    return token_sort_ratio(_joined(one), _joined(other), score_cutoff=least)


def say_the_same(one: str, other: str) -> bool:
    """Return whether two texts differ in slips, endings, order and small words only; their numbers are the same.

    Where something is compared, the order counts. Texts of small words and signs are the same only in full.
    """
    ours, theirs = _content(one), _content(other)
    if not ours or not theirs:
        return normalised(one) == normalised(other)
    if ours == theirs:
        return True
    our_words, their_words = frozenset(ours), frozenset(theirs)
    if our_words == their_words:
        return sorted(ours) == sorted(theirs) and not _COMPARING.intersection(words_of(one))
    return _matched(our_words - their_words, their_words) and _matched(their_words - our_words, our_words)


def content_words(text: str) -> frozenset[str]:
    """Words that carry meaning: no small words."""
    return frozenset(_content(text))


# Each text of a figure is held against several others.
@lru_cache(maxsize=4096)
def _content(text: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(text) if word not in _STOP)


@lru_cache(maxsize=4096)
def _joined(text: str) -> str:
    return " ".join(words_of(text))


def _matched(ours: Iterable[str], theirs: Collection[str]) -> bool:
    return all(any(_same_word(one, other) for other in theirs) for one in ours)


def _same_word(one: str, other: str) -> bool:
    """Return whether two words are one but for an ending or a slip of the pen; numbers and short names are not."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or short == long or short[0] != long[0] or any(letter.isdigit() for letter in one + other):
        return False
    if long.startswith(short) and long[len(short) :] in {"s", "es", "d", "ed", "ing", "ly"}:
        return True
    return len(short) >= _SLIP_FROM and OSA.distance(one, other, score_cutoff=1) <= 1
