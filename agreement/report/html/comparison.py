"""Work compared to gold as one HTML file; see `agreement.report.html.report`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.models.comparison import Comparison, Curves
from agreement.models.sweep import SWEPT_IOUS
from agreement.report.html.charts import Plot, plot
from agreement.report.html.page import render
from agreement.report.html.parts import Links, no_pictures, shared_values
from agreement.report.html.wording import compared, scale
from agreement.report.html.worst import Pictures
from agreement.report.sections.people import pair_rows

#: Distinguishable lines in one plot, and columns of names that fit on a sheet of paper; the tables
#: below have all.
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Sweep:
    """One model at other thresholds. confidence: None if its boxes have no differing scores."""

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
    """Return a comparison as a page; pictures, view and sources as in `report_html`."""
    links = Links(view, None)
    rows = pair_rows(comparison)
    shared = shared_values(comparison, rows, pictures, links, sources)
    sweeps, ranking = _sweeps(comparison), comparison.ranking
    first = [row for row in ranking.rows if row.rank == 1]
    several, own = len(comparison.pairs) > 1, {row.pair.predicted: row for row in rows}
    sections = {
        "headline": "Ranking" if several else "Score",
        "ceiling": "Human ceiling" if comparison.ceiling is not None else "",
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
            "scale": scale(comparison.settings),
            "owns": [(ranked, own[ranked.name]) for ranked in ranking.rows] if several else (),
            "first": first,
            # The first of the differences is that of the first two rows.
            "to_next": ranking.differences[0] if len(first) == 1 and ranking.differences else None,
            "passed": comparison.passed,
            "scored": len({figure for pair in comparison.pairs for figure in pair.figures}),
            "sweeps": sweeps,
            "swept": SWEPT_IOUS,
            "most_lines": MOST_LINES,
            "sweep_blocks": [sweeps[at : at + MOST_LINES] for at in range(0, len(sweeps), MOST_LINES)],
            "iou_plot": plot(
                [f"{threshold:.2f}" for threshold in SWEPT_IOUS],
                *([point.score for point in sweep.curves.iou] for sweep in sweeps[:MOST_LINES]),
            ),
            "sections": [(id, name) for id, name in sections.items() if name],
        },
    )


def _sweeps(comparison: Comparison) -> list[Sweep]:
    places = {row.name: place for place, row in enumerate(comparison.ranking.rows)}
    found = [
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
    return sorted(found, key=lambda sweep: places.get(sweep.name, len(places)))
