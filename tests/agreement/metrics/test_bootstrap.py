from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.columns.raw import RawAnnotation
from agreement.pairs.pairwise import PairScore, mean_losses, mean_of_pairs, pair_scores, pooled_losses
from agreement.primitives.rules import Mode
from agreement.resampling import bootstrap
from agreement.resampling import draws as resampling
from agreement.resampling.bootstrap import difference_interval, intervals, linearised
from agreement.resampling.draws import Cells, draws
from agreement.score.losses import CAUSES, Loss
from panelwise.domain.annotation import Annotation, Panel, Status


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
    monkeypatch.setattr(resampling, "_DRAWN_AT_ONCE", 70)
    assert intervals(pairs, resamples=101) == whole


@pytest.mark.parametrize("most", [20_000, 2])
def test_pairs_taken_a_few_at_a_time_have_the_same_intervals(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", most)
    pairs = pair_scores(a_campaign(10, "ABCD"))
    whole = intervals(pairs, resamples=101)
    monkeypatch.setattr(resampling, "_HELD_AT_ONCE", 101 * 5)
    found = intervals(pairs, resamples=101)
    assert found.pairs == whole.pairs
    assert found.iaa == pytest.approx(whole.iaa, abs=1e-15)


def test_many_pairs_take_no_more_memory_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pair_scores(a_campaign(4, "ABCDEFGHIJKL"))
    assert len(pairs) == 132
    monkeypatch.setattr(resampling, "_HELD_AT_ONCE", 20_000)
    intervals(pairs, resamples=10)  # The first one of a process imports what it needs.
    tracemalloc.start()
    intervals(pairs, resamples=4000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All scores of all draws alone would take 4.2 MB; drawing four figures 4,000 times takes 0.4.
    assert most < 2_500_000


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
    assert found.reasons == (reason,) * len(pairs)


def judged(figure: str, name: str, *tokens: int, box: tuple[float, ...] = (0, 0, 100, 100)) -> Annotation:
    return an_annotation(
        a_figure(figure, caption="one two three four five"),
        annotator=name,
        subfigures=(a_subfigure(box=box, tokens=tokens),),
    )


@pytest.mark.parametrize("most", [20_000, 2])
def test_a_pair_over_one_figure_has_no_interval_whatever_the_others_share(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", most)
    work = [judged(f"f{n}", name, 0, n % 2 if name == "A" else 1) for n in range(8) for name in "AB"]
    # D shares two figures with the others, but marks something in one of them alone.
    work += [judged("f0", "C", 0, 1), judged("f0", "D", 0, 1), judged("f1", "D")]
    found = intervals(pairs := pair_scores(work), resamples=200)
    for pair, interval, reason in zip(pairs, found.pairs, found.reasons, strict=True):
        few = pair.gold in "CD" or pair.predicted == "C"
        assert (interval is None) == few
        assert reason == ("one figure alone cannot be resampled" if few else "")
    assert found.iaa is not None


def test_work_in_which_one_figure_alone_counts_has_no_interval() -> None:
    work = [judged(f"f{n}", name, *((0, 1) if n == 0 else ())) for n in range(5) for name in "AB"]
    found = intervals(pair_scores(work), resamples=50)
    assert (found.iaa, found.reason) == (None, "one figure alone cannot be resampled")


def test_draws_that_never_hold_what_counts_say_so() -> None:
    work = [judged(f"f{n}", name, *((0, 1) if n < 2 else ())) for n in range(40) for name in "AB"]
    every = [intervals(pair_scores(work), resamples=1, seed=seed) for seed in range(40)]
    told = {(each.iaa is None, each.method, each.reason, each.reasons) for each in every}
    why = "no resample holds anything that counts"
    assert told == {(True, "", why, (why, why)), (False, "bootstrap", "", ("", ""))}


def official(*works: list[RawAnnotation]) -> tuple[PairScore, ...]:
    return pair_scores([each for work in works for each in work], mode=Mode.OFFICIAL, details=True)


def raw(name: str, figures: range, *tokens: tuple[int, ...]) -> list[RawAnnotation]:
    """By the authors' code a figure of one subcaption keeps no token, so that nothing counts in it."""
    return [
        RawAnnotation(
            a_figure(f"f{number:02}", caption="one two three four five six seven"),
            name,
            "1",
            Status.ACCEPTED,
            panels := tuple(Panel((200.0 * n, 0.0, 200.0 * n + 190, 90.0), own) for n, own in enumerate(tokens)),
            tuple(panel.tokens for panel in panels),
            NOON,
        )
        for number in figures
    ]


@pytest.mark.parametrize("most", [20_000, 2])
def test_a_pair_with_nothing_to_count_is_0_in_every_draw_of_the_authors_code(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", most)
    first = [*raw("A", range(12), (0, 1, 2), (4, 5)), *raw("A", range(12, 24), (0, 1))]
    second = [*raw("B", range(6), (0, 1, 2), (4, 5)), *raw("B", range(6, 12), (0, 1, 2), (5, 6))]
    pairs = official(first, second, raw("C", range(12, 24), (0, 1)))
    scores = {(pair.gold, pair.predicted): pair.score for pair in pairs}
    assert scores["A", "C"] == scores["C", "A"] == 0.0
    iaa = mean_of_pairs(pairs)
    found = intervals(pairs, resamples=400)
    assert iaa is not None
    assert found.iaa is not None
    assert found.iaa[0] < iaa < found.iaa[1] < 0.5
    why = dict(zip(scores, found.reasons, strict=True))
    assert why["A", "C"] == "no gold subfigure with a counted token"
    assert why["B", "C"] == "no figure in common"
    assert why["A", "B"] == ""


def test_pairs_with_nothing_to_count_are_a_loss_of_their_own_so_that_all_sum_to_what_is_missing() -> None:
    first = [*raw("A", range(4), (0, 1, 2), (4, 5)), *raw("A", range(4, 8), (0, 1))]
    second = raw("B", range(4), (0, 1, 2), (5, 6))
    pairs = official(first, second, raw("C", range(4, 8), (0, 1)))
    losses, iaa = mean_losses(pairs), mean_of_pairs(pairs)
    assert losses is not None
    assert iaa is not None
    assert sum(losses.values()) == pytest.approx(1 - iaa)
    assert losses[Loss.NOTHING] == 0.5
    alone = [pair for pair in pairs if pair.score == 0.0]
    assert pooled_losses(alone) == {**dict.fromkeys(CAUSES, 0.0), Loss.NOTHING: 1.0}
    counting = [pair for pair in pairs if pair.counted]
    assert list(mean_losses(counting) or ()) == list(CAUSES)


def test_a_draw_of_figures_in_which_nothing_counts_is_0_by_the_authors_code_and_undefined_by_the_paper() -> None:
    first = [*raw("A", range(2), (0, 1, 2), (4, 5)), *raw("A", range(2, 9), (0, 1))]
    second = [*raw("B", range(2), (0, 1, 2), (4, 5)), *raw("B", range(2, 9), (0, 1))]
    pairs = official(first, second)
    # Both agree wherever something counts; of nine figures a draw misses these two in 1 of 10 cases.
    assert [pair.score for pair in pairs] == [1, 1]
    assert intervals(pairs, resamples=2000).iaa == (0, 1)
    silent = [replace(pair, mode=Mode.PAPER) for pair in pairs]
    assert intervals(silent, resamples=2000).iaa == (1, 1)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 6))
def test_sums_of_a_draw_are_those_of_exact_arithmetic(seed: int, figures: int, pairs: int) -> None:
    source = np.random.default_rng(seed)
    counts = source.integers(0, 60, size=(figures, pairs))
    totals = source.random((figures, pairs)) * counts * source.choice([1e-9, 1.0], size=(figures, pairs))
    found = draws(Cells(totals, counts.astype(float), np.zeros_like(totals)), 5, seed)
    drawn = np.random.default_rng(seed).integers(0, figures, size=(5, figures))
    for rows, scores in zip(drawn.tolist(), found.tolist(), strict=True):
        for column, score in enumerate(scores):
            counted = sum(int(counts[row, column]) for row in rows)
            exact = float(sum(Fraction(float(totals[row, column])) for row in rows))
            assert math.isnan(score) if counted == 0 else score == exact / counted


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 8), st.floats(0, 0.3))
def test_pairs_of_few_figures_have_the_same_draws_to_the_last_bit(
    seed: int, figures: int, pairs: int, share: float
) -> None:
    """Summed over the figures of each pair alone, and over all."""
    source = np.random.default_rng(seed)
    there = source.random((figures, pairs)) < share
    counts = np.where(there, source.integers(0, 9, size=(figures, pairs)), 0).astype(float)
    cells = Cells(
        source.random((figures, pairs)) * counts, counts, (there & (source.random(pairs) < 0.5)).astype(float)
    )
    found = []
    for sparse in (0.0, 1e9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(resampling, "_SPARSE", sparse)
            found.append(draws(cells, 20, seed))
    assert np.array_equal(*found, equal_nan=True)


def test_a_crowds_intervals_are_linearised_as_those_of_many_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pair_scores(a_campaign(12, "ABC"))
    assert intervals(pairs, resamples=50).method == "bootstrap"
    assert difference_interval(pairs, pairs, resamples=50, seed=0)[2] == "bootstrap"
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_PAIRS", len(pairs) - 1)
    assert intervals(pairs, resamples=50) == linearised(pairs)
    assert difference_interval(pairs, pairs, resamples=50, seed=0)[2] == "linearised"


@pytest.mark.slow
def test_an_interval_is_the_same_to_the_last_bit_on_one_thread_and_on_two() -> None:
    code = (
        "import numpy as np\n"
        "from agreement.resampling.draws import Cells, draws\n"
        "counts = np.random.default_rng(1).integers(1, 9, size=(400, 30)).astype(float)\n"
        "totals = counts * np.random.default_rng(2).random((400, 30))\n"
        "found = draws(Cells(totals, counts, np.zeros_like(counts)), 800, 0)\n"
        "print(found.view(np.uint64).sum())\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(told) == 1


@pytest.mark.slow
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


def test_draws_too_many_to_keep_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list(resampling._weights(7, 50, 3))
    monkeypatch.setattr(resampling, "_KEPT_AT_MOST", 0)
    fresh = list(resampling._weights(7, 50, 3))
    assert [each.tolist() for each in fresh] == [each.tolist() for each in kept]
    assert fresh[0] is not kept[0]
