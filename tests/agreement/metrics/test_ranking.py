from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.models.ranking import RankedBy, ranking
from agreement.pairs.pairwise import PairScore, compare
from agreement.resampling import bootstrap
from agreement.resampling.bootstrap import intervals
from agreement.resampling.draws import Cells, draws
from agreement.score.subfigure_f1 import Mode
from panelwise.domain.annotation import Annotation, Status

CAPTION = "one two three four five six seven eight nine ten"


def work(name: str, figures: int = 12, skill: int = 6, first: int = 0) -> list[Annotation]:
    """Two panels a figure; the text of each is that of the gold up to where the seed and `skill` cut it."""
    source = random.Random(f"{name} {skill}")
    made = []
    for number in range(first, first + figures):
        parts = [
            a_subfigure(str(n), box=(200 * n, 0, 200 * n + 190, 90), tokens=range(source.randint(skill, 9) + 1))
            for n in range(2)
        ]
        made.append(
            an_annotation(a_figure(f"f{number:02}", caption=CAPTION), annotator=name, subfigures=tuple(parts))
        )
    return made


GOLD = work("gold", 20, 9)


def pairs_of(*works: list[Annotation], gold: list[Annotation] = GOLD, mode: Mode = Mode.PAPER) -> list[PairScore]:
    return list(compare(gold, [each for work in works for each in work], mode=mode))


def test_the_best_is_first_and_each_two_neighbours_and_the_best_are_compared() -> None:
    found = ranking(pairs_of(work("c", skill=2), work("a", skill=9), work("b", skill=6), work("d", skill=0)), 20)
    assert [(row.rank, row.name) for row in found.rows] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert [(each.first, each.second) for each in found.differences] == [
        *(("a", "b"), ("b", "c"), ("c", "d")),
        *(("a", "c"), ("a", "d")),
    ]
    assert (found.by, found.figures, found.method) == (RankedBy.COMMON, 12, "bootstrap")
    best = found.rows[0]
    assert (best.score, best.interval, best.counted, best.figures, best.of) == (1, (1, 1), 24, 12, 20)
    for each in found.differences:
        assert each.difference == pytest.approx(
            next(row.score for row in found.rows if row.name == each.first)
            - next(row.score for row in found.rows if row.name == each.second)
        )


def plain_paired(first: PairScore, second: PairScore, resamples: int, seed: int) -> list[float]:
    """The difference in each resample, figure by figure in plain loops."""
    both = sorted(set(first.figures) & set(second.figures))
    cells = [
        {
            figure: (total, count)
            for figure, total, count in zip(pair.figures, pair.totals, pair.counts, strict=True)
        }
        for pair in (first, second)
    ]
    apart = []
    for drawn in np.random.default_rng(seed).integers(0, len(both), size=(resamples, len(both))):
        means = []
        for cell in cells:
            total = sum(cell[both[place]][0] for place in drawn)
            means.append(total / sum(cell[both[place]][1] for place in drawn))
        apart.append(means[0] - means[1])
    return apart


def test_a_difference_equals_a_plain_paired_bootstrap_over_what_both_cover() -> None:
    pairs = pairs_of(work("a", 14, 7), work("b", 12, 6, first=4), work("c", 16, 4))
    found = ranking(pairs, 20, resamples=400, seed=5)
    chosen = {pair.predicted: pair for pair in pairs}
    for each in found.differences:
        apart = plain_paired(chosen[each.first], chosen[each.second], 400, 5)
        assert each.figures == len(set(chosen[each.first].figures) & set(chosen[each.second].figures))
        assert each.interval == pytest.approx(tuple(np.percentile(apart, (2.5, 97.5))))
        third = 5 / len(found.differences) / 2
        assert each.joint == pytest.approx(tuple(np.percentile(apart, (third, 100 - third))))
        assert each.flipped == pytest.approx(sum(value < -1e-12 for value in apart) / 400)
        assert each.tied == pytest.approx(sum(abs(value) <= 1e-12 for value in apart) / 400)
    assert found.figures == 10


