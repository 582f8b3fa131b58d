from __future__ import annotations

import pytest

from panelwise.domain.annotation import check_subfigures
from panelwise.domain.caption import Span
from panelwise_simulator.captioned import HEIGHT, WIDTH, captioned_figures


@pytest.mark.parametrize("lettered", [True, False])
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_every_figure_has_boxes_apart_and_words_for_one_of_them(difficulty: str, lettered: bool) -> None:
    for truth in captioned_figures(12, difficulty=difficulty, lettered=lettered, longest=90):
        check_subfigures(truth.figure, truth.subfigures)
        assert any(each.subcaption for each in truth.subfigures)
        assert len(truth.figure.caption.ranges) <= 90
        boxes = [each.box for each in truth.subfigures]
        assert all(box.inside(WIDTH, HEIGHT) for box in boxes)
        assert all(
            one.x1 < other.x0 or other.x1 < one.x0 or one.y1 < other.y0 or other.y1 < one.y0
            for place, one in enumerate(boxes)
            for other in boxes[:place]
        )


def test_the_same_seed_gives_the_same_figures_and_another_gives_others() -> None:
    first, again, other = (list(captioned_figures(6, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert [each.figure.caption.text for each in first] != [each.figure.caption.text for each in other]


def test_lettered_captions_name_the_letter_of_the_panel_that_they_speak_of() -> None:
    for truth in captioned_figures(10, difficulty="easy"):
        caption = truth.figure.caption
        for each in truth.subfigures:
            spans: tuple[Span, ...] = caption.spans_of(each.subcaption)
            assert each.label in "".join(caption.text[span.start : span.end] for span in spans)


def test_drawers_narrow_what_captions_speak_of() -> None:
    texts = " ".join(truth.figure.caption.text for truth in captioned_figures(20, drawers=("venn",))).lower()
    assert "venn" in texts or "overlap" in texts
