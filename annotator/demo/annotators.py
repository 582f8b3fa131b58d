"""Simulated annotators, who err as people do: deterministic by seed, annotator and figure.

What a person gets wrong is mostly habit: one takes every sentence about error bars in, another none. So each
annotator has leanings of their own, drawn once from the seed and the name; figure by figure, chance decides how
they show.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from panelwise.domain import Annotation, Box, Caption, Figure, InvalidAnnotation, Status, Subfigure

# Mistakes that annotators make, each on the subfigures of one figure. The kinds are those seen where three people
# annotated the same 19 real figures: they differed on sentences of statistics and error bars, on closing blocks
# and legends, on text about a range of panels, on a word or a full stop at a border; seldom on a box.

_Generator = np.random.Generator
_Subfigures = list[Subfigure]


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
_ON_SUBCAPTIONS = frozenset({Mistake.FULL_STOP, Mistake.BORDER, Mistake.STATISTICS})

_STATISTICS = re.compile(
    r"error bars?|anova|\bs\.?[ed]\.?m?\b|±|\bp ?[<=>]|\bn ?=|t-?test|confidence|significan|\bmeans?\b|asterisk",
    re.IGNORECASE,
)


def err(
    mistake: Mistake,
    subfigures: _Subfigures,
    caption: Caption,
    rng: _Generator,
    places: Sequence[int] | None = None,
) -> _Subfigures:
    """The subfigures with this mistake made; as they are where they give no occasion for it.

    places: of the subfigures that a mistake on subcaptions is made on; None: on one that gives occasion, or on
    all for FULL_STOP, which is a habit.
    """
    if mistake in _ON_SUBCAPTIONS:
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


_Change = Callable[[_Subfigures, int, Caption, _Generator], Collection[int]]


def _changed(
    change: _Change, subfigures: _Subfigures, place: int, caption: Caption, rng: _Generator
) -> Collection[int]:
    return frozenset(change(subfigures, place, caption, rng)) if subfigures[place].subcaption else frozenset()


def _with_tokens(subfigure: Subfigure, tokens: Collection[int]) -> Subfigure:
    return Subfigure(subfigure.label, subfigure.box, frozenset(tokens))


# ---- on one subcaption -----------------------------------------------------------------------------


def _full_stop(subfigures: _Subfigures, place: int, caption: Caption, _rng: _Generator) -> Collection[int]:
    tokens = subfigures[place].subcaption
    last = max(tokens)
    return tokens - {last} if caption.words[last] in {".", ";", ","} and len(tokens) > 1 else tokens


def _border(subfigures: _Subfigures, place: int, caption: Caption, rng: _Generator) -> Collection[int]:
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


def _statistics(subfigures: _Subfigures, place: int, caption: Caption, _rng: _Generator) -> Collection[int]:
    """Its own last sentence goes if it speaks of statistics; else the next sentence comes in, if that does."""
    tokens = sorted(subfigures[place].subcaption)
    last = tokens[-1]
    # The sentence after the last full stop but the closing one; one that is all there is stays.
    own = [token for token in tokens[:-1] if _ends_sentence(caption, token)]
    if own and _STATISTICS.search(_text(caption, own[-1] + 1, last)):
        return [token for token in tokens if token <= own[-1]]
    taken = frozenset().union(*(subfigure.subcaption for subfigure in subfigures))
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


_ON_ONE: dict[Mistake, _Change] = {
    Mistake.FULL_STOP: _full_stop,
    Mistake.BORDER: _border,
    Mistake.STATISTICS: _statistics,
}


# ---- on a figure -----------------------------------------------------------------------------------


def _closing(subfigures: _Subfigures, caption: Caption, _rng: _Generator) -> _Subfigures:
    """Assign the text after the last panel's to the last panel."""
    described = [place for place, subfigure in enumerate(subfigures) if subfigure.subcaption]
    if not described:
        return subfigures
    last = max(described, key=lambda place: max(subfigures[place].subcaption))
    tail = range(max(subfigures[last].subcaption) + 1, len(caption.tokens))
    result = list(subfigures)
    result[last] = _with_tokens(subfigures[last], subfigures[last].subcaption | set(tail))
    return result


def _range(subfigures: _Subfigures, _caption: Caption, _rng: _Generator) -> _Subfigures:
    """Assign text of several (not all) panels to the first of them only."""
    described = [subfigure.subcaption for subfigure in subfigures if subfigure.subcaption]
    everywhere = frozenset.intersection(*described) if described else frozenset()
    taken: set[int] = set()
    result = []
    for subfigure in subfigures:
        result.append(_with_tokens(subfigure, subfigure.subcaption - taken))
        taken |= subfigure.subcaption - everywhere
    return result


