"""An evaluation as plain values for JSON, and figure by figure for CSV; numbers unrounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from agreement.report import ceiling_record, losses_record
from prelabel.effort.records import effort_record, parts_record
from prelabel.evaluation.cases import Variant
from prelabel.evaluation.labels import LabelOutcome
from prelabel.evaluation.scores import Evaluation, FigureOutcome

#: Columns of the table of figures.
COLUMNS = (
    *("figure_id", "document", "kept_apart", "score", "gold", "predicted", "matched", "box_f1", "mean_iou"),
    *("labelled", "text_given_boxes", "lost", "boxes_right", "labels_right", "text_right", "mend"),
)


def evaluation_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain values. Scripts rely on the keys."""
    return {
        "model": evaluation.model,
        "figures": len(evaluation.figures),
        "articles": evaluation.documents,
        "kept_apart": list(evaluation.apart),
        "without_prediction": list(evaluation.missing),
        "bootstrap": evaluation.resamples,
        "seed": evaluation.seed,
        "measures": {row.key: {"name": row.name.strip(), **parts_record(row.parts)} for row in evaluation.rows},
        "losses": losses_record(evaluation.losses),
        "effort": {key: value for key, value in effort_record(evaluation.effort).items() if key != "per_figure"},
        "reliability": None if evaluation.reliability is None else asdict(evaluation.reliability),
        "least_certain_first": None if evaluation.certainty is None else asdict(evaluation.certainty),
        "ceiling": ceiling_record(evaluation.ceiling),
        "captions": len(evaluation.captions),
        "captions_wrong": [_caption(each) for each in evaluation.captions if not each.same_sequence],
        "per_figure": list(figure_rows(evaluation)),
    }


def figure_rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield one row per figure, with `COLUMNS` as keys."""
    for each in evaluation.figures:
        yield _figure(each, each.document in evaluation.apart)


def _figure(each: FigureOutcome, apart: bool) -> dict[str, Any]:
    return {
        "figure_id": each.figure_id,
        "document": each.document,
        "kept_apart": apart,
        "score": each.score,
        "gold": each.gold,
        "predicted": each.predicted,
        "matched": each.matched,
        "box_f1": each.box_f1,
        "mean_iou": each.mean_iou,
        "labelled": each.labelled,
        "text_given_boxes": each.text_on_gold_boxes,
        "lost": None if each.lost is None else each.lost.value,
        "boxes_right": each.if_right.get(Variant.BOXES_RIGHT),
        "labels_right": each.if_right.get(Variant.LABELS_RIGHT),
        "text_right": each.if_right.get(Variant.TEXT_RIGHT),
        "mend": None if each.best_fix is None else each.best_fix.value,
    }


def _caption(each: LabelOutcome) -> dict[str, Any]:
    return {
        "caption_id": each.caption.caption_id,
        "labels": list(each.caption.labels),
        "found": list(each.found),
        "set": each.same_set,
    }
