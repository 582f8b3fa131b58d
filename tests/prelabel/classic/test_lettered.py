from itertools import pairwise

import pytest
from PIL import Image, ImageDraw, ImageFont

from panelwise.domain.box import Box
from prelabel.panels.canvas import Canvas
from prelabel.panels.letters.find import find_letters
from prelabel.panels.splitter import Split, split_image

COLUMNS = 3
SIDE, WIDE, HIGH = 30, 300, 260


def plate(letters: str, *, apart: int = 46, ground: str = "white") -> Image.Image:
    """Panels in rows of three, each two plots, `apart` pixels apart. A blank is a letter left out."""
    rows = -(-len(letters) // COLUMNS)
    image = Image.new("RGB", (COLUMNS * WIDE + SIDE, rows * HIGH + SIDE), ground)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(24)
    for place, letter in enumerate(letters):
        x, y = SIDE + place % COLUMNS * WIDE, SIDE + place // COLUMNS * HIGH
        draw.text((x, y - 4), letter, font=font, fill="black", stroke_width=1)
        for left in (x + 4, x + 104 + apart):
            draw.rectangle((left, y + 40, left + 100, y + 210), outline="black", width=3)
            draw.line((left, y + 210, left + 100, y + 60 + 7 * place), fill="black", width=3)
    return image


def panel_box(place: int) -> Box:
    x, y = SIDE + place % COLUMNS * WIDE, SIDE + place // COLUMNS * HIGH
    return Box(x, y, x + 240, y + 210)


def overlap(one: Box, other: Box) -> float:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    shared = max(0.0, wide) * max(0.0, high)
    return shared / (one.area + other.area - shared)


def found_panels(split: Split, count: int) -> int:
    """How many of the panels have a box of their own."""
    return sum(any(overlap(box, panel_box(place)) > 0.7 for box in split.boxes) for place in range(count))


def test_a_panel_whose_letter_is_missing_is_cut_off_where_reading_order_has_it() -> None:
    split = split_image(plate("AB DEF"), 6, tuple("ABCDEF"))
    assert found_panels(split, 6) == 6
    assert sorted(label or "" for label in split.labels) == ["", "A", "B", "D", "E", "F"]
    unnamed = split.boxes[split.labels.index(None)]
    assert overlap(unnamed, panel_box(2)) > 0.7


@pytest.mark.parametrize("missing", range(6))
def test_whichever_letter_is_missing_there_are_as_many_boxes_as_panels(missing: int) -> None:
    letters = "".join(" " if place == missing else letter for place, letter in enumerate("ABCDEF"))
    split = split_image(plate(letters, apart=20), 6, tuple("ABCDEF"))
    assert len(split.boxes) == 6
    assert found_panels(split, 6) == 6


def test_boxes_of_a_plate_with_a_letter_missing_do_not_overlap() -> None:
    boxes = split_image(plate("ABC EF"), 6, tuple("ABCDEF")).boxes
    assert all(overlap(one, other) < 0.01 for one, other in pairwise(sorted(boxes, key=lambda box: box.x0)))


def test_panels_in_boxes_of_a_colour_are_parted_by_their_letters() -> None:
    # The whole plate is one tinted field: against white, there is no gutter.
    tinted = plate("ABCDEF", ground="#dfe6f5")
    bordered = Image.new("RGB", (tinted.width + 120, tinted.height + 120), "white")
    bordered.paste(tinted, (60, 60))
    split = split_image(bordered, 6, tuple("ABCDEF"))
    assert sorted(label or "" for label in split.labels) == list("ABCDEF")
    shifted = [Box(box.x0 - 60, box.y0 - 60, box.x1 - 60, box.y1 - 60) for box in split.boxes]
    near = [max(overlap(box, panel_box(place)) for box in shifted) for place in range(6)]
    assert min(near) > 0.5


def test_dark_and_light_letters_are_one_set() -> None:
    image = plate("ABCDEF")
    draw = ImageDraw.Draw(image)
    for place in range(3):
        x, y = SIDE + place * WIDE, SIDE
        draw.rectangle((x - 8, y - 10, x + 260, y + 215), fill="black")
        draw.text((x, y - 4), "ABC"[place], font=ImageFont.load_default(24), fill="white", stroke_width=1)
    found = find_letters(Canvas.of(image), tuple("ABCDEF"))
    assert [letter.label for letter in found] == list("ABCDEF")
