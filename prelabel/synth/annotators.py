"""Simulated annotators, who err as people do: deterministic by seed, annotator and figure.

The kinds of mistake are those seen where three people annotated the same real figures: they differed on closing
statistics and legends, on sentences about a range of panels and on a word at a border; seldom on a box.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np

from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.caption import Caption
from annotator.domain.errors import InvalidAnnotation
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box

#: When the first simulated annotation is dated.
FIRST_DAY = datetime(2026, 1, 12, 8, 30, tzinfo=UTC)

#: A box's edge is off by this share of the box's side at most, and mostly by less.
EDGE_JITTER = 0.03


class Mistake(StrEnum):
    """A way to go wrong on one figure."""

    BORDER = "border"  # a word too many or too few at the end of a subcaption
    CLOSING = "closing"  # closing statistics, scale bars or abbreviations given to the last panel
    RANGE = "range"  # text on a range of panels given to the first of them only
    PREAMBLE = "preamble"  # the title given to the first panel
    MISSED = "missed"  # a panel left out
    SWAPPED = "swapped"  # the subcaptions of two panels exchanged


#: How often an annotator of carelessness 1 makes each mistake on a figure; a BORDER, on a subcaption.
RATES = {
    Mistake.BORDER: 0.30,
    Mistake.CLOSING: 0.60,
    Mistake.RANGE: 0.40,
    Mistake.PREAMBLE: 0.20,
    Mistake.MISSED: 0.10,
    Mistake.SWAPPED: 0.08,
}

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


def simulate(
    truth: Annotation,
    *,
    annotator: str,
    phase: str = "1",
    seed: int = 0,
    carelessness: float = 0.3,
    mistakes: Collection[Mistake] | None = None,
    seeded_by: str | None = None,
    saved_at: datetime | None = None,
) -> Annotation:
    """What `annotator` would submit for the figure of `truth`.

    carelessness: 0 (faultless but for the jitter of hands) to 1; raises InvalidAnnotation outside. mistakes:
    exactly these instead of ones drawn by chance; what a figure gives no occasion for is passed over.
    saved_at: default a moment drawn by chance in the two weeks from FIRST_DAY.
    """
    if not 0.0 <= carelessness <= 1.0:
        raise InvalidAnnotation(f"a carelessness of {carelessness} cannot be; give 0 to 1")
    figure = truth.figure
    rng = _generator(seed, annotator, phase, figure.id)
    subfigures = [
        Subfigure(each.label, _jittered(each.box, figure, rng), each.subcaption) for each in truth.subfigures
    ]
    for kind, err in _ERRORS.items():
        chosen = bool(rng.random() < RATES[kind] * carelessness) if mistakes is None else kind in mistakes
        if kind is Mistake.BORDER and mistakes is None:
            rate = RATES[kind] * carelessness
            places = [place for place in range(len(subfigures)) if rng.random() < rate]
            subfigures = _border(subfigures, figure.caption, rng, places)
        elif chosen:
            subfigures = err(subfigures, figure.caption, rng)
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
        seeded_by=seeded_by,
        seconds=seconds,
    )


def simulate_demo(
    truths: Sequence[Annotation],
    annotators: Sequence[str],
    *,
    phase: str = "1",
    seed: int = 0,
    seeded_by: str | None = None,
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
                    mistakes=mistakes,
                    seeded_by=seeded_by,
                    saved_at=saved_at,
                )
            )
    return result


def _generator(seed: int, annotator: str, phase: str, figure_id: str) -> np.random.Generator:
    digest = hashlib.sha256("\x00".join((str(seed), annotator, phase, figure_id)).encode()).digest()
    return np.random.default_rng(list(digest))


def _jittered(box: Box, figure: Figure, rng: np.random.Generator) -> Box:
    """The box as a hand draws it; never outside the image, and the same to a tenth of a pixel."""
    spread = EDGE_JITTER * 0.4
    left, top, right, bottom = np.clip(rng.normal(0.0, spread, 4), -EDGE_JITTER, EDGE_JITTER)
    moved = Box(
        round(box.x0 + float(left) * box.width, 1),
        round(box.y0 + float(top) * box.height, 1),
        round(box.x1 + float(right) * box.width, 1),
        round(box.y1 + float(bottom) * box.height, 1),
    )
    return moved.clamped(float(figure.width), float(figure.height))


def _with_tokens(subfigure: Subfigure, tokens: Collection[int]) -> Subfigure:
    return Subfigure(subfigure.label, subfigure.box, frozenset(tokens))


def _border(
    subfigures: list[Subfigure], caption: Caption, rng: np.random.Generator, places: Sequence[int] | None = None
) -> list[Subfigure]:
    """Two words fewer or one more at the end; on the places given, else on one with enough words."""
    long_enough = [place for place, each in enumerate(subfigures) if len(each.subcaption) > 5]
    if places is None:
        places = [int(rng.choice(long_enough))] if long_enough else []
    result = list(subfigures)
    for place in places:
        if place not in long_enough:
            continue
        tokens = sorted(subfigures[place].subcaption)
        after = [token for token in range(tokens[-1] + 1, len(caption.tokens)) if token in caption.counted]
        words = [token for token in tokens if token in caption.counted]
        if after and rng.random() < 0.4:
            changed = set(tokens) | set(range(tokens[-1] + 1, after[0] + 1))
        else:
            changed = {token for token in tokens if token < words[-min(2, len(words))]}
        result[place] = _with_tokens(subfigures[place], changed)
    return result


def _closing(subfigures: list[Subfigure], caption: Caption, _rng: np.random.Generator) -> list[Subfigure]:
    """What follows the last panel's text becomes part of the last panel's."""
    described = [place for place, each in enumerate(subfigures) if each.subcaption]
    if not described:
        return subfigures
    last = max(described, key=lambda place: max(subfigures[place].subcaption))
    tail = range(max(subfigures[last].subcaption) + 1, len(caption.tokens))
    result = list(subfigures)
    result[last] = _with_tokens(subfigures[last], subfigures[last].subcaption | set(tail))
    return result


def _range(subfigures: list[Subfigure], _caption: Caption, _rng: np.random.Generator) -> list[Subfigure]:
    """What belongs to several panels, though not to all, stays with the first of them."""
    described = [each.subcaption for each in subfigures if each.subcaption]
    everywhere = frozenset.intersection(*described) if described else frozenset()
    taken: set[int] = set()
    result = []
    for each in subfigures:
        result.append(_with_tokens(each, each.subcaption - taken))
        taken |= each.subcaption - everywhere
    return result


def _preamble(subfigures: list[Subfigure], _caption: Caption, _rng: np.random.Generator) -> list[Subfigure]:
    """What stands before the first panel's text becomes part of that panel's."""
    described = [place for place, each in enumerate(subfigures) if each.subcaption]
    if not described:
        return subfigures
    first = min(described, key=lambda place: min(subfigures[place].subcaption))
    result = list(subfigures)
    head = range(min(subfigures[first].subcaption))
    result[first] = _with_tokens(subfigures[first], subfigures[first].subcaption | set(head))
    return result


def _missed(subfigures: list[Subfigure], _caption: Caption, rng: np.random.Generator) -> list[Subfigure]:
    """One panel goes, where there are two or more."""
    if len(subfigures) < 2:
        return subfigures
    gone = int(rng.integers(len(subfigures)))
    return [each for place, each in enumerate(subfigures) if place != gone]


def _swapped(subfigures: list[Subfigure], _caption: Caption, rng: np.random.Generator) -> list[Subfigure]:
    """Two neighbours exchange their text; the boxes stay."""
    if len(subfigures) < 2:
        return subfigures
    first = int(rng.integers(len(subfigures) - 1))
    result = list(subfigures)
    one, other = subfigures[first], subfigures[first + 1]
    result[first], result[first + 1] = (
        _with_tokens(one, other.subcaption),
        _with_tokens(other, one.subcaption),
    )
    return result


_ERRORS: dict[Mistake, Callable[[list[Subfigure], Caption, np.random.Generator], list[Subfigure]]] = {
    Mistake.BORDER: _border,
    Mistake.RANGE: _range,
    Mistake.CLOSING: _closing,
    Mistake.PREAMBLE: _preamble,
    Mistake.SWAPPED: _swapped,
    Mistake.MISSED: _missed,
}
