"""Editing work as plain values for JSON, figure by figure for CSV, numbers unrounded; and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from agreement.report import joined, named_lines
from agreement.resampling import Part, Ratio
from panelwise.runtime import counted
from prelabel.effort.editing import ACTIONS, Editing, Operators
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
    for figure in effort.figures:
        yield _figure(figure, effort.operators)


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


#: Columns of a row's name and of each part.
_NAME, _CELL = 24, 18


def effort_text(effort: Effort, *, worst: int = 10) -> str:
    """Return the work as text, ending in a newline. worst: number of worst figures to list."""
    lines = [
        "Editing work from predictions to gold",
        f"boxes are left alone from IoU {effort.keep:g}; "
        f"seconds of operators: {_operators_text(effort.operators)}",
        "seconds include a look at every figure; the last row one at every box shown, too",
        "",
        f"{counted(len(effort.figures), 'figure')} of "
        f"{counted(len({figure.document for figure in effort.figures}), 'article')}",
        *named_lines("figures without a prediction, done from nothing", effort.missing),
        "",
        f"{'':{_NAME}} {'needed':>9} {'from nothing':>13}",
    ]
    needed, nothing = effort.needed, effort.nothing
    for name, key in (
        ("boxes to add", "added"),
        ("  to adjust", "adjusted"),
        ("  to delete", "deleted"),
        ("  to relabel", "relabelled"),
        ("  left alone", "kept"),
        ("spans to add", "spans_added"),
        ("  to delete", "spans_deleted"),
    ):
        lines.append(f"{name:{_NAME}} {getattr(needed, key):9} {getattr(nothing, key):13}")
    for saving in effort.savings:
        lines.append(f"{saving.name:{_NAME}} {saving.needed:9.0f} {saving.nothing:13.0f}")
    parts = tuple(effort.savings[0].saved)
    lines += ["", *table_head(parts)]
    lines += [table_row(f"saved: {saving.name}", saving.saved) for saving in effort.savings]
    at = ", ".join(
        f"{'-' if ratio.value is None else f'{ratio.value:.3f}'} at IoU {threshold:.2f}"
        for threshold, ratio in effort.at.items()
    )
    lines += ["", f"box operations saved where boxes are left alone at another IoU: {at}"]
    lines += ["", *_worst_lines(effort, worst)]
    return joined(lines)


def _worst_lines(effort: Effort, number: int) -> Iterable[str]:
    """Yield the figures that take longest, and the operations on each."""
    found = effort.worst(number)
    if not found:
        return
    yield "figures that take longest: seconds (from nothing), and what is to be done"
    for each in found:
        work = each.needed
        done = ", ".join(
            f"{what} {number}"
            for what, number in (
                ("add", work.added),
                ("adjust", work.adjusted),
                ("delete", work.deleted),
                ("relabel", work.relabelled),
                ("words", work.toggled),
            )
            if number
        )
        yield (
            f"  {work.seconds(effort.operators):6.1f} ({each.nothing.seconds(effort.operators):6.1f})  "
            f"{each.figure_id}: {done or 'nothing'}"
        )


def _operators_text(operators: Operators) -> str:
    """Format the seconds of each operator: "K 0.2, P 1.1, M 1.35"; H, which no action uses, is left out."""
    return ", ".join(
        f"{field.name} {getattr(operators, field.name):g}" for field in fields(operators) if field.name != "H"
    )


def table_head(parts: Sequence[Part]) -> Iterable[str]:
    """Yield the column heads; none if there is only the whole."""
    yield f"{'':{_NAME}} " + " ".join(f"{part.value + ' (95%)':{_CELL}}" for part in parts)


def table_row(name: str, parts: Mapping[Part, Ratio]) -> str:
    """Format one number over each part, with its interval."""
    return f"{name:{_NAME}} " + " ".join(f"{_cell(ratio):{_CELL}}" for ratio in parts.values()).rstrip()


def _cell(ratio: Ratio) -> str:
    """Format value and interval: "0.941 .90 to .97"; a dash if undefined."""
    if ratio.value is None:
        return "-"
    if ratio.interval is None:
        return f"{ratio.value:.3f}"
    low, high = map(_bound, ratio.interval)
    return f"{ratio.value:.3f} {low} to {high}"


def _bound(value: float) -> str:
    """Format with two decimals without the leading zero, one from 1 on: ".90", "-.25", "-1.5"."""
    if abs(value) >= 0.995:
        return f"{value:.1f}"
    return f"{value:.2f}".replace("0.", ".", 1)
