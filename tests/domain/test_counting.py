from __future__ import annotations

import pytest

from panelwise.runtime.messages import counted, named


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 figures"), (1, "1 figure"), (2, "2 figures"), (21, "21 figures")]
)
def test_only_one_thing_is_told_in_the_singular(number: int, told: str) -> None:
    assert counted(number, "figure") == told


def test_a_plural_of_its_own_is_taken() -> None:
    assert [counted(number, "box", "boxes") for number in (1, 2)] == ["1 box", "2 boxes"]
    assert named(1, "figure that has", "figures that have") == "figure that has"
