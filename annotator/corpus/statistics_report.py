"""The statistics of a corpus as Markdown, LaTeX, JSON and a page, each beside the paper's values."""

from __future__ import annotations

import json
from collections.abc import Callable

from agreement.report.markup import UNDEFINED, Table, escaped
from annotator.corpus.statistics import COUNT, SHARE, Statistics

HEAD = ("Statistic", "This corpus", "MedICaT paper")


def _markdown(statistics: Statistics, title: str) -> str:
    lines = [f"# {_cell(title)}", "", f"| {' | '.join(HEAD)} |", "|---|--:|--:|"]
    for row in statistics.rows():
        lines.append(
            f"| {_cell(row.name)} | {shown_value(row.kind, row.value)} | {shown_value(row.kind, row.paper)} |"
        )
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


def _latex(statistics: Statistics, title: str) -> str:
    cells = [
        (
            escaped(row.name),
            *(escaped(shown_value(row.kind, value)) or UNDEFINED for value in (row.value, row.paper)),
        )
        for row in statistics.rows()
    ]
    columns = tuple(zip(HEAD, "lrr", strict=True))
    return Table("statistics", title, columns, cells).latex()


def _json(statistics: Statistics, title: str) -> str:
    found = {row.key: {"name": row.name, "value": row.value, "paper": row.paper} for row in statistics.rows()}
    return json.dumps({"title": title, "statistics": found}, indent=2, ensure_ascii=False) + "\n"


def _page(statistics: Statistics, title: str) -> str:
    from annotator.corpus.statistics_page import page

    return page(statistics, title)


#: Writers of a report from statistics and a title, by name.
FORMATS: dict[str, Callable[[Statistics, str], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "json": _json,
    "html": _page,
}


def shown_value(kind: str, value: float | None) -> str:
    """Return a count with separators, a share as per cent, a mean with a decimal; "" for no value."""
    if value is None:
        return ""
    if kind == COUNT:
        return f"{value:,.0f}"
    return f"{100 * value:.1f} %" if kind == SHARE else f"{value:.1f}"
