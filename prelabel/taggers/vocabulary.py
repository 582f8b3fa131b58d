"""A vocabulary of word pieces learnt from texts, the same for the same texts every time.

The trainers of tokenizer libraries break ties as their hash tables happen to lie: a training that was killed would
be resumed with other pieces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain

#: Words about as BERT's pre-tokenizer cuts them; differences fall back to single characters.
_WORDS = re.compile(r"[^\W_]+|[^\w\s]|_")

#: Marks a piece that goes on with a word.
INNER = "##"

#: Shares of a vocabulary for whole words; what is left is for beginnings and endings of words, half each.
_WHOLE = 0.7

#: A word or part of one is learnt if it is there so many times; parts have at least this many characters.
_TIMES, _SHORTEST = 2, 2


def learn_pieces(texts: Iterable[str], most: int) -> list[str]:
    """Word pieces, each once: all characters alone and inside a word, then words, beginnings and endings by how
    often they occur. At most `most` of them, unless there are more characters than that."""
    words = Counter(chain.from_iterable(_WORDS.findall(text) for text in texts))
    begins: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for word, times in words.items():
        for length in range(_SHORTEST, len(word)):
            begins[word[:length]] += times
            ends[INNER + word[-length:]] += times
    signs = sorted(set(chain.from_iterable(words)))
    found = dict.fromkeys([*signs, *(INNER + sign for sign in signs)])
    room = max(0, most - len(found))
    whole = int(room * _WHOLE)
    found |= dict.fromkeys(_commonest(words, whole))
    for parts in (begins, ends):
        found |= dict.fromkeys(_commonest(parts, (room - whole) // 2))
    return list(found)


def _commonest(counts: Counter[str], most: int) -> list[str]:
    ranked = sorted((-times, piece) for piece, times in counts.items() if times >= _TIMES)
    return [piece for _, piece in ranked[:most]]
