from __future__ import annotations

from builders import a_figure, a_subfigure
from hypothesis import given
from hypothesis import strategies as st

from annotator.campaign.palette import on_palette
from panelwise.domain.annotation import Prediction

PALETTE = ("A", "B", "C", "D")


def prediction(*labels: str) -> Prediction:
    return Prediction(a_figure(), "m", tuple(a_subfigure(label) for label in labels), (0.5,) * len(labels))


def fitted(*labels: str, palette: tuple[str, ...] = PALETTE, spare: bool = True) -> list[str]:
    found = on_palette(prediction(*labels), palette, spare=spare)
    return [subfigure.label for subfigure in found.subfigures]


def test_labels_become_those_of_the_palette() -> None:
    assert fitted("a", "b") == ["A", "B"]
    assert fitted("A", "C") == ["A", "C"]
    assert fitted("a", "b", palette=("a", "b")) == ["a", "b"]


def test_a_foreign_label_takes_the_first_free_one_where_spare_ones_may_be_had() -> None:
    assert fitted("1", "2") == ["A", "B"]
    assert fitted("a1", "a2", "b") == ["A", "C", "B"]
    assert fitted("A", "A") == ["A", "B"]
    assert fitted("a", "b", "c", palette=("A",)) == ["A", "b", "c"]


def test_a_foreign_label_stays_where_none_may_be_had() -> None:
    assert fitted("A", "iv", "b", spare=False) == ["A", "iv", "B"]
    assert fitted("A", "A", spare=False) == ["A", "A"]


def test_a_label_that_is_the_palettes_is_never_lost_to_one_that_differs_in_case() -> None:
    assert fitted("a", "A") == ["B", "A"]
    assert fitted("b", "B", spare=False) == ["b", "B"]


@given(st.lists(st.sampled_from("AaBbCcXx1"), max_size=6), st.booleans())
def test_fitting_twice_is_fitting_once(labels: list[str], spare: bool) -> None:
    once = on_palette(prediction(*labels), PALETTE, spare=spare)
    assert on_palette(once, PALETTE, spare=spare) == once
