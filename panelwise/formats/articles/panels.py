"""The panels that the words of a citation name: "Figs. 2A, B and 3(c)", "panels A and B of Fig. 2"."""

from __future__ import annotations

import re

from panelwise.domain.letter_forms import letters_between
from panelwise.formats.articles.labels import NUMBER

#: Characters after a link in which its panels may stand: "[Fig. 3] (A, B)".
FURTHER = 40
#: Characters before a citation in which its panels may stand.
_PANELS_NEAR = 50


DASH = r"\-‐‑‒–—−"
#: The first letters of Cyrillic, Greek, Hebrew and Arabic too.
_ANY = r"[A-Za-zА-За-зΑ-Θα-θא-טأ-د]"
_PART = r"-[ivxIVX]+|-\d+|\d|['’′″]+|\((?:[ivx]+|\d)\)"
#: Chinese, Japanese and Korean, whose words stand beside letters without a blank.
_CJK = r"\u3040-\u9fff\uac00-\ud7a3"
_END = rf"(?![^\W{_CJK}])"
_LETTER = rf"(?<![^\W\d_{_CJK}]){_ANY}(?:{_PART}|[ivx]+)?{_END}"
#: Only in brackets: "그림 2가" has a particle.
_HANGUL = "[가나다라마바사아]"
#: What follows a letter that is no panel: of "e.g.", "C. elegans", "n = 5", "P < 0.05", "B-cell", "T cells".
_NO_PANEL = r"(?:\.\s?[a-z]|\s?[=<>≤≥≈±]|-[^\W\d_]{2}|(?<=[BT])\scells?\b)"
#: After the first letter: "Fig. 2B, a ..." and "Fig. 2B, Li et al." go on with words.
_NEXT = rf"{_ANY}(?:{_PART})?{_END}(?!(?<=[aAI])\s+(?!and\b|or\b|to\b)[a-z]|{_NO_PANEL})"
_AND = rf"\s?(?:[,،]\s?(?:and|&)?|and|&|or|to|through|vs\.?|et|und|y|e|à|bis|и|та|και|[/~和与與及と至到{DASH}])\s?"
_LETTERS = rf"{_LETTER}(?:{_AND}{_NEXT})*"
_IN_BRACKETS = rf"[(\[]\s?(?:{_LETTERS}|{_HANGUL}(?:{_AND}{_HANGUL})*)\s?[)\]]"
#: "(A, left)", "(a: control)", not "(n: cells)"
_BEFORE_WORDS = rf"\((?=[A-Ma-hА-За-зΑ-Θα-θ]){_LETTERS}(?=[,;:]\s)"
#: After a space or comma, letters are panels only if no word follows: "Fig. 1, A and B)", but "Fig. 1, B cells".
_CAPITALS = rf"[A-NА-ЗΑ-Θ](?!\w)(?:{_AND}[A-NА-ЗΑ-Θ](?!\w))*(?=[;)\],]|\.(?:\s[A-Z]|\s?$)|$)"
_SMALL = rf"[a-hа-зα-θ](?!\w)(?:{_AND}[a-hа-зα-θ](?!\w))*(?=[;)\],]|\.(?:\s[A-Z]|\s?$)|$)"
_PANELS = (
    rf"(?:\s?{_IN_BRACKETS}(?:{_AND}{_IN_BRACKETS})*|\s?{_BEFORE_WORDS}|[.{DASH}](?=[A-Ha-h](?!\w)){_LETTERS}|,?\s\(?panels?\s\(?{_LETTERS}"
    rf"|\s(?=[B-HJ-Z](?!\w|{_NO_PANEL})|A(?:[,;)\]{DASH}]|\s(?:and|et|und|y)\s)){_LETTERS}|,?\s{_CAPITALS}|,?\s{_SMALL}"
    rf"|{_LETTERS}(?:\s?[{DASH}]\s?(?P=number){_LETTER})?|[A-H][a-h](?!\w))"
)
ITEM = re.compile(rf"(?P<number>{NUMBER})(?P<panels>{_PANELS})?(?![^\W_{_CJK}])")
_NUMBER_AND_PANELS = re.compile(rf"(?P<number>{NUMBER})(?P<panels>{_PANELS})(?![^\W_{_CJK}])")
_ONLY_PANELS = re.compile(rf"\W*(?P<panels>{_LETTERS})\W*")
#: "Panels A and B of Fig. 2", up to the number.
_PANELS_BEFORE = re.compile(
    rf"\bpanels?\s\(?(?P<panels>{_LETTERS})\)?\s(?:of|in|from)\s(?:the\s)?\(?(?:fig(?:ure|ura)?\.?\s?)?$",
    re.IGNORECASE,
)
_TO = re.compile(rf"[\s)]*(?:[~至到{DASH}]|to|through|à|bis)[\s(]*(?:[A-Z]\.?)?\d*")
#: A letter, not the "and" of "A y B"; the "e" of "d, e and f" is one.
_ONE_PANEL = re.compile(rf"(?!(?<=\b\w\s|\d\s|\)\s)[ye]\s)(?:{_LETTER}|{_HANGUL}(?!\w))")
#: Words that name one figure, after which no more can follow: "Fig. 2B" in "(Fig. 2B)" and "Fig. 2B shows".
_SIMPLE = re.compile(
    r"fig(?:ure|ura)?\.?\s?(?P<number>\d+)(?:\s?\((?P<bracket>[A-Za-z])\)|(?P<panel>[A-Za-z]))?"
    r"(?=[);\]]|\.(?:\s|$)|\s(?!(?:and|or|to|through|et|und|bis|vs|versus|panels?)\b)[a-z]{2})",
    re.IGNORECASE,
)
#: A link round the word alone, and the space before its number.
_ONLY_WORD = re.compile(r"[^\W\d_]{2,}\.?\s")
#: Characters before a link's number in which the word for it begins.
_WORD = 9


