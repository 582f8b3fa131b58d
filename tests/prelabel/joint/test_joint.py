from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from panelwise.domain.annotation import Prediction
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from prelabel.captions.parser import parse_caption
from prelabel.classic.prelabeller import CLASSIC
from prelabel.joint.evidence import FEATURES, Evidence, Hypothesis, Seen, features, panel_letters
from prelabel.joint.prelabeller import (
    CALIBRATION,
    COEFFICIENTS,
    MOST_AHEAD,
    JointPrelabeller,
    calibration_features,
    likeliest,
)
from prelabel.models.protocols import Detections
from prelabel.panels.canvas import Canvas

WIDTH, HEIGHT = 400, 200
LEFT, RIGHT = [0.0, 0.0, 120.0, 200.0], [120.0, 0.0, 400.0, 200.0]


def seen(boxes: Sequence[Sequence[float]], score: float = 0.9) -> Detections:
    return Detections.of(boxes, [score] * len(boxes), [1] * len(boxes))


class Fake:
    """Answer the same for every figure, and record the numbers of panels that were given."""

    version = "fake-1"

    def __init__(self, uncounted: Detections, counted: Detections | None = None) -> None:
        self.answer = Seen(uncounted, uncounted if counted is None else counted)
        self.counts: list[int] = []

    def see(self, picture: Image.Image, count: int) -> Seen:
        self.counts.append(count)
        return self.answer


