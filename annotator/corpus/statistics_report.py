"""The statistics of a corpus as Markdown, LaTeX, JSON and a page with plots, each beside the paper's values."""

from __future__ import annotations

import base64
import io
import json
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Template

from agreement.report import UNDEFINED, MarkupTable, can_draw, escaped
from annotator.corpus.statistics import COUNT, PAPER, SHARE, Row, Spread, Statistics

_HEAD = ("Statistic", "This corpus", "MedICaT paper")
#: Blue and vermilion, of the palette of Okabe and Ito.
_HERE, _PAPER = "#0072b2", "#d55e00"
_STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "panelwise"}
#: Bars of a histogram at most; above the 99th percentile all values are one bar.
_BARS, _MOST = 30, 0.99


def _markdown(statistics: Statistics, title: str) -> str:
    lines = [f"# {_cell(title)}", "", f"| {' | '.join(_HEAD)} |", "|---|--:|--:|"]
    for row in statistics.rows():
        lines.append(f"| {_cell(row.name)} | {_shown(row.kind, row.value)} | {_shown(row.kind, row.paper)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


def _latex(statistics: Statistics, title: str) -> str:
    cells = [
        (
            escaped(row.name),
            *(escaped(_shown(row.kind, value)) or UNDEFINED for value in (row.value, row.paper)),
        )
        for row in statistics.rows()
    ]
    columns = tuple(zip(_HEAD, "lrr", strict=True))
    return MarkupTable("statistics", title, columns, cells).latex()


def _json(statistics: Statistics, title: str) -> str:
    found = {row.key: {"name": row.name, "value": row.value, "paper": row.paper} for row in statistics.rows()}
    return json.dumps({"title": title, "statistics": found}, indent=2, ensure_ascii=False) + "\n"


def _shown(kind: str, value: float | None) -> str:
    """Return a count with separators, a share as per cent, a mean with a decimal; "" for no value."""
    if value is None:
        return ""
    if kind == COUNT:
        return f"{value:,.0f}"
    return f"{100 * value:.1f} %" if kind == SHARE else f"{value:.1f}"


def _page(statistics: Statistics, title: str) -> str:
    """Return an HTML page that loads nothing: the table, and plots of the distributions if matplotlib is there."""
    rows = list(statistics.rows())
    template = (Path(__file__).parent / "statistics.html").read_text(encoding="utf-8")
    page_template = Template(template, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text: str = page_template.render(
        title=title,
        head=_HEAD,
        rows=[(row.name, _shown(row.kind, row.value), _shown(row.kind, row.paper)) for row in rows],
        plots=_plots(statistics, rows) if can_draw() else None,
    )
    return text


def _plots(statistics: Statistics, rows: Sequence[Row]) -> list[tuple[str, str]]:
    drawn = [
        (spread.title, _histogram(counts, spread, PAPER.get(spread.mean)))
        for spread, counts in statistics.spreads.items()
        if counts
    ]
    types = {row.name.removeprefix("Type: "): row for row in rows if row.key.startswith("type ")}
    return [*drawn, ("Types", _types(types))] if types else drawn


def _histogram(counts: Counter[int], spread: Spread, paper: float | None) -> str:
    last = _percentile(counts)
    width = max(1, -(-(last - min(counts) + 1) // _BARS))
    bars: Counter[int] = Counter()
    for value, number in counts.items():
        bars[min(value, last) // width * width] += number
    mean = sum(value * number for value, number in counts.items()) / counts.total()

    def draw(axes: Any) -> None:
        axes.bar(
            list(bars),
            list(bars.values()),
            width=0.9 * width,
            align="edge" if width > 1 else "center",
            color=_HERE,
        )
        if spread is not Spread.YEARS:
            axes.axvline(mean, color="black", label=f"mean {mean:.1f}")
        if paper is not None:
            axes.axvline(paper, color=_PAPER, linestyle="--", label=f"MedICaT paper {paper:g}")
        most = f" ({last:,} or more in the last bar)" if max(counts) > last else ""
        axes.set(xlabel=f"{spread.title}{most}", ylabel=spread.counted)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)

    return _svg(draw)


def _percentile(counts: Counter[int]) -> int:
    """Return the smallest value that the share `_MOST` of all do not exceed."""
    left = _MOST * counts.total()
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            break
    return value


def _types(rows: Mapping[str, Row]) -> str:
    def draw(axes: Any) -> None:
        names = [name.replace("$", r"\$") for name in rows][::-1]
        places = range(len(names))
        values = [100 * (row.value or 0) for row in rows.values()][::-1]
        axes.barh(places, values, height=0.4, align="edge", color=_HERE, label="this corpus")
        paper = [100 * (row.paper or 0) for row in rows.values()][::-1]
        if any(paper):
            axes.barh(places, paper, height=-0.4, align="edge", color=_PAPER, label="MedICaT paper")
            axes.legend(frameon=False)
        axes.set_yticks(places, names)
        axes.set(xlabel="Figures with the type, %")

    return _svg(draw)


def _svg(draw: Any) -> str:
    """Return a plot as the address of an image that holds it."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    file = io.BytesIO()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn with boxes; the table has the name.
        warnings.filterwarnings("ignore", message="Glyph")
        figure = Figure(figsize=(5, 3), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        # No date, so that the same numbers give the same page.
        figure.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"


#: Writers of a report from statistics and a title, by name.
FORMATS: dict[str, Callable[[Statistics, str], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "json": _json,
    "html": _page,
}
