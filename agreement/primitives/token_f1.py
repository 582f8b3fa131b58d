"""F1 of two sets (or lists) of tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def counted_words(words: Sequence[str]) -> frozenset[int]:
    """Return the ids of words that count, the alphanumeric ones (`str.isalnum`); an id is an index in `words`.

    >>> sorted(counted_words(["(", "A", ")", "left", "lung", "."]))
    [1, 3, 4]
    """
    return frozenset(position for position, word in enumerate(words) if word.isalnum())


def token_f1(gold: Collection[int], other: Collection[int]) -> float | None:
    """Return 2·|gold ∩ other| / (|gold| + |other|), in [0, 1]; None if both are empty.

    Symmetric. For sets this is the paper's F1. For lists, repeated ids count in the denominator but not in the
    intersection, as in the authors' code.

    >>> token_f1({4, 6, 7, 8}, {4, 6, 7, 12}), token_f1([4, 4, 6], [4, 6])
    (0.75, 0.8)
    """
    length = len(gold) + len(other)
    if not length:
        return None
    return 2 * len(frozenset(gold).intersection(other)) / length


def common_tokens(subcaptions: Iterable[Collection[int]]) -> frozenset[int]:
    """Return the tokens that all subcaptions of a figure share; empty without subcaptions.

    With one subcaption all its tokens are common, and an empty subcaption leaves none: both follow from the
    authors' reader.

    >>> sorted(common_tokens([{0, 1, 4, 6}, {0, 1, 10, 12}]))
    [0, 1]
    """
    common: frozenset[int] | None = None
    for tokens in subcaptions:
        common = frozenset(tokens) if common is None else common.intersection(tokens)
    return common or frozenset()
