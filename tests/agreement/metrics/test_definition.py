"""The definition of the metric on the cases of `metric.md`, worked by hand."""

from __future__ import annotations

import pytest

from agreement.primitives.rules import Mode
from agreement.score.definition import figure_f1s
from panelwise.domain.annotation import Panel

WORDS = ["Fig", "1", ":", "(", "a", ")", "left", "lung", "lesion", "(", "b", ")", "right", "lung"]
Q = (0.0, 0.0, 100.0, 100.0)


@pytest.mark.parametrize(
    ("gold", "other", "common", "paper", "official"),
    [
        ([(Q, [4, 6, 7, 8])], [(Q, [4, 6, 7, 12])], (), [0.75], [0.75]),
        ([(Q, [3, 4, 5, 6])], [(Q, [4, 6])], (), [1.0], [1.0]),
        ([(Q, [4, 6])], [((0, 0, 100, 50), [4, 6])], (), [1.0], [1.0]),
        ([(Q, [4, 6])], [((0, 0, 100, 49.99), [4, 6])], (), [0.0], [0.0]),
        ([(Q, [3, 5])], [(Q, [4])], (), [None], [None]),
        ([(Q, [3, 5])], [((500, 500, 600, 600), [4])], (), [None], [0.0]),
        ([(Q, [4, 6])], [((0, 0, 100, 80), [4, 6]), ((0, 20, 100, 100), [7, 8])], (), [1.0], [1.0]),
        ([(Q, [4, 6])], [((0, 20, 100, 100), [7, 8]), ((0, 0, 100, 80), [4, 6])], (), [0.0], [0.0]),
        ([(Q, [4, 4, 6])], [(Q, [4, 6])], (), [1.0], [0.8]),
        ([(Q, [0, 1, 4, 6, 7, 8])], [(Q, [0, 1, 4, 6, 7, 8])], (0, 1), [0.8], [0.8]),
        ([(Q, [4, 6])], [((0, 0, 100, 95), [10, 12]), ((0, 0, 100, 90), [4, 6])], (), [0.0], [0.0]),
        ([(Q, [4, 6])], [], (), [0.0], [0.0]),
        ([((0, 0, 0, 100), [4, 6])], [((0, 0, 0, 100), [4, 6])], (), [None], [0.0]),
    ],
)
def test_each_rule_of_the_metric_on_a_case_worked_by_hand(gold, other, common, paper, official) -> None:
    panels, others = ([Panel(box, tokens) for box, tokens in side] for side in (gold, other))
    assert figure_f1s(panels, others, WORDS, gold_common=common) == pytest.approx(paper)
    assert figure_f1s(panels, others, WORDS, mode=Mode.OFFICIAL, gold_common=common) == pytest.approx(official)
