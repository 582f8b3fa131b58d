"""COCO's average precision of a model's boxes (Lin et al. 2014), by hotcoco: one class, figures as images.

Only for predictions with different scores: with one score for all, the precision at a given recall depends on the
order of the images alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.columns.raw import Submitted, panels_of
from agreement.columns.scored import NO_SCORES, joined_scores
from agreement.primitives.iou import Boxes, Vector
from agreement.score.detection import IOU_THRESHOLDS

#: The one class.
CATEGORY = {"id": 1, "name": "subfigure"}
#: COCO evaluates the 100 boxes of an image with the highest scores.
MAX_BOXES = 100
MISSING = 'average precision needs hotcoco; install "panelwise[coco]"'


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """ap: mean over IoU .50:.05:.95; ap50, ap75: at one IoU; ar: mean recall, of at most 100 boxes a figure.

    All None if undefined, and `reason` says why ("" otherwise). figures: images, those without a box too. gold,
    predicted: boxes; without_area: gold boxes left out, as nothing can overlap them.
    """

    ap: float | None
    ap50: float | None
    ap75: float | None
    ar: float | None
    figures: int
    gold: int
    predicted: int
    without_area: int
    reason: str


def average_precision(gold: Sequence[Submitted], predicted: Sequence[Submitted]) -> AveragePrecision:
    """Return the AP of the boxes of F works against the gold's, figure by figure, with or without text.

    Boxes with equal scores are ordered by figure, then as stored.
    """
    ours = [_corners(work) for work in gold]
    theirs = [_corners(work) for work in predicted]
    whole = [boxes[(boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])] for boxes in ours]
    drawn, kept = sum(map(len, ours)), sum(map(len, whole))
    confidences = joined_scores(predicted)
    numbers: tuple[float, float, float, float] | None = None
    reason = _why_none(confidences, kept)
    if not reason and confidences is not None:
        try:
            numbers = _evaluated(whole, theirs, confidences)
        except ModuleNotFoundError:
            reason = MISSING
    ap, ap50, ap75, ar = numbers or (None, None, None, None)
    return AveragePrecision(ap, ap50, ap75, ar, len(gold), kept, sum(map(len, theirs)), drawn - kept, reason)


def _corners(work: Submitted) -> Boxes:
    return np.array([panel.box for panel in panels_of(work)], dtype=np.float64).reshape(-1, 4)


def _why_none(confidences: Vector | None, gold: int) -> str:
    if confidences is None:
        return NO_SCORES
    if not gold:
        return "the gold has no box"
    if len(confidences) and confidences.min() == confidences.max():
        return f"every score is {confidences[0]:g}, so that the order of the figures alone would decide"
    return ""


def _evaluated(
    gold: Sequence[Boxes], predicted: Sequence[Boxes], confidences: Vector
) -> tuple[float, float, float, float]:
    """Return AP, AP50, AP75, AR. Raises ModuleNotFoundError without hotcoco."""
    from hotcoco import COCO, COCOeval

    truth = COCO(_dataset(_records(gold), len(gold)))
    found = COCO(_dataset(_records(predicted, confidences), len(gold)))
    evaluation = COCOeval(truth, found, "bbox")
    evaluation.params.iouThrs = list(IOU_THRESHOLDS)
    evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0.0, float("inf")]], ["all"]
    evaluation.params.maxDets = [MAX_BOXES]
    evaluation.evaluate()
    evaluation.accumulate()
    # (thresholds, recalls, classes, areas, maxDets); no place is -1, as there is gold of the one class.
    found_out: Any = evaluation.eval
    precision, recall = found_out["precision"][:, :, 0, 0, 0], found_out["recall"][:, 0, 0, 0]
    at = {threshold: float(precision[place].mean()) for place, threshold in enumerate(IOU_THRESHOLDS)}
    return float(precision.mean()), at[0.5], at[0.75], float(recall.mean())


def _dataset(records: list[dict[str, Any]], figures: int) -> dict[str, Any]:
    return {
        "images": [{"id": number + 1} for number in range(figures)],
        "categories": [CATEGORY],
        "annotations": records,
    }


def _records(figures: Iterable[Boxes], confidences: Vector | None = None) -> list[dict[str, Any]]:
    """Return boxes as COCO's records. Ids start at 1: the evaluation uses 0 for "not matched"."""
    records: list[dict[str, Any]] = []
    for image, boxes in enumerate(figures, start=1):
        for x0, y0, x1, y1 in boxes.tolist():
            width, height = x1 - x0, y1 - y0
            records.append(
                {
                    "id": len(records) + 1,
                    "image_id": image,
                    "category_id": CATEGORY["id"],
                    "bbox": [x0, y0, width, height],
                    "area": width * height,
                    "iscrowd": 0,
                }
            )
            if confidences is not None:
                records[-1]["score"] = float(confidences[len(records) - 1])
    return records
