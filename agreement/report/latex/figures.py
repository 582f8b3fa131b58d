"""Figures of a report for a paper: vector graphics, safe for colour-blind readers; needs `panelwise[plots]`."""

from __future__ import annotations

import importlib.util
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agreement.report.html.charts import HEAT_FLOOR
from agreement.report.markup import score
from agreement.report.summary import Report
from agreement.report.text.names import ShortNames
from agreement.score.detection import IOU_THRESHOLDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Files of `report_figures`, with what each shows.
FIGURES = {
    "figure-pairs.pdf": "Agreement of each ordered pair of annotators, with the number of gold subfigures.",
    "figure-losses.pdf": "What the disagreements cost, by cause.",
    "figure-boxes.pdf": "F1 of the boxes of two annotators, and IAA, at other IoU thresholds.",
}
#: Inches: the width of a column in two-column papers, and of a cell of the matrix.
_WIDTH, _CELL = 3.3, 0.6
#: Characters of a name beside the matrix.
_NAME = 12
_STYLE = {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "pdf.fonttype": 42}
#: Of the palette of Okabe and Ito.
_BLUE, _ORANGE = "#0072b2", "#d55e00"


def can_draw() -> bool:
    """Return True if matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def report_figures(report: Report) -> dict[str, bytes]:
    """Return file name -> PDF of all `FIGURES`; empty for a report without IAA. Equal reports give equal bytes."""
    if report.iaa is None:
        return {}
    draw = (_pairs, _losses, _boxes)
    return {name: _pdf(draw_one, report) for name, draw_one in zip(FIGURES, draw, strict=True)}


def _pdf(draw: Callable[[Axes, Report], None], report: Report) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    file = io.BytesIO()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn with boxes; the table beside it has the name.
        warnings.filterwarnings("ignore", message="Glyph")
        width = max(_WIDTH, _CELL * (2 + len(report.annotators))) if draw is _pairs else _WIDTH
        figure = Figure(figsize=(width, width * 0.8), layout="constrained")
        FigureCanvasPdf(figure)
        draw(figure.add_subplot(), report)
        # No date, so that a report that has not changed gives no new file.
        figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    return file.getvalue()


def _pairs(axes: Axes, report: Report) -> None:
    names = [person.name for person in report.annotators]
    cells = [[float("nan")] * len(names) for _ in names]
    for pair in report.pairs:
        row, column = names.index(pair.gold), names.index(pair.predicted)
        if pair.score is not None:
            cells[row][column] = pair.score
        # White on the dark half of the scale.
        color = "white" if pair.score is not None and pair.score < (HEAT_FLOOR + 1) / 2 else "black"
        text = f"{score(pair.score)}\nn = {pair.counted:,}"
        axes.text(column, row, text, ha="center", va="center", color=color, size=7)
    places = range(len(names))
    # A mesh, not an image, which would be pixels.
    mesh = axes.pcolormesh(places, places, cells, shading="nearest", cmap="cividis", vmin=HEAT_FLOOR, vmax=1.0)
    # The scale, which ends in an arrow where lower scores have the colour of its end; lines, no image.
    bar = axes.get_figure().colorbar(mesh, ax=axes, extend="min", label="Score")
    bar.solids.set_rasterized(False)
    short = ShortNames(names, _NAME)
    labels = [short.cell(name).strip().replace("$", r"\$") for name in names]
    axes.set_xticks(places, labels, rotation=30, ha="right")
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set(xlabel="Predicted", ylabel="Gold")


def _losses(axes: Axes, report: Report) -> None:
    lost = sorted((value, cause.display) for cause, value in (report.losses or {}).items() if value)
    axes.barh([cause for _, cause in lost], [value for value, _ in lost], color=_BLUE)
    axes.set(xlabel="Score lost", xlim=(0, None))


def _boxes(axes: Axes, report: Report) -> None:
    values: list[Any] = [report.boxes.f1(threshold) for threshold in IOU_THRESHOLDS]
    axes.plot(IOU_THRESHOLDS, [float("nan") if each is None else each for each in values], "o-", color=_BLUE)
    own = [(point.min_iou, point.score) for point in report.sweep if point.score is not None]
    axes.plot(*zip(*own, strict=True), "s--", color=_ORANGE)
    axes.legend(["Box F1", "IAA"], frameon=False, loc="lower left")
    axes.set(xlabel="IoU threshold", ylabel="Score", ylim=(0, 1.05))
