from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from agreement_builders import campaigns
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.report.summary import why_no_iaa
from agreement.resampling import bootstrap
from agreement.resampling.bootstrap import intervals
from agreement.score.subfigure_f1 import Mode
from agreement.trends.phases import PhaseContrast, PhaseDifference, PhaseWork, Scope, phase_difference
from panelwise.domain.annotation import Annotation


def marked(figure: str, name: str, *tokens: int) -> Annotation:
    return an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(tokens=tokens),))


def work(phase: str, annotations: list[Annotation], *, resamples: int = 50, mode: Mode = Mode.PAPER) -> PhaseWork:
    pairs = pair_scores(annotations, mode=mode)
    names = sorted({each.annotator for each in annotations})
    return PhaseWork(phase, tuple(names), pairs, intervals(pairs, resamples=resamples), why_no_iaa(names, pairs))


def difference(
    here: list[Annotation],
    there: list[Annotation],
    *,
    mode: Mode = Mode.PAPER,
    resamples: int = 50,
    **more: Any,
) -> PhaseDifference:
    return phase_difference(
        work("1", here, resamples=resamples, mode=mode),
        work("2", there, resamples=resamples, mode=mode),
        resamples=resamples,
        **more,
    )


def by_scope(found: PhaseDifference) -> dict[Scope, PhaseContrast]:
    assert [each.scope for each in found.contrasts] == list(Scope)
    return {each.scope: each for each in found.contrasts}


def drawn(figures: int, names: str, seed: int) -> list[Annotation]:
    """Work that agrees more or less, by figure."""
    source = random.Random(seed)
    made = []
    for number in range(figures):
        pool = [4, 6, 7, 10, 12][: source.randint(2, 5)]
        for name in names:
            made.append(marked(f"f{number:03}", name, *source.sample(pool, 2)))
    return made


def test_three_scopes_go_from_all_work_to_the_same_people_on_the_same_figures() -> None:
    here = [
        *(marked("f1", name, 4, 6) for name in "ABC"),
        *(marked("f2", name, *tokens) for name, tokens in (("A", (4, 6)), ("B", (4, 7)), ("C", (7, 10)))),
    ]
    there = [
        *(marked("f2", name, *tokens) for name, tokens in (("A", (4, 6)), ("B", (4, 6)), ("D", (4, 7)))),
        *(marked("f3", name, 4, 6) for name in "AB"),
    ]
    found = difference(here, there)
    scopes = by_scope(found)
    assert (found.shared, found.changed) == (1, ())
    assert (found.annotators, found.only_here, found.only_there) == (("A", "B"), ("C",), ("D",))
    whole, figures, same = (scopes[scope] for scope in Scope)
    assert whole.here.iaa == mean_of_pairs(pair_scores(here))
    assert whole.there.iaa == mean_of_pairs(pair_scores(there))
    assert (whole.here.figures, whole.there.figures) == (2, 2)
    assert (figures.here.annotators, figures.there.annotators) == (("A", "B", "C"), ("A", "B", "D"))
    assert figures.here.iaa == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert figures.there.iaa == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert figures.difference == pytest.approx(-1 / 3)
    assert (same.here.annotators, same.there.annotators) == (("A", "B"), ("A", "B"))
    assert (same.here.iaa, same.there.iaa, same.difference) == (0.5, 1, -0.5)
    assert (same.interval, same.interval_reason) == (None, "one figure alone cannot be resampled")


