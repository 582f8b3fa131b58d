"""Simulated annotators, who err as people do: deterministic by seed, annotator and figure.

What a person gets wrong is mostly habit: one takes every sentence about error bars in, another none. So each
annotator has leanings of their own, drawn once from the seed and the name; figure by figure, chance decides how
they show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import numpy as np

from annotator.demo.mistakes import ON_SUBCAPTIONS, Generator, Mistake, err
from panelwise.domain import Annotation, Box, Figure, InvalidAnnotation, Status, Subfigure

#: When the first simulated annotation is dated.
FIRST_DAY = datetime(2026, 1, 12, 8, 30, tzinfo=UTC)

#: A box's edge is off by this share of the box's side at most, and mostly by a quarter of it or less: two people's
#: boxes of one panel then have a mean IoU of .97 to .99, as measured on real ones.
EDGE_JITTER = 0.02

#: How often people make each mistake: on a figure, or on a subcaption for those of ON_SUBCAPTIONS. With these,
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
        Subfigure(each.label, _jittered(each.box, figure, rng, habits.edge_jitter), each.subcaption)
        for each in truth.subfigures
    ]
    for kind in Mistake:
        rate = min(1.0, habits.rates.get(kind, 0.0) * habits.carelessness * leanings[kind])
        if habits.mistakes is not None:
            if kind in habits.mistakes:
                subfigures = err(kind, subfigures, figure.caption, rng)
        elif kind in ON_SUBCAPTIONS:
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


def _generator(*parts: object) -> Generator:
    digest = hashlib.sha256("\x00".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(list(digest))


def _leanings(seed: int, annotator: str) -> dict[Mistake, float]:
    """Return the rate of each of an annotator's mistakes relative to the average annotator's, which is 1."""
    rng = _generator(seed, annotator)
    return {kind: float(rng.gamma(_LEANING, 1.0 / _LEANING)) for kind in Mistake}


def _jittered(box: Box, figure: Figure, rng: Generator, greatest: float) -> Box:
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
