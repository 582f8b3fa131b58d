import pytest
from PIL import Image, ImageDraw, ImageFont

from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise_simulator.figures import simulated_figures
from prelabel.classic import prelabeller
from prelabel.classic.prelabeller import CLASSIC


def drawn(rows: int, columns: int) -> Image.Image:
    """Dark, uneven pictures of 200 x 150 on white, 20 pixels apart."""
    image = Image.new("RGB", (220 * columns + 20, 170 * rows + 20), "white")
    draw = ImageDraw.Draw(image)
    for row in range(rows):
        for column in range(columns):
            x, y = 20 + 220 * column, 20 + 170 * row
            draw.rectangle((x, y, x + 199, y + 149), fill=(40, 60, 80))
            draw.ellipse((x + 30, y + 30, x + 150, y + 110), fill=(200, 120, 60))
    return image


def figure(image: Image.Image, caption: str, *, scale: int = 1) -> Figure:
    size = image.width * scale, image.height * scale
    return Figure("f1", "f1.png", *size, Caption.cut(caption), (), "", {}, {})


def words(found: Figure, tokens: frozenset[int]) -> str:
    return " ".join(
        found.caption.text[start:end] for start, end in (found.caption.ranges[each] for each in sorted(tokens))
    )


def test_panels_get_their_labels_and_their_texts() -> None:
    image = drawn(2, 2)
    made = figure(image, "Four cells. (a) Red cell. (b) Blue cell. (c) Green cell. (d) No cell.")
    found = CLASSIC.predict(made, image)
    assert [each.label for each in found.subfigures] == ["a", "b", "c", "d"]
    assert "Green cell" in words(made, found.subfigures[2].subcaption)
    assert found.subfigures[0].box.x0 < 25 < 235 < found.subfigures[1].box.x0
    assert found.model_version == "classic-8"


def test_a_figure_without_panels_gets_one_box_over_all_of_it() -> None:
    image = Image.effect_noise((400, 300), 60).convert("RGB")
    [only] = CLASSIC.predict(figure(image, "A cell."), image).subfigures
    assert only.box.area > 0.97 * 400 * 300


def test_boxes_are_in_pixels_of_the_figure_whatever_the_image_s_size() -> None:
    image = drawn(1, 2)
    caption = "Two. (a) One. (b) Two."
    small = CLASSIC.predict(figure(image, caption), image).subfigures
    large = CLASSIC.predict(figure(image, caption, scale=3), image).subfigures
    for one, other in zip(small, large, strict=True):
        assert other.box.as_list() == pytest.approx([3 * side for side in one.box.as_list()])


def test_two_rows_of_pictures_for_two_named_panels_are_boxed_one_by_one() -> None:
    image = drawn(2, 2)
    found = CLASSIC.predict(figure(image, "Hearts. (a) Before and after rest. (b) Before and after work."), image)
    assert [each.label for each in found.subfigures] == ["a1", "a2", "b1", "b2"]
    assert found.subfigures[0].subcaption == found.subfigures[1].subcaption != found.subfigures[2].subcaption


def test_a_drawing_is_not_cut_in_rows_for_a_left_and_a_right_that_it_has_not() -> None:
    image = Image.new("RGB", (400, 500), "white")
    draw = ImageDraw.Draw(image)
    # Steps that an arrow joins: what is left and right are parts of one drawing.
    draw.rectangle((20, 20, 380, 200), outline="black", width=3)
    draw.rectangle((120, 240, 280, 480), outline="black", width=3)
    draw.line((200, 200, 200, 240), fill="black", width=3)
    found = CLASSIC.predict(figure(image, "The pathway, with drug (left) and without (right)."), image)
    assert len(found.subfigures) == 1


def test_every_box_has_its_reason() -> None:
    image = drawn(1, 3)
    explained = CLASSIC.explain(figure(image, "Cells. (a) Red. (b) Blue. (c) Green."), image)
    assert len(explained.reasons) == len(explained.prediction.subfigures) == 3
    assert all(explained.reasons)


