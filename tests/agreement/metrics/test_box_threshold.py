"""The threshold that boxes suggest: it parts the pairs that match from the others, and says how well."""

from __future__ import annotations

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance.box_threshold import BoxThreshold, box_threshold
from agreement.chance.token_panels import merge_panels
from panelwise.domain.annotation import Annotation

Sides = tuple[float, float, float, float]


def work(name: str, *boxes: Sides) -> Annotation:
    panels = tuple(a_subfigure("A", box=box, tokens=()) for box in boxes)
    return an_annotation(a_figure("f1"), annotator=name, subfigures=panels)


def threshold(*annotations: Annotation) -> BoxThreshold:
    return box_threshold(merge_panels(annotations))


def test_it_lies_between_the_matched_and_the_other_overlaps() -> None:
    """Left matches with an IoU of .8 and overlaps the right one's partner by a quarter; right with .75."""
    ann = work("ann", (0, 0, 100, 100), (100, 0, 200, 100))
    ben = work("ben", (0, 0, 100, 80), (75, 0, 200, 100))
    found = threshold(ann, ben)
    assert (found.matched, found.others) == (2, 1)
    # The other overlap: 25 x 100 of 100 x 100 and 125 x 100.
    assert (found.low, found.high) == (pytest.approx(2500 / 20000), pytest.approx(0.8))
    assert found.clean == 1.0
    assert found.min_iou.value == pytest.approx((0.125 + 0.8) / 2)


def test_where_both_mix_the_share_that_is_parted_says_so() -> None:
    """A match of .5 beside one of 1, and another overlap of .6: one of two matches is above it."""
    ann = work("ann", (0, 0, 100, 100), (300, 0, 400, 100))
    ben = work("ben", (0, 0, 100, 100), (0, 0, 100, 60), (300, 0, 400, 50))
    found = threshold(ann, ben)
    assert (found.matched, found.others) == (2, 1)
    assert (found.low, found.high, found.clean) == (pytest.approx(0.6), 1.0, 0.5)


def test_where_only_matches_overlap_any_lower_threshold_parts_them() -> None:
    found = threshold(work("ann", (0, 0, 100, 100)), work("ben", (0, 0, 100, 90)))
    assert (found.low, found.high, found.clean, found.others) == (0.0, pytest.approx(0.9), 1.0, 0)
    assert found.min_iou.value == pytest.approx(0.45)


def test_the_pairs_of_all_annotators_count() -> None:
    box = (0, 0, 100, 100)
    assert threshold(work("ann", box), work("ben", box), work("cho", box)).matched == 3


def test_without_a_match_or_a_figure_of_two_the_reason_is_named() -> None:
    found = threshold(work("ann", (0, 0, 100, 100)), work("ben", (300, 0, 400, 100)))
    assert (found.min_iou.value, found.min_iou.reason) == (None, "no two boxes of a figure overlap")
    alone = threshold(work("ann", (0, 0, 100, 100)))
    assert alone.min_iou.reason == "no figure that two accepted in the same version"
