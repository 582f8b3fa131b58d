"""Simulated compound figures: a picture, its caption and the exact truth, all made here from a seed.

Labels are those of a campaign's palette ("A", "B", ...), also where the caption writes "(a)".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.caption import Caption, Span
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.formats.annotations import annotation_record
from annotator.formats.jsonl import write_lines
from prelabel.synth import panels, plots
from prelabel.synth.captions import demo as captions
from prelabel.synth.captions.markup import read_markup
from prelabel.synth.layouts import Cell, Lettering, Row, cells_of, inner_cell

#: Figures of the demo, one of each kind.
DEMO_FIGURES = 6

#: Truth is dated, so that the same seed gives the same files.
TRUTH_TIME = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

Draw = Callable[[np.random.Generator, int, int], Image.Image]


@dataclass(frozen=True, slots=True)
class TrueSubfigure:
    """A panel as drawn: its label, the pixels it takes with its letter, the caption spans written for it."""

    label: str
    box: Box
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SimulatedFigure:
    """A drawn figure (RGB) with its caption and truth. document: the made-up article, for splits."""

    figure_id: str
    image: Image.Image
    caption: str
    references: tuple[str, ...]
    subfigures: tuple[TrueSubfigure, ...]
    document: str

    @property
    def image_name(self) -> str:
        """File name of the picture."""
        return f"{self.figure_id}.png"

    def figure(self, image: str | None = None) -> Figure:
        """The domain's figure; image: its path in the campaign's home, default `image_name`."""
        return Figure(
            self.figure_id,
            self.image_name if image is None else image,
            self.image.width,
            self.image.height,
            Caption.cut(self.caption),
            self.references,
            self.document,
            {"document": self.document, "licence": "Apache-2.0", "simulated": True},
        )

    def truth(self, figure: Figure | None = None, *, annotator: str = "truth", phase: str = "1") -> Annotation:
        """What a faultless annotator would submit. figure: as stored in a campaign, default `figure()`."""
        figure = figure or self.figure()
        subfigures = tuple(
            Subfigure(panel.label, panel.box, figure.caption.tokens_in(panel.spans)) for panel in self.subfigures
        )
        return Annotation(figure, annotator, phase, Status.ACCEPTED, subfigures, TRUTH_TIME)


@dataclass(frozen=True, slots=True)
class Panel:
    """How to draw one panel. stream: panels of one figure with the same number draw from the same noise."""

    draw: Draw
    stream: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a figure is composed of. panels: one per cell, lettered in this order."""

    rows: tuple[Row, ...]
    panels: tuple[Panel, ...]
    markup: str
    references: tuple[str, ...]
    width: int
    gutter: int
    margin: int = 0
    lettering: tuple[Lettering, ...] = (Lettering.ABOVE,)
    upper_case: bool = True


def demo_figures(seed: int = 0) -> list[SimulatedFigure]:
    """The six figures of the demo: one of each kind, the same for the same seed on every machine."""
    return list(simulated_figures(DEMO_FIGURES, seed=seed))


def simulated_figures(count: int, *, seed: int = 0) -> Iterator[SimulatedFigure]:
    """`count` figures, one at a time; the kinds take turns, each figure with noise and numbers of its own."""
    for position in range(count):
        plan = KINDS[position % len(KINDS)](np.random.default_rng([seed, position]))
        number = position + 1
        yield _compose(plan, f"sim-{number:03d}", f"simulated-article-{(number + 1) // 2:03d}", (seed, position))