def four_plots() -> tuple[Image.Image, list[list[float]]]:
    """Four frames on white, far from each other."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    boxes = [[x, y, x + 170.0, y + 80.0] for y in (10.0, 110.0) for x in (10.0, 220.0)]
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=(200, 210, 220), outline="black", width=3)
    return image, boxes


def stripes() -> Image.Image:
    """A texture that runs through the whole figure: no cut is to be seen."""
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    shade = (127 + 100 * np.sin((x + y) / 5)).astype(np.uint8)
    return Image.fromarray(np.stack([shade] * 3, axis=2))


def figure_of(caption: str, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Figure:
    return Figure("f", "f.png", *size, Caption.cut(caption))


def evidence_of(image: Image.Image, caption: str, found: Detections) -> Evidence:
    canvas, cut = Canvas.of(image), Caption.cut(caption)
    parsed = parse_caption(cut)
    classic = CLASSIC._split(image, canvas, parsed, cut.text)
    letters = panel_letters(canvas, parsed)
    return Evidence.of(canvas, image.size, parsed, cut.text, Seen(found, found), classic, letters)


def corners(prediction: Prediction) -> list[list[float]]:
    return sorted(subfigure.box.as_list() for subfigure in prediction.subfigures)


def test_a_detector_that_sees_nothing_leaves_the_splitters_cut() -> None:
    image, _ = four_plots()
    figure = figure_of("Doses. (A) One. (B) Two. (C) Three. (D) Four.")
    joint = JointPrelabeller(Fake(Detections.none())).predict(figure, image)
    assert corners(joint) == corners(CLASSIC.predict(figure, image))


def test_panels_that_only_the_detector_sees_are_found() -> None:
    figure = figure_of("Fibres. (A) Before. (B) After.")
    joint = JointPrelabeller(Fake(seen([LEFT, RIGHT], 0.95)))
    found = corners(joint.predict(figure, stripes()))
    assert np.allclose(found, [LEFT, RIGHT], atol=8)


def test_both_agreeing_are_surer_than_either() -> None:
    image, boxes = four_plots()
    figure = figure_of("Doses. (A) One. (B) Two. (C) Three. (D) Four.")
    agreed = JointPrelabeller(Fake(seen(boxes, 0.95))).predict(figure, image)
    other = JointPrelabeller(Fake(seen([[0.0, 0.0, 400.0, 90.0]], 0.95))).predict(figure, image)
    assert len(agreed.subfigures) == 4
    assert min(agreed.scores) > max(other.scores)


def test_the_detector_is_told_the_number_of_panels_in_the_caption() -> None:
    fake = Fake(Detections.none())
    model = JointPrelabeller(fake)
    for caption in ("", "Fibres. (A) Before. (B) After."):
        model.predict(figure_of(caption), stripes())
    assert fake.counts == [0, 2]


def four_lettered(small: bool = False) -> tuple[Image.Image, list[list[float]]]:
    """Four groups of two frames, each under its letter: only the letters say that a group is one panel."""
    image = Image.new("RGB", (800, 600), "white")
    draw, boxes = ImageDraw.Draw(image), []
    for number, letter in enumerate("abcd" if small else "ABCD"):
        x, y = 20 + number % 2 * 400, 20 + number // 2 * 300
        draw.text((x, y), letter, fill="black", font=ImageFont.load_default(28))
        for left in (x, x + 180):
            draw.rectangle((left, y + 45, left + 160, y + 240), fill=(180, 200, 220), outline="black", width=3)
        boxes.append([float(x), float(y), x + 340.0, y + 240.0])
    return image, boxes


@pytest.mark.parametrize("small", [False, True])
def test_printed_letters_that_no_caption_names_tell_the_number_of_panels(small: bool) -> None:
    image, boxes = four_lettered(small)
    fake = Fake(seen(boxes, 0.5), seen(boxes, 0.9))
    found = JointPrelabeller(fake).predict(figure_of("", image.size), image)
    assert fake.counts == [4]
    assert [subfigure.label for subfigure in found.subfigures] == list("abcd" if small else "ABCD")
    assert np.allclose(corners(found), sorted(boxes), atol=16)


def test_features_of_printed_letters_count_only_where_the_caption_names_none() -> None:
    image, boxes = four_lettered()
    alone = evidence_of(image, "", seen(boxes[:2]))
    assert alone.printed == ("A", "B", "C", "D")
    (two,) = [way for way in alone.hypotheses() if len(way.boxes) == 2 and not way.from_splitter]
    assert named(alone, two)["fewer than printed"] == pytest.approx(np.log(2))
    assert named(alone, two)["as many as printed"] == named(alone, two)["more than printed"] == 0.0
    captioned = evidence_of(image, "Doses. (A) One. (B) Two.", seen(boxes[:2]))
    assert captioned.printed == ()


def test_the_version_names_all_that_the_output_hangs_on() -> None:
    assert JointPrelabeller(Fake(Detections.none())).version == f"joint-2-fake-1-{CLASSIC.version}"


def test_boxes_go_into_pixels_of_the_figure() -> None:
    image = stripes()
    figure = figure_of("Fibres. (A) Before. (B) After.", (2 * WIDTH, 2 * HEIGHT))
    found = corners(JointPrelabeller(Fake(seen([LEFT, RIGHT], 0.95))).predict(figure, image))
    assert np.allclose(found, [[0, 0, 240, 400], [240, 0, 800, 400]], atol=16)


def test_all_boxes_of_a_figure_have_its_probability() -> None:
    image, boxes = four_plots()
    best, chance = likeliest(evidence_of(image, "", seen(boxes)))
    assert len(best.boxes) == 4
    split = JointPrelabeller(Fake(seen(boxes)))._split(image, Canvas.of(image), parse_caption(""), "")
    assert split.scores == (chance,) * 4
    assert 0.0 < chance < 1.0


def test_ways_to_cut_come_once_and_the_classic_one_first() -> None:
    image, boxes = four_plots()
    evidence = evidence_of(image, "Doses. (A) One. (B) Two. (C) Three. (D) Four.", seen(boxes))
    ways = evidence.hypotheses()
    assert ways[0].split == evidence.classic
    assert sorted(len(way.boxes) for way in ways) == [1, 4]


def test_boxes_of_a_detector_outside_of_the_image_are_left_out() -> None:
    beyond = [[500.0, 0.0, 600.0, 100.0], [10.0, 10.0, 10.0, 90.0], [-50.0, -50.0, 200.0, 250.0]]
    evidence = evidence_of(stripes(), "", seen(beyond))
    from_detector = [way for way in evidence.hypotheses() if len(way.boxes) == 1 and not way.from_splitter]
    assert [0.0, 0.0, 200.0, 200.0] in [way.boxes[0].tolist() for way in from_detector]
    assert all(way.boxes.min() >= 0 and way.boxes[:, 2].max() <= WIDTH for way in evidence.hypotheses())


def lettered(image: Image.Image, letters: Sequence[tuple[float, float, str]]) -> Evidence:
    plain = evidence_of(image, "Doses. (A) One. (B) Two.", seen([LEFT, RIGHT]))
    fields = {name: getattr(plain, name) for name in Evidence.__slots__}
    return Evidence(**fields | {"letters": tuple(letters)})


def test_a_letter_in_a_box_of_the_detector_is_its_label() -> None:
    evidence = lettered(stripes(), [(10.0, 10.0, "A"), (210.0, 10.0, "B")])
    labels = [way.split.labels for way in evidence.hypotheses() if np.allclose(way.boxes, [LEFT, RIGHT])]
    assert labels == [("A", "B")]


def named(evidence: Evidence, way: Hypothesis) -> dict[str, float]:
    return dict(zip(FEATURES, features(evidence, way), strict=True))


def test_features_say_what_they_are_named_by() -> None:
    evidence = lettered(stripes(), [(10.0, 10.0, "A"), (210.0, 10.0, "B")])
    ways = {len(way.boxes): way for way in evidence.hypotheses() if not way.from_splitter or len(way.boxes) == 1}
    two, one = named(evidence, ways[2]), named(evidence, ways[1])
    assert two["support"] == pytest.approx(0.9)
    assert two["nothing left out"] == pytest.approx(1.0)
    assert one["nothing left out"] == pytest.approx(0.5)
    assert (two["as many as named"], one["as many as named"]) == (1.0, 0.0)
    assert one["fewer than named"] == pytest.approx(np.log(2))
    assert (two["one letter each"], one["several letters in one"]) == (1.0, 1.0)
    assert (two["overlap"], one["whole image"]) == (0.0, 1.0)
    assert two["ink covered"] == pytest.approx(1.0)


def test_boxes_within_others_overlap() -> None:
    inner = [[0.0, 0.0, 200.0, 200.0], [50.0, 50.0, 100.0, 100.0]]
    evidence = evidence_of(stripes(), "", seen(inner))
    (way,) = [way for way in evidence.hypotheses() if len(way.boxes) == 2 and not way.from_splitter]
    assert named(evidence, way)["overlap"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("caption", "feature"),
    [
        ("", "panels, no caption"),
        ("A leaf in the sun.", "panels, text of one picture"),
        ("Leaves from left to right in the sun.", "panels, text of several"),
    ],
)
def test_the_number_of_panels_weighs_by_what_the_caption_tells(caption: str, feature: str) -> None:
    evidence = evidence_of(stripes(), caption, seen([LEFT, RIGHT]))
    (way,) = [way for way in evidence.hypotheses() if len(way.boxes) == 2 and not way.from_splitter]
    found = named(evidence, way)
    told = {name for name in FEATURES if name.startswith("panels, ") and found[name]}
    assert told == {feature}
    assert found[feature] == pytest.approx(np.log(2))


def test_each_feature_has_a_coefficient() -> None:
    assert len(COEFFICIENTS) == len(FEATURES)
    assert len(CALIBRATION) == len(calibration_features([1.0]))


def test_the_lead_over_the_second_way_counts_up_to_a_limit() -> None:
    assert calibration_features([0.5, 2.0]) == (1.0, 2.0, 1.5)
    assert calibration_features([2.0]) == calibration_features([2.0, -90.0]) == (1.0, 2.0, MOST_AHEAD)


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (4000, 8)])
def test_odd_images_get_boxes(size: tuple[int, int]) -> None:
    image = Image.new("RGB", size, "white")
    found = JointPrelabeller(Fake(seen([[0.0, 0.0, *map(float, size)]]))).predict(figure_of("", size), image)
    assert [subfigure.box for subfigure in found.subfigures] == [Box(0.0, 0.0, float(size[0]), float(size[1]))]
