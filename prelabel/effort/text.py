"""Editing work as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from agreement.report import joined, named_lines
from agreement.resampling import Part, Ratio
from panelwise.runtime import counted
from prelabel.effort.keystrokes import Operators
from prelabel.effort.measuring import Effort

#: Columns of a row's name and of each part.
NAME, CELL = 24, 18


def effort_text(effort: Effort, *, worst: int = 10) -> str:
    """Return the work as text, ending in a newline. worst: number of worst figures to list."""
    lines = [
        "Editing work from predictions to gold",
        f"boxes are left alone from IoU {effort.keep:g}; seconds of operators: {operators_text(effort.operators)}",
        "seconds include a look at every figure; the last row one at every box shown, too",
        "",
        f"{counted(len(effort.figures), 'figure')} of "
        f"{counted(len({each.document for each in effort.figures}), 'article')}",
        *named_lines("figures without a prediction, done from nothing", effort.missing),
        "",
        f"{'':{NAME}} {'needed':>9} {'from nothing':>13}",
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
        lines.append(f"{name:{NAME}} {getattr(needed, key):9} {getattr(nothing, key):13}")
    for saving in effort.savings:
        lines.append(f"{saving.name:{NAME}} {saving.needed:9.0f} {saving.nothing:13.0f}")
    parts = tuple(effort.savings[0].saved)
    lines += ["", *table_head(parts)]
    lines += [table_row(f"saved: {saving.name}", saving.saved) for saving in effort.savings]
    at = ", ".join(
        f"{'-' if ratio.value is None else f'{ratio.value:.3f}'} at IoU {threshold:.2f}"
        for threshold, ratio in effort.at.items()
    )
    lines += ["", f"box operations saved where boxes are left alone at another IoU: {at}"]
    lines += ["", *worst_lines(effort, worst)]
    return joined(lines)


def worst_lines(effort: Effort, number: int) -> Iterable[str]:
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


def operators_text(operators: Operators) -> str:
    """Format the seconds of each operator: "K 0.2, P 1.1, M 1.35"; H, which no action uses, is left out."""
    return ", ".join(
        f"{field.name} {getattr(operators, field.name):g}" for field in fields(operators) if field.name != "H"
    )


def table_head(parts: Sequence[Part]) -> Iterable[str]:
    """Yield the column heads; none if there is only the whole."""
    yield f"{'':{NAME}} " + " ".join(f"{part.value + ' (95%)':{CELL}}" for part in parts)


def table_row(name: str, parts: Mapping[Part, Ratio]) -> str:
    """Format one number over each part, with its interval."""
    return f"{name:{NAME}} " + " ".join(f"{cell(ratio):{CELL}}" for ratio in parts.values()).rstrip()


def cell(ratio: Ratio) -> str:
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
