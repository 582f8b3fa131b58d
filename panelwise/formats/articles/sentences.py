"""Sentences of a paragraph, cut by rules."""

from __future__ import annotations

import re
from bisect import bisect_right

#: An end of sentence, perhaps with closing marks or the numbers of references, before a beginning.
_END = re.compile(r"""[.!?](?:(?<=[a-z)\]]\.)\d[\d,–-]*)?["'”’)\]]*\s+(?=["'“‘(\[]?[^\W_a-z])""")
_ABBREVIATIONS = frozenset(
    "fig figs tab tabs ref refs eq eqs al e.g i.e cf vs sp spp var subsp ssp no nos approx ca dr mr mrs prof st sup "
    "supp suppl vol vols p pp resp sch schs abb inc ltd co рис табл obr rys".split()
)
#: A panel's letter at the end of a sentence, which is no initial: "Fig. 3A and B. Then".
_PANEL = re.compile(r"\d\s?\(?[A-Za-z]?(?:\s?(?:,|and|&|[-–])\s?[A-Za-z]?)*$")
#: Characters looked at before a full stop.
_BEFORE = 24


def sentence_starts(text: str) -> list[int]:
    """Return where the sentences of a paragraph begin; the first is 0."""
    return [0, *(found.end() for found in _END.finditer(text) if _ends(text, found.start()))]


def _ends(text: str, place: int) -> bool:
    """Return False if the full stop at a place belongs to an abbreviation or an initial."""
    if text[place] != ".":
        return True
    before = text[max(0, place - _BEFORE) : place]
    word = re.split(r"[\s(\[]", before)[-1]
    abbreviated = word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())
    return not abbreviated or _PANEL.search(before) is not None


def sentence_at(text: str, starts: list[int], place: int) -> str:
    """Return the sentence of a paragraph that contains the position `place`. starts: see `sentence_starts`."""
    index = bisect_right(starts, place)
    return text[starts[index - 1] : starts[index] if index < len(starts) else len(text)].strip()
