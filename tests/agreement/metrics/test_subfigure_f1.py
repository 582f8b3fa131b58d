from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from agreement_reference import figure_f1s
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.token_f1 import counted_words
from agreement.score.subfigure_f1 import Common, LeftOut, Mode, Panel, subfigure_f1

WORDS = ["Fig", "1", ":", "(", "a", ")", "left", "lung", "lesion", "(", "b", ")", "right", "lung"]
COUNTED = counted_words(WORDS)
Q = (0, 0, 100, 100)
FAR = (500, 500, 600, 600)


def p(box: Sequence[float], *tokens: int) -> Panel:
    return Panel(tuple(box), tokens)


def paper(gold: list[Panel], other: list[Panel], **more: Any) -> list[float | None]:
    return list(subfigure_f1(gold, other, counted=COUNTED, **more).f1s)


def official(gold: list[Panel], other: list[Panel], **more: Any) -> list[float]:
    return list(subfigure_f1(gold, other, counted=COUNTED, mode=Mode.OFFICIAL, **more).counted)


# The metric's worked cases, typed by hand: gold, predicted, what the paper gives, what the authors' code counts.
CASES = [
    ("three of four tokens", [p(Q, 4, 6, 7, 8)], [p(Q, 4, 6, 7, 12)], [0.75], [0.75]),
    ("punctuation never counts", [p(Q, 3, 4, 5, 6)], [p(Q, 4, 6)], [1], [1]),
    ("an IoU of exactly .5 passes", [p(Q, 4, 6)], [p([0, 0, 100, 50], 4, 6)], [1], [1]),
    ("an IoU of .4999 fails", [p(Q, 4, 6)], [p([0, 0, 100, 49.99], 4, 6)], [0], [0]),
    ("punctuation alone, box matched", [p(Q, 3, 5)], [p(Q, 4)], [None], []),
    ("punctuation alone, box missed", [p(Q, 3, 5)], [p(FAR, 4)], [None], [0]),
    (
        "the first of two equal boxes decides",
        [p(Q, 4, 6)],
        [p([0, 0, 100, 80], 4, 6), p([0, 20, 100, 100], 7, 8)],
        [1],
        [1],
    ),
    (
        "the first of two equal boxes decides, swapped",
        [p(Q, 4, 6)],
        [p([0, 20, 100, 100], 7, 8), p([0, 0, 100, 80], 4, 6)],
        [0],
        [0],
    ),
    (
        "one prediction serves two golds, surplus is free",
        [p(Q, 4, 6), p([0, 0, 100, 90], 4, 6)],
        [p([0, 0, 100, 95], 4, 6), p([100, 0, 200, 100], 10), p([400, 0, 500, 100], 12)],
        [1, 1],
        [1, 1],
    ),
    ("a repeated id", [p(Q, 4, 4, 6)], [p(Q, 4, 6)], [1], [0.8]),
    (
        "the box decides alone",
        [p(Q, 4, 6)],
        [p([0, 0, 100, 95], 10, 12), p([0, 0, 100, 90], 4, 6)],
        [0],
        [0],
    ),
    ("no prediction at all", [p(Q, 4, 6), p(FAR, 10)], [], [0, 0], [0, 0]),
    ("matched by a box without text", [p(Q, 4, 6)], [p(Q)], [0], [0]),
    ("empty gold, no prediction", [p(Q)], [], [None], [0]),
    ("a box without area", [p([34, 1.7, 35.7, 1.7], 4)], [p([34, 1.7, 35.7, 1.7], 4)], [None], [0]),
]


