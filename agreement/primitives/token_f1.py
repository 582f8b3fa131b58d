"""F1 between two sets (or lists) of tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def counted_words(words: Sequence[str]) -> frozenset[int]:
    """Ids of the words that count: those that are alphanumeric (`str.isalnum`), by their place in `words`.

    >>> sorted(counted_words(["(", "A", ")", "left", "lung", "."]))
    [1, 3, 4]
    """
    return frozenset(position for position, word in enumerate(words) if word.isalnum())


def token_f1(gold: Collection[int], other: Collection[int]) -> float | None:
    """2·|gold ∩ other| / (|gold| + |other|), in [0, 1]; None where both are empty.

    Symmetric. Given sets, this is the paper's F1. Given lists, the denominator counts repeated ids as often as
    they stand there, while the intersection does not: so does the authors' code.

    >>> token_f1({4, 6, 7, 8}, {4, 6, 7, 12}), token_f1([4, 4, 6], [4, 6])
    (0.75, 0.8)
    """
    length = len(gold) + len(other)
    if not length:
        return None
    return 2 * len(frozenset(gold).intersection(other)) / length


def common_tokens(subcaptions: Iterable[Collection[int]]) -> frozenset[int]:
    """Tokens that are in every subcaption of a figure; none where there is no subcaption.

    Tokens in no subcaption are "common" too, but no score can tell. Of exactly one subcaption every token is
    common, and an empty subcaption leaves none: both are consequences of the authors' reader.

    >>> sorted(common_tokens([{0, 1, 4, 6}, {0, 1, 10, 12}]))
    [0, 1]
    """
    common: frozenset[int] | None = None
    for tokens in subcaptions:
        common = frozenset(tokens) if common is None else common.intersection(tokens)
    return common or frozenset()