def _spread(subfigures: _Subfigures, _caption: Caption, _rng: _Generator) -> _Subfigures:
    """Also assign text of some panels to those between them, or to the next one."""
    shared: dict[int, list[int]] = {}
    for place, subfigure in enumerate(subfigures):
        for token in subfigure.subcaption:
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
    return [
        _with_tokens(subfigure, subfigure.subcaption | added.get(place, set()))
        for place, subfigure in enumerate(subfigures)
    ]


def _preamble(subfigures: _Subfigures, _caption: Caption, _rng: _Generator) -> _Subfigures:
    """Assign the text before the first panel's to the first panel."""
    described = [place for place, subfigure in enumerate(subfigures) if subfigure.subcaption]
    if not described:
        return subfigures
    first = min(described, key=lambda place: min(subfigures[place].subcaption))
    result = list(subfigures)
    head = range(min(subfigures[first].subcaption))
    result[first] = _with_tokens(subfigures[first], subfigures[first].subcaption | set(head))
    return result


def _missed(subfigures: _Subfigures, _caption: Caption, rng: _Generator) -> _Subfigures:
    """One panel goes, where there are two or more."""
    if len(subfigures) < 2:
        return subfigures
    gone = int(rng.integers(len(subfigures)))
    return [subfigure for place, subfigure in enumerate(subfigures) if place != gone]


def _swapped(subfigures: _Subfigures, _caption: Caption, rng: _Generator) -> _Subfigures:
    """Two neighbours exchange their text; the boxes stay."""
    if len(subfigures) < 2:
        return subfigures
    first = int(rng.integers(len(subfigures) - 1))
    one, other = subfigures[first], subfigures[first + 1]
    result = list(subfigures)
    result[first] = _with_tokens(one, other.subcaption)
    result[first + 1] = _with_tokens(other, one.subcaption)
    return result


_ON_FIGURE: dict[Mistake, Callable[[_Subfigures, Caption, _Generator], _Subfigures]] = {
    Mistake.RANGE: _range,
    Mistake.SPREAD: _spread,
    Mistake.CLOSING: _closing,
    Mistake.PREAMBLE: _preamble,
    Mistake.SWAPPED: _swapped,
    Mistake.MISSED: _missed,
}


#: When the first simulated annotation is dated.
FIRST_DAY = datetime(2026, 1, 12, 8, 30, tzinfo=UTC)

#: A box's edge is off by this share of the box's side at most, and mostly by a quarter of it or less: two people's
#: boxes of one panel then have a mean IoU of .97 to .99, as measured on real ones.
EDGE_JITTER = 0.02

#: How often people make each mistake: on a figure, or on a subcaption for those of _ON_SUBCAPTIONS. With these,
#: three simulated annotators of real figures agree as far as three people did on them (a test sees to it).
RATES: Mapping[Mistake, float] = MappingProxyType(
    {
        Mistake.FULL_STOP: 0.35,
        Mistake.BORDER: 0.06,
        Mistake.STATISTICS: 0.22,
        Mistake.CLOSING: 0.09,
        Mistake.RANGE: 0.08,
        Mistake.SPREAD: 0.03,
        Mistake.PREAMBLE: 0.03,
        Mistake.MISSED: 0.005,
        Mistake.SWAPPED: 0.005,
    }
)

#: The greatest carelessness: three times as many mistakes as people make.
MAX_CARELESSNESS = 3.0

#: Shape of the gamma distribution of leanings: below 1, so that some have a habit and others hardly know it.
_LEANING = 0.7

#: The demo's mistakes, by the figure's place and then the annotator's: agreement on some figures, on others a
#: conflict in the text, a missed panel or swapped subcaptions.
DEMO_MISTAKES: tuple[tuple[tuple[Mistake, ...], ...], ...] = (
    ((), (), ()),
    ((), (Mistake.RANGE,), (Mistake.BORDER,)),
    ((Mistake.CLOSING,), (), (Mistake.MISSED,)),
    ((), (), ()),
    ((Mistake.CLOSING,), (Mistake.SWAPPED,), ()),
    ((), (), ()),
)


