"""The human ceiling: people's agreement beside a model's score, over the figures that both did."""

from __future__ import annotations

import random

import numpy as np
import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.models.ceiling import NO_COMMON_FIGURE, human_ceiling
from agreement.models.comparison import comparison
from agreement.pairs.pairwise import PairScore, compare, pair_scores
from agreement.primitives.settings import Settings
from agreement.resampling import bootstrap
from agreement.score.subfigure_f1 import Mode
from panelwise.domain.annotation import Annotation

CAPTION = "one two three four five six seven eight nine ten"


def work(name: str, figures: range = range(12), skill: int = 4) -> list[Annotation]:
    """One panel a figure, described by the first words of the caption: ten, or as few as `skill`."""
    source = random.Random(name)
    return [
        an_annotation(
            a_figure(f"f{number:02}", caption=CAPTION),
            annotator=name,
            subfigures=(a_subfigure("A", tokens=range(source.randint(skill, 10))),),
        )
        for number in figures
    ]


GOLD = work("gold", range(20), 10)
PEOPLE = [*work("ann"), *work("ben"), *work("cho", range(4, 16))]


def people() -> tuple[PairScore, ...]:
    return pair_scores(PEOPLE)


def models(*works: list[Annotation]) -> tuple[PairScore, ...]:
    return compare(GOLD, [each for one in works for each in one])


def test_the_gap_is_the_peoples_iaa_less_the_score_over_the_figures_that_both_did() -> None:
    model = work("model", range(6, 20))
    found = human_ceiling(people(), models(model), resamples=50)
    [gap] = found.gaps
    common = {f"f{number:02}" for number in range(6, 12)}
    alone = [each for each in PEOPLE if each.figure.id in common]
    ours = [pair.score for pair in pair_scores(alone) if pair.score is not None]
    [theirs] = compare(GOLD, [each for each in model if each.figure.id in common])
    assert found.people == ("ann", "ben", "cho")
    assert gap.figures == 6
    assert gap.people == pytest.approx(sum(ours) / len(ours), abs=1e-12)
    assert gap.score == theirs.score
    assert gap.people is not None
    assert gap.score is not None
    assert gap.gap == gap.people - gap.score
    assert gap.interval is not None
    assert gap.interval[0] <= gap.gap <= gap.interval[1]
    assert (gap.reason, found.method) == ("", "bootstrap")


def test_the_interval_is_that_of_a_slow_bootstrap_with_one_draw_for_both() -> None:
    model = work("model")
    both = [*work("ann"), *work("ben")]
    [gap] = human_ceiling(pair_scores(both), models(model), resamples=300, seed=3).gaps
    one, other = pair_scores(both)
    [scored] = models(model)
    drawn = np.random.default_rng(3).integers(0, 12, size=(300, 12))
    gaps = [(one.totals[at].mean() + other.totals[at].mean()) / 2 - scored.totals[at].mean() for at in drawn]
    assert gap.interval == pytest.approx(tuple(np.percentile(gaps, (2.5, 97.5))), abs=1e-12)


def test_a_model_that_is_one_of_two_people_has_no_gap_where_the_other_is_the_gold() -> None:
    both = [*work("ann"), *work("ben")]
    gold = [each for each in both if each.annotator == "ann"]
    pairs = [pair for pair in pair_scores(both) if pair.gold == "ann"]
    [gap] = human_ceiling(pairs, compare(gold, work("ben")), resamples=50).gaps
    assert (gap.gap, gap.interval) == (0.0, (0.0, 0.0))


def test_many_figures_have_the_linearised_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models(work("model"))
    [drawn] = human_ceiling(people(), model, resamples=4000).gaps
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 5)
    found = human_ceiling(people(), model)
    assert found.method == "linearised"
    assert found.gaps[0].interval == pytest.approx(drawn.interval, abs=0.04)


def test_what_is_undefined_has_its_reason() -> None:
    [gap] = human_ceiling(people(), models(work("model", range(16, 20)))).gaps
    assert (gap.people, gap.score, gap.gap, gap.interval) == (None, None, None, None)
    assert (gap.figures, gap.reason) == (0, NO_COMMON_FIGURE)
    [gap] = human_ceiling(pair_scores(work("ann")), models(work("model"))).gaps
    assert (gap.gap, gap.reason) == (None, NO_COMMON_FIGURE)
    [gap] = human_ceiling(people(), models(work("model", range(1)))).gaps
    assert gap.gap is not None
    assert (gap.interval, gap.reason) == (None, "one figure alone cannot be resampled")
    assert human_ceiling(people(), models(work("model")), resamples=0).method == ""


def test_a_comparison_has_a_ceiling_by_its_own_settings() -> None:
    settings = Settings(mode=Mode.OFFICIAL, resamples=20, seed=1)
    model = work("model")
    assert comparison(GOLD, model, settings, curves=False).ceiling is None
    found = comparison(GOLD, model, settings, people=PEOPLE, curves=False).ceiling
    expected = human_ceiling(
        pair_scores(PEOPLE, mode=Mode.OFFICIAL), compare(GOLD, model, mode=Mode.OFFICIAL), resamples=20, seed=1
    )
    assert found == expected


def test_a_model_without_a_score_has_no_gap_beside_people_who_agree() -> None:
    silent = [
        an_annotation(
            a_figure(f"f{number:02}", caption=CAPTION), annotator="gold", subfigures=(a_subfigure("A", tokens=()),)
        )
        for number in range(4)
    ]
    [model] = compare(silent, work("model", range(4)))
    [gap] = human_ceiling(people(), [model], resamples=20).gaps
    assert (gap.figures, gap.score, gap.gap) == (4, None, None)
    assert gap.people is not None
    assert gap.reason == model.reason
    alone = [pair for pair in pair_scores([*work("ann", range(4)), *silent]) if pair.gold == "gold"]
    [gap] = human_ceiling(alone, models(work("model"))).gaps
    assert (gap.people, gap.reason) == (None, "the people have no agreement on these figures")