@pytest.mark.slow
def test_figures_that_both_phases_have_are_resampled_together() -> None:
    """Hard figures are hard in both phases: paired, the interval of the difference is the narrower."""
    here = drawn(80, "AB", 1)
    changed = random.Random(5)
    there = [
        marked(
            each.figure.id, each.annotator, *((4, 6) if changed.random() < 0.1 else each.subfigures[0].subcaption)
        )
        for each in here
    ]
    same = by_scope(difference(here, there, resamples=2000))[Scope.FIGURES_AND_ANNOTATORS]
    assert same.interval is not None
    assert same.difference is not None
    assert same.here.interval is not None
    assert same.there.interval is not None
    low, high = same.interval
    assert low <= same.difference <= high
    apart = np.hypot(*(end - start for start, end in (same.here.interval, same.there.interval)))
    assert high - low < apart / 2
    plain = plain_interval(here, there, 2000)
    assert same.interval == pytest.approx(plain, abs=0.02)


def plain_interval(here: list[Annotation], there: list[Annotation], resamples: int) -> tuple[float, float]:
    """One pair each way, drawn figure by figure."""
    source = random.Random(2)
    pairs = [pair_scores(each) for each in (here, there)]
    found = []
    for _ in range(resamples):
        rows = [source.randrange(80) for _ in range(80)]
        iaas = [
            sum(sum(pair.totals[row] for row in rows) / sum(pair.counts[row] for row in rows) for pair in own)
            / len(own)
            for own in pairs
        ]
        found.append(iaas[0] - iaas[1])
    low, high = np.percentile(found, (2.5, 97.5))
    return float(low), float(high)


@pytest.mark.slow
def test_the_linearised_interval_is_near_that_of_the_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = drawn(150, "ABC", 1), drawn(200, "AB", 2)
    by_draws = difference(here, there, resamples=3000)
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 100)
    found = difference(here, there, resamples=3000)
    for one, other in zip(found.contrasts, by_draws.contrasts, strict=True):
        assert (one.method, other.method) == ("linearised", "bootstrap")
        assert one.difference == other.difference
        assert one.interval == pytest.approx(other.interval, abs=0.015)


def test_phases_without_a_figure_or_a_person_in_common_say_so() -> None:
    here = [marked("f1", name, 4) for name in "AB"]
    scopes = by_scope(difference(here, [marked("f2", name, 4) for name in "AB"]))
    assert scopes[Scope.ALL].difference == 0
    for scope in (Scope.FIGURES, Scope.FIGURES_AND_ANNOTATORS):
        assert scopes[scope].difference is None
        assert scopes[scope].reason == scopes[scope].interval_reason == "no figure was scored in both phases"
        assert scopes[scope].here.reason == "no figure was scored in both phases"
    scopes = by_scope(difference(here, [marked("f1", name, 4) for name in "CD"]))
    assert scopes[Scope.FIGURES].difference == 0
    assert scopes[Scope.FIGURES_AND_ANNOTATORS].reason == "no annotator worked in both phases"
    scopes = by_scope(difference(here, [marked("f1", name, 4) for name in "AC"]))
    assert scopes[Scope.FIGURES_AND_ANNOTATORS].reason == "only A worked in both phases; a pair needs two"


def test_a_phase_without_an_iaa_is_named_with_its_reason() -> None:
    here = [marked("f1", name, 4) for name in "AB"]
    whole = by_scope(difference(here, []))[Scope.ALL]
    assert (whole.difference, whole.reason) == (None, "phase 2: no annotations")
    assert (whole.there.iaa, whole.there.reason, whole.there.interval_reason) == (None, *["no annotations"] * 2)
    whole = by_scope(difference([marked("f1", "A", 4)], []))[Scope.ALL]
    assert whole.reason == "phase 1: one annotator only (A); agreement needs two; phase 2: no annotations"


def test_a_pair_with_nothing_to_count_in_one_phase_is_compared_in_neither() -> None:
    here = [marked("f1", name, 4) for name in "ABC"]
    there = [marked("f1", "A", 4), marked("f1", "B", 6), marked("f1", "C")]
    same = by_scope(difference(here, there))[Scope.FIGURES_AND_ANNOTATORS]
    # As gold C has nothing to count, so that A-C and B-C remain in the one direction.
    assert (same.here.counted, same.there.counted) == (4, 4)
    assert (same.here.iaa, same.there.iaa) == (1, 0)
    nothing = [marked("f1", "A"), marked("f1", "B")]
    same = by_scope(difference(here[:2], nothing))[Scope.FIGURES_AND_ANNOTATORS]
    assert same.reason == "no pair of annotators with something to count in both phases"
    figures = by_scope(difference(here[:2], nothing))[Scope.FIGURES]
    assert figures.reason == "phase 2: no gold subfigure with a counted token in the figures they share"


