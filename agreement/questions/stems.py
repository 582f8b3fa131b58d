"""English stems by Porter's algorithm, with the exceptions of nltk, and so of the package `rouge-score`."""

from __future__ import annotations

import re
from functools import lru_cache

_IRREGULAR = {
    **{"skies": "sky", "dying": "die", "lying": "lie", "tying": "tie"},
    **{"innings": "inning", "outings": "outing", "cannings": "canning"},
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe")},
    **{word: word for word in ("proceed", "exceed", "succeed")},
}
#: Ending -> its replacement after a stem of measure 1 or more; the first matching ending decides.
_STEP_2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble")),
    *(("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate")),
    *(("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    *(("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful")),
)
_STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")),
)
#: Endings that fall away after a stem of measure 2 or more.
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize"),
)
#: Letters that are consonants wherever they stand; y is one at the beginning and after a vowel.
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> stem("panels"), stem("located"), stem("relational")
    ('panel', 'locat', 'relat')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    return _e(_step_4(_replaced(_step_2(_y(_past(_plural(word)))), _STEP_3)))


def _form(word: str) -> str:
    """Return each letter's kind: c for a consonant, v for a vowel."""
    kinds = ""
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and kinds[-1:] == "c")
        kinds += "v" if vowel else "c"
    return kinds


def _measure(word: str) -> int:
    """Return how often vowels are followed by consonants."""
    return len(re.findall("v+c+", _form(word)))


def _short(word: str) -> bool:
    """Return True if it ends like "hop": consonant, vowel, consonant other than w, x, y; or is like "at"."""
    form = _form(word)
    return form == "vc" or (form.endswith("cvc") and word[-1] not in "wxy")


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        bare = word.removesuffix(ending)
        if bare != word and "v" in _form(bare):
            return _restored(bare)
    return word


def _restored(bare: str) -> str:
    """Give back what fell away with "ed" or "ing"."""
    if bare.endswith(("at", "bl", "iz")):
        return f"{bare}e"
    if len(bare) > 1 and bare[-1] == bare[-2] and _form(bare)[-1] == "c":
        return bare if bare[-1] in "lsz" else bare[:-1]
    return f"{bare}e" if _measure(bare) == 1 and _short(bare) else bare


def _y(word: str) -> str:
    ends = len(word) > 2 and word[-1] == "y" and _form(word)[-2] == "c"
    return f"{word[:-1]}i" if ends else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replaced(word, _STEP_2)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, new in endings:
        if word.endswith(ending):
            bare = word.removesuffix(ending)
            return bare + new if _measure(bare) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            bare = word.removesuffix(ending)
            falls = _measure(bare) > 1 and (ending != "ion" or bare[-1] in "st")
            return bare if falls else word
    return word


def _e(word: str) -> str:
    if word.endswith("e"):
        bare = word[:-1]
        if _measure(bare) > 1 or (_measure(bare) == 1 and not _short(bare)):
            word = bare
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