def test_the_same_figure_gives_the_same_prediction() -> None:
    image = drawn(2, 3)
    made = figure(image, "Cells. (a-c) Red. (d, e) Blue. (f) Green.")
    assert CLASSIC.predict(made, image) == CLASSIC.predict(made, image)


@pytest.mark.slow
def test_sure_subfigures_are_right_more_often_than_unsure_ones() -> None:
    sure, unsure = [], []
    for simulated in simulated_figures(60, seed=11):
        made = simulated.figure()
        explained = CLASSIC.explain(made, simulated.image)
        if not explained.parsed.labels:
            # Its score is on the text, which may be on any panel.
            continue
        found = explained.prediction
        for subfigure, score in zip(found.subfigures, found.scores, strict=True):
            overlaps = [iou(each.box.as_list(), subfigure.box.as_list()) for each in simulated.subfigures]
            (sure if score >= 0.9 else unsure).append(max(overlaps) >= 0.5)
    assert len(sure) > 50
    assert len(unsure) > 10
    assert sum(sure) / len(sure) > max(0.9, sum(unsure) / len(unsure))


def iou(one: list[float], other: list[float]) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0.0, across) * max(0.0, down)
    return shared / sum(((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, other)), -shared)


def test_panels_that_the_caption_lists_in_words_get_their_items_in_reading_order() -> None:
    image = drawn(1, 3)
    made = figure(image, "Axial, coronal and sagittal CT images of the hand.")
    found = CLASSIC.predict(made, image)
    assert [words(made, each.subcaption) for each in found.subfigures] == ["Axial", "coronal", "sagittal"]
    assert [each.label for each in found.subfigures] == ["1", "2", "3"]


@pytest.mark.parametrize("caption", ["", "Cells of a mouse (left) and of a rat (right)."])
def test_panels_that_the_caption_does_not_name_by_letters_get_those_printed_in_the_image(caption: str) -> None:
    image = drawn(1, 2)
    for x, letter in ((26, "a"), (246, "b")):
        ImageDraw.Draw(image).text((x, 22), letter, font=ImageFont.load_default(24), fill="white", stroke_width=1)
    found = CLASSIC.predict(figure(image, caption), image)
    assert [each.label for each in found.subfigures] == ["a", "b"]


def test_panels_that_nothing_tells_apart_get_the_text_on_all_with_a_low_score() -> None:
    image = drawn(2, 3)
    made = figure(image, "AP and lateral radiographs of the knee. Scale bar, 1 cm.")
    found = CLASSIC.predict(made, image)
    texts = [words(made, each.subcaption) for each in found.subfigures]
    assert texts == ["AP and lateral radiographs of the knee ."] * 6
    assert max(found.scores) <= 0.05


@pytest.mark.parametrize(
    ("caption", "text"),
    [
        ("Trees in spring. They have many leaves.", "Trees in spring ."),
        ("Scale bar, 1 cm. Fisher knowledge of trees. More.", "Fisher knowledge of trees ."),
        ("Fisher's exact test was used.", ""),
    ],
)
def test_panels_that_nothing_tells_apart_get_one_sentence_that_is_no_note(caption: str, text: str) -> None:
    image = drawn(1, 2)
    made = figure(image, caption)
    found = CLASSIC.predict(made, image).subfigures
    assert [words(made, each.subcaption) for each in found] == [text, text]


@pytest.mark.parametrize(
    ("caption", "boxes"),
    [("Trees in spring.", 1), ("Photographs of trees.", 2), ("", 2), ("Oak (a) and ash (b).", 2)],
)
def test_a_caption_of_one_picture_is_evidence_against_gutters(
    caption: str, boxes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = drawn(1, 2)
    assert len(CLASSIC.predict(figure(image, caption), image).subfigures) == 2
    monkeypatch.setattr(prelabeller, "ONE_PICTURE", 100.0)
    assert len(CLASSIC.predict(figure(image, caption), image).subfigures) == boxes


def test_a_figure_of_one_panel_gets_no_text() -> None:
    image = drawn(1, 1)
    assert [each.subcaption for each in CLASSIC.predict(figure(image, "Trees in spring."), image).subfigures] == [
        frozenset()
    ]
