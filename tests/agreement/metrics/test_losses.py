from __future__ import annotations

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.metrics.losses import Loss, causes, split_losses
from agreement.metrics.pairwise import mean_losses, mean_of_pairs, pair_scores, pooled, pooled_losses
from agreement.metrics.subfigure_f1 import Mode, Panel, prepare, score_panels
from annotator.domain.annotation import Annotation

LEFT, RIGHT = (0.0, 0.0, 100.0, 100.0), (100.0, 0.0, 200.0, 100.0)
TOKENS = range(20)
#: Every third token is punctuation.
COUNTED = frozenset(token for token in TOKENS if token % 3)

boxes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)).map(
    lambda each: (50.0 * each[0], 50.0 * each[1], 50.0 * (each[0] + each[2]), 50.0 * (each[1] + each[3]))
)
panels = st.lists(st.builds(Panel, boxes, st.lists(st.sampled_from(TOKENS), max_size=8)), max_size=4)


def lost(gold: list[Panel], other: list[Panel], mode: Mode = Mode.PAPER) -> dict[Loss, float]:
    """What one figure lost, by cause; the causes without a loss are left out."""
    ours, theirs = (prepare([side], [COUNTED], [frozenset()], mode=mode) for side in (gold, other))
    (row,) = split_losses(ours, theirs, score_panels(ours, theirs, min_iou=0.5), [COUNTED])
    return {cause: share for cause, share in zip(Loss, row.tolist(), strict=True) if share}


@given(st.lists(st.tuples(panels, panels), max_size=3), st.sampled_from(Mode), st.sampled_from([0.3, 0.5, 0.9]))
def test_the_causes_add_up_to_what_is_missing(
    figures: list[tuple[list[Panel], list[Panel]]], mode: Mode, min_iou: float
) -> None:
    counted, common = [COUNTED] * len(figures), [frozenset[int]()] * len(figures)
    gold, other = (prepare([each[side] for each in figures], counted, common, mode=mode) for side in (0, 1))
    scores = score_panels(gold, other, min_iou=min_iou)
    rows = split_losses(gold, other, scores, counted)
    assert rows.shape == (len(figures), len(Loss))
    assert (rows >= 0).all()
    missing = np.where(np.isnan(scores.f1), 0.0, 1.0 - scores.f1)
    owners = np.repeat(np.arange(len(figures)), gold.sizes)
    assert rows.sum(axis=1) == pytest.approx(np.bincount(owners, missing, minlength=len(figures)))


@pytest.mark.parametrize(
    ("box", "cause"),
    [
        ((300.0, 0.0, 400.0, 100.0), Loss.NO_BOX),
        ((95.0, 0.0, 195.0, 100.0), Loss.NO_BOX),
        ((50.0, 0.0, 150.0, 100.0), Loss.WRONG_BOX),
    ],
)
def test_a_box_that_does_not_answer_costs_the_whole_subfigure(
    box: tuple[float, float, float, float], cause: Loss
) -> None:
    assert lost([Panel(LEFT, [1, 2])], [Panel(box, [1, 2])]) == {cause: 1.0}


def test_words_of_another_panel_are_told_on_both_sides() -> None:
    gold = [Panel(LEFT, [1, 2, 4]), Panel(RIGHT, [10, 11])]
    taken = [Panel(LEFT, [1, 2, 4, 10]), Panel(RIGHT, [11])]
    assert lost(gold, taken) == {Loss.OTHER_PANEL: pytest.approx(1 / 7 + 1 / 3)}


def test_a_few_words_at_the_edge_are_the_boundary_and_more_are_not() -> None:
    short, long = [1, 2, 4], [1, 2, 4, 5, 7, 8]
    assert lost([Panel(LEFT, long)], [Panel(LEFT, [*short, 5])]) == {Loss.BOUNDARY: pytest.approx(2 / 10)}
    assert lost([Panel(LEFT, short)], [Panel(LEFT, long)]) == {Loss.BOUNDARY: pytest.approx(3 / 9)}
    assert lost([Panel(LEFT, [1, 2])], [Panel(LEFT, long)]) == {Loss.SURPLUS: pytest.approx(4 / 8)}
    assert lost([Panel(LEFT, [1, 2, 10])], [Panel(LEFT, [1, 2])]) == {Loss.MISSING: pytest.approx(1 / 5)}


def test_an_empty_subcaption_lacks_all_its_words() -> None:
    assert lost([Panel(LEFT, [1, 2])], [Panel(LEFT, [])]) == {Loss.MISSING: 1.0}


def test_repeated_ids_cost_something_in_the_authors_code_only() -> None:
    gold, other = [Panel(LEFT, [1, 1, 2])], [Panel(LEFT, [1, 2])]
    assert lost(gold, other) == {}
    assert lost(gold, other, Mode.OFFICIAL) == {Loss.REPEATED: pytest.approx(1 / 5)}


def test_next_to_is_told_by_words_whatever_stands_between_them() -> None:
    # 3 and 6 are punctuation: 2 and 4 are neighbours.
    found = causes(frozenset({1, 2}), frozenset({1, 2, 4}), frozenset(), frozenset(), COUNTED)
    assert found == {Loss.BOUNDARY: 1}


@given(campaigns)
def test_the_means_over_pairs_are_what_the_scores_lack(work: list[Annotation]) -> None:
    pairs = pair_scores(work, details=True)
    for losses, score in ((mean_losses(pairs), mean_of_pairs(pairs)), (pooled_losses(pairs), pooled(pairs))):
        assert (losses is None) == (score is None)
        if losses is not None and score is not None:
            assert sum(losses.values()) == pytest.approx(1 - score)


def test_what_was_not_asked_for_is_refused() -> None:
    pairs = pair_scores([an_annotation(annotator="A"), an_annotation(annotator="B")])
    with pytest.raises(ValueError, match="details=True"):
        mean_losses(pairs)