@pytest.mark.parametrize(
    ("gold", "other", "by_paper", "by_code"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_worked_cases_score_as_told(
    gold: list[Panel], other: list[Panel], by_paper: list[float | None], by_code: list[float]
) -> None:
    assert paper(gold, other) == by_paper
    assert official(gold, other) == by_code


def test_common_tokens_leave_the_gold_only_in_the_authors_code() -> None:
    both = [p(Q, 0, 1, 4, 6, 7, 8)]
    assert paper(both, both) == [1]
    assert official(both, both, gold_common=frozenset({0, 1})) == [0.8]
    assert paper(both, both, gold_common=frozenset({0, 1}), other_common=frozenset({0, 1})) == [1]


def test_of_a_gold_whose_tokens_are_all_common_nothing_counts() -> None:
    score = subfigure_f1([p(Q, 4, 6)], [p(Q, 4, 6)], counted=COUNTED, gold_common=frozenset({4, 6}))
    assert score.f1s == (None,)
    assert score.reasons == (LeftOut.ONLY_COMMON_TOKENS,)
    assert score.mean is None


def test_nothing_to_count_is_undefined_in_the_paper_and_zero_in_the_code() -> None:
    assert subfigure_f1([], [p(Q, 4)], counted=COUNTED).mean is None
    assert subfigure_f1([], [p(Q, 4)], counted=COUNTED, mode=Mode.OFFICIAL).mean == 0.0


def test_what_is_left_out_has_its_reason_and_what_is_scored_its_match() -> None:
    score = subfigure_f1(
        [p(Q), p(Q, 3), p([5, 5, 5, 9], 4), p(Q, 4), p(FAR, 4)], [p(FAR), p([0, 0, 100, 90], 4)], counted=COUNTED
    )
    assert score.reasons == (LeftOut.NO_SUBCAPTION, LeftOut.NO_COUNTED_TOKEN, LeftOut.NO_AREA, None, None)
    assert score.f1s == (None, None, None, 1, 0)
    assert score.matches == (1, 1, None, 1, 0)
    assert score.mean == 0.5


def test_the_threshold_can_be_chosen() -> None:
    gold, other = [p(Q, 4)], [p([0, 0, 100, 60], 4)]
    assert paper(gold, other, min_iou=0.6) == [1]
    assert paper(gold, other, min_iou=0.61) == [0]
    assert paper(gold, [p(FAR, 4)], min_iou=0.0) == [0], "boxes that share nothing never answer"


def test_each_mode_has_its_own_common_tokens_by_default() -> None:
    assert Common.default(Mode.PAPER) is Common.NONE
    assert Common.default(Mode.OFFICIAL) is Common.GOLD


def test_all_cases_of_the_shared_data_hold_in_both_modes(shared_data: Path) -> None:
    cases = json.loads((shared_data / "agreement_cases.json").read_text("utf-8"))
    assert len(cases) == 18
    for case in cases:
        gold, other = ([p(box, *tokens) for box, tokens in case[side]] for side in ("gold", "pred"))
        counted = counted_words(case["words"])
        by_paper = subfigure_f1(gold, other, counted=counted)
        assert (list(by_paper.f1s), by_paper.mean) == (case["paper_per_gold"], case["paper_mean"]), case["name"]
        common = frozenset(case.get("gold_common", ()))
        by_code = subfigure_f1(gold, other, counted=counted, mode=Mode.OFFICIAL, gold_common=common)
        assert list(by_code.counted) == case["official_f1s"], case["name"]


# Few coordinates, so that ties, misses and boxes without area are common.
raw_boxes = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)).map(
    lambda v: (v[0], v[1], v[0] + v[2], v[1] + v[3])
)
panels = st.lists(st.builds(Panel, raw_boxes, st.lists(st.integers(0, 13), max_size=5).map(tuple)), max_size=4)
commons = st.frozensets(st.integers(0, 13), max_size=3)


@given(panels, panels, commons, commons, st.sampled_from(Mode), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_scores_equal_the_plain_loop(
    gold: list[Panel],
    other: list[Panel],
    gold_common: frozenset[int],
    other_common: frozenset[int],
    mode: Mode,
    min_iou: float,
) -> None:
    found = subfigure_f1(
        gold,
        other,
        counted=COUNTED,
        mode=mode,
        min_iou=min_iou,
        gold_common=gold_common,
        other_common=other_common,
    )
    assert list(found.f1s) == figure_f1s(
        [(panel.box, list(panel.tokens)) for panel in gold],
        [(panel.box, list(panel.tokens)) for panel in other],
        WORDS,
        official=mode is Mode.OFFICIAL,
        min_iou=min_iou,
        gold_common=set(gold_common),
        other_common=set(other_common),
    )


@given(panels)
def test_work_that_does_not_overlap_itself_agrees_with_itself(gold: list[Panel]) -> None:
    apart = [Panel((10.0 * n, 0, 10.0 * n + 5, 5), panel.tokens) for n, panel in enumerate(gold)]
    assert all(f1 in (None, 1.0) for f1 in paper(apart, apart))


@given(panels, st.randoms())
def test_the_order_of_the_gold_moves_no_score(gold: list[Panel], random: Any) -> None:
    other = [p(Q, 4), p([0, 0, 2, 2], 6, 7), p([1, 1, 3, 3], 8)]
    shuffled = list(range(len(gold)))
    random.shuffle(shuffled)
    scores = paper(gold, other)
    assert paper([gold[n] for n in shuffled], other) == [scores[n] for n in shuffled]