def panel_letters(words: str) -> tuple[str, ...]:
    """Return the letters that a text such as "A, C-E" or "Ab" names, in capitals, each once."""
    if len(words) == 2 and words.isalpha():
        return (words[0].upper(),)
    letters: list[str] = []
    end = 0
    for found in _ONE_PANEL.finditer(words):
        letter = found[0][0].upper()
        if letters and _TO.fullmatch(words, end, found.start()):
            letters += letters_between(letters[-1], letter)
        letters.append(letter)
        end = found.end()
    return tuple(dict.fromkeys(letters))


def panels_before(text: str, place: int) -> tuple[str, ...]:
    """Return the panels of "panels A and B of Fig. 2", whose number begins at `place`."""
    before = text[max(0, place - _PANELS_NEAR) : place]
    found = _PANELS_BEFORE.search(before) if "anel" in before else None
    return panel_letters(found["panels"]) if found else ()


def simple_words(text: str, start: int, end: int, limit: int) -> tuple[int, tuple[str, ...]] | None:
    """Return where a link's words begin, and their panel if any, if they name one figure and no other follows.

    start, end: of the link. limit: where the words end at last. None for other words.
    """
    place = start
    if text[place : place + 1] not in ("F", "f"):
        place = text.rfind("ig", max(0, place - _WORD), place) - 1
    found = _SIMPLE.match(text, place) if place >= 0 else None
    if found is None or found.end() > limit:
        return None
    number, after = found.span("number")
    if not start <= number < after <= end <= found.end():
        return None
    panel = found["panel"] or found["bracket"]
    return place, (panel.upper(),) if panel else ()


def panels_of_link(text: str, start: int, end: int, limit: int) -> tuple[str, ...]:
    """Return the panels that a link names, with those that follow it before the position `limit`."""
    words = text[start:end]
    alone = _ONLY_PANELS.fullmatch(words)
    if alone:
        return panel_letters(alone["panels"])
    found = _NUMBER_AND_PANELS.search(text, start, min(limit, end + FURTHER))
    if found is None or (found.start() > end and not _ONLY_WORD.fullmatch(text, start, found.start())):
        return ()
    letters = panel_letters(found["panels"])
    for further in _NUMBER_AND_PANELS.finditer(text, found.end(), max(end, found.end())):
        if further["number"] == found["number"]:
            letters += panel_letters(further["panels"])
    return tuple(dict.fromkeys(letters))
