"""Work against gold as one HTML file: as `agreement.report.html` for what is compared with one gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.metrics.comparison import Comparison, Curves
from agreement.metrics.pairwise import Passed
from agreement.metrics.sweep import SWEPT_IOUS
from agreement.report.html_charts import Plot, plot
from agreement.report.html_links import Links
from agreement.report.html_page import render
from agreement.report.html_parts import no_pictures, pair_rows, shared_values
from agreement.report.html_words import compared
from agreement.report.html_worst import Pictures

#: Lines in one plot that can be told apart; the table beside has all.
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Sweep:
    """One of those compared at other thresholds. confidence: None where its boxes carry no scores that differ."""

    name: str
    curves: Curves
    confidence: Plot | None


def comparison_html(
    comparison: Comparison,
    *,
    pictures: Pictures = no_pictures,
    view: str | None = None,
    sources: Sequence[str] = (),
) -> str:
    """A comparison as a page, ending in a newline; pictures, view and sources as `report_html` has them."""
    links = Links(view, None)
    shared = shared_values(
        comparison.settings,
        pair_rows(comparison.pairs, comparison.intervals.pairs, links),
        comparison.losses,
        comparison.boxes,
        comparison.worst,
        comparison.figures,
        pictures,
        links,
        sources,
    )
    sweeps = _sweeps(comparison)
    several = len(comparison.pairs) > 1
    sections = {
        "ranking": "Ranking" if several else "",
        "headline": "All together" if several else "Score",
        "losses": "Losses" if comparison.pairs else "",
        "worst": "Worst figures" if comparison.pairs else "",
        "boxes": "Boxes" if comparison.pairs else "",
        "sweeps": "Other thresholds" if sweeps else "",
        "counts": "Counts",
    }
    return render(
        "comparison.html",
        {
            **shared,
            "comparison": comparison,
            "several": several,
            "meaning": compared(comparison.score, comparison.reason, comparison.settings, comparison.losses),
            "passed": _passed(comparison),
            "scored": len({figure for pair in comparison.pairs for figure in pair.figures}),
            "sweeps": sweeps,
            "swept": SWEPT_IOUS,
            "most_lines": MOST_LINES,
            "iou_plot": plot(
                [f"{threshold:.2f}" for threshold in SWEPT_IOUS],
                *([point.score for point in sweep.curves.iou] for sweep in sweeps[:MOST_LINES]),
            ),
            "sections": [(id, name) for id, name in sections.items() if name],
        },
    )


def _sweeps(comparison: Comparison) -> list[Sweep]:
    return [
        Sweep(
            pair.predicted,
            curves,
            plot(
                [f"{point.threshold:.2f}" for point in curves.confidence.points],
                [point.score for point in curves.confidence.points],
                [point.f1 for point in curves.confidence.points],
            )
            if curves.confidence.points
            else None,
        )
        for pair, curves in zip(comparison.pairs, comparison.curves, strict=False)
        if curves.iou
    ]


def _passed(comparison: Comparison) -> dict[Passed, tuple[str, ...]]:
    """Figures left out of any pair, by reason."""
    found: dict[Passed, set[str]] = {}
    for pair in comparison.pairs:
        for why, figures in pair.passed.items():
            found.setdefault(why, set()).update(figures)
    return {why: tuple(sorted(found[why])) for why in Passed if why in found}
