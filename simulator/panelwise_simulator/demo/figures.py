"""The six figures of the demo: one of each sort, composed by hand, the same for the same seed on every machine.

Labels are those of the demo's palette ("A", "B", ...), also where the caption writes "(a)".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageChops

from panelwise.domain import Box
from panelwise_simulator.captions.markup import read_markup
from panelwise_simulator.composition.layouts import Cell
from panelwise_simulator.composition.lettering import WHITE, Lettering, Position, picture_area, put_letter
from panelwise_simulator.demo import captions, charts
from panelwise_simulator.drawers.laboratory.gels import immunoblot
from panelwise_simulator.drawers.laboratory.histology import (
    immunostain,
    negative_control,
    tissue_close_up,
    tissue_stain,
)
from panelwise_simulator.drawers.laboratory.microscopy import fluorescence
from panelwise_simulator.drawers.scans.sections import ct_axial, ct_coronal
from panelwise_simulator.kinds import Draw, Generator
from panelwise_simulator.simulated import SimulatedFigure, TrueSubfigure

ABOVE = Lettering(Position.ABOVE, size=20)
BELOW = Lettering(Position.BELOW, "({})", bold=False, size=18, align=0)
CORNER = Lettering(Position.INSIDE, size=22)
PLATE = Lettering(Position.INSIDE, size=21, up=False, plate=WHITE)


@dataclass(frozen=True, slots=True)
class Panel:
    """The drawing of one panel. stream: panels of one figure with the same number show the same thing. paper: its
    ground is that of the page, so that its box is that of what is drawn on it."""

    draw: Draw
    stream: int
    lettering: Lettering | None
    paper: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of panels: its height in pixels and the share of the width that each panel takes."""

    height: int
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a figure is composed of. panels: one a cell, lettered in this order."""

    rows: tuple[Row, ...]
    panels: tuple[Panel, ...]
    caption: tuple[str, tuple[str, ...]]
    width: int
    gutter: int
    margin: int = 0
    lower: bool = False


def demo_figures(seed: int = 0) -> list[SimulatedFigure]:
    """The six figures of the demo; two at a time come from one made-up article."""
    result = []
    for position, plan in enumerate(PLANS):
        number = position + 1
        made = plan(np.random.default_rng([seed, position]))
        result.append(
            _composed(made, f"sim-{number:03d}", f"simulated-article-{(number + 1) // 2:03d}", (seed, position))
        )
    return result


def _composed(plan: Plan, figure_id: str, document: str, seed: tuple[int, int]) -> SimulatedFigure:
    cells, size = _cells(plan)
    canvas = Image.new("RGB", size, WHITE)
    markup, references = plan.caption
    caption, spans = read_markup(markup)
    subfigures = []
    for position, (cell, panel) in enumerate(zip(cells, plan.panels, strict=True)):
        label = chr(ord("A") + position)
        printed = label.lower() if plan.lower else label
        area = picture_area(cell, panel.lettering, panel.lettering.room(printed)) if panel.lettering else cell
        rng = np.random.default_rng([*seed, 1 + panel.stream])
        canvas.paste(panel.draw(rng, area[2] - area[0], area[3] - area[1]), area[:2])
        if panel.lettering:
            put_letter(canvas, printed, panel.lettering, cell, area)
        box = _ink(canvas, cell, None if panel.paper else area)
        subfigures.append(TrueSubfigure(label, box, spans.get(label, ())))
    if len(subfigures) == 1:
        # A figure that is not compound is one box over the whole image; with nothing to set it apart from, its
        # caption describes the figure, not a panel.
        subfigures = [TrueSubfigure("A", Box(0.0, 0.0, float(size[0]), float(size[1])), ())]
    return SimulatedFigure(figure_id, canvas, caption, references, tuple(subfigures), document)


def _cells(plan: Plan) -> tuple[list[Cell], tuple[int, int]]:
    """The cells in reading order, and the size of the canvas."""
    cells: list[Cell] = []
    top = plan.margin
    for row in plan.rows:
        free = plan.width - 2 * plan.margin - plan.gutter * (len(row.shares) - 1)
        left = float(plan.margin)
        for share in row.shares:
            across = free * share / sum(row.shares)
            cells.append((round(left), top, round(left + across), top + row.height))
            left += across + plan.gutter
        top += row.height + plan.gutter
    return cells, (plan.width, top - plan.gutter + plan.margin)


def _ink(canvas: Image.Image, cell: Cell, picture: Cell | None) -> Box:
    """The tight box, in pixels of the canvas, around all that is not white in the cell, and around the picture."""
    ink = ImageChops.invert(canvas.crop(cell).convert("L")).point([0] * 6 + [255] * 250).getbbox() or cell
    x0, y0, x1, y1 = (cell[side % 2] + ink[side] for side in range(4))
    if picture is not None:
        x0, y0, x1, y1 = min(x0, picture[0]), min(y0, picture[1]), max(x1, picture[2]), max(y1, picture[3])
    return Box(float(x0), float(y0), float(x1), float(y1))


# ---- plans ----------------------------------------------------------------------------------------


def _panels(lettering: Lettering | None, *draws: Draw, first: int = 0, paper: bool = False) -> tuple[Panel, ...]:
    return tuple(Panel(draw, first + place, lettering, paper) for place, draw in enumerate(draws))


def _radiology(rng: Generator) -> Plan:
    # Of all patients one whose nodule the arrows show in the right upper lobe.
    drawn = (
        Panel(partial(ct_axial, level=0.68, window="lung", nodule=True), 30, CORNER),
        Panel(partial(ct_coronal, window="lung", nodule=True), 30, CORNER),
    )
    return Plan((Row(430, (1.0, 1.0)),), drawn, captions.radiology(rng), width=962, gutter=2)


def _histology(rng: Generator) -> Plan:
    draws = (
        partial(tissue_stain, magnification=0.8, architecture="glands"),
        tissue_close_up,
        partial(immunostain, positive=0.4),
        negative_control,
    )
    rows = (Row(327, (1.0, 1.0)), Row(327, (1.0, 1.0)))
    return Plan(rows, _panels(BELOW, *draws), captions.histology(rng), width=860, gutter=14, margin=6, lower=True)


def _charts(rng: Generator) -> Plan:
    draws = (charts.time_course, charts.bars, charts.box_plot, charts.scatter, charts.survival, charts.heat_map)
    rows = (Row(300, (1.0, 1.0, 1.0)), Row(300, (1.0, 1.0, 1.0)))
    return Plan(rows, _panels(ABOVE, *draws, paper=True), captions.charts(rng), width=1080, gutter=22, margin=10)


def _microscopy(rng: Generator) -> Plan:
    drawn = (
        # Of all cells those that come in the colours that the caption names.
        *(Panel(partial(fluorescence, channels=channels), 14, PLATE) for channels in ("b", "g", "bgr")),
        Panel(partial(fluorescence, channels="br"), 1, PLATE),
        Panel(charts.histogram, 2, ABOVE, paper=True),
    )
    rows = (Row(318, (1.0, 1.0, 1.0)), Row(318, (1.0, 2.0)))
    return Plan(rows, drawn, captions.microscopy(rng), width=978, gutter=6)


def _blots(rng: Generator) -> Plan:
    blot = partial(
        immunoblot,
        lanes=("Ctrl", "si-1", "si-2", "si-3", "Resc."),
        rows=(("Kinase-X", "62"), ("p-Target", "48"), ("Actin", "42")),
    )
    # Of all blots the one in which the siRNAs have an effect.
    drawn = _panels(ABOVE, blot, charts.time_course, charts.bars, first=181, paper=True)
    rows = (Row(250, (1.0,)), Row(310, (1.15, 1.0)))
    return Plan(rows, drawn, captions.blots(rng), width=760, gutter=24, margin=10)


def _flow(rng: Generator) -> Plan:
    drawn = _panels(None, charts.flow_chart, paper=True)
    return Plan((Row(560, (1.0,)),), drawn, captions.flow(rng), width=820, gutter=0, margin=8)


PLANS: tuple[Callable[[Generator], Plan], ...] = (_radiology, _histology, _charts, _microscopy, _blots, _flow)