def test_the_order_is_found_over_what_all_cover_and_the_own_score_stands_beside() -> None:
    hard = [replace(each, subfigures=(each.subfigures[0],)) for each in work("thorough", 4, 9, first=12)]
    thorough = [*work("thorough", 12, 9), *hard]
    found = ranking(pairs_of(thorough, work("picky", 12, 8)), 20)
    first, second = found.rows
    assert (first.name, first.score, second.name) == ("thorough", 1, "picky")
    assert first.own_score is not None
    assert second.own_score is not None
    assert first.own_score < second.own_score == second.score
    assert (first.figures, second.figures, found.figures) == (16, 12, 12)
    assert (first.own_counted, first.counted) == (32, 24)


def test_without_a_figure_that_all_cover_each_is_ranked_by_its_own() -> None:
    pairs = pairs_of(work("a", 5, 9), work("b", 5, 4, first=5))
    found = ranking(pairs, 20, resamples=50)
    assert (found.by, found.figures) == (RankedBy.OWN, 0)
    assert [row.score for row in found.rows] == [pair.score for pair in pairs]
    assert [row.interval for row in found.rows] == [intervals([pair], resamples=50).pairs[0] for pair in pairs]
    (only,) = found.differences
    assert (only.difference, only.interval, only.reason) == (None, None, "no figure that both cover")
    assert not only.certain


def test_figures_in_which_nothing_counts_give_no_difference() -> None:
    silent = replace(GOLD[0], subfigures=(a_subfigure(tokens=()),))
    gold = [silent, *GOLD[1:]]
    pairs = pairs_of(work("a", 3), [*work("b", 1), *work("b", 3, first=5)], gold=gold)
    found = ranking(pairs, 20, resamples=50)
    assert found.by is RankedBy.OWN
    assert found.differences[0].reason == "no gold subfigure counts in the figures that both cover"
    assert found.differences[0].figures == 1


@pytest.mark.parametrize("linearised", [False, True])
def test_what_is_compared_with_itself_differs_by_nothing(
    linearised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if linearised:
        monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 1)
    one = work("a", skill=3)
    found = ranking(pairs_of(one, [replace(each, annotator="b") for each in one]), 20, resamples=50)
    assert [(row.rank, row.name) for row in found.rows] == [(1, "a"), (1, "b")]
    assert found.rows[0].score == found.rows[1].score
    (only,) = found.differences
    assert (only.difference, only.interval, only.joint) == (0, (0, 0), (0, 0))
    assert (only.flipped, only.tied, only.certain) == (0, 1, False)


