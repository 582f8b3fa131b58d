"""Comparisons with gold as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable

from agreement.models.comparison import Comparison
from agreement.report.text.ceiling import ceiling_lines
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import (
    MEAN_OF_MEANS,
    NAME,
    NOTHING_COUNTS,
    boxes_lines,
    head,
    interval_line,
    joined,
    left_out_text,
    legend_lines,
    loss_table,
    named_lines,
    pair_table,
    passed_lines,
    score_text,
    superseded_lines,
)
from agreement.report.text.ranking import ranking_lines
from agreement.report.text.sweep import best_lines, confidence_table, precision_lines, sweep_table
from panelwise.runtime import counted


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text: the score and its parts for one, the ranking for several."""
    lines = [*head("Comparison with gold", comparison.settings, None), ""]
    names = ShortNames((name for pair in comparison.pairs for name in (pair.gold, pair.predicted)), NAME)
    if len(comparison.pairs) > 1:
        lines += [*ranking_lines(comparison, names), *_coverage(comparison)]
    else:
        lines += [*_of_one(comparison), *_coverage(comparison), *_parts_of_one(comparison, names)]
    lines += ceiling_lines(comparison.ceiling, names)
    lines += legend_lines((names, ""))
    return joined(lines)


def _of_one(comparison: Comparison) -> Iterable[str]:
    reason = f"   ({comparison.reason})" if comparison.reason else ""
    yield f"score              {score_text(comparison.score)}{reason}"
    if comparison.pairs:
        settings, interval = comparison.settings, comparison.interval
        yield f"  95 % CI          {interval_line(interval, comparison.intervals, settings)}"
    mean = MEAN_OF_MEANS if comparison.macro is not None else f"({comparison.reason or NOTHING_COUNTS})"
    yield f"  per figure       {score_text(comparison.macro)}   {mean}"


def _coverage(comparison: Comparison) -> Iterable[str]:
    """Return what counted and what did not, on both sides."""
    figures = {figure for pair in comparison.pairs for figure in pair.figures}
    several = ", all together" if len(comparison.pairs) > 1 else ""
    yield (
        f"counted            {counted(comparison.counted, 'gold subfigure')}{several}, in {len(figures)} of "
        f"{counted(comparison.gold_figures, 'gold figure')}"
    )
    yield f"gold left out      {left_out_text(comparison.left_out, several=bool(several))}"
    yield from passed_lines(comparison.passed)
    nobody = " of any" if len(comparison.pairs) > 1 else ""
    yield from named_lines(f"gold figures without a prediction{nobody}, left out", comparison.missing)
    yield from named_lines("predicted figures without gold, left out", comparison.surplus)
    yield from superseded_lines(comparison.superseded)


def _parts_of_one(comparison: Comparison, names: ShortNames) -> Iterable[str]:
    yield from loss_table(comparison.losses)
    yield from boxes_lines(comparison.boxes)
    if not comparison.pairs:
        return
    (pair,) = comparison.pairs
    for curves in comparison.curves:
        yield from precision_lines(curves.precision)
        yield from ("", *sweep_table([(pair.predicted, curves.iou)], names))
        yield from confidence_table(curves.confidence, names)
        yield from best_lines([(pair.predicted, curves.confidence)])
    yield from ("", *pair_table(comparison, names))
