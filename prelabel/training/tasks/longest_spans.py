"""Targets of the text tagger: one span for each subcaption, as its tags allow no overlap and no second span."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from prelabel.taggers.bioul import TokenSpan, runs


def longest_spans(subcaptions: Iterable[Collection[int]]) -> list[TokenSpan | None]:
    """For each subcaption in turn, its longest run of tokens that overlaps no span chosen before (section 3.2).

    Of runs of one length the first. A run that overlaps is left out as a whole, not cut, as in the authors' code.
    None if a subcaption is empty or all its runs overlap.
    """
    used: set[int] = set()
    chosen: list[TokenSpan | None] = []
    for tokens in subcaptions:
        free = [run for run in runs(tokens) if used.isdisjoint(range(*run))]
        span = max(free, key=lambda each: each[1] - each[0], default=None)
        if span is not None:
            used.update(range(*span))
        chosen.append(span)
    return chosen
