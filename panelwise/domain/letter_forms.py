"""Characters that stand for those of plain Latin text: full-width ones, and panel letters of other scripts."""

from __future__ import annotations

import re
from string import ascii_lowercase

#: One of these is in a text with full-width panels or numbers; looking for each is quicker than for all.
_FULL_WIDTH = tuple("（）［【〔、，．：；～１２３４５６７８９ａｂｃＡＢＣ")
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans("、【】〔〕", ",[][]")
#: Letters in the order in which other scripts count panels, capitals alike, and a word of each script.
#: Three Greek letters together are no word: "αβ T cells".
_ALPHABETS = {
    "абвгдежзиклмнпрст": "[а-я]{2}",
    "αβγδεζηθικλμ": "[\u0370-\u03ff]{4}",
    "אבגדהוזחטי": "[א-ת]{2}",
    "أبجدهوزحط": "[\u0621-\u064a]{2}",
    "가나다라마바사아자차": "[가-힣]{2}",
}
_WORD = re.compile("|".join(_ALPHABETS.values()))
#: Letters that stand alone, with a bracket before them or a mark behind.
_SET_OFF = re.compile(
    rf"(?<!\w)(?:(?<=[(\[])[{''.join(_ALPHABETS)}](?!\w)|[{''.join(_ALPHABETS)}](?=\s?[)\].,:;–—-](?!\w)))",
    re.IGNORECASE,
)


def plain_width(text: str) -> str:
    """Return a text with full-width letters, digits and marks as plain ones: "(a)" of "（ａ）". Just as long."""
    return text.translate(_PLAIN) if not text.isascii() and any(map(text.__contains__, _FULL_WIDTH)) else text


def with_latin_letters(text: str) -> tuple[str, dict[str, str]]:
    """Return a text, just as long, with panel letters of another script as Latin ones; and the former by these.

    "(a) ..., (b) ..." of "(а) ..., (б) ..." in Cyrillic. The text remains as it is, without letters, unless the
    second of them stands alone, and there are words of its script: the β of an English text is a symbol.
    """
    if text.isascii() or not _WORD.search(text):
        return text, {}
    found = {each.lower() for each in _SET_OFF.findall(text)}
    alphabet = next((each for each in _ALPHABETS if each[1] in found and _has_words(text, each)), "")
    letters = {chr(ord("a") + place): each for place, each in enumerate(alphabet)}
    letters |= {latin.upper(): each.upper() for latin, each in letters.items() if each != each.upper()}
    latin = {each: name for name, each in letters.items()}
    return _SET_OFF.sub(lambda each: latin.get(each[0], each[0]), text) if latin else text, letters


def in_latin(letter: str) -> str:
    """Return the Latin letter in the place of a small panel letter of another script; any other as it is."""
    alphabet = next((each for each in _ALPHABETS if letter in each), "")
    return ascii_lowercase[alphabet.index(letter)] if alphabet else letter


def letters_between(first: str, last: str) -> str:
    """Return the panel letters between two of one alphabet, in capitals, "" without any."""
    begin, end = first.lower(), last.lower()
    for alphabet in (ascii_lowercase, *_ALPHABETS):
        if begin in alphabet and end in alphabet:
            return alphabet[alphabet.index(begin) + 1 : alphabet.index(end)].upper()
    return ""


def _has_words(text: str, alphabet: str) -> bool:
    return re.search(_ALPHABETS[alphabet], text) is not None
