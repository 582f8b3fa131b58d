"""What the text tagger learns: of each subcaption one span, as its tags can hold no overlap and no second one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from prelabel.taggers.bioul import TokenSpan, runs


def longest_spans(subcaptions: Iterable[Collection[int]]) -> list[TokenSpan | None]:
    """For each subcaption in turn, its longest run of tokens that no earlier one has taken (section 3.2).

    Of runs of one length the first. None where a subcaption is empty or all of it is taken.
    """
    taken: set[int] = set()
    chosen: list[TokenSpan | None] = []
    for tokens in subcaptions:
        free = runs(token for token in tokens if token not in taken)
        span = max(free, key=lambda each: each[1] - each[0], default=None)
        if span is not None:
            taken.update(range(*span))
        chosen.append(span)
    return chosen
