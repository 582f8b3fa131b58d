"""The worked examples about the score itself: what the pages and pictures say, computed by `agreement`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement import (
    Detection,
    FigureScore,
    Loss,
    PairScore,
    Panel,
    Report,
    Settings,
    box_iou,
    counted_words,
    detect,
    mean_losses,
    pair_scores,
    report_on,
    subfigure_f1,
)
from agreement_pictures.canvas import known
from agreement_pictures.work import CAPTION, LEFT, LONG, MIDDLE, RIGHT, Edges, corpus, figure, panel, work
from panelwise.domain.annotation import Annotation, Status

COUNTED = counted_words(CAPTION.split())

# ---- the box and the words ----------------------------------------------------------------------

#: "a left lung lesion"
GOLD_WORDS = frozenset({4, 6, 7, 8})
#: "left lung lesion"
OTHER_WORDS = frozenset({6, 7, 8})
GATE_BOXES: tuple[Edges, ...] = ((0, 0, 100, 80), (0, 0, 100, 50), (0, 0, 100, 40))


def gate() -> list[tuple[float, FigureScore]]:
    """IoU and score of each of GATE_BOXES against LEFT, the words the same."""
    boxes = np.array(GATE_BOXES, dtype=np.float64)
    ious = box_iou(np.array([LEFT], dtype=np.float64), boxes)[0].tolist()
    return [(iou, one_panel(box, GOLD_WORDS)) for iou, box in zip(ious, GATE_BOXES, strict=True)]


def one_panel(box: Edges, words: frozenset[int], gold: frozenset[int] = GOLD_WORDS) -> FigureScore:
    """One panel against the gold one at LEFT."""
    return subfigure_f1([Panel(LEFT, gold)], [Panel(box, words)], counted=COUNTED)


# ---- pairs ----------------------------------------------------------------------------------------


def three_people() -> Report:
    """The case with three annotators that the metric's own page works out by hand."""
    one = figure()
    return report_on(
        [
            work("A", one, panel(LEFT, (4, 6, 7, 8)), panel(MIDDLE, (10, 12, 13)), panel(RIGHT, ())),
            work("B", one, panel((0, 0, 100, 90), (4, 6, 7)), panel((150, 0, 250, 100), (10, 12, 13))),
            work("C", one, panel(LEFT, (0, 1, 4, 6, 7, 8)), panel(MIDDLE, (0, 1, 10, 12, 13))),
        ]
    )


def surplus_box() -> Report:
    """Ben draws what ann draws, and one box more."""
    one = figure()
    two = panel(LEFT, (4, 6, 7, 8)), panel(MIDDLE, (10, 12, 13))
    return report_on([work("ann", one, *two), work("ben", one, *two, panel(RIGHT, (0, 1)))])


#: Words of ten that two annotators share, on each of eight figures.
EIGHT = (10, 10, 10, 9, 8, 8, 6, 4)


def resampled(times: int) -> Report:
    """The same eight kinds of figure, so many times over."""
    return report_on(corpus(EIGHT * times))


def counted() -> Report:
    """Ten figures: six that both accepted, two rejected by one, one by both, one that only ann did."""
    accepted, rejected = Status.ACCEPTED, Status.REJECTED
    verdicts = [(accepted, accepted)] * 6 + [(accepted, rejected)] * 2 + [(rejected, rejected)]
    submitted = [work("ann", figure("alone"), panel(LEFT, (6, 7)))]
    for number, pair in enumerate(verdicts):
        one = figure(f"f{number}")
        for who, status in zip(("ann", "ben"), pair, strict=True):
            panels = (panel(LEFT, (6, 7)), panel(MIDDLE, ())) if status is accepted else ()
            submitted.append(work(who, one, *panels, status=status))
    return report_on(submitted)


# ---- where it is lost -----------------------------------------------------------------------------


def lost() -> PairScore:
    """Nine figures of two panels: most are alike, and each cause comes once."""
    first, second = (10, 0, 90, 100), (110, 0, 190, 100)
    a, b = range(2, 10), range(12, 20)
    others = {
        "alike": (panel(first, a), panel(second, b)),
        "no box": (panel(first, a),),
        "wrong box": (panel(first, a), panel((150, 0, 260, 100), b)),
        "another panel's": (panel(first, range(2, 14)), panel(second, range(14, 20))),
        "boundary": (panel(first, range(2, 8)), panel(second, b)),
        "surplus": (panel(first, a), panel(second, range(12, 28))),
        "missing": (panel(first, a), panel(second, range(16, 20))),
        "alike again": (panel(first, a), panel(second, b)),
        "alike still": (panel(first, a), panel(second, b)),
    }
    submitted: list[Annotation] = []
    for name, panels in others.items():
        one = figure(name, LONG)
        submitted += [work("ann", one, panel(first, a), panel(second, b)), work("ben", one, *panels)]
    return pair_scores(submitted, details=True)[0]


def lost_by_cause() -> dict[Loss, float]:
    """The same, by cause; it sums to 1 minus the score."""
    return known(mean_losses([lost()]))


# ---- boxes alone ----------------------------------------------------------------------------------

#: How much of four boxes, of the same width, the other annotator took.
HEIGHTS = (97, 88, 66, 42)


def four_boxes() -> Detection:
    """Four boxes of one annotator against four of another, with these IoUs in per cent."""
    gold = [(100.0 * place, 0.0, 100.0 * place + 100, 100.0) for place in range(4)]
    other = [(x0, y0, x1, float(high)) for (x0, y0, x1, _), high in zip(gold, HEIGHTS, strict=True)]
    return detect(np.array(gold), np.array([4]), np.array(other), np.array([4]))


# ---- work that began from a prediction --------------------------------------------------------------


def seeded() -> Report:
    """Six figures from a prediction, six from nothing."""
    return report_on(
        corpus((10, 10, 10, 10, 9, 9), "pre", seeded_by="classic-1") + corpus((10, 10, 9, 8, 7, 6), "raw")
    )


@dataclass(frozen=True, slots=True)
class Worst:
    """A figure of the worst list. score: mean F1; cause: what cost most."""

    figure: str
    score: float
    cause: str


def worst() -> list[Worst]:
    """The figures of `lost`, worst first."""
    from agreement.pairs.figure_scores import figure_means, worst_first

    return [
        Worst(each.figure, each.score, each.lost.display)
        for each in worst_first(figure_means([lost()]))
        if each.score is not None and each.lost is not None
    ]


#: Quick to compute and the same each time.
QUICK = Settings(resamples=10_000, seed=0)
