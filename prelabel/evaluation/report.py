"""An evaluation as plain values for JSON, figure by figure for CSV, numbers unrounded; and as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from agreement.report import (
    NAME,
    Col,
    ShortNames,
    Table,
    ceiling_lines,
    ceiling_record,
    joined,
    loss_table,
    named_lines,
    plain,
    score_text,
)
from panelwise.runtime import counted
from prelabel.effort.report import effort_record, parts_record, table_head, table_row
from prelabel.evaluation.cases import Variant
from prelabel.evaluation.scores import Evaluation, FigureOutcome, LabelOutcome

#: The table of figures, for JSON and CSV.
FIGURES: Table[FigureOutcome] = Table(
    (
        Col("figure_id", "figure_id", lambda row: row.figure_id),
        Col("document", "document", lambda row: row.document),
        Col("kept_apart", "kept_apart", lambda row: row.apart),
        Col("score", "score", lambda row: row.score),
        Col("gold", "gold", lambda row: row.gold),
        Col("predicted", "predicted", lambda row: row.predicted),
        Col("matched", "matched", lambda row: row.matched),
        Col("box_f1", "box_f1", lambda row: row.box_f1),
        Col("mean_iou", "mean_iou", lambda row: row.mean_iou),
        Col("labelled", "labelled", lambda row: row.labelled),
        Col("text_given_boxes", "text_given_boxes", lambda row: row.text_on_gold_boxes),
        Col("lost", "lost", lambda row: row.lost),
        Col("boxes_right", "boxes_right", lambda row: row.if_right.get(Variant.BOXES_RIGHT)),
        Col("labels_right", "labels_right", lambda row: row.if_right.get(Variant.LABELS_RIGHT)),
        Col("text_right", "text_right", lambda row: row.if_right.get(Variant.TEXT_RIGHT)),
        Col("mend", "mend", lambda row: row.best_fix),
    )
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
        "losses": plain(evaluation.losses),
        "effort": {key: value for key, value in effort_record(evaluation.effort).items() if key != "per_figure"},
        "reliability": None if evaluation.reliability is None else asdict(evaluation.reliability),
        "least_certain_first": None if evaluation.certainty is None else asdict(evaluation.certainty),
        "ceiling": ceiling_record(evaluation.ceiling),
        "captions": len(evaluation.captions),
        "captions_wrong": [_caption(outcome) for outcome in evaluation.captions if not outcome.same_sequence],
        "per_figure": FIGURES.records(evaluation.figures),
    }


def _caption(each: LabelOutcome) -> dict[str, Any]:
    return {
        "caption_id": each.caption.caption_id,
        "labels": list(each.caption.labels),
        "found": list(each.found),
        "set": each.same_set,
    }


#: The correction to make, by the variant that gains most.
_MENDS = {
    Variant.BOXES_RIGHT: "better boxes",
    Variant.LABELS_RIGHT: "labels on the right boxes",
    Variant.TEXT_RIGHT: "a better reading of the caption",
}


def evaluation_text(evaluation: Evaluation, *, worst: int = 10) -> str:
    """Return an evaluation as text, ending in a newline. worst: number of worst figures to list."""
    apart = f", {counted(len(evaluation.apart), 'article')} kept apart" if evaluation.apart else ""
    how = f"{evaluation.resamples} draws of articles, seed {evaluation.seed}" if evaluation.resamples else "none"
    lines = [
        "Pre-labels against gold",
        f"model: {evaluation.model}; {counted(len(evaluation.figures), 'figure')} of "
        f"{counted(evaluation.documents, 'article')}{apart}",
        f"metric: paper; box match threshold: IoU >= 0.5; intervals: {how}",
        *named_lines("gold figures without a prediction, left out", evaluation.missing),
        "",
    ]
    if evaluation.rows:
        lines += table_head(tuple(evaluation.rows[0].parts))
    for row in evaluation.rows:
        lines.append(table_row(row.name, row.parts))
    if evaluation.captions:
        lines.append(f"({counted(len(evaluation.captions), 'caption')} with known labels)")
    lines += _scores(evaluation)
    lines += loss_table(evaluation.losses)
    lines += ceiling_lines(evaluation.ceiling, ShortNames([evaluation.model], NAME))
    lines += _worst(evaluation, worst)
    return joined(lines)


def _scores(evaluation: Evaluation) -> Iterable[str]:
    found, order = evaluation.reliability, evaluation.certainty
    if found is None:
        return
    yield from ("", f"scores: calibration error {score_text(found.error)}, Brier score {score_text(found.brier)}")
    for each in found.ranges:
        yield (
            f"  {each.low:.1f} to {each.high:.1f}  {counted(each.count, 'subfigure'):>15s}, mean score "
            f"{score_text(each.score)}, right {score_text(each.right)}"
        )
    if order is not None:
        yield (
            f"  least certain first: area {score_text(order.area)} (random order 0.5, best "
            f"{score_text(order.best)});"
        )
        yield f"    {order.wrong} of {counted(order.figures, 'figure')} to edit"


def _worst(evaluation: Evaluation, number: int) -> Iterable[str]:
    found = evaluation.worst(number)
    if not found:
        return
    yield from (
        "",
        "worst figures: score; boxes found/gold/predicted; the most useful correction, and the score with it",
    )
    for each in found:
        yield (
            f"  {score_text(each.score)[:5]}  {each.matched}/{each.gold}/{each.predicted}  {each.figure_id}: "
            f"{_fix_text(each)}"
        )


def _fix_text(figure: FigureOutcome) -> str:
    """Describe the best correction of a figure and the score with it; the main loss if none gains."""
    mend = figure.best_fix
    if mend is not None:
        return f"{_MENDS[mend]} ({figure.if_right[mend]:.2f})"
    if figure.score is None:
        return "better boxes (no text to score)"
    return f"more than one thing ({figure.lost.display})" if figure.lost is not None else "better boxes"
