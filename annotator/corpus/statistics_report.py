"""The statistics of a corpus as Markdown, LaTeX and JSON, each beside the paper's values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agreement.report.markup import UNDEFINED, Table, escaped
from annotator.corpus.statistics import COUNT, SHARE, Row

_HEAD = ("Statistic", "This corpus", "MedICaT paper")


def _markdown(rows: Sequence[Row], title: str) -> str:
    lines = [f"# {_cell(title)}", "", f"| {' | '.join(_HEAD)} |", "|---|--:|--:|"]
    for row in rows:
        lines.append(f"| {_cell(row.name)} | {_shown(row.kind, row.value)} | {_shown(row.kind, row.paper)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


def _latex(rows: Sequence[Row], title: str) -> str:
    cells = [
        (escaped(row.name), *(escaped(_shown(row.kind, value)) or UNDEFINED for value in (row.value, row.paper)))
        for row in rows
    ]
    columns = tuple(zip(_HEAD, "lrr", strict=True))
    return Table("statistics", title, columns, cells).latex()


def _json(rows: Sequence[Row], title: str) -> str:
    found = {row.key: {"name": row.name, "value": row.value, "paper": row.paper} for row in rows}
    return json.dumps({"title": title, "statistics": found}, indent=2, ensure_ascii=False) + "\n"


#: Writers of a report from rows and a title, by name.
FORMATS: dict[str, Callable[[Sequence[Row], str], str]] = {"markdown": _markdown, "latex": _latex, "json": _json}


def _shown(kind: str, value: float | None) -> str:
    """Return a count with separators, a share as per cent, a mean with a decimal; "" for no value."""
    if value is None:
        return ""
    if kind == COUNT:
        return f"{value:,.0f}"
    return f"{100 * value:.1f} %" if kind == SHARE else f"{value:.1f}"
