"""Reports as CSV tables for spreadsheets: numbers unrounded, an empty cell where a value is undefined."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from agreement.metrics.detection import IOU_THRESHOLDS
from agreement.metrics.losses import Loss
from agreement.metrics.pairwise import detailed, mean_losses
from agreement.metrics.summary import Report

#: What begins a formula in spreadsheets; a name that begins so gets an apostrophe before it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report_tables(report: Report) -> dict[str, str]:
    """File name -> CSV text of a report: pairs.csv, annotators.csv, figures.csv; lines end in CRLF (RFC 4180)."""
    return {
        "pairs.csv": _table(_PAIR_COLUMNS, _pairs(report)),
        "annotators.csv": _table(_ANNOTATOR_COLUMNS, _annotators(report)),
        "figures.csv": _table(_FIGURE_COLUMNS, _figures(report)),
    }


_LOSS_COLUMNS = tuple(f"lost: {cause}" for cause in Loss)
_BOX_COLUMNS = tuple(f"box F1 at {threshold:.2f}" for threshold in IOU_THRESHOLDS)
_PAIR_COLUMNS = (
    *("gold", "predicted", "score", "low", "high", "reason", "counted", "figures"),
    *_LOSS_COLUMNS,
    *_BOX_COLUMNS,
    "mean IoU",
)
_ANNOTATOR_COLUMNS = (
    *("annotator", "figures", "accepted", "subfigures", "as gold", "as predicted", "IAA without"),
)
_FIGURE_COLUMNS = ("figure_id", "score", "counted", "lost most to")


def _pairs(report: Report) -> Iterable[Sequence[object]]:
    for pair, interval in zip(report.pairs, report.intervals.pairs, strict=True):
        low, high = interval if interval is not None else (None, None)
        losses: Mapping[Loss, float | None] = mean_losses([pair]) or dict.fromkeys(Loss)
        boxes = detailed(pair).detection
        yield (
            *(pair.gold, pair.predicted, pair.score, low, high, pair.reason, pair.counted, len(pair.figures)),
            *(losses[cause] for cause in Loss),
            *(boxes.f1(threshold) for threshold in IOU_THRESHOLDS),
            boxes.mean_iou(),
        )


def _annotators(report: Report) -> Iterable[Sequence[object]]:
    for each in report.annotators:
        yield (
            *(each.name, each.figures, each.accepted, each.subfigures),
            *(each.as_gold, each.as_predicted, each.without),
        )


def _figures(report: Report) -> Iterable[Sequence[object]]:
    for each in report.figures:
        yield each.figure, each.score, each.counted, each.lost


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return repr(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
