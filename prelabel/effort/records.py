"""Editing work as plain values for JSON, and figure by figure for CSV; numbers unrounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from agreement.resampling import Part, Ratio
from prelabel.effort.editing import Editing
from prelabel.effort.keystrokes import ACTIONS, Operators
from prelabel.effort.measuring import Effort, FigureEffort

#: Columns of the table of figures.
COLUMNS = (
    *("figure_id", "document", "predicted", "seconds", "seconds_from_nothing", "box_operations"),
    *(field.name for field in fields(Editing)),
    *("box_operations_from_nothing", "toggled_from_nothing", "spans_added_from_nothing"),
)


def effort_record(effort: Effort) -> dict[str, Any]:
    """Return the work as plain values. Scripts rely on the keys."""
    return {
        "keep_iou": effort.keep,
        "operators": asdict(effort.operators),
        "actions": {
            action.name: {"operators": action.operators, "seconds": action.seconds(effort.operators)}
            for action in ACTIONS
        },
        "figures": len(effort.figures),
        "without_prediction": list(effort.missing),
        "needed": asdict(effort.needed),
        "from_nothing": asdict(effort.nothing),
        "saved": {
            saving.key: {
                "needed": saving.needed,
                "from_nothing": saving.nothing,
                **{part.value: ratio_record(ratio) for part, ratio in saving.saved.items()},
            }
            for saving in effort.savings
        },
        "box_operations_saved_at_iou": {f"{iou:.2f}": ratio_record(ratio) for iou, ratio in effort.at.items()},
        "per_figure": list(figure_rows(effort)),
    }


def figure_rows(effort: Effort) -> Iterator[dict[str, Any]]:
    """Yield one row per figure, with `COLUMNS` as keys."""
    for each in effort.figures:
        yield _figure(each, effort.operators)


def _figure(each: FigureEffort, operators: Operators) -> dict[str, Any]:
    return {
        "figure_id": each.figure_id,
        "document": each.document,
        "predicted": each.predicted,
        "seconds": each.needed.seconds(operators),
        "seconds_from_nothing": each.nothing.seconds(operators),
        "box_operations": each.needed.box_operations,
        **asdict(each.needed),
        "box_operations_from_nothing": each.nothing.box_operations,
        "toggled_from_nothing": each.nothing.toggled,
        "spans_added_from_nothing": each.nothing.spans_added,
    }


def ratio_record(ratio: Ratio) -> dict[str, Any]:
    """Return one number with its interval. of: the denominator. reason: why one of both is null."""
    return {
        "value": ratio.value,
        "interval": None if ratio.interval is None else list(ratio.interval),
        "of": ratio.count,
        "articles": ratio.clusters,
        "reason": ratio.reason or None,
    }


def parts_record(parts: Mapping[Part, Ratio]) -> dict[str, Any]:
    """Return one number over each part of the figures."""
    return {part.value: ratio_record(ratio) for part, ratio in parts.items()}
