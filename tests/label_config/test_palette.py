from __future__ import annotations

import re

import pytest

import label_config
from label_config.hotkeys import RESERVED, hotkeys
from label_config.palette import OKABE_ITO, colour, colours, default_labels


def test_sixty_four_colours_differ_and_are_written_as_html_takes_them() -> None:
    shades = [colour(index) for index in range(64)]
    assert len(set(shades)) == 64
    assert all(re.fullmatch(r"#[0-9A-F]{6}", shade) for shade in shades)


def test_the_first_labels_have_the_colours_that_everybody_can_tell_apart() -> None:
    assert list(colours("ABCDEFGH").values()) == list(OKABE_ITO)


def test_neighbouring_labels_never_look_alike() -> None:
    def channels(shade: str) -> list[int]:
        return [int(shade[start : start + 2], 16) for start in (1, 3, 5)]

    for index in range(63):
        distance = sum(
            abs(a - b) for a, b in zip(channels(colour(index)), channels(colour(index + 1)), strict=True)
        )
        assert distance > 30, index


def test_a_negative_index_has_no_colour() -> None:
    with pytest.raises(ValueError, match="-1"):
        colour(-1)


@pytest.mark.parametrize(
    ("position", "label"), [(1, "A"), (26, "Z"), (27, "AA"), (52, "AZ"), (702, "ZZ"), (703, "AAA")]
)
def test_default_labels_go_on_like_columns_of_a_sheet(position: int, label: str) -> None:
    assert default_labels(position)[-1] == label


def test_default_labels_are_as_many_as_asked_and_differ() -> None:
    assert default_labels(0) == ()
    assert len(set(default_labels(800))) == 800
    with pytest.raises(ValueError, match="-3"):
        default_labels(-3)


def test_a_letter_is_its_own_key_unless_the_editor_has_it() -> None:
    keys = hotkeys(default_labels(26))
    assert keys["A"] == "a"
    assert {label for label, key in keys.items() if key.startswith("shift+")} == {
        each.upper() for each in RESERVED
    }


def test_no_two_labels_share_a_key_and_none_is_one_of_the_editors() -> None:
    keys = hotkeys([*default_labels(120), "1", "a", "(i)", "é"])
    assert len(set(keys.values())) == len(keys)
    assert not set(keys.values()) & RESERVED
    assert keys["1"] == "1"


def test_labels_beyond_all_keys_have_none() -> None:
    assert len(hotkeys(default_labels(400))) < 400


def test_public_names_are_handed_on_and_others_are_not() -> None:
    assert label_config.colour is colour
    assert set(label_config.__all__) <= set(dir(label_config))
    with pytest.raises(AttributeError, match="nonsense"):
        label_config.nonsense  # noqa: B018
