"""Mistakes that annotators make, each on the subfigures of one figure.

The kinds are those seen where three people annotated the same 19 real figures: they differed on sentences of
statistics and error bars, on closing blocks and legends, on text about a range of panels, on a word or a full stop
at a border; seldom on a box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum

import numpy as np

from panelwise.domain import Caption, Subfigure

Generator = np.random.Generator
Subfigures = list[Subfigure]


class Mistake(StrEnum):
    """A way to go wrong."""

    FULL_STOP = "full stop"  # the punctuation at the end of a subcaption left out; costs no word
    BORDER = "border"  # a word or two too many or too few at an end of a subcaption
    STATISTICS = "statistics"  # a panel's sentence about error bars or tests left out, or a general one taken in
    CLOSING = "closing"  # closing statistics, scale bars, legends or abbreviations given to the last panel
    RANGE = "range"  # text on a range of panels given to the first of them only
    SPREAD = "spread"  # text of a proper subset given to all panels between its members too
    PREAMBLE = "preamble"  # the title given to the first panel
    MISSED = "missed"  # a panel left out
    SWAPPED = "swapped"  # the subcaptions of two panels exchanged


#: Mistakes made on one subcaption; the others are made on a figure.
ON_SUBCAPTIONS = frozenset({Mistake.FULL_STOP, Mistake.BORDER, Mistake.STATISTICS})

_STATISTICS = re.compile(
    r"error bars?|anova|\bs\.?[ed]\.?m?\b|±|\bp ?[<=>]|\bn ?=|t-?test|confidence|significan|\bmeans?\b|asterisk",
    re.IGNORECASE,
)


def err(
    mistake: Mistake,
    subfigures: Subfigures,
    caption: Caption,
    rng: Generator,
    places: Sequence[int] | None = None,
) -> Subfigures:
    """The subfigures with this mistake made; as they are where they give no occasion for it.

    places: of the subfigures that a mistake on subcaptions is made on; None: on one that gives occasion, or on
    all for FULL_STOP, which is a habit.
    """
    if mistake in ON_SUBCAPTIONS:
        change = _ON_ONE[mistake]
        changed = [_changed(change, subfigures, place, caption, rng) for place in range(len(subfigures))]
        occasions = [place for place, after in enumerate(changed) if after != subfigures[place].subcaption]
        if places is None:
            places = occasions
            if mistake is not Mistake.FULL_STOP and occasions:
                places = [occasions[int(rng.integers(len(occasions)))]]
        result = list(subfigures)
        for place in places:
            result[place] = _with_tokens(subfigures[place], changed[place])
        return result
    return _ON_FIGURE[mistake](subfigures, caption, rng)


Change = Callable[[Subfigures, int, Caption, Generator], Collection[int]]


def _changed(
    change: Change, subfigures: Subfigures, place: int, caption: Caption, rng: Generator
) -> Collection[int]:
    return frozenset(change(subfigures, place, caption, rng)) if subfigures[place].subcaption else frozenset()


def _with_tokens(subfigure: Subfigure, tokens: Collection[int]) -> Subfigure:
    return Subfigure(subfigure.label, subfigure.box, frozenset(tokens))


# ---- on one subcaption -----------------------------------------------------------------------------


def _full_stop(subfigures: Subfigures, place: int, caption: Caption, _rng: Generator) -> Collection[int]:
    tokens = subfigures[place].subcaption
    last = max(tokens)
    return tokens - {last} if caption.words[last] in {".", ";", ","} and len(tokens) > 1 else tokens


def _border(subfigures: Subfigures, place: int, caption: Caption, rng: Generator) -> Collection[int]:
    tokens = sorted(subfigures[place].subcaption)
    words = [token for token in tokens if token in caption.counted]
    if len(words) < 4:
        return tokens
    number = int(rng.integers(1, 3))
    after = [token for token in range(tokens[-1] + 1, len(caption.tokens)) if token in caption.counted]
    if after and rng.random() < 0.4:
        return {*tokens, *range(tokens[-1] + 1, after[min(number, len(after)) - 1] + 1)}
    if rng.random() < 0.3:
        return [token for token in tokens if token > words[number - 1]]
    return [token for token in tokens if token < words[-number]]


def _statistics(subfigures: Subfigures, place: int, caption: Caption, _rng: Generator) -> Collection[int]:
    """Its own last sentence goes if it speaks of statistics; else the next sentence comes in, if that does."""
    tokens = sorted(subfigures[place].subcaption)
    last = tokens[-1]
    # The sentence after the last full stop but the closing one; one that is all there is stays.
    own = [token for token in tokens[:-1] if _ends_sentence(caption, token)]
    if own and _STATISTICS.search(_text(caption, own[-1] + 1, last)):
        return [token for token in tokens if token <= own[-1]]
    taken = frozenset().union(*(each.subcaption for each in subfigures))
    end = last
    while end + 1 < len(caption.tokens) and end + 1 not in taken:
        end += 1
        if _ends_sentence(caption, end) and end > last + 1:
            break
    if end > last + 1 and _STATISTICS.search(_text(caption, last + 1, end)):
        return {*tokens, *range(last + 1, end + 1)}
    return tokens


def _ends_sentence(caption: Caption, token: int) -> bool:
    """A full stop or semicolon before a blank or the end; not the one inside "s.d."."""
    after = caption.tokens[token].end
    return caption.words[token] in {".", ";"} and not caption.text[after : after + 1].strip()


def _text(caption: Caption, first: int, last: int) -> str:
    return caption.text[caption.tokens[first].start : caption.tokens[last].end]


_ON_ONE: dict[Mistake, Change] = {
    Mistake.FULL_STOP: _full_stop,
    Mistake.BORDER: _border,
    Mistake.STATISTICS: _statistics,
}


# ---- on a figure -----------------------------------------------------------------------------------


def _closing(subfigures: Subfigures, caption: Caption, _rng: Generator) -> Subfigures:
    """Assign the text after the last panel's to the last panel."""
    described = [place for place, each in enumerate(subfigures) if each.subcaption]
    if not described:
        return subfigures
    last = max(described, key=lambda place: max(subfigures[place].subcaption))
    tail = range(max(subfigures[last].subcaption) + 1, len(caption.tokens))
    result = list(subfigures)
    result[last] = _with_tokens(subfigures[last], subfigures[last].subcaption | set(tail))
    return result


