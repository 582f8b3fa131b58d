from pathlib import Path

import numpy as np
import pytest

from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise_simulator.captions.markup import read_markup
from panelwise_simulator.demo.figures import demo_figures
from panelwise_simulator.figures import write_figures
from panelwise_simulator.simulated import SimulatedFigure
from prelabel.classic.prelabeller import CLASSIC

# Drawing the six figures takes seconds.
pytestmark = pytest.mark.slow


def test_the_demo_has_six_figures_of_a_size_for_a_screen(six: list[SimulatedFigure]) -> None:
    assert [figure.figure_id for figure in six] == [f"sim-00{number}" for number in range(1, 7)]
    assert all(700 <= figure.image.width <= 1100 and figure.image.mode == "RGB" for figure in six)
    assert [figure.document for figure in six] == [
        f"simulated-article-00{number}" for number in (1, 1, 2, 2, 3, 3)
    ]


def test_the_same_seed_gives_the_same_demo_and_another_seed_does_not(six: list[SimulatedFigure]) -> None:
    assert [figure.image.tobytes() for figure in demo_figures()] == [figure.image.tobytes() for figure in six]
    assert demo_figures(1)[0].image.tobytes() != six[0].image.tobytes()


def test_the_demos_boxes_hold_all_ink_and_do_not_overlap(six: list[SimulatedFigure]) -> None:
    for figure in six:
        truth = figure.truth()
        assert [subfigure.label for subfigure in truth.subfigures] == list("ABCDEF")[: len(figure.subfigures)]
        pixels = np.asarray(figure.image.convert("L"))
        taken = np.zeros(pixels.shape, dtype=int)
        for panel in figure.subfigures:
            x0, y0, x1, y1 = (int(value) for value in panel.box.as_list())
            taken[y0:y1, x0:x1] += 1
            assert (pixels[y0:y1, x0:x1] < 250).mean() > 0.02
        assert taken.max() == 1
        if len(figure.subfigures) > 1:
            # All that is not white belongs to a panel.
            assert not ((pixels < 250) & (taken == 0)).any()


def test_the_six_cover_what_captions_do(six: list[SimulatedFigure]) -> None:
    captions = [figure.caption for figure in six]
    assert any(ord(letter) > 0xFFFF for caption in captions for letter in caption)
    assert any("\n" in caption for caption in captions)
    assert any(len(panel.spans) > 1 for figure in six for panel in figure.subfigures)
    assert any(len(figure.subfigures) == 1 for figure in six)
    assert all(figure.references for figure in six)


def test_a_figure_that_is_not_compound_is_one_box_over_the_image_without_text(six: list[SimulatedFigure]) -> None:
    (panel,) = six[5].subfigures
    assert panel.box.as_list() == [0, 0, *six[5].image.size]
    assert panel.spans == ()


def test_markup_gives_shared_and_joined_spans() -> None:
    text, spans = read_markup("Title. {A,B|(a, b) Cells} {A|alive (a)} and {B|dead (b).} n = 3.")
    assert text == "Title. (a, b) Cells alive (a) and dead (b). n = 3."
    assert [text[span.start : span.end] for span in spans["A"]] == ["(a, b) Cells alive (a)"]
    assert [text[span.start : span.end] for span in spans["B"]] == ["(a, b) Cells", "dead (b)."]


def test_the_demo_as_written_reads_back(six: list[SimulatedFigure], tmp_path: Path) -> None:
    assert write_figures(six, tmp_path) == 6
    problems = Problems()
    truths = list(read_annotations(tmp_path / "annotations.jsonl", problems))
    assert not problems.count
    assert [truth.subfigures for truth in truths] == [figure.truth().subfigures for figure in six]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "annotations.jsonl",
        "figures.jsonl",
        *(f"sim-00{number}.png" for number in range(1, 7)),
    ]


def test_the_classic_prelabels_of_the_six_are_mostly_right(six: list[SimulatedFigure]) -> None:
    found = total = 0
    scores = []
    for figure in six:
        truth = figure.truth()
        prediction = CLASSIC.predict(truth.figure, figure.image)
        assert len(prediction.subfigures) == len(truth.subfigures)
        counted = truth.figure.caption.counted
        for true, proposed in zip(truth.subfigures, prediction.subfigures, strict=True):
            total += 1
            width = min(true.box.x1, proposed.box.x1) - max(true.box.x0, proposed.box.x0)
            height = min(true.box.y1, proposed.box.y1) - max(true.box.y0, proposed.box.y0)
            shared = max(0.0, width) * max(0.0, height)
            # A figure of one panel is the whole image by truth, and what is drawn of it by prediction.
            found += shared / (true.box.area + proposed.box.area - shared) > 0.7
            if gold := true.subcaption & counted:
                tokens = proposed.subcaption & counted
                scores.append(2 * len(gold & tokens) / (len(gold) + len(tokens)))
    assert found == total
    assert sum(scores) / len(scores) > 0.85
