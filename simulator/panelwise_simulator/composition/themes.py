"""Subjects of a figure's panels: mostly of one or two kinds, in groups of variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from panelwise_simulator.catalogue import DRAWERS, SERIES
from panelwise_simulator.drawers.vector.plotting import in_style
from panelwise_simulator.drawers.vector.styles import Style
from panelwise_simulator.kinds import Draw, Drawer, Generator, Kind

#: Kinds whose drawers take the look of the figure's plots.
STYLED = (Kind.PLOT, Kind.DIAGRAM, Kind.MAP)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of one panel. stream: panels of one stream start from one state of the generator, and so show
    the same thing where `draw` differs in its settings only. group: panels of one number show variants."""

    drawer: Drawer
    draw: Draw
    stream: int
    group: int


@dataclass(frozen=True, slots=True)
class Theme:
    """A sort of figure. main: drawers with their weights; side: those of the few panels of another kind, which
    make up `mixed` of them. repeat: how likely the next panel belongs to the group of the one before. shape: width
    / height of panels, where the drawers allow it. stitched: share of figures whose panels touch. count: least and
    most panels. coloured: a colour bar for all panels would make sense."""

    name: str
    weight: float
    main: Mapping[str, float]
    side: Mapping[str, float]
    mixed: float
    repeat: float
    shape: tuple[float, float]
    stitched: float
    count: tuple[int, int] = (1, 30)
    coloured: bool = False


