import pytest

from prelabel.captions.markers import read_scheme
from prelabel.captions.places import layout_of, read_places


@pytest.mark.parametrize(
    ("caption", "labels"),
    [
        ("Oak (left) and ash (right).", ("left", "right")),
        ("Left: oak. Right: ash.", ("left", "right")),
        ("Trees. Right panel: ash. Left panel: oak.", ("left", "right")),
        ("Top, oak; bottom, ash.", ("top", "bottom")),
        ("Oak (upper row), ash (lower row).", ("top row", "bottom row")),
        ("Oak (first row), ash (second row), elm (bottom row).", ("first row", "second row", "bottom row")),
        (
            "Lower right: elm. Upper left, oak. Upper right, ash. Lower left, beech.",
            ("top left", "top right", "bottom left", "bottom right"),
        ),
        (
            "Top row, far left: oak. Top row, second from left: ash. Top row, far right: elm. Bottom: beech.",
            ("top row left", "top row second from left", "top row right", "bottom"),
        ),
        ("The left panel shows oak. The right panel shows ash.", ("left", "right")),
        ("Oak in the left panel and ash in the right panel.", ("left", "right")),
        ("Growth, on the left for oak, and on the right for ash.", ("left", "right")),
        ("Left – Oak. Middle – Ash. Right – Elm.", ("left", "middle", "right")),
    ],
)
def test_places_are_read_in_reading_order(caption: str, labels: tuple[str, ...]) -> None:
    assert read_places(caption)[0] == labels


@pytest.mark.parametrize(
    "caption",
    ["", "Oak (left).", "Oak in the middle of a field.", "The left ventricle and the right atrium.",
     "A mass in the left upper lobe, and in the right upper lobe.", "Scars in the left and right ventricles.",
     "Oak (top), elm (left)."],
)  # fmt: skip
def test_a_place_without_its_counterpart_names_no_panel(caption: str) -> None:
    assert read_places(caption) == ((), ())


def test_places_beside_letters_are_hints() -> None:
    def hints(caption: str) -> tuple[tuple[str, str], ...]:
        return layout_of(caption, read_scheme(caption).markers)

    assert hints("Oak in the left column (A, C), ash in the right column (B, D).") == (
        ("A", "left column"), ("C", "left column"), ("B", "right column"), ("D", "right column"),
    )  # fmt: skip
    assert hints("Oak (A, top left) and ash (B, bottom).") == (("A", "top left"), ("B", "bottom"))
    assert hints("T. (A) Oak (left) and ash (right). (B) Elm.") == ()
