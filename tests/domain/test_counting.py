from __future__ import annotations

import pytest

from panelwise.runtime.messages import counted, first_of, named


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 figures"), (1, "1 figure"), (2, "2 figures"), (21, "21 figures")]
)
def test_only_one_thing_is_told_in_the_singular(number: int, told: str) -> None:
    assert counted(number, "figure") == told


def test_a_plural_of_its_own_is_taken() -> None:
    assert [counted(number, "box", "boxes") for number in (1, 2)] == ["1 box", "2 boxes"]
    assert named(1, "figure that has", "figures that have") == "figure that has"


def test_names_beyond_the_first_are_counted() -> None:
    assert first_of(["a", "b", "c"], 3) == "a, b, c"
    assert first_of(["a", "b", "c"], 2) == "a, b and 1 more"
    assert first_of([], 2) == ""
