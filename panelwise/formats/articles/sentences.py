"""Sentences of a paragraph, cut by rules."""

from __future__ import annotations

import re
from bisect import bisect_right

#: An end of sentence, perhaps with closing marks or the numbers of references, before a beginning.
_END = re.compile(r"""[.!?](?:(?<=[a-z)\]]\.)\d[\d,–-]*)?["'”’)\]]*\s+(?=["'“‘(\[]?[^\W_a-z])""")
_ABBREVIATIONS = frozenset(
    word
    for words in (
        "fig figs tab tabs ref refs eq eqs sch schs sup supp suppl vol vols no nos p pp",
        "al e.g i.e cf vs resp approx ca sp spp var subsp ssp st dr mr mrs prof inc ltd co",
        "abb obr rys рис табл",
    )
    for word in words.split()
)
#: Letters of a word that is no abbreviation.
_LONGEST = 1 + max(map(len, _ABBREVIATIONS))
#: A panel's letter at the end of a sentence, which is no initial: "Fig. 3A and B. Then".
_PANEL = re.compile(r"\d\s?\(?[A-Za-z]?(?:\s?(?:,|and|&|[-–])\s?[A-Za-z]?)*$")
#: Characters looked at before a full stop.
_BEFORE = 24


def sentence_starts(text: str) -> list[int]:
    """Return where the sentences of a paragraph, its white space collapsed, begin; the first is 0."""
    return [0, *(found.end() for found in _END.finditer(text) if _ends(text, found.start()))]


def _ends(text: str, place: int) -> bool:
    """Return False if the full stop at a place belongs to an abbreviation or an initial."""
    if text[place] != "." or (place >= _LONGEST and text[place - _LONGEST : place].isalpha()):
        return True
    word = text[text.rfind(" ", 0, place) + 1 : place].rpartition("(")[2].rpartition("[")[2]
    abbreviated = word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())
    return not abbreviated or _PANEL.search(text, max(0, place - _BEFORE), place) is not None


def sentence_at(text: str, starts: list[int], place: int) -> str:
    """Return the sentence of a paragraph that contains the position `place`. starts: see `sentence_starts`."""
    index = bisect_right(starts, place)
    return text[starts[index - 1] : starts[index] if index < len(starts) else len(text)].strip()
