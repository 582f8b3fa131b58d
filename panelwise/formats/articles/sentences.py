"""Sentences of a paragraph, cut by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: An end of sentence, perhaps with closing marks or the numbers of references, before a beginning.
#: The commonest abbreviations are left out here already.
_END = re.compile(
    r"""[.!?](?<![ (\[][Ff]ig\.)(?<![ (\[][Ff]igs\.)(?<! al\.)(?:(?<=[a-z)\]]\.)\d[\d,–-]*)?["'”’)\]]*"""
    r"""\s+(?=["'“‘(\[]?[^\W_a-z])"""
)
#: With the full stop of Chinese and Japanese, which no space follows.
_END_WIDE = re.compile(rf"{_END.pattern}|。[」』）)]*\s*")
_ABBREVIATIONS = frozenset(
    word
    for words in (
        "fig figs tab tabs ref refs eq eqs sch schs sup supp suppl vol vols no nos p pp",
        "al e.g i.e cf vs resp approx ca sp spp sect var subsp ssp st dr mr mrs prof inc ltd co",
        "abb obr rys см рис табл",
    )
    for word in words.split()
)
#: What may stand before an abbreviation without a space.
_OPENING = re.compile(r"[(\[。—–]")
#: Letters of a word that is no abbreviation.
_LONGEST = 1 + max(map(len, _ABBREVIATIONS))
#: A panel's letter at the end of a sentence, which is no initial: "Fig. 3A and B. Then".
_PANEL = re.compile(r"\d\s?\(?[A-Za-z]?(?:\s?(?:,|and|&|[-–])\s?[A-Za-z]?)*$")
#: Characters looked at before a full stop.
_BEFORE = 24


def sentences_at(text: str, places: Sequence[int]) -> list[str]:
    """Return the sentence that contains each of the ascending places of a paragraph, its white space collapsed."""
    sentences: list[str] = []
    ends = (_END_WIDE if "。" in text else _END).finditer(text)
    start = end = 0
    for place in places:
        while place >= end < len(text):
            start, end = end, next((each.end() for each in ends if _ends(text, each.start())), len(text))
        sentences.append(text[start:end].strip())
    return sentences


def _ends(text: str, place: int) -> bool:
    """Return False if the full stop at a place belongs to an abbreviation or an initial."""
    if text[place] != "." or (place >= _LONGEST and text[place - _LONGEST : place].isalpha()):
        return True
    word = _OPENING.split(text[text.rfind(" ", 0, place) + 1 : place])[-1]
    abbreviated = word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())
    return not abbreviated or _PANEL.search(text, max(0, place - _BEFORE), place) is not None