@pytest.mark.parametrize("most", [20_000, 1])
def test_models_of_one_work_are_tied_in_every_draw_however_many_stand_beside_them(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", most)
    one = work("m0", 11, 3)
    copies = [[replace(each, annotator=f"m{number}") for each in one] for number in range(9)]
    others = [work(f"x{number}", 11, number) for number in range(5)]
    found = ranking(pairs_of(*copies, *others), 20, resamples=300)
    same = [each for each in found.differences if each.first[0] == each.second[0] == "m"]
    assert len(same) == 8
    assert {(each.interval, each.joint, each.flipped, each.tied) for each in same} == {((0, 0), (0, 0), 0, 1)}


def test_equal_totals_in_other_columns_make_equal_scores_in_every_draw() -> None:
    # What `alike` looks for by comparison, the draws give of themselves.
    source = np.random.default_rng(3)
    one = source.random((101, 1))
    for pairs in range(1, 20):
        totals = np.hstack([one, source.random((101, pairs)), one])
        counts = np.ones_like(totals)
        found = draws(Cells(totals, counts, np.zeros_like(totals)), 100, 0)
        assert np.array_equal(found[:, 0], found[:, -1])


def test_draws_that_never_hold_what_counts_give_no_spread() -> None:
    gold = [each if n < 2 else replace(each, subfigures=()) for n, each in enumerate(work("gold", 20, 9))]
    pairs = pairs_of(work("a", 20, 5), work("b", 20, 3), gold=gold)
    told = {ranking(pairs, 20, resamples=1, seed=seed).differences[0].reason for seed in range(40)}
    assert told == {"", "no resample holds anything that counts"}


def test_ranks_after_a_tie_are_skipped() -> None:
    one = work("a", skill=5)
    tied = [replace(each, annotator="b") for each in one]
    found = ranking(pairs_of(one, tied, work("c", skill=0), work("z", skill=9)), 20, resamples=10)
    assert [(row.rank, row.name) for row in found.rows] == [(1, "z"), (2, "a"), (2, "b"), (4, "c")]


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.randoms())
def test_the_order_of_the_arguments_changes_nothing(annotations: list[Annotation], source: random.Random) -> None:
    gold = [each for each in annotations if each.annotator == "ann1"]
    pairs = list(compare(gold, annotations))
    shuffled = source.sample(pairs, len(pairs))
    assert ranking(shuffled, 3, resamples=20) == ranking(pairs, 3, resamples=20)


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.sampled_from(Mode))
def test_every_row_and_difference_has_its_numbers_or_a_reason(annotations: list[Annotation], mode: Mode) -> None:
    gold = [each for each in annotations if each.annotator == "ann1"]
    pairs = compare(gold, annotations, mode=mode)
    found = ranking(pairs, len(gold), resamples=20)
    assert sorted(row.name for row in found.rows) == sorted(pair.predicted for pair in pairs)
    for row in found.rows:
        own = next(pair for pair in pairs if pair.predicted == row.name)
        assert (row.score is None) == (row.rank is None) == bool(row.reason)
        assert row.own_score == own.score
        if row.figures == found.figures and row.score is not None:
            assert row.score == pytest.approx(row.own_score)
    for each in found.differences:
        assert (each.interval is None) == bool(each.reason)


def test_the_linearised_spread_is_near_the_bootstrap_s(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(work("a", 20, 6), work("b", 20, 5))
    drawn = ranking(pairs, 20, resamples=4000)
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 1)
    found = ranking(pairs, 20)
    assert found.method == "linearised"
    one, other = drawn.differences[0], found.differences[0]
    assert other.difference == one.difference
    assert one.interval == pytest.approx(other.interval, abs=0.01)
    assert one.flipped == pytest.approx(other.flipped, abs=0.03)
    assert found.rows[0].interval == pytest.approx(drawn.rows[0].interval, abs=0.01)
    assert other.tied == 0


def test_a_clear_difference_is_certain_and_a_chance_one_is_not() -> None:
    found = ranking(pairs_of(work("a", skill=9), work("b", skill=6), work("c", skill=6)), 20)
    assert [each.certain for each in found.differences] == [True, False, True]


def test_one_figure_and_no_resamples_give_differences_without_intervals() -> None:
    both = work("a", 1, 9), work("b", 1, 1)
    (only,) = ranking(pairs_of(*both), 20).differences
    assert only.difference is not None
    assert (only.interval, only.reason) == (None, "one figure alone cannot be resampled")
    found = ranking(pairs_of(work("a"), work("b")), 20, resamples=0)
    assert (found.differences[0].reason, found.method) == ("no resamples were asked for", "")
    assert found.rows[0].interval is None


def test_who_has_no_score_comes_last_with_the_reason_and_takes_nothing_from_the_others() -> None:
    absent = [replace(each, status=Status.REJECTED) for each in work("absent", 3)]
    found = ranking(pairs_of(work("b", 12, 3), absent), 20, resamples=20)
    assert [(row.rank, row.name) for row in found.rows] == [(1, "b"), (None, "absent")]
    assert found.rows[1].reason == "no figure that both accepted in the same version"
    assert (found.rows[1].score, found.rows[1].interval, found.differences) == (None, None, ())
    assert found.figures == 12


def test_of_nothing_there_is_no_ranking() -> None:
    found = ranking([], 0)
    assert (found.rows, found.differences, found.figures, found.method) == ((), (), 0, "")
