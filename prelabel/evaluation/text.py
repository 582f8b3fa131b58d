"""An evaluation as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable

from agreement.report import NAME, ShortNames, ceiling_lines, joined, loss_table, named_lines, score_text
from panelwise.runtime import counted
from prelabel.effort.text import table_head, table_row
from prelabel.evaluation.cases import Variant
from prelabel.evaluation.scores import Evaluation, FigureOutcome

#: The correction to make, by the variant that gains most.
MENDS = {
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
            f"{fix_text(each)}"
        )


def fix_text(figure: FigureOutcome) -> str:
    """Describe the best correction of a figure and the score with it; the main loss if none gains."""
    mend = figure.best_fix
    if mend is not None:
        return f"{MENDS[mend]} ({figure.if_right[mend]:.2f})"
    if figure.score is None:
        return "better boxes (no text to score)"
    return f"more than one thing ({figure.lost.display})" if figure.lost is not None else "better boxes"
