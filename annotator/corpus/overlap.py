"""The word overlap of two texts."""

from __future__ import annotations

from collections.abc import Iterable


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the Jaccard index of two texts' words, in lower case and without punctuation; 0 without words."""
    first, second = ({word.lower() for word in words if word.isalnum()} for words in (one, other))
    return len(first & second) / (len(first | second) or 1)
