"""Score a pre-labeller against gold: boxes, subcaptions, end to end, editing work, captions' labels; worst
figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from agreement.columns import Submitted
from agreement.models import Ceiling, human_ceiling
from agreement.pairs import PairScore, compare, detailed, latest, pair_scores, pooled_losses
from agreement.primitives import RESAMPLES, Vector
from agreement.resampling import Measure, Part, Ratio, compare_clusters
from agreement.score import CAUSES, Detection, Loss, detect_subfigures
from panelwise.domain import Annotation, certainty_of
from prelabel.effort.measuring import Effort, Pair, effort
from prelabel.evaluation.cases import GOLD, Case, Variant, folded

#: The metric's threshold, and stricter ones.
BOX_THRESHOLDS = (0.5, 0.75, 0.9)


_PARTS = re.compile(r"\d+|\D")


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """A caption with known panel labels. article: the cluster for intervals, "" for one of its own."""

    caption_id: str
    text: str
    labels: tuple[str, ...]
    article: str


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """The labels found in one caption, with the right ones."""

    caption: LabelledCaption
    found: tuple[str, ...]

    @property
    def same_set(self) -> bool:
        """True if exactly the right labels were found, in any order."""
        return set(self.found) == set(self.caption.labels)

    @property
    def same_sequence(self) -> bool:
        """True if they were found in the right order, with ranges sorted on both sides."""
        return ranges_in_order(self.found) == ranges_in_order(self.caption.labels)


def ranges_in_order(labels: Iterable[str]) -> list[str]:
    """Return the distinct labels, with a label after the pair it lies between moved inside: "b, d, c" is b, c, d.

    So a range, of which articles' markup has the ends only ("(b-d) ... (c)"), equals its labels in full. Other
    labels out of order stay: "b, a" is b, a.
    """
    ordered: list[str] = []
    for label in dict.fromkeys(labels):
        place = len(ordered)
        for position in range(len(ordered) - 1):
            if _key(ordered[position]) < _key(label) < _key(ordered[position + 1]):
                place = position + 1
                break
        ordered.insert(place, label)
    return ordered


def _key(label: str) -> list[tuple[int, int, str]]:
    """Sort numbers in a label by value: "a2" before "a10"; case is ignored."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _PARTS.findall(label.casefold())]


@dataclass(frozen=True, slots=True)
class Row:
    """One number, over all figures and over parts of them. key: for scripts. name: for people."""

    key: str
    name: str
    parts: Mapping[Part, Ratio]


@dataclass(frozen=True, slots=True)
class FigureOutcome:
    """One figure. score: end to end; None if no gold subfigure counts. lost: cause of the largest loss.

    apart: its document is, see `evaluate`. gold, predicted, matched: number of boxes, matched at IoU .5. labelled:
    matched boxes with the gold's label. if_right: the score if the boxes, the labels or the text were corrected.
    """

    figure_id: str
    document: str
    apart: bool
    score: float | None
    gold: int
    predicted: int
    matched: int
    mean_iou: float | None
    labelled: int
    text_on_gold_boxes: float | None
    lost: Loss | None
    if_right: Mapping[Variant, float]

    @property
    def box_f1(self) -> float:
        """F1 of the boxes at IoU .5."""
        return 2 * self.matched / max(1, self.gold + self.predicted)

    @property
    def right(self) -> bool:
        """Return whether the boxes at IoU .5 and the words are the gold's: nothing to edit but corners."""
        return self.box_f1 == 1.0 and self.score in (None, 1.0)

    @property
    def best_fix(self) -> Variant | None:
        """The correction that gains most, of equal ones the smallest; None without gain."""
        gains = {variant: score - (self.score or 0.0) for variant, score in self.if_right.items()}
        best = max(gains, key=lambda variant: gains[variant], default=None)
        return best if best is not None and gains[best] > 0.0 else None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All measurements. losses: difference of the end-to-end score to 1, by cause.

    figures: all, by id. captions: all with known labels. missing: gold figures without a prediction, which are
    left out. apart: separate documents. reliability, certainty: of the model's scores, None without any. ceiling:
    None unless people's work was given.
    """

    model: str
    rows: tuple[Row, ...]
    losses: Mapping[Loss, float] | None
    figures: tuple[FigureOutcome, ...]
    effort: Effort
    captions: tuple[LabelOutcome, ...]
    missing: tuple[str, ...]
    documents: int
    apart: tuple[str, ...]
    resamples: int
    seed: int
    reliability: Reliability | None = None
    certainty: LeastCertainFirst | None = None
    ceiling: Ceiling | None = None

    def row(self, key: str) -> Row:
        """Return the number of that key. Raises KeyError if it was not measured."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(key)

    def worst(self, number: int) -> Sequence[FigureOutcome]:
        """Return the figures with the lowest end-to-end score, ties by box F1."""
        order = sorted(
            self.figures,
            key=lambda figure: (
                figure.box_f1 if figure.score is None else figure.score,
                figure.box_f1,
                figure.figure_id,
            ),
        )
        return [each for each in order if not each.right][:number]