def _range(subfigures: Subfigures, _caption: Caption, _rng: Generator) -> Subfigures:
    """Assign text of several (not all) panels to the first of them only."""
    described = [each.subcaption for each in subfigures if each.subcaption]
    everywhere = frozenset.intersection(*described) if described else frozenset()
    taken: set[int] = set()
    result = []
    for each in subfigures:
        result.append(_with_tokens(each, each.subcaption - taken))
        taken |= each.subcaption - everywhere
    return result


def _spread(subfigures: Subfigures, _caption: Caption, _rng: Generator) -> Subfigures:
    """Also assign text of some panels to those between them, or to the next one."""
    shared: dict[int, list[int]] = {}
    for place, each in enumerate(subfigures):
        for token in each.subcaption:
            shared.setdefault(token, []).append(place)
    added: dict[int, set[int]] = {}
    for token, places in shared.items():
        if 1 < len(places) < len(subfigures):
            reach = range(min(places), max(places) + 1)
            wider = (
                reach if len(reach) > len(places) else range(min(places), min(max(places) + 2, len(subfigures)))
            )
            for place in wider:
                added.setdefault(place, set()).add(token)
    return [_with_tokens(each, each.subcaption | added.get(place, set())) for place, each in enumerate(subfigures)]


def _preamble(subfigures: Subfigures, _caption: Caption, _rng: Generator) -> Subfigures:
    """Assign the text before the first panel's to the first panel."""
    described = [place for place, each in enumerate(subfigures) if each.subcaption]
    if not described:
        return subfigures
    first = min(described, key=lambda place: min(subfigures[place].subcaption))
    result = list(subfigures)
    head = range(min(subfigures[first].subcaption))
    result[first] = _with_tokens(subfigures[first], subfigures[first].subcaption | set(head))
    return result


def _missed(subfigures: Subfigures, _caption: Caption, rng: Generator) -> Subfigures:
    """One panel goes, where there are two or more."""
    if len(subfigures) < 2:
        return subfigures
    gone = int(rng.integers(len(subfigures)))
    return [each for place, each in enumerate(subfigures) if place != gone]


def _swapped(subfigures: Subfigures, _caption: Caption, rng: Generator) -> Subfigures:
    """Two neighbours exchange their text; the boxes stay."""
    if len(subfigures) < 2:
        return subfigures
    first = int(rng.integers(len(subfigures) - 1))
    one, other = subfigures[first], subfigures[first + 1]
    result = list(subfigures)
    result[first] = _with_tokens(one, other.subcaption)
    result[first + 1] = _with_tokens(other, one.subcaption)
    return result


_ON_FIGURE: dict[Mistake, Callable[[Subfigures, Caption, Generator], Subfigures]] = {
    Mistake.RANGE: _range,
    Mistake.SPREAD: _spread,
    Mistake.CLOSING: _closing,
    Mistake.PREAMBLE: _preamble,
    Mistake.SWAPPED: _swapped,
    Mistake.MISSED: _missed,
}
