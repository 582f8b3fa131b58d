"""Plots, diagrams and maps of simulated figures: what every drawer of them promises."""

from __future__ import annotations

import numpy as np
import pytest

from panelwise_simulator.drawers.plots import charts, curves, distributions, matrices
from panelwise_simulator.drawers.schematics import diagrams, maps
from panelwise_simulator.drawers.vector.axes import Axes, a_style
from panelwise_simulator.drawers.vector.glyphs import BASELINE, master
from panelwise_simulator.drawers.vector.plotting import in_style
from panelwise_simulator.drawers.vector.scales import decades, linear, names, number
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Sheet
from panelwise_simulator.drawers.vector.styles import FAMILIES
from panelwise_simulator.drawers.vector.texts import Face, measure
from panelwise_simulator.kinds import Drawer

#: Hundreds of drawings: seconds in all.
pytestmark = pytest.mark.slow

DRAWERS = [
    drawer for module in (charts, curves, distributions, matrices, diagrams, maps) for drawer in module.DRAWERS
]
NAMES = {
    "bars",
    "grouped_bars",
    "stacked_bars",
    "pie",
    "venn",
    "forest_plot",
    "time_course",
    "dose_response",
    "survival",
    "spectrum",
    "chromatogram",
    "trace",
    "roc_curve",
    "line_chart",
    "box_plot",
    "violin",
    "scatter",
    "volcano",
    "histogram",
    "pca",
    "flow_cytometry",
    "radar",
    "heat_map",
    "confusion_matrix",
    "contour",
    "surface_plot",
    "flow_chart",
    "pathway",
    "timeline",
    "network",
    "tree",
    "domain_structure",
    "neural_net",
    "schematic",
    "sequence_alignment",
    "site_map",
    "choropleth",
}
every_drawer = pytest.mark.parametrize("drawer", DRAWERS, ids=lambda drawer: drawer.name)


def drawn(drawer: Drawer, seed: int, width: int, height: int) -> np.ndarray:
    picture = drawer.draw(np.random.default_rng(seed), width, height)
    assert picture.mode == "RGB"
    return np.asarray(picture)


def test_every_promised_kind_is_drawn_and_no_name_twice():
    assert len(DRAWERS) == len(NAMES)
    assert {drawer.name for drawer in DRAWERS} == NAMES


@every_drawer
@pytest.mark.parametrize("size", [(48, 48), (49, 131), (203, 57), (71, 71), (97, 106), (331, 207)])
def test_a_panel_has_exactly_the_size_asked_for_and_ink_on_it(drawer, size):
    for seed in range(2):
        pixels = drawn(drawer, seed, *size)
        assert pixels.shape == (size[1], size[0], 3)
        assert (pixels < 200).any(axis=2).sum() > 20


@every_drawer
def test_the_same_state_gives_the_same_bytes_and_another_seed_another_panel(drawer):
    first = drawn(drawer, 5, 220, 180)
    assert (first == drawn(drawer, 5, 220, 180)).all()
    others = [drawn(drawer, seed, 220, 180) for seed in (6, 7)]
    assert all((first != other).any(axis=2).mean() > 0.01 for other in others)


@every_drawer
def test_panels_on_paper_stand_on_white(drawer):
    if not drawer.paper:
        return
    for seed in range(4):
        pixels = drawn(drawer, seed, 260, 200)
        white = (pixels == 255).all(axis=2)
        edge = np.concatenate([white[0], white[-1], white[:, 0], white[:, -1]])
        assert edge.mean() > 0.4


@every_drawer
def test_ink_comes_near_the_borders_it_would_be_boxed_by(drawer):
    low, high = drawer.aspect
    height = 200
    width = round(height * min(max(1.3, low), high))
    spans = []
    for seed in range(4):
        ink = (drawn(drawer, seed, width, height) < 245).any(axis=2)
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        spans.append(((columns[-1] - columns[0]) / width, (rows[-1] - rows[0]) / height))
    across, down = np.mean(spans, axis=0)
    assert max(across, down) > 0.85
    assert min(across, down) > 0.5


@every_drawer
def test_a_style_given_is_shared_and_leaves_the_generator_alone(drawer):
    style = a_style(np.random.default_rng(1), "prism")
    styled = in_style(drawer.draw, style)
    first = styled(np.random.default_rng(3), 200, 160)
    assert first.size == (200, 160)
    assert first.tobytes() == styled(np.random.default_rng(3), 200, 160).tobytes()


def test_all_families_of_looks_come_up_and_differ():
    seen = {a_style(np.random.default_rng(seed)).name for seed in range(200)}
    assert seen == {name for name, _ in FAMILIES}
    looks = {a_style(np.random.default_rng(seed), "ggplot") for seed in range(40)}
    assert len(looks) > 10


def test_glyphs_the_font_lacks_are_made_and_differ_from_the_empty_box():
    box = master("\uffff", False)[0].tobytes()
    for char in "−–µμΔλθσαβγ×≥Å°±":
        picture, advance = master(char, False)
        assert advance > 0
        assert picture.getbbox() is not None
        assert picture.tobytes() != box


def test_raised_digits_are_narrower_and_bold_is_wider():
    face = Face(12)
    assert measure("10^3", face) < measure("103", face)
    assert measure("Weight", Face(12, bold=True)) > measure("Weight", face)
    assert measure("Weight", Face(12, squeeze=0.8)) < measure("Weight", face)
    assert master("g", False)[0].getbbox()[3] > BASELINE


def test_text_at_an_edge_is_moved_inside_and_too_long_a_text_is_made_smaller():
    sheet = Sheet(80, 30)
    sheet.text(78, 2, "Relative expression of many genes", Face(14), BLACK, "lm")
    pixels = np.asarray(sheet.done().convert("L"))
    assert (pixels < 128).any()
    assert (pixels[:, -1] == 255).all() or (pixels[:, 0] == 255).all()


def test_scales_place_their_ends_at_nought_and_one():
    for scale in (linear(-3, 17), decades(-2, 4), names(("a", "b", "c"))):
        assert scale.share(scale.low) == pytest.approx(0)
        assert scale.share(scale.high) == pytest.approx(1)
        assert all(scale.low <= value <= scale.high for value, _ in scale.ticks)


def test_ticks_are_written_with_the_decimals_of_their_step():
    assert [text for _, text in linear(0, 1, 4).ticks] == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert [text for _, text in linear(-2, 2, 4).ticks] == ["−2", "−1", "0", "1", "2"]
    assert number(300000, 100000) == "3×10^5"


def test_axes_turn_data_into_pixels_within_their_frame():
    sheet = Sheet(300, 200)
    style = a_style(np.random.default_rng(0), "matplotlib")
    axes = Axes(sheet, (1, 1, 299, 199), style, linear(0, 10), linear(0, 5), labels=("x", "y"))
    left, top, right, low = axes.frame
    assert (axes.x(0), axes.x(10), axes.y(0), axes.y(5)) == (left, right, low, top)
    assert axes.points([-4, 20], [-9, 9]) == [(left, low), (right, top)]
    axes.finish()
    assert sheet.done().getpixel((5, 5)) == WHITE