def write_figures(figures: Iterable[SimulatedFigure], out_dir: Path) -> int:
    """Write figures.jsonl, one PNG each, and the truth as annotations.jsonl (annotator "truth"); returns how many.

    The pictures are written as the figures come, so memory does not grow with their number.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    records: list[dict[str, object]] = []
    truth: list[dict[str, object]] = []
    for drawn in figures:
        drawn.image.save(out_dir / drawn.image_name)
        figure = drawn.figure()
        records.append(
            {
                "figure_id": figure.id,
                "image": figure.image,
                "width": figure.width,
                "height": figure.height,
                "caption": figure.caption.text,
                "references": list(figure.references),
                "source": dict(figure.source),
            }
        )
        truth.append(dict(annotation_record(drawn.truth(figure))))
    write_lines(out_dir / "figures.jsonl", records)
    write_lines(out_dir / "annotations.jsonl", truth)
    return len(records)


# ---- composing ------------------------------------------------------------------------------------

#: Pixels set apart for a letter outside its panel, and the height of a letter.
STRIP, LETTER = 27, 22


def _compose(plan: Plan, figure_id: str, document: str, seed: tuple[int, int]) -> SimulatedFigure:
    cells, size = cells_of(plan.rows, width=plan.width, margin=plan.margin, gutter=plan.gutter)
    canvas = Image.new("RGB", size, "white")
    caption, spans = read_markup(plan.markup)
    subfigures = []
    for position, (cell, panel) in enumerate(zip(cells, plan.panels, strict=True)):
        label = chr(ord("A") + position)
        lettering = plan.lettering[position % len(plan.lettering)]
        rng = np.random.default_rng([*seed, 1 + panel.stream])
        x0, y0, x1, y1 = inner_cell(cell, lettering, strip=STRIP)
        canvas.paste(panel.draw(rng, x1 - x0, y1 - y0), (x0, y0))
        _letter(canvas, cell, label if plan.upper_case else label.lower(), lettering)
        subfigures.append(TrueSubfigure(label, _ink(canvas, cell), spans.get(label, ())))
    if len(subfigures) == 1:
        # A figure that is not compound is one box over the whole image; with nothing to set it apart from, its
        # caption describes the figure, not a panel.
        subfigures = [TrueSubfigure("A", Box(0.0, 0.0, float(size[0]), float(size[1])), ())]
    return SimulatedFigure(figure_id, canvas, caption, plan.references, tuple(subfigures), document)


def _letter(canvas: Image.Image, cell: Cell, letter: str, lettering: Lettering) -> None:
    draw = ImageDraw.Draw(canvas)
    face = plots.font(LETTER)
    x0, y0, x1, y1 = cell
    if lettering is Lettering.ABOVE:
        draw.text(
            (x0 + 2, y0 + 2), letter, fill="black", font=face, anchor="lt", stroke_width=1, stroke_fill="black"
        )
    elif lettering is Lettering.CORNER:
        draw.text(
            (x0 + 12, y0 + 12), letter, fill="white", font=face, anchor="lt", stroke_width=1, stroke_fill="white"
        )
    elif lettering is Lettering.PLATE:
        draw.rectangle([x0, y0, x0 + 29, y0 + 31], fill="white")
        draw.text(
            (x0 + 14, y0 + 15), letter, fill="black", font=face, anchor="mm", stroke_width=1, stroke_fill="black"
        )
    elif lettering is Lettering.BELOW:
        draw.text(((x0 + x1) // 2, y1 - 2), f"({letter})", fill="black", font=plots.font(18), anchor="mb")


def _ink(canvas: Image.Image, cell: Cell) -> Box:
    """The tight box, in pixels of the canvas, around all that is not white in the cell."""
    part = np.asarray(canvas.crop(cell).convert("L")) < 250
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    x0, y0 = cell[0], cell[1]
    return Box(float(x0 + columns[0]), float(y0 + rows[0]), float(x0 + columns[-1] + 1), float(y0 + rows[-1] + 1))


# ---- kinds ----------------------------------------------------------------------------------------


def _panels(*draws: Draw) -> tuple[Panel, ...]:
    return tuple(Panel(draw, stream) for stream, draw in enumerate(draws))


def _radiology(rng: np.random.Generator) -> Plan:
    markup, references = captions.radiology(rng)
    return Plan(
        (Row(430, (1.0, 1.0)),),
        _panels(panels.axial_section, panels.coronal_section),
        markup,
        references,
        width=962,
        gutter=2,
        lettering=(Lettering.CORNER,),
    )


def _histology(rng: np.random.Generator) -> Plan:
    markup, references = captions.histology(rng)
    return Plan(
        (Row(327, (1.0, 1.0)), Row(327, (1.0, 1.0))),
        _panels(panels.stained_tissue, panels.tissue_close_up, panels.immunostain, panels.negative_control),
        markup,
        references,
        width=860,
        gutter=14,
        margin=6,
        lettering=(Lettering.BELOW,),
        upper_case=False,
    )


def _charts(rng: np.random.Generator) -> Plan:
    markup, references = captions.charts(rng)
    draws = (plots.time_course, plots.bars, plots.box_plot, plots.scatter, plots.survival, plots.heat_map)
    return Plan(
        (Row(300, (1.0, 1.0, 1.0)), Row(300, (1.0, 1.0, 1.0))),
        _panels(*draws),
        markup,
        references,
        width=1080,
        gutter=22,
        margin=10,
    )


def _microscopy(rng: np.random.Generator) -> Plan:
    markup, references = captions.microscopy(rng)
    fields: Sequence[Draw] = [partial(panels.fluorescence, channels=channels) for channels in ("b", "g", "bgr")]
    return Plan(
        (Row(318, (1.0, 1.0, 1.0)), Row(318, (1.0, 2.0))),
        (*(Panel(field, 0) for field in fields), Panel(partial(panels.fluorescence, channels="br"), 1),
         Panel(plots.histogram, 2)),
        markup,
        references,
        width=978,
        gutter=6,
        lettering=(*[Lettering.PLATE] * 4, Lettering.ABOVE),
    )  # fmt: skip


def _blots(rng: np.random.Generator) -> Plan:
    markup, references = captions.blots(rng)
    return Plan(
        (Row(250, (1.0,)), Row(310, (1.15, 1.0))),
        _panels(panels.blot, plots.time_course, plots.bars),
        markup,
        references,
        width=760,
        gutter=24,
        margin=10,
    )


def _flow(rng: np.random.Generator) -> Plan:
    markup, references = captions.flow(rng)
    return Plan(
        (Row(560, (1.0,)),), _panels(plots.flow_chart), markup, references, width=820, gutter=0, margin=8,
        lettering=(Lettering.NONE,),
    )  # fmt: skip


KINDS: tuple[Callable[[np.random.Generator], Plan], ...] = (
    _radiology,
    _histology,
    _charts,
    _microscopy,
    _blots,
    _flow,
)