@dataclass(frozen=True, slots=True)
class Habits:
    """The rates at which an annotator makes mistakes.

    carelessness: 0 (faultless but for the jitter of hands), 1 (as people) to MAX_CARELESSNESS. rates: how often
    each mistake is made at carelessness 1; those not listed are not made. mistakes: exactly these instead of ones
    drawn by chance; mistakes that a figure does not allow are skipped. edge_jitter: greatest share of its side
    that a box's edge is off by. Raises InvalidAnnotation for a carelessness, rate or jitter that cannot be.
    """

    carelessness: float = 1.0
    rates: Mapping[Mistake, float] = field(default_factory=lambda: RATES)
    mistakes: Collection[Mistake] | None = None
    edge_jitter: float = EDGE_JITTER

    def __post_init__(self) -> None:
        if not 0.0 <= self.carelessness <= MAX_CARELESSNESS:
            raise InvalidAnnotation(
                f"a carelessness of {self.carelessness} cannot be; give 0 to {MAX_CARELESSNESS:g}"
            )
        for kind, rate in self.rates.items():
            if not 0.0 <= rate <= 1.0:
                raise InvalidAnnotation(f'a rate of {rate} for the mistake "{kind}" cannot be; give 0 to 1')
        if not 0.0 <= self.edge_jitter < 0.5:
            raise InvalidAnnotation(f"an edge jitter of {self.edge_jitter} cannot be; give 0 to below 0.5")


def simulate(
    truth: Annotation,
    *,
    annotator: str,
    phase: str = "1",
    seed: int = 0,
    habits: Habits = Habits(),
    saved_at: datetime | None = None,
) -> Annotation:
    """Simulate what `annotator` would submit for the figure of `truth`.

    saved_at: default a moment drawn by chance in the two weeks from FIRST_DAY.
    """
    figure = truth.figure
    leanings = _leanings(seed, annotator)
    rng = _generator(seed, annotator, phase, figure.id)
    subfigures = [
        Subfigure(subfigure.label, _jittered(subfigure.box, figure, rng, habits.edge_jitter), subfigure.subcaption)
        for subfigure in truth.subfigures
    ]
    for kind in Mistake:
        rate = min(1.0, habits.rates.get(kind, 0.0) * habits.carelessness * leanings[kind])
        if habits.mistakes is not None:
            if kind in habits.mistakes:
                subfigures = err(kind, subfigures, figure.caption, rng)
        elif kind in _ON_SUBCAPTIONS:
            places = [place for place in range(len(subfigures)) if rng.random() < rate]
            subfigures = err(kind, subfigures, figure.caption, rng, places)
        elif rng.random() < rate:
            subfigures = err(kind, subfigures, figure.caption, rng)
    if saved_at is None:
        saved_at = FIRST_DAY + timedelta(seconds=int(rng.integers(14 * 24 * 3600)))
    seconds = round(float(20 + 14 * len(subfigures) + rng.gamma(3.0, 8.0)), 1)
    return Annotation(
        figure,
        annotator,
        phase,
        Status.ACCEPTED,
        tuple(subfigures),
        saved_at,
        seconds=seconds,
    )


def simulate_demo(
    truths: Sequence[Annotation], annotators: Sequence[str], *, phase: str = "1", seed: int = 0
) -> list[Annotation]:
    """The demo's annotations: every annotator on every figure, with the mistakes that DEMO_MISTAKES lists.

    Further annotators and figures than listed begin again at the first entry.
    """
    result = []
    for place, truth in enumerate(truths):
        for number, annotator in enumerate(annotators):
            row = DEMO_MISTAKES[place % len(DEMO_MISTAKES)]
            mistakes = row[number % len(row)]
            saved_at = FIRST_DAY + timedelta(days=number, minutes=4 * place)
            result.append(
                simulate(
                    truth,
                    annotator=annotator,
                    phase=phase,
                    seed=seed,
                    habits=Habits(mistakes=mistakes),
                    saved_at=saved_at,
                )
            )
    return result


def _generator(*parts: object) -> _Generator:
    digest = hashlib.sha256("\x00".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(list(digest))


def _leanings(seed: int, annotator: str) -> dict[Mistake, float]:
    """Return the rate of each of an annotator's mistakes relative to the average annotator's, which is 1."""
    rng = _generator(seed, annotator)
    return {kind: float(rng.gamma(_LEANING, 1.0 / _LEANING)) for kind in Mistake}


def _jittered(box: Box, figure: Figure, rng: _Generator, greatest: float) -> Box:
    """The box as a hand draws it; never outside the image, and the same to a tenth of a pixel."""
    left, top, right, bottom = np.clip(rng.normal(0.0, 0.25 * greatest, 4), -greatest, greatest)
    moved = (
        box.x0 + float(left) * box.width,
        box.y0 + float(top) * box.height,
        box.x1 + float(right) * box.width,
        box.y1 + float(bottom) * box.height,
    )
    x0, y0, x1, y1 = (round(value, 1) for value in moved)
    # A box of a pixel or less must not lose its area to the rounding.
    drawn = Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else box
    return drawn.clamped(float(figure.width), float(figure.height))
