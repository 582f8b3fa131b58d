"""Labels of figures, such as "Fig. 2", "Extended Data Figure 1" and "Scheme 3A"."""

from __future__ import annotations

import re
from functools import lru_cache

#: Words before that of a figure which tell its kind.
PREFIX = (
    r"(?P<prefix>supp(?:l(?:ement(?:ary|al)?)?)?|supporting|extended\s+data|additional|appendix|online|web"
    r"|(?-i:SI))"
)
#: Words for figures.
FIGURE = r"fig(?:ure|ura)?s?|abbildung(?:en)?|abb"
NUMBER = r"(?:[A-Z]{1,2}\.?)?\d+(?:\.\d+)*(?!\d)|[IVXL]+(?![\w])"
_LABEL = re.compile(
    rf"\W*(?:{PREFIX}\.?\s+)?(?P<word>[^\W\d_]+)\.?\s*(?:n[o°º]\.?\s*)?(?P<number>{NUMBER})"
    r"(?P<panel>[A-Z])?\W*(?P<remark>\(.*)?",
    re.IGNORECASE | re.DOTALL,
)
_ONLY_NUMBER = re.compile(r"\W*(\d+)\W*")
#: Where a figure has no label, its caption may begin with one.
_LABEL_OF_CAPTION = re.compile(
    rf"(?:{PREFIX}\.?\s+)?(?:{FIGURE})\.?\s?(?:{NUMBER})(?=[.:|]|\s*$|\s+(?-i:[A-Z]))", re.IGNORECASE
)

#: Kind and number of a figure.
Key = tuple[str, str]


@lru_cache(maxsize=1000)
def parse_label(label: str) -> tuple[Key, str] | None:
    """Return kind and number of a label, and the letter of its panel or ""; None for others, such as "(a)".

    A number alone is a figure's. What follows in brackets, such as "(continued)", is left out.
    """
    found = _LABEL.fullmatch(label)
    if found:
        return (kind_of(found["prefix"], found["word"], found["number"]), plain_number(found["number"])), (
            found["panel"] or ""
        ).upper()
    number = _ONLY_NUMBER.fullmatch(label)
    return (("figure", number[1]), "") if number else None


def label_key(label: str) -> Key | None:
    """Return kind and number of a label such as "Fig. 2" or "Scheme 1"; None for others, such as "Fig. 2A"."""
    found = _LABEL.fullmatch(label)
    parsed = parse_label(label)
    return parsed[0] if parsed and found and not parsed[1] and not found["remark"] else None


def label_in_caption(caption: str) -> str:
    """Return the label at the beginning of a caption ("Fig. 2. Lungs"), "" without one."""
    found = _LABEL_OF_CAPTION.match(caption)
    return found[0] if found else ""


@lru_cache
def _singular(word: str) -> str:
    word = word.lower()
    return "figure" if re.fullmatch(FIGURE, word) else word.rstrip("s")


def kind_of(prefix: str | None, word: str, number: str) -> str:
    """Return a label's kind: "figure" for all words for it, others in the singular, after their prefix if any.

    A number with an S is of the supplement, with or without that word.
    """
    word = _singular(word)
    return f"{prefix.lower()[:4]} {word}" if prefix and number[:1] not in ("S", "s") else word


def plain_number(number: str) -> str:
    """Return a number as it is compared: "S1" of "s.1"."""
    return number.upper().replace(".", "") if number[0].isalpha() else number
