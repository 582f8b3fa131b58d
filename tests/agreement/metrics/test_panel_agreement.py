"""Agreement on panels: found and labelled, labels alone, and place; hand-computed, and undefined with a reason."""

from __future__ import annotations

import numpy as np
import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance.panel_agreement import PanelAgreement, panel_agreement
from agreement.chance.token_panels import merge_panels
from agreement.primitives.iou import aligned_giou
from panelwise.domain.annotation import Annotation

LEFT, RIGHT, LOW = (0, 0, 100, 100), (200, 0, 300, 100), (0, 300, 100, 400)
Drawn = dict[str, tuple[float, float, float, float]]


def work(name: str, drawn: Drawn, figure: str = "f1") -> Annotation:
    panels = tuple(a_subfigure(label, box=box, tokens=()) for label, box in drawn.items())
    return an_annotation(a_figure(figure), annotator=name, subfigures=panels)


def agreement(*annotations: Annotation) -> PanelAgreement:
    return panel_agreement(merge_panels(annotations))


def test_giou_of_boxes_that_overlap_touch_and_lie_apart() -> None:
    one = np.array([[0.0, 0.0, 2.0, 2.0]] * 4)
    other = np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 3.0, 2.0], [2.0, 0.0, 4.0, 2.0], [4.0, 0.0, 6.0, 2.0]])
    # The third have nothing in common and fill their hull; between the fourth is a third of theirs.
    assert aligned_giou(one, other) == pytest.approx([1.0, 1 / 3, 0.0, -1 / 3])
    # A corner: hull 9, union 7, shared 1.
    corner = aligned_giou(one[:1], np.array([[1.0, 1.0, 3.0, 3.0]]))
    assert corner == pytest.approx([1 / 7 - 2 / 9])
    point = np.zeros((1, 4))
    assert aligned_giou(point, point) == pytest.approx([0.0])


def test_equal_work_is_full_agreement_on_each_question() -> None:
    drawn: Drawn = {"A": LEFT, "B": RIGHT}
    found = agreement(work("ann", drawn), work("ben", drawn))
    assert (found.detection, found.label, found.localisation) == (1.0, 1.0, 1.0)
    assert (found.panels, found.shared) == (2, 2)
    assert (found.detection_reason, found.label_reason, found.localisation_reason) == ("", "", "")


def test_panels_of_a_caption_without_words_are_matched_by_their_boxes() -> None:
    figure = a_figure("f1", caption="")

    def drawn(name: str, left: tuple[float, float, float, float]) -> Annotation:
        panels = tuple(a_subfigure(label, box=box, tokens=()) for label, box in (("A", left), ("B", RIGHT)))
        return an_annotation(figure, annotator=name, subfigures=panels)

    same = agreement(drawn("ann", LEFT), drawn("ben", LEFT))
    assert (same.label, same.localisation, same.panels, same.shared) == (1.0, 1.0, 2, 2)
    # An overlap of .4 is no match.
    apart = agreement(drawn("ann", LEFT), drawn("ben", (0, 0, 100, 40)))
    assert (apart.panels, apart.shared) == (3, 1)


def test_each_question_has_its_own_answer() -> None:
    one = work("ann", {"A": LEFT, "B": RIGHT})
    swapped = agreement(one, work("ben", {"B": LEFT, "A": RIGHT}))
    assert swapped.localisation == 1.0
    # Units AB, AB: 1 - (4 / 4) / (8 / 12) ordered pairs that differ, observed and expected.
    assert swapped.label == swapped.detection == pytest.approx(-0.5)
    missed = agreement(one, work("ben", {"A": LEFT, "B": RIGHT, "C": LOW}))
    assert (missed.label, missed.localisation, missed.panels, missed.shared) == (1.0, 1.0, 3, 2)
    # Units AA, BB, C-: 2 of 6 observed; expected 26 of 30.
    assert missed.detection == pytest.approx(1 - (2 / 6) / (26 / 30))
    moved = agreement(one, work("ben", {"A": (0, 0, 100, 80), "B": RIGHT}))
    assert moved.label == moved.detection == 1.0
    # Within: 1 - .8 and 0. Between: left and right, hulls 300 x 100 twice, one with a lower box.
    between = (1 + 100 / 300, 1 + (30_000 - 18_000) / 30_000)
    assert moved.localisation == pytest.approx(1 - (0.2 / 2) / (sum(between) / 2))


def test_two_who_agree_on_nothing_score_below_chance() -> None:
    found = agreement(work("ann", {"A": LEFT, "B": LOW}), work("ben", {"C": RIGHT}))
    assert found.detection is not None
    assert found.detection < 0
    assert (found.label, found.label_reason) == (None, "no panel that two drew")
    assert (found.localisation, found.localisation_reason) == (None, "no panel that two drew")


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (
            {"A": LEFT},
            {"A": LEFT},
            ("all gave one label throughout",) * 2 + ("no figure with two different panels",),
        ),
        ({}, {}, ("no panel in the figures that two accepted", *["no panel that two drew"] * 2)),
    ],
)
def test_what_is_undefined_has_a_reason(ours: Drawn, theirs: Drawn, reason: tuple[str, ...]) -> None:
    found = agreement(work("ann", ours), work("ben", theirs))
    assert (found.detection, found.label, found.localisation) == (None, None, None)
    assert (found.detection_reason, found.label_reason, found.localisation_reason) == reason


def test_work_without_a_common_figure_has_one_reason() -> None:
    found = agreement(work("ann", {"A": LEFT}), work("ben", {"A": LEFT}, figure="f2"))
    why = "no figure that two accepted in the same version"
    assert found == PanelAgreement(None, None, None, why, why, why, 0, 0)