def test_nothing_to_count_is_0_by_the_official_code() -> None:
    here = [an_annotation(a_figure("f1"), annotator=name, subfigures=()) for name in "AB"]
    for contrast in difference(here, here, mode=Mode.OFFICIAL).contrasts:
        assert (contrast.difference, contrast.interval) == (0, None)
        assert contrast.interval_reason == "no gold subfigure with a counted token"


def test_a_figure_that_was_changed_between_the_phases_is_not_the_same_figure() -> None:
    here = [marked(figure, name, 4) for figure in ("f1", "f2") for name in "AB"]
    one, other = ({(name, "f2"): content for name in "AB"} for content in "XY")
    found = phase_difference(replace(work("1", here), contents=one), replace(work("2", here), contents=other))
    assert (found.shared, found.changed) == (2, ("f2",))
    scopes = by_scope(found)
    assert [scopes[scope].here.figures for scope in Scope] == [2, 1, 1]


def test_without_resamples_there_is_a_difference_but_no_interval() -> None:
    here = drawn(5, "AB", 1)
    for contrast in difference(here, here, resamples=0).contrasts:
        assert (contrast.difference, contrast.interval, contrast.method) == (0, None, "")
        assert contrast.interval_reason == "no resamples were asked for"


def test_a_draw_without_figures_of_one_phase_is_passed_over() -> None:
    here, there = ([marked(f"{phase}{n}", name, 4) for n in range(2) for name in "AB"] for phase in ("one", "two"))
    seen = set()
    for seed in range(30):
        whole = by_scope(difference(here, there, resamples=1, seed=seed))[Scope.ALL]
        seen.add((whole.interval, whole.interval_reason, whole.method))
    assert seen == {((0, 0), "", "bootstrap"), (None, "no resample holds figures of both phases", "")}


def test_a_phase_of_one_figure_leaves_the_difference_without_an_interval() -> None:
    here = [marked(f"f{n}", name, 4, 6 if n % 2 or name == "A" else 7) for n in range(9) for name in "AB"]
    whole = by_scope(difference(here, [marked("g", name, 4) for name in "AB"]))[Scope.ALL]
    assert whole.difference is not None
    assert (whole.interval, whole.interval_reason) == (None, "one figure alone cannot be resampled")


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_a_phase_against_itself_differs_by_nothing(annotations: list[Annotation]) -> None:
    for contrast in difference(annotations, annotations).contrasts:
        assert contrast.difference == (None if contrast.here.iaa is None else 0)
        assert contrast.interval in (None, (0, 0))
        assert replace(contrast.here, phase="2") == contrast.there
        assert (contrast.difference is None) == bool(contrast.reason)
        assert (contrast.interval is None) == bool(contrast.interval_reason)


@pytest.mark.slow
@given(campaigns, campaigns, st.randoms())
@settings(max_examples=30)
def test_the_order_of_work_does_not_matter_and_exchanged_phases_exchange_the_sign(
    here: list[Annotation], there: list[Annotation], source: random.Random
) -> None:
    found = difference(here, there)
    assert difference(source.sample(here, len(here)), source.sample(there, len(there))) == found
    for one, other in zip(found.contrasts, difference(there, here).contrasts, strict=True):
        assert one.here.iaa == other.there.iaa
        assert one.difference == (None if other.difference is None else pytest.approx(-other.difference))
        if one.interval is not None and other.interval is not None:
            assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))
