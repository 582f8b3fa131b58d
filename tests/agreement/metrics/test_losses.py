from __future__ import annotations

import pytest
from agreement_builders import campaigns
from agreement_reference import figure_losses, in_every
from builders import a_figure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.raw import RawAnnotation
from agreement.pairs.pairwise import detailed, mean_losses, mean_of_pairs, pair_scores, pooled, pooled_losses
from agreement.score.losses import CAUSES, Loss
from agreement.score.subfigure_f1 import Common, Mode, Panel
from panelwise.domain.annotation import Annotation, Status

LEFT, RIGHT = (0.0, 0.0, 100.0, 100.0), (100.0, 0.0, 200.0, 100.0)
TOKENS = range(20)
#: Every third token is punctuation.
WORDS = [f"w{token}" if token % 3 else "," for token in TOKENS]

boxes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)).map(
    lambda each: (50.0 * each[0], 50.0 * each[1], 50.0 * (each[0] + each[2]), 50.0 * (each[1] + each[3]))
)
panels = st.lists(st.builds(Panel, boxes, st.lists(st.sampled_from(TOKENS), max_size=8)), max_size=4)


def raw(name: str, panels: list[Panel], figure: str = "f1", words: list[str] = WORDS) -> RawAnnotation:
    made = a_figure(figure, caption=" ".join(words))
    listed = tuple(panel.tokens for panel in panels)
    return RawAnnotation(made, name, "1", Status.ACCEPTED, tuple(panels), listed, an_annotation().saved_at)


def lost(gold: list[Panel], other: list[Panel], mode: Mode = Mode.PAPER) -> dict[Loss, float]:
    """What one figure lost, by cause; the causes without a loss are left out."""
    pair, _ = pair_scores([raw("A", gold), raw("B", other)], mode=mode, common=Common.NONE, details=True)
    (row,) = detailed(pair).losses
    return {cause: share for cause, share in zip(CAUSES, row.tolist(), strict=True) if share}


@given(
    st.lists(st.tuples(panels, panels), max_size=3),
    st.sampled_from(Mode),
    st.sampled_from(Common),
    st.sampled_from([0.3, 0.5, 0.9]),
)
def test_every_loss_is_that_of_the_plain_loop_and_they_add_up_to_what_is_missing(
    figures: list[tuple[list[Panel], list[Panel]]], mode: Mode, common: Common, min_iou: float
) -> None:
    work = [
        raw(name, each[side], f"f{number}")
        for number, each in enumerate(figures)
        for side, name in enumerate("AB")
    ]
    for pair in pair_scores(work, mode=mode, common=common, min_iou=min_iou, details=True):
        rows = detailed(pair).losses
        assert rows.shape == (len(figures), len(CAUSES))
        assert rows.sum(axis=1) == pytest.approx(pair.counts - pair.totals)
        for row, sides in zip(rows.tolist(), figures, strict=True):
            gold, other = ([(panel.box, list(panel.tokens)) for panel in side] for side in sides)
            if pair.gold == "B":
                gold, other = other, gold
            expected = figure_losses(
                gold,
                other,
                WORDS,
                official=mode is Mode.OFFICIAL,
                min_iou=min_iou,
                gold_common=in_every(gold, listed=True) if common is not Common.NONE else None,
                other_common=in_every(other, listed=True) if common is Common.BOTH else None,
                as_read=common is not Common.NONE,
            )
            assert (
                dict(zip(map(str, CAUSES), row, strict=True)) == {cause.value: 0.0 for cause in CAUSES} | expected
            )


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
    assert lost([Panel(LEFT, [1, 2])], [Panel(LEFT, [1, 2, 4])]) == {Loss.BOUNDARY: pytest.approx(1 / 5)}


def test_runs_reach_over_the_ends_of_the_words_that_bits_are_kept_in() -> None:
    words = [f"w{token}" for token in range(200)]

    def of(gold: range, other: range) -> dict[Loss, float]:
        sides = [raw(name, [Panel(LEFT, tokens)], words=words) for name, tokens in (("A", gold), ("B", other))]
        row = detailed(pair_scores(sides, details=True)[0]).losses[0]
        return {cause: share for cause, share in zip(CAUSES, row.tolist(), strict=True) if share}

    for edge in (62, 63, 64, 65, 126, 127, 128, 129):
        assert of(range(edge), range(edge + 3)) == {Loss.BOUNDARY: pytest.approx(3 / (2 * edge + 3))}
        assert of(range(edge), range(edge + 4)) == {Loss.SURPLUS: pytest.approx(4 / (2 * edge + 4))}
        assert of(range(edge, 200), range(edge + 3, 200)) == {Loss.BOUNDARY: pytest.approx(3 / (397 - 2 * edge))}
        assert of(range(edge, 200), range(edge + 4, 200)) == {Loss.MISSING: pytest.approx(4 / (396 - 2 * edge))}


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
