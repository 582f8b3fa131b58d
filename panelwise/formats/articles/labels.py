"""Labels of figures, such as "Fig. 2", "Extended Data Figure 1" and "Scheme 3A"."""

from __future__ import annotations

import re
from functools import lru_cache

from panelwise.domain.letter_forms import plain_width

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
    r"(?P<panel>[A-Z])?\W*(?P<remark>[(/|].*)?",
    re.IGNORECASE | re.DOTALL,
)
_ONLY_NUMBER = re.compile(r"\W*(\d+)\W*")
#: Where a figure has no label, its caption may begin with one.
_LABEL_OF_CAPTION = re.compile(
    rf"(?:{PREFIX}\.?\s+)?(?:{FIGURE}|scheme|plate|chart|рис(?:унок)?|[图図圖])\.?\s?(?:{NUMBER})(?=\s?[.:|]|\s[–—-]\s|\s*$|\s+(?-i:[A-Z]))",
    re.IGNORECASE,
)
#: Letters of scripts whose words for a figure are inflected and cut short: "Рисунок", "на рисунке", "рис."
_INFLECTED = re.compile("[α-ωά-ώа-яёіїєґ]{3}")
#: Letters of such a word that stay.
_STEM = 3
#: A figure's word at the end of a text, and what is between the numbers of a list, without these.
_WORD_AT_END = re.compile(r"([^\W\d_]+)\.?\s*[(\[]?\s*$")
_BETWEEN_NUMBERS = re.compile(r"[^\w.]*(?:(?:\w{1,3}|through)[^\w.]+){0,6}\w{0,2}[^\w.]*")
#: Characters before a link in which that stands.
_BEFORE = 40

#: Kind and number of a figure.
Key = tuple[str, str]


@lru_cache(maxsize=1000)
def parse_label(label: str) -> tuple[Key, str] | None:
    """Return kind and number of a label, and the letter of its panel or ""; None for others, such as "(a)".

    A number alone is a figure's. What follows in brackets ("(continued)") or after a slash is left out.
    """
    label = plain_width(label)
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


def label_in_caption(*texts: str) -> str:
    """Return the label at the beginning of a caption ("Fig. 2. Lungs") or of its title, "" without one."""
    return next((found[0] for found in map(_LABEL_OF_CAPTION.match, texts) if found), "")


@lru_cache
def _singular(word: str) -> str:
    word = word.lower()
    if _INFLECTED.match(word):
        return word[:_STEM]
    return "figure" if re.fullmatch(FIGURE, word) else word.rstrip("s") or word


def forms_of(word: str) -> str:
    """Return a pattern of a word of labels, as `kind_of` has it: in the plural, or inflected."""
    return re.escape(word) + (r"[^\W\d_]*" if _INFLECTED.match(word) else "s?")


def kind_of(prefix: str | None, word: str, number: str) -> str:
    """Return a label's kind: "figure" for all words for it, others in the singular, after their prefix if any.

    A number with an S is of the supplement, with or without that word.
    """
    word = _singular(word)
    return f"{prefix.lower()[:4]} {word}" if prefix and number[:1] not in ("S", "s") else word


def plain_number(number: str) -> str:
    """Return a number as it is compared: "S1" of "s.1"."""
    return number.upper().replace(".", "") if number[0].isalpha() else number


def missing_number(label: str, before: str, in_list: bool) -> str:
    """Return the number of a label if a link without words to its figure lacks it, else "".

    before: the text before the link: "see Figs. ", or, with `in_list`, "a, b and " after such a link before it.
    """
    parsed = parse_label(label)
    word = _WORD_AT_END.search(before, len(before) - _BEFORE)
    if parsed is None or not (word or in_list):
        return ""
    (kind, number), panel = parsed
    due = word is not None and kind_of(None, word[1], number) == kind.rpartition(" ")[2]
    return (
        number + panel
        if due or (in_list and len(before) <= _BEFORE and _BETWEEN_NUMBERS.fullmatch(before))
        else ""
    )
