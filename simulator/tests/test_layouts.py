from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from panelwise_simulator.catalogue import DRAWERS, of_kind
from panelwise_simulator.composition.layouts import Cell, Layout, Leaf, a_layout, grid, justified
from panelwise_simulator.composition.lettering import (
    Lettering,
    Position,
    Scheme,
    a_lettering,
    labels_of,
    numerals,
    picture_area,
    put_letter,
)
from panelwise_simulator.composition.themes import THEMES
from panelwise_simulator.kinds import Kind

NAMES = ("row", "column", "grid", "rows", "columns", "spanning", "nested")
LEAVES = st.lists(st.floats(0.5, 2.2), min_size=3, max_size=9)


def leaves(aspects: Sequence[float], above: int = 0) -> list[Leaf]:
    return [Leaf(number, aspect, 0, above) for number, aspect in enumerate(aspects)]


def overlap(one: Cell, other: Cell) -> bool:
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


def made(name: str, aspects: Sequence[float], gutter: int, seed: int) -> Layout | None:
    rng = np.random.default_rng(seed)
    return a_layout(rng, leaves(aspects, 12), name, width=900, tallest=1500, gutter=(gutter, gutter))


@given(name=st.sampled_from(NAMES), aspects=LEAVES, gutter=st.integers(0, 30), seed=st.integers(0, 99))
def test_panels_of_a_layout_lie_apart_within_it(name: str, aspects: list[float], gutter: int, seed: int) -> None:
    layout = made(name, aspects, gutter, seed)
    if layout is None:
        return
    assert len(layout.places) == len(aspects)
    for place in layout.places:
        x0, y0, x1, y1 = place.cell
        assert 0 <= x0 < x1 <= layout.width + 1
        assert 0 <= y0 < y1 <= layout.height
        assert 0 <= place.row < layout.rows
        assert 0 <= place.column < place.columns
    cells = [place.cell for place in layout.places]
    assert not any(overlap(one, other) for number, one in enumerate(cells) for other in cells[:number])


@given(name=st.sampled_from(NAMES[3:]), aspects=LEAVES, gutter=st.integers(0, 30), seed=st.integers(0, 99))
def test_every_panel_gets_its_shape(name: str, aspects: list[float], gutter: int, seed: int) -> None:
    layout = made(name, aspects, gutter, seed)
    for aspect, place in zip(aspects, layout.places if layout else (), strict=layout is not None):
        wide, high = place.cell[2] - place.cell[0], place.cell[3] - place.cell[1] - 12
        assert abs(wide - aspect * high) <= 2 + aspect * 2


def test_stitched_panels_touch() -> None:
    layout = grid(leaves([1.0] * 4), 2, width=600, gutter=(0, 0))
    first, second, third, _ = (place.cell for place in layout.places)
    assert first[2] == second[0]
    assert first[3] == third[1]


def test_a_single_panel_fills_its_layout() -> None:
    layout = justified("single", leaves([2.0])[0], width=500, gutter=(9, 9))
    assert [place.cell for place in layout.places] == [(0, 0, 500, 250)]
    assert (layout.rows, layout.places[0].columns) == (1, 1)


def test_a_last_row_that_is_not_full_stands_in_the_middle_when_asked() -> None:
    layout = grid(leaves([1.0] * 3), 2, width=610, gutter=(10, 10), centred=True)
    assert layout.places[2].cell == (155, 310, 455, 610)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_labels_are_unique_in_every_scheme(scheme: Scheme) -> None:
    layout = grid(leaves([1.0] * 8), 3, width=900, gutter=(4, 4))
    labels = labels_of(scheme, layout.places)
    assert len(set(labels)) == 8
    first = {"a, b": "a", "A, B": "A", "i, ii": "i", "1, 2": "1", "A1, A2": "A1", "a1, a2": "a1", "Ai, Aii": "Ai"}
    assert labels[0] == first[scheme]


def test_numerals_count_as_romans_did() -> None:
    assert numerals(14)[3:] == ["iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"]


@pytest.mark.parametrize("position", [position for position in Position if position is not Position.NONE])
@pytest.mark.parametrize("label", ["a", "W", "viii", "A1"])
def test_a_letter_stays_in_its_cell_and_says_where_it_is(position: Position, label: str) -> None:
    for align, up, form in ((-1, True, "{}"), (0, False, "({})"), (1, True, "{}.")):
        canvas = Image.new("RGB", (300, 260), "white")
        lettering = Lettering(position, form, True, 22, align, up)
        cell = (20, 30, 280, 230)
        picture = picture_area(cell, lettering, lettering.room(label))
        taken = put_letter(canvas, label, lettering, cell, picture)
        assert cell[0] <= taken[0]
        assert cell[1] <= taken[1]
        assert taken[2] <= cell[2]
        assert taken[3] <= cell[3]
        ink = np.argwhere(np.asarray(canvas.convert("L")) < 200)
        (top, left), (low, right) = ink.min(axis=0), ink.max(axis=0)
        assert taken[0] <= left
        assert taken[1] <= top
        assert right < taken[2]
        assert low < taken[3]
        outside = position is not Position.INSIDE
        assert outside == (not overlap(taken, picture))


def test_a_letter_on_the_dark_is_white_and_a_plate_counts() -> None:
    canvas = Image.new("RGB", (100, 100))
    cell = (0, 0, 100, 100)
    put_letter(canvas, "A", Lettering(Position.INSIDE), cell, cell)
    assert np.asarray(canvas).max() == 255
    plain = put_letter(canvas, "B", Lettering(Position.INSIDE, up=False), cell, cell)
    plated = put_letter(canvas, "B", Lettering(Position.INSIDE, up=False, plate=(255, 255, 255)), cell, cell)
    assert plated[2] - plated[0] > plain[2] - plain[0]
    with pytest.raises(ValueError, match="has none to draw"):
        put_letter(canvas, "A", Lettering(Position.NONE), cell, cell)


def test_letters_of_panels_that_touch_stand_inside_or_nowhere() -> None:
    rng = np.random.default_rng(0)
    found = {a_lettering(rng, "hard", paper=False, stitched=True).position for _ in range(60)}
    assert found == {Position.INSIDE, Position.NONE}


def test_themes_name_drawers_that_there_are_and_leave_no_kind_out() -> None:
    named = {name for theme in THEMES for name in (*theme.main, *theme.side)}
    assert named <= set(DRAWERS)
    assert {DRAWERS[name].kind for name in named} == set(Kind)
    assert sum(len(of_kind(kind)) for kind in Kind) == len(DRAWERS)
