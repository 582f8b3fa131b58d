from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout

import agreement_reference as reference
import numpy as np
import pytest
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.columns.raw import RawAnnotation
from agreement.columns.scored import ScoredAnnotation
from agreement.models.average_precision import MISSING, average_precision
from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.subfigure_f1 import Panel
from panelwise.domain.annotation import Annotation, Status

Corners = tuple[float, float, float, float]
Q: Corners = (0, 0, 100, 100)
ELSEWHERE: Corners = (500, 300, 600, 400)


def drawn(number: int, *boxes: Corners) -> Annotation:
    parts = tuple(a_subfigure(str(place), box=box) for place, box in enumerate(boxes))
    return an_annotation(a_figure(f"f{number}"), annotator="gold", subfigures=parts)


def found(number: int, *boxes: tuple[Corners, float]) -> ScoredAnnotation:
    parts = tuple(a_subfigure(str(place), box=box) for place, (box, _) in enumerate(boxes))
    return ScoredAnnotation(
        a_figure(f"f{number}"),
        "model",
        "prediction",
        Status.ACCEPTED,
        parts,
        NOON,
        scores=tuple(score for _, score in boxes),
    )


def plain_ap(
    gold: Sequence[Sequence[Corners]], predicted: Sequence[Sequence[tuple[Corners, float]]], threshold: float
) -> tuple[float, float]:
    """AP at one IoU and the recall, from the definition: surest first, each to the best box that is still free."""
    ranked = sorted(
        ((-score, image, place) for image, boxes in enumerate(predicted) for place, (_, score) in enumerate(boxes))
    )
    free = [list(boxes) for boxes in gold]
    hits = []
    for _, image, place in ranked:
        overlaps = [reference.iou(predicted[image][place][0], box) for box in free[image]]
        # Of equal ones the evaluation takes the last.
        best = max(range(len(overlaps)), key=lambda each: (overlaps[each], each), default=None)
        hit = best is not None and overlaps[best] >= min(threshold, 1 - 1e-10)
        if hit and best is not None:
            del free[image][best]
        hits.append(hit)
    number = sum(map(len, gold))
    curve = []
    for place in range(len(hits)):
        true = sum(hits[: place + 1])
        curve.append((true / number, true / (place + 1)))
    total = 0.0
    for step in range(101):
        total += max((precision for recall, precision in curve if recall >= step * 0.01), default=0.0)
    return total / 101, sum(hits) / number


def test_a_case_worked_by_hand() -> None:
    gold = [drawn(1, Q), drawn(2, Q)]
    model = [found(1, (Q, 0.9), (ELSEWHERE, 0.8)), found(2, ((0, 0, 100, 72), 0.7))]
    result = average_precision(gold, model)
    # Right, wrong, and right up to IoU .7: precision 1 up to recall .5, then 2/3.
    loose, strict = (51 + 50 * 2 / 3) / 101, 51 / 101
    assert result.ap50 == pytest.approx(loose)
    assert result.ap75 == pytest.approx(strict)
    assert result.ap == pytest.approx((5 * loose + 5 * strict) / 10)
    assert result.ar == pytest.approx((5 * 1 + 5 * 0.5) / 10)
    assert (result.figures, result.gold, result.predicted, result.without_area, result.reason) == (2, 2, 3, 0, "")


def test_a_box_that_lies_just_at_a_threshold_passes_it() -> None:
    gold = [drawn(1, Q)]
    assert average_precision(gold, [found(1, ((0, 0, 100, 75), 0.9), (ELSEWHERE, 0.8))]).ap75 == pytest.approx(1)
    assert average_precision(gold, [found(1, ((0, 0, 100, 74.99), 0.9), (ELSEWHERE, 0.8))]).ap75 == 0


corners = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)).map(
    lambda v: (100.0 * v[0], 100.0 * v[1], 100.0 * (v[0] + v[2]), 100.0 * (v[1] + v[3]))
)
figures = st.lists(
    st.tuples(
        st.lists(corners, max_size=3),
        st.lists(st.tuples(corners, st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])), max_size=4),
    ),
    max_size=4,
)


@pytest.mark.slow
@settings(max_examples=30)
@given(figures)
def test_it_equals_the_definition(
    drawn_figures: list[tuple[list[Corners], list[tuple[Corners, float]]]],
) -> None:
    gold = [drawn(number, *boxes) for number, (boxes, _) in enumerate(drawn_figures)]
    model = [found(number, *boxes) for number, (_, boxes) in enumerate(drawn_figures)]
    result = average_precision(gold, model)
    if result.reason:
        assert (result.ap, result.ap50, result.ap75, result.ar) == (None,) * 4
        return
    plain = [
        plain_ap([boxes for boxes, _ in drawn_figures], [boxes for _, boxes in drawn_figures], threshold)
        for threshold in IOU_THRESHOLDS
    ]
    assert result.ap50 == pytest.approx(plain[0][0])
    assert result.ap75 == pytest.approx(plain[5][0])
    assert result.ap == pytest.approx(sum(ap for ap, _ in plain) / 10)
    assert result.ar == pytest.approx(sum(recall for _, recall in plain) / 10)


