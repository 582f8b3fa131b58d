"""Sentences of a paragraph, cut by rules."""

from __future__ import annotations

import re
from bisect import bisect_right

#: An end of sentence, perhaps with closing marks or the numbers of references, before a beginning.
_END = re.compile(r"""[.!?](?:(?<=[a-z)\]]\.)\d[\d,–-]*)?["'”’)\]]*\s+(?=["'“‘(\[]?[^\W_a-z])""")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|(?:figs?|tabs?|refs?|eqs?|et al|e\.g|i\.e|cf|vs|sp|spp|var|subsp|ssp|nos?|approx|ca|"
    r"dr|mr|mrs|prof|st|suppl?|vols?|pp?|resp|al|schs?|abb|inc|ltd|co))$",
    re.IGNORECASE,
)
#: A panel's letter at the end of a sentence, which is no initial: "Fig. 3A and B. Then".
_PANEL = re.compile(r"\d\s?\(?[A-Za-z]?(?:\s?(?:,|and|&|[-–])\s?[A-Za-z]?)*$")
#: Characters looked at before a full stop.
_BEFORE = 24


def sentence_starts(text: str) -> list[int]:
    """Return where the sentences of a paragraph begin; the first is 0."""
    starts = [0]
    for found in _END.finditer(text):
        place = found.start()
        before = text[max(0, place - _BEFORE) : place]
        if text[place] != "." or not _ABBREVIATION.search(before) or _PANEL.search(before):
            starts.append(found.end())
    return starts


def sentence_at(text: str, starts: list[int], place: int) -> str:
    """Return the sentence of a paragraph that contains the position `place`. starts: see `sentence_starts`."""
    index = bisect_right(starts, place)
    return text[starts[index - 1] : starts[index] if index < len(starts) else len(text)].strip()