def evaluate(
    cases: Iterable[Case],
    *,
    model: str,
    captions: Sequence[LabelOutcome] = (),
    missing: Sequence[str] = (),
    apart: Collection[str] = (),
    people: Iterable[Submitted] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Evaluation:
    """Score each case, and all together; the reference documents the protocol of every number.

    apart: documents whose figures were not looked at. people: annotators whose agreement with each other is the
    ceiling. Intervals are from draws of documents.
    """
    every = sorted(cases, key=lambda each: each.figure_id)
    documents = [each.document for each in every]
    scored = _scores(every)
    work = effort(
        [Pair(each.gold.figure, each.gold.subfigures, each.predicted, each.document) for each in every],
        apart=apart,
        resamples=resamples,
        seed=seed,
    )
    detections = [detect_subfigures(each.gold.subfigures, each.predicted) for each in every]
    labelled = [_labelled(each) for each in every]
    measures = [*_box_measures(detections, labelled), *_text_measures(scored)]
    rows = _rows(measures, documents, apart, resamples, seed)
    rows += [Row(f"saved_{saving.key}", f"saved: {saving.name}", saving.saved) for saving in work.savings]
    rows += _rows(
        _caption_measures(captions),
        [outcome.caption.article or outcome.caption.caption_id for outcome in captions],
        apart,
        resamples,
        seed,
    )
    end_to_end = scored.get(Variant.AS_PREDICTED)
    figures = tuple(_outcomes(every, apart, detections, labelled, scored))
    certain = [
        (certainty, not figure.right)
        for case, figure in zip(every, figures, strict=True)
        if (certainty := certainty_of(case.scores or ())) is not None
    ]
    return Evaluation(
        model,
        tuple(rows),
        pooled_losses([end_to_end]) if end_to_end is not None else None,
        figures,
        work,
        tuple(captions),
        tuple(missing),
        len(set(documents)),
        tuple(sorted(set(documents) & set(apart))),
        resamples,
        seed,
        Reliability.of(*judged(every)),
        LeastCertainFirst.of([score for score, _ in certain], [wrong for _, wrong in certain]),
        None
        if people is None or end_to_end is None
        else _ceiling(
            people,
            replace(end_to_end, predicted=model, articles={each.figure_id: each.document for each in every}),
            resamples,
            seed,
        ),
    )


def _ceiling(people: Iterable[Submitted], end_to_end: PairScore, resamples: int, seed: int) -> Ceiling:
    work, _ = latest(people)
    return human_ceiling(pair_scores(work), [end_to_end], resamples=resamples, seed=seed)


def _scores(cases: Sequence[Case]) -> dict[Variant, PairScore]:
    """Score by the `paper` metric; figures in the order of the cases."""
    gold = [
        Annotation(case.gold.figure, GOLD, GOLD, case.gold.status, case.gold.subfigures, case.gold.saved_at)
        for case in cases
    ]
    answers = [variant for case in cases for variant in case.variants()]
    return {Variant(pair.predicted): pair for pair in compare(gold, answers, details=True)}


def _labelled(case: Case) -> tuple[int, int]:
    """Return how many matched boxes have the gold box's label, and the number of matched boxes.

    Pairs without text on both sides are skipped, since their label has no use.
    """
    pairs = [(case.gold.subfigures[mine], case.predicted[other]) for mine, other in case.answers()]
    asked = [(mine, other) for mine, other in pairs if mine.subcaption or other.subcaption]
    return sum(folded(mine.label) == folded(other.label) for mine, other in asked), len(asked)


def _vector(values: Iterable[float]) -> Vector:
    return np.array(list(values), dtype=np.float64)


def _box_measures(detections: Sequence[Detection], labelled: Sequence[tuple[int, int]]) -> list[Measure]:
    drawn = _vector(detection.gold + detection.other for detection in detections)
    measures = [
        Measure(
            f"box_f1_{round(100 * threshold)}",
            f"box F1 at IoU {threshold:.2f}",
            _vector(2 * detection.matched(threshold) for detection in detections),
            drawn,
        )
        for threshold in BOX_THRESHOLDS
    ]
    hits = [detection.ious[detection.ious >= BOX_THRESHOLDS[0]] for detection in detections]
    right, number = (_vector(each[place] for each in labelled) for place in (0, 1))
    same = _vector(detection.gold == detection.other for detection in detections)
    return [
        *measures,
        Measure("mean_iou", "mean IoU of matches", _vector(hit.sum() for hit in hits), _vector(map(len, hits))),
        Measure("box_count", "number of boxes right", same, np.ones(len(detections))),
        Measure("labels", "labels of matched boxes", right, number),
    ]


def _text_measures(scored: Mapping[Variant, PairScore]) -> list[Measure]:
    named = (
        (Variant.BOXES_RIGHT, "text_given_boxes", "subcaptions, gold boxes"),
        (Variant.BOXES_ALONE, "text_given_boxes_alone", "  their labels found"),
        (Variant.AS_PREDICTED, "end_to_end", "end to end (paper)"),
    )
    return [
        Measure(key, name, scored[variant].totals, scored[variant].counts.astype(np.float64))
        for variant, key, name in named
        if variant in scored
    ]


def _caption_measures(captions: Sequence[LabelOutcome]) -> list[Measure]:
    if not captions:
        return []
    each = np.ones(len(captions))
    return [
        Measure("caption_set", "caption labels: set", _vector(one.same_set for one in captions), each),
        Measure("caption_sequence", "caption labels: order", _vector(one.same_sequence for one in captions), each),
    ]


def _rows(
    measures: Sequence[Measure], documents: Sequence[str], apart: Collection[str], resamples: int, seed: int
) -> list[Row]:
    found = compare_clusters(measures, documents, apart, resamples=resamples, seed=seed)
    return [
        Row(measure.key, measure.name, {part: own[place] for part, own in found.items()})
        for place, measure in enumerate(measures)
    ]


def _outcomes(
    cases: Sequence[Case],
    apart: Collection[str],
    detections: Sequence[Detection],
    labelled: Sequence[tuple[int, int]],
    scored: Mapping[Variant, PairScore],
) -> Iterable[FigureOutcome]:
    for place, (case, detection, labels) in enumerate(zip(cases, detections, labelled, strict=True)):
        means = {
            variant: float(pair.totals[place] / pair.counts[place])
            for variant, pair in scored.items()
            if pair.counts[place]
        }
        losses = detailed(scored[Variant.AS_PREDICTED]).losses[place]
        yield FigureOutcome(
            figure_id=case.figure_id,
            document=case.document,
            apart=case.document in apart,
            score=means.get(Variant.AS_PREDICTED),
            gold=detection.gold,
            predicted=detection.other,
            matched=detection.matched(BOX_THRESHOLDS[0]),
            mean_iou=detection.mean_iou(),
            labelled=labels[0],
            text_on_gold_boxes=means.get(Variant.BOXES_RIGHT),
            lost=CAUSES[int(losses.argmax())] if losses.any() else None,
            if_right={
                variant: means[variant]
                for variant in (Variant.LABELS_RIGHT, Variant.TEXT_RIGHT, Variant.BOXES_RIGHT)
                if variant in means
            },
        )


#: The ranges of scores that are compared with the share that is right.
_EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

#: A subfigure's text is right from this token F1 on.
MIN_F1 = 0.5


@dataclass(frozen=True, slots=True)
class _Range:
    """The subfigures with a score from `low` to below `high`: their mean score, and the share that is right."""

    low: float
    high: float
    count: int
    score: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The calibration of scores.

    error: expected calibration error, the mean distance of score and share right over the ranges, weighed by their
    counts. brier: mean squared distance of each score to 1 (right) or 0.
    """

    ranges: tuple[_Range, ...]
    count: int
    error: float
    brier: float

    @classmethod
    def of(cls, scores: Sequence[float], right: Sequence[bool]) -> Reliability | None:
        """That of scores in [0, 1] and whether each subfigure is right, in one order; None of none."""
        score, hit = np.array(scores, dtype=np.float64), np.array(right, dtype=np.float64)
        if not len(score):
            return None
        ranges = []
        for low, high in pairwise(_EDGES):
            inside = (score >= low) & ((score < high) | (high == _EDGES[-1]))
            if inside.any():
                mean, share = float(score[inside].mean()), float(hit[inside].mean())
                ranges.append(_Range(low, high, int(inside.sum()), mean, share))
        error = sum(abs(each.score - each.right) * each.count for each in ranges) / len(score)
        return cls(tuple(ranges), len(score), error, float(((score - hit) ** 2).mean()))


@dataclass(frozen=True, slots=True)
class LeastCertainFirst:
    """Looking at figures from the least certain on: how soon are those found that need edits?

    area: under the curve of the share found over the share looked at; random order has .5, the best order `best`.
    """

    figures: int
    wrong: int
    area: float
    best: float

    @classmethod
    def of(cls, certainty: Sequence[float], wrong: Sequence[bool]) -> LeastCertainFirst | None:
        """That of each figure's score and whether it needs edits, in one order; None if none or all do."""
        missed = np.array(wrong, dtype=bool)
        figures, number = len(missed), int(missed.sum())
        if number in (0, figures):
            return None
        # Figures of one score come in any order: each at their mean place.
        _, groups, counts = np.unique(np.array(certainty), return_inverse=True, return_counts=True)
        places: Vector = (counts.cumsum() - (counts - 1) / 2.0)[groups][missed]
        area = float(np.mean(1.0 - (places - 0.5) / figures))
        return cls(figures, number, area, 1.0 - number / (2.0 * figures))


def judged(cases: Sequence[Case]) -> tuple[list[float], list[bool]]:
    """The score of each predicted subfigure, and whether its box and most of its text are right.

    Right is a match with a gold box, each matched once, and a token F1 of at least .5 with its words; no words on
    both sides are right. Cases without scores are left out.
    """
    scores: list[float] = []
    right: list[bool] = []
    for case in cases:
        if case.scores is None:
            continue
        counted = case.gold.figure.caption.counted
        answers = {other: case.gold.subfigures[mine] for mine, other in case.answers()}
        for place, (score, found) in enumerate(zip(case.scores, case.predicted, strict=True)):
            truth = answers.get(place)
            scores.append(score)
            if truth is None:
                right.append(False)
                continue
            one, other = found.subcaption & counted, truth.subcaption & counted
            right.append(2 * len(one & other) >= MIN_F1 * (len(one) + len(other)))
    return scores, right