def _even(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


_SMALL_PLOTS = _even(
    "bars", "bars", "grouped_bars", "box_plot", "violin", "scatter", "line_chart", "time_course", "survival",
    "histogram", "dose_response", "stacked_bars", "roc_curve", "volcano", "pca",
)  # fmt: skip
_BENCH_PLOTS = {"bars": 3.0, "grouped_bars": 2.0, "time_course": 1.0, "dose_response": 1.0, "box_plot": 1.0,
                "violin": 0.6, "flow_cytometry": 0.8, "survival": 0.5, "heat_map": 0.7,
                "scatter": 0.5}  # fmt: skip

THEMES: tuple[Theme, ...] = (
    Theme(
        "sections", 13.0,
        {"ct_axial": 5, "mri_brain": 3, "ct_coronal": 1.5, "pet_scan": 1, "angiogram": 1.2, "ultrasound": 1.5},
        {"chest_xray": 1, "limb_xray": 0.5, "ultrasound": 1}, 0.12, 0.72, (0.85, 1.35), 0.3, (1, 12), True,
    ),
    Theme(
        "projections", 7.0,
        {"chest_xray": 2, "limb_xray": 3, "angiogram": 1.5, "ultrasound": 3, "fundus": 2},
        {"ct_axial": 2, "mri_brain": 1, "skin_photo": 1}, 0.2, 0.75, (0.7, 1.3), 0.2, (1, 8),
    ),
    Theme(
        "histology", 9.0,
        {"tissue_stain": 5, "tissue_close_up": 2, "immunostain": 3, "trichrome": 1, "negative_control": 0.6},
        {"tissue_fluorescence": 1, "specimen_photo": 1, "bars": 1}, 0.1, 0.5, (1.15, 1.5), 0.22, (1, 12),
    ),
    Theme(
        "case", 6.0,
        {"ct_axial": 2, "mri_brain": 1, "chest_xray": 1, "tissue_stain": 2, "skin_photo": 1.2,
         "specimen_photo": 1.2, "immunostain": 1, "ultrasound": 1, "pet_scan": 0.5},
        {}, 0.0, 0.45, (0.95, 1.4), 0.15, (2, 8),
    ),
    Theme(
        "photographs", 7.0,
        {"skin_photo": 2, "plant_photo": 2, "specimen_photo": 3, "petri_dish": 1, "apparatus_photo": 1.5,
         "landscape_photo": 1.2, "leaf_photo": 1.5},
        {"site_map": 1, "bars": 1, "tissue_stain": 1}, 0.12, 0.7, (0.9, 1.5), 0.2, (1, 9),
    ),
    Theme(
        "cells", 9.0,
        {"fluorescence": 4, "fluorescence_merge": 1, "phase_contrast": 1, "electron_micrograph": 1.5,
         "tissue_fluorescence": 2},
        {"bars": 3, "box_plot": 1, "violin": 1, "scatter": 1}, 0.2, 0.72, (0.9, 1.3), 0.3, (1, 16),
    ),
    Theme(
        "electron", 4.0, {"electron_micrograph": 4, "phase_contrast": 1},
        {"spectrum": 2, "histogram": 1, "line_chart": 1, "schematic": 1}, 0.2, 0.75, (1.0, 1.4), 0.22, (1, 9),
    ),
    Theme("plots", 22.0, _SMALL_PLOTS, _even("heat_map", "schematic", "forest_plot", "contour"),
          0.12, 0.55, (1.0, 1.7), 0.0),
    Theme(
        "physics", 8.0,
        {"line_chart": 3, "spectrum": 2, "trace": 1.5, "contour": 1, "surface_plot": 1, "chromatogram": 1,
         "histogram": 1, "radar": 0.4, "scatter": 1},
        _even("schematic", "apparatus_photo", "heat_map"), 0.15, 0.6, (1.1, 1.8), 0.0, coloured=True,
    ),
    Theme(
        "bench", 13.0, _BENCH_PLOTS,
        {"immunoblot": 4, "fluorescence": 1.5, "dna_gel": 1, "dot_blot": 0.5, "schematic": 0.8, "pathway": 0.6,
         "tissue_stain": 0.8, "petri_dish": 0.5}, 0.35, 0.45, (0.9, 1.6), 0.0,
    ),
    Theme(
        "genomics", 7.0,
        {"volcano": 2, "pca": 2, "heat_map": 3, "venn": 1.5, "forest_plot": 0.8, "bars": 1, "box_plot": 1,
         "network": 0.8, "tree": 0.8, "survival": 1, "roc_curve": 0.6},
        _even("flow_chart", "sequence_alignment", "domain_structure"), 0.15, 0.4, (0.9, 1.6), 0.0, coloured=True,
    ),
    Theme(
        "learning", 5.0,
        {"roc_curve": 2, "confusion_matrix": 2, "line_chart": 2, "scatter": 1, "bars": 1, "radar": 0.5, "pca": 1},
        _even("neural_net", "flow_chart"), 0.15, 0.6, (0.9, 1.5), 0.0,
    ),
    Theme("diagrams", 6.0,
          {"schematic": 2, "pathway": 2, "network": 2, "flow_chart": 1, "timeline": 1, "neural_net": 1,
           "tree": 1.5, "domain_structure": 1.5, "sequence_alignment": 1},
          _even("bars", "line_chart", "heat_map"), 0.25, 0.35, (1.1, 2.0), 0.0, (1, 8)),
    Theme("maps", 4.0, {"site_map": 3, "choropleth": 3},
          _even("landscape_photo", "line_chart", "bars", "box_plot"), 0.3, 0.6, (0.9, 1.5), 0.05, (1, 8)),
)  # fmt: skip


def a_theme(rng: Generator, count: int) -> Theme:
    """A sort of figure that may have `count` panels."""
    fitting = [theme for theme in THEMES if theme.count[0] <= count <= theme.count[1]]
    weights = [theme.weight for theme in fitting]
    return fitting[int(rng.choice(len(fitting), p=[weight / sum(weights) for weight in weights]))]


def subjects(rng: Generator, theme: Theme, count: int, style: Style) -> list[Subject]:
    """Draw the subjects of `count` panels, in the order of the labels. style: the look of the plots."""
    side = sum(rng.random() < theme.mixed for _ in range(count)) if count > 1 and theme.side else 0
    result: list[Subject] = []
    # The few of another kind stand at the end, or before all others.
    runs = [(theme.main, count - side), (theme.side, side)]
    if rng.random() < 0.25:
        runs.reverse()
    group = stream = 0
    for drawers, left in runs:
        while left > 0:
            drawer = _drawn(rng, drawers)
            size = 1
            while size < left and rng.random() < theme.repeat:
                size += 1
            result += _group(rng, drawer, size, group, stream, style)
            group, stream, left = group + 1, stream + size, left - size
    return result


def _drawn(rng: Generator, drawers: Mapping[str, float]) -> Drawer:
    names = list(drawers)
    total = sum(drawers.values())
    return DRAWERS[names[int(rng.choice(len(names), p=[drawers[name] / total for name in names]))]]


def _group(rng: Generator, drawer: Drawer, size: int, group: int, stream: int, style: Style) -> list[Subject]:
    if drawer.kind in STYLED:
        draw = in_style(drawer.draw, style)
        return [Subject(drawer, draw, stream + number, group) for number in range(size)]
    series = [draws for draws in SERIES.get(drawer.name, ()) if len(draws) >= 2]
    if size > 1 and series and rng.random() < 0.7:
        draws = series[int(rng.integers(len(series)))]
        # What a series does not reach shows a further subject in the same variants.
        return [
            Subject(drawer, draws[number % len(draws)], stream + number // len(draws), group)
            for number in range(size)
        ]
    return [Subject(drawer, drawer.draw, stream + number, group) for number in range(size)]