def records(figures: Sequence[Sequence[tuple[Corners, float]]]) -> list[dict[str, object]]:
    every = [(image, box, score) for image, boxes in enumerate(figures, start=1) for box, score in boxes]
    return [
        {
            "id": number,
            "image_id": image,
            "category_id": 1,
            "bbox": [x0, y0, x1 - x0, y1 - y0],
            "area": (x1 - x0) * (y1 - y0),
            "iscrowd": 0,
            "score": score,
        }
        for number, (image, (x0, y0, x1, y1), score) in enumerate(every, start=1)
    ]


def by_pycocotools(
    gold: Sequence[Sequence[Corners]], predicted: Sequence[Sequence[tuple[Corners, float]]]
) -> tuple[float, float, float, float]:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with redirect_stdout(io.StringIO()):
        sides = []
        for boxes in ([[(box, 1.0) for box in own] for own in gold], predicted):
            side = COCO()
            side.dataset = {
                "images": [{"id": number + 1} for number in range(len(gold))],
                "categories": [{"id": 1, "name": "subfigure"}],
                "annotations": records(boxes),
            }
            side.createIndex()
            sides.append(side)
        evaluation = COCOeval(*sides, "bbox")
        evaluation.params.iouThrs = np.array(IOU_THRESHOLDS)
        evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0.0, float("inf")]], ["all"]
        evaluation.params.maxDets = [100]
        evaluation.evaluate()
        evaluation.accumulate()
    precision, recall = evaluation.eval["precision"][:, :, 0, 0, 0], evaluation.eval["recall"][:, 0, 0, 0]
    return precision.mean(), precision[0].mean(), precision[5].mean(), recall.mean()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_it_equals_pycocotools_on_many_boxes(seed: int) -> None:
    pytest.importorskip("pycocotools", reason="install pycocotools, which this is held against")
    rng = np.random.default_rng(seed)
    gold: list[list[Corners]] = []
    predicted: list[list[tuple[Corners, float]]] = []
    for _ in range(60):
        # Up to 130 answers on a figure: more than COCO looks at.
        number, surplus = rng.integers(0, 9), rng.integers(0, 130 if seed == 3 else 6)
        sides = rng.uniform(5, 200, (number, 2))
        starts = rng.uniform(0, 350, (number, 2))
        drawn_boxes = np.hstack([starts, starts + sides])
        near = drawn_boxes + rng.normal(0, 6, drawn_boxes.shape)
        far = rng.uniform(0, 390, (surplus, 2))
        found_boxes = np.vstack([near, np.hstack([far, far + rng.uniform(5, 200, (surplus, 2))])])
        found_boxes = found_boxes.clip(0, 600)
        found_boxes[:, 2:] = np.maximum(found_boxes[:, 2:], found_boxes[:, :2] + 1)
        scores = rng.integers(1, 100, len(found_boxes)) / 100
        gold.append([tuple(box) for box in drawn_boxes.tolist()])
        predicted.append([(tuple(box), score) for box, score in zip(found_boxes.tolist(), scores, strict=True)])
    result = average_precision(
        [drawn(number, *boxes) for number, boxes in enumerate(gold)],
        [found(number, *boxes) for number, boxes in enumerate(predicted)],
    )
    assert (result.ap, result.ap50, result.ap75, result.ar) == pytest.approx(by_pycocotools(gold, predicted))
    assert result.ap is not None
    assert 0.01 < result.ap < 0.95


def test_a_model_that_draws_nothing_has_an_ap_of_0_and_one_that_draws_the_gold_of_1() -> None:
    gold = [drawn(1, Q, ELSEWHERE), drawn(2)]
    assert average_precision(gold, [found(1), found(2)]).ap == 0
    perfect = average_precision(gold, [found(1, (Q, 0.9), (ELSEWHERE, 0.4)), found(2)])
    assert (perfect.ap, perfect.ap50, perfect.ap75, perfect.ar) == pytest.approx((1, 1, 1, 1))


@pytest.mark.parametrize(
    ("gold", "model", "reason"),
    [
        (drawn(1, Q), drawn(1, Q), "it carries no scores"),
        (drawn(1), found(1, (Q, 0.5)), "the gold has no box"),
        (
            drawn(1, Q),
            found(1, (Q, 0.5), (ELSEWHERE, 0.5)),
            "every score is 0.5, so that the order of the figures alone would decide",
        ),
    ],
)
def test_where_it_is_undefined_there_is_a_reason(gold: Annotation, model: Annotation, reason: str) -> None:
    result = average_precision([gold], [model])
    assert (result.ap, result.ap50, result.ap75, result.ar, result.reason) == (None, None, None, None, reason)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hotcoco", None)
    result = average_precision([drawn(1, Q)], [found(1, (Q, 0.9), (ELSEWHERE, 0.8))])
    assert (result.ap, result.reason) == (None, MISSING)
    assert "panelwise[coco]" in MISSING


def test_boxes_without_area_are_no_gold_and_answer_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    figure = a_figure()
    flat = Panel((10, 10, 10, 50), (4,))
    gold = RawAnnotation(figure, "gold", "1", Status.ACCEPTED, (flat, Panel(Q, (4,))), (), NOON)
    model = RawAnnotation(
        figure, "m", "prediction", Status.ACCEPTED, (flat, Panel(Q, (4,))), (), NOON, scores=(0.2, 0.9)
    )
    result = average_precision([gold], [model])
    assert (result.gold, result.without_area, result.predicted, result.ar) == (1, 1, 2, 1)
    assert result.ap == pytest.approx(1)
    assert capsys.readouterr().out == ""
