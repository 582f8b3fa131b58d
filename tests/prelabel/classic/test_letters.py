import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, ImageOps

from prelabel.panels.canvas import Canvas
from prelabel.panels.letters.find import find_letters, find_row
from prelabel.panels.splitter import split_image, with_row

CELL, GUTTER = 200, 60


def lettered(labels: str, *, columns: int = 2, ink: str = "black", ground: str = "white") -> Image.Image:
    """Framed plots in a grid, each with its letter above its left corner."""
    rows = -(-len(labels) // columns)
    side = CELL + GUTTER
    image = Image.new("RGB", (columns * side + GUTTER, rows * side + GUTTER), ground)
    draw = ImageDraw.Draw(image)
    for place, letter in enumerate(labels):
        x, y = GUTTER + place % columns * side, GUTTER + place // columns * side
        draw.text((x - 30, y - 34), letter, font=ImageFont.load_default(26), fill=ink, stroke_width=1)
        draw.rectangle((x, y, x + CELL, y + CELL), outline=ink, width=2)
        draw.line((x, y + CELL, x + CELL, y + 30 + 10 * place), fill=ink, width=2)
    return image


@pytest.mark.parametrize("labels", ["AB", "ABCD", "abcdef"])
def test_letters_beside_their_panels_are_found_where_they_stand(labels: str) -> None:
    found = find_letters(Canvas.of(lettered(labels)), tuple(labels))
    assert [letter.label for letter in found] == list(labels)
    assert found[0].rect[0] < GUTTER
    assert found[0].rect[1] < GUTTER


def test_letters_in_brackets_of_an_unlike_face_are_found() -> None:
    image = Image.new("RGB", (640, 640), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(24)
    for place, letter in enumerate("ABCD"):
        x, y = 60 + place % 2 * 300, 60 + place // 2 * 300
        print_of = Image.new("L", (60, 60), "white")
        ImageDraw.Draw(print_of).text((20, 20), letter, font=font, fill="black", stroke_width=1)
        ink = ImageOps.invert(print_of).getbbox()
        assert ink is not None
        shape = print_of.crop(ink)
        image.paste(shape, (x, y - 40))
        for side in (x - 8, x + shape.width + 2):
            draw.rectangle((side, y - 42, side + 5, y - 39 + shape.height), fill="black")
        draw.rectangle((x, y, x + 200, y + 200), outline="black", width=2)
    found = find_letters(Canvas.of(image), tuple("ABCD"))
    assert [letter.label for letter in found] == list("ABCD")


def test_letters_are_told_as_the_caption_writes_them() -> None:
    split = split_image(lettered("ABCD"), 4, ("a", "b", "c", "d"))
    assert sorted(label or "" for label in split.labels) == ["a", "b", "c", "d"]


def test_each_box_has_the_letter_that_it_holds() -> None:
    split = split_image(lettered("ABCD"), 4, tuple("ABCD"))
    order = sorted(zip(split.boxes, split.labels, strict=True), key=lambda each: (each[0].y0 // 100, each[0].x0))
    assert [label for _, label in order] == list("ABCD")


@pytest.mark.parametrize("labels", ["AB", "ABCD", "abcdef"])
def test_without_a_caption_each_box_has_the_letter_printed_in_it_as_it_is_printed(labels: str) -> None:
    image = lettered(labels)
    split = with_row(Canvas.of(image), image.size, split_image(image))
    order = sorted(zip(split.boxes, split.labels, strict=True), key=lambda each: (each[0].y0 // 100, each[0].x0))
    assert [label for _, label in order] == list(labels)
    assert all("letter" in each for each in split.evidence)


@pytest.mark.parametrize("printed", ["DBCA", "EFGH", "AB  "])
def test_without_a_caption_letters_that_are_no_row_from_the_first_on_are_not_believed(printed: str) -> None:
    image = lettered(printed)
    split = split_image(image)
    assert with_row(Canvas.of(image), image.size, split) is split
    assert len(split.boxes) == 4


def test_without_a_caption_letters_that_share_a_box_are_not_believed() -> None:
    image = lettered("  ")
    for x, letter in ((75, "A"), (190, "B")):
        ImageDraw.Draw(image).text((x, 75), letter, font=ImageFont.load_default(26), fill="black", stroke_width=1)
    assert [letter.label for letter in find_row(Canvas.of(image), 2, (0, 0, 300, 300))] == ["A", "B"]
    split = split_image(image)
    assert with_row(Canvas.of(image), image.size, split) is split
    assert len(split.boxes) == 2


def test_letters_in_no_order_are_not_believed() -> None:
    assert find_letters(Canvas.of(lettered("DBCA")), tuple("ABCD")) == ()


def test_too_few_letters_are_not_believed() -> None:
    assert find_letters(Canvas.of(lettered("AB")), tuple("ABCDEF")) == ()


def test_pictures_without_letters_have_none() -> None:
    rng = np.random.default_rng(2)
    image = Image.fromarray(rng.integers(0, 255, (300, 400), dtype=np.uint8)).convert("RGB")
    assert find_letters(Canvas.of(image), ("a", "b")) == ()


@pytest.mark.parametrize("labels", [(), ("a",), ("a", "a"), ("?", "!"), ("α", "β"), ("left", "right")])
def test_labels_that_no_letter_can_have_find_none(labels: tuple[str, ...]) -> None:
    assert find_letters(Canvas.of(lettered("AB")), labels) == ()


def test_letters_part_panels_that_gutters_within_them_would_mislead() -> None:
    # Panel A is two bars far apart, nearer to B than to one another.
    image = Image.new("RGB", (620, 320), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(26)
    draw.text((10, 8), "A", font=font, fill="black", stroke_width=1)
    draw.text((420, 8), "B", font=font, fill="black", stroke_width=1)
    for x0, x1 in ((10, 110), (260, 400), (425, 600)):
        draw.rectangle((x0, 60, x1, 300), fill="steelblue")
    plain = split_image(image, 2)
    split = split_image(image, 2, ("A", "B"))
    assert max(box.x0 for box in plain.boxes) < 300
    assert sorted(round(box.x0) // 100 for box in split.boxes) == [0, 4]
    assert all("letter" in each for each in split.evidence)
