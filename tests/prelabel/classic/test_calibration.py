import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.box import Box
from prelabel.captions.parser import ParsedCaption
from prelabel.classic.alignment import align
from prelabel.classic.prelabeller import (
    BOX_COEFFICIENTS,
    BOX_FEATURES,
    FARTHEST,
    TEXT_COEFFICIENTS,
    TEXT_FEATURES,
    features,
    logistic,
    scores,
)
from prelabel.panels.splitter import Split

ROW = (Box(0, 0, 100, 80), Box(110, 0, 210, 80), Box(220, 0, 320, 80))
NAMED = ParsedCaption(("a", "b", "c"), {label: frozenset(range(20)) for label in "abc"}, 0.95)


def scored(split: Split, parsed: ParsedCaption = NAMED) -> tuple[float, ...]:
    return scores(split, parsed, align(split, parsed), width=320, height=80)


def test_there_is_a_coefficient_for_every_feature() -> None:
    split = Split(ROW, (0.9,) * 3)
    [(box, text), *_] = features(split, NAMED, align(split, NAMED), width=320, height=80)
    assert len(box) == len(BOX_FEATURES) == len(BOX_COEFFICIENTS)
    assert len(text) == len(TEXT_FEATURES) == len(TEXT_COEFFICIENTS)


def test_surer_cuts_give_surer_scores() -> None:
    unsure, sure = scored(Split(ROW, (0.2, 0.9, 0.9)))[:2]
    assert unsure < sure


def test_a_box_that_could_be_cut_further_scores_lower() -> None:
    likely, unlikely = (scored(Split(ROW, (0.9,) * 3, further=(odds, -4.0, -4.0))) for odds in (2.0, -4.0))
    assert likely[0] < likely[1] < unlikely[0]


def test_letters_that_agree_give_surer_scores() -> None:
    without = scored(Split(ROW, (0.9,) * 3))
    found = scored(Split(ROW, (0.9,) * 3, ("a", "b", "c")))
    assert all(one < other for one, other in zip(without, found, strict=True))


def test_a_sliver_among_panels_is_less_sure_than_they_are() -> None:
    boxes = (*ROW[:2], Box(220, 0, 320, 8))
    first, _, sliver = scored(Split(boxes, (0.9,) * 3))
    assert sliver < first / 2


def test_scores_come_in_the_order_of_the_alignment() -> None:
    split = Split((ROW[2], ROW[0], ROW[1]), (0.9, 0.1, 0.9))
    found = scored(split)
    assert found[0] == min(found)


def test_a_logistic_function_of_nothing_is_a_half_and_ends_are_not_passed() -> None:
    assert logistic((0.0, 0.0), (1.0, 5.0)) == 0.5
    assert 0 < logistic((-1e6,), (1.0,)) < logistic((1e6,), (1.0,)) <= 1


boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), *[st.integers(0, 5000)] * 2, *[st.integers(1, 5000)] * 2
)


@given(
    st.lists(st.tuples(boxes, st.floats(0, 1), st.sampled_from([None, "a", "b", "x"])), min_size=1, max_size=9),
    st.sampled_from(
        [NAMED, ParsedCaption((), {}), ParsedCaption(("l", "r"), {"l": frozenset(), "r": frozenset()})]
    ),
)
def test_every_score_lies_within_the_limits(
    found: list[tuple[Box, float, str | None]], parsed: ParsedCaption
) -> None:
    split = Split(*(tuple(column) for column in zip(*found, strict=True)))
    values = scored(split, parsed)
    assert len(values) == len(found)
    assert all(FARTHEST <= value <= 1 - FARTHEST for value in values)


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_a_caption_may_be_sure_or_not_at_all(certain: float) -> None:
    parsed = ParsedCaption(NAMED.labels, NAMED.tokens, certain)
    assert all(0 < value < 1 for value in scored(Split(ROW, (0.9,) * 3), parsed))
