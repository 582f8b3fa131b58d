from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.metrics import bootstrap
from agreement.metrics.bootstrap import intervals
from agreement.metrics.pairwise import PairScore, mean_of_pairs, pair_scores
from annotator.domain.annotation import Annotation


def a_campaign(figures: int, names: str = "AB") -> list[Annotation]:
    """Every figure has one to three subfigures; who agrees on what is drawn with a fixed seed."""
    source = random.Random(7)
    made = []
    for number in range(figures):
        figure = a_figure(f"f{number}", caption="one two three four five")
        panels = source.randint(1, 3)
        for name in names:
            parts = [
                a_subfigure(str(n), box=(200 * n, 0, 200 * n + 190, 90), tokens=(n, source.randint(n, 4)))
                for n in range(panels)
            ]
            made.append(an_annotation(figure, annotator=name, subfigures=tuple(parts)))
    return made


def plain_interval(pair: PairScore, resamples: int) -> tuple[float, float]:
    source = random.Random(3)
    scores = []
    for _ in range(resamples):
        drawn = [source.randrange(len(pair.figures)) for _ in pair.figures]
        scores.append(sum(pair.totals[n] for n in drawn) / sum(pair.counts[n] for n in drawn))
    low, high = np.percentile(scores, (2.5, 97.5))
    return float(low), float(high)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    pairs = pair_scores(a_campaign(12))
    assert intervals(pairs, resamples=300) == intervals(pairs, resamples=300)
    assert intervals(pairs, resamples=300, seed=1) != intervals(pairs, resamples=300)


def test_the_interval_holds_the_score_and_equals_a_plain_loop_but_for_chance() -> None:
    pairs = pair_scores(a_campaign(25))
    found = intervals(pairs, resamples=4000)
    assert found.method == "bootstrap"
    assert found.iaa is not None
    assert found.iaa[0] < (mean_of_pairs(pairs) or 0) < found.iaa[1]
    assert found.pairs[0] == pytest.approx(plain_interval(pairs[0], 4000), abs=0.01)


def test_drawing_in_batches_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pair_scores(a_campaign(10))
    whole = intervals(pairs, resamples=101)
    monkeypatch.setattr(bootstrap, "_DRAWN_AT_ONCE", 70)
    assert intervals(pairs, resamples=101) == whole


def test_full_agreement_has_an_interval_of_no_width() -> None:
    same = [an_annotation(a_figure(f"f{n}"), annotator=name) for n in range(3) for name in "AB"]
    assert intervals(pair_scores(same), resamples=50).iaa == (1, 1)


def test_the_linearised_interval_is_near_that_of_the_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pair_scores(a_campaign(200, "ABC"))
    drawn = intervals(pairs, resamples=4000)
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 100)
    found = intervals(pairs, resamples=4000)
    assert found.method == "linearised"
    assert found.iaa == pytest.approx(drawn.iaa, abs=0.01)
    for pair, other in zip(found.pairs, drawn.pairs, strict=True):
        assert pair == pytest.approx(other, abs=0.01)


def test_an_undefined_pair_has_no_interval_by_either_method(monkeypatch: pytest.MonkeyPatch) -> None:
    annotations = [*a_campaign(6), an_annotation(a_figure("other"), annotator="C")]
    pairs = pair_scores(annotations)
    expected = [pair.score is not None for pair in pairs]
    assert [each is not None for each in intervals(pairs, resamples=50).pairs] == expected
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 2)
    assert [each is not None for each in intervals(pairs, resamples=50).pairs] == expected


@pytest.mark.parametrize(
    ("annotations", "more", "reason"),
    [
        ([], {}, "no pair is defined"),
        ([an_annotation(), an_annotation(annotator="B")], {}, "one figure alone cannot be resampled"),
        (a_campaign(3), {"resamples": 0}, "no resamples were asked for"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_told(
    annotations: list[Annotation], more: dict[str, Any], reason: str
) -> None:
    pairs = pair_scores(annotations)
    found = intervals(pairs, **more)
    assert (found.iaa, found.reason, found.method) == (None, reason, "")
    assert found.pairs == (None,) * len(pairs)


@settings(max_examples=30)
@given(campaigns, st.randoms())
def test_intervals_lie_in_the_unit_range_and_hang_on_no_order(
    annotations: list[Annotation], source: random.Random
) -> None:
    found = intervals(pair_scores(annotations), resamples=40)
    shuffled = source.sample(annotations, len(annotations))
    assert found == intervals(pair_scores(shuffled), resamples=40)
    for each in (found.iaa, *found.pairs):
        assert each is None or 0 <= each[0] <= each[1] <= 1
