from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from agreement_builders import campaigns
from agreement_reference import pair_means
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.columns.corpus import microseconds
from agreement.columns.figure_names import FigureNames
from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.report.full_report import finished
from agreement.resampling.bootstrap import intervals
from agreement.score.subfigure_f1 import Mode
from agreement.trends import drift as module
from agreement.trends.drift import UNKNOWN_TIME, Drift, Grouping, drift
from panelwise.domain.annotation import Annotation
from panelwise.formats.annotations import UNKNOWN_TIME as UNKNOWN_IN_FILES

DAY = 24 * 60


def scored(figure: str, tokens: tuple[int, ...], *, day: float = 0.0) -> list[Annotation]:
    """A figure by two annotators, the second of whom marks `tokens` where the first marks 4 and 6."""
    marked = {"A": (4, 6), "B": tokens}
    return [
        an_annotation(a_figure(figure), annotator=name, minutes=day * DAY, subfigures=(a_subfigure(tokens=own),))
        for name, own in marked.items()
    ]


AGREED, HALF, APART = (4, 6), (4, 7), (7, 10)


def over(annotations: list[Annotation], by: Grouping = Grouping.WEEK, **more: Any) -> Drift:
    options = {"resamples": 50, **more}
    return drift(pair_scores(annotations), finished(annotations), by, **options)


def a_course() -> list[Annotation]:
    """Three weeks of six figures each, with a free week before the last, in which agreement falls."""
    return [
        each
        for number, tokens in enumerate([AGREED] * 9 + [HALF] * 3 + [HALF] * 4 + [APART] * 2)
        for each in scored(f"f{number:02}", tokens, day=(0, 7, 21)[number // 6] + number % 6 / 6)
    ]


def test_weeks_are_those_of_iso_in_utc_and_agreement_is_that_of_their_figures() -> None:
    found = over(a_course())
    assert [each.name for each in found.periods] == ["2026-W47", "2026-W48", "2026-W50"]
    assert [each.iaa for each in found.periods] == pytest.approx([1, 0.75, 1 / 3])
    assert [(each.figures, each.counted) for each in found.periods] == [(6, 12)] * 3
    assert found.periods[0].first == NOON
    assert found.periods[2].last == NOON + timedelta(days=21 + 5 / 6)
    assert (found.unplaced, found.reason, found.method) == ((), "", "bootstrap")


def test_the_turn_of_the_year_belongs_to_the_week_of_its_thursday() -> None:
    day = (datetime(2027, 1, 1, 23, 59, tzinfo=UTC) - NOON) / timedelta(days=1)
    assert over(scored("f1", AGREED, day=day)).periods[0].name == "2026-W53"


def test_the_trend_is_a_slope_per_week_free_weeks_included() -> None:
    trend = over(a_course()).trend
    plain = np.polyfit([0, 1, 3], [1, 0.75, 1 / 3], 1)[0]
    assert trend.slope == pytest.approx(plain)
    assert trend.interval is not None
    assert trend.interval[0] < plain < trend.interval[1] < 0
    assert trend.reason == ""


def test_a_period_weighs_in_the_trend_as_many_as_it_has_figures() -> None:
    work = [each for each in a_course() if each.figure.id not in ("f06", "f07", "f12")]
    found = over(work)
    values, sizes = [each.iaa for each in found.periods], [each.figures for each in found.periods]
    assert sizes == [6, 4, 5]
    plain = np.polyfit([0, 1, 3], values, 1, w=np.sqrt(sizes))[0]
    assert found.trend.slope == pytest.approx(plain)


@pytest.mark.slow
def test_the_linearised_intervals_are_near_those_of_the_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(1)
    work = [
        each
        for number in range(300)
        for each in scored(f"f{number}", source.choice([AGREED, HALF, APART]), day=number // 100 * 7)
    ]
    drawn = over(work, resamples=2000)
    monkeypatch.setattr(module, "MAX_BOOTSTRAP_FIGURES", 100)
    found = over(work, resamples=2000)
    assert (drawn.method, found.method) == ("bootstrap", "linearised")
    for one, other in zip(found.periods, drawn.periods, strict=True):
        assert (one.iaa, one.figures) == (other.iaa, other.figures)
        assert one.interval == pytest.approx(other.interval, abs=0.01)
    assert found.trend.slope == drawn.trend.slope
    assert found.trend.interval == pytest.approx(drawn.trend.interval, abs=0.01)


def test_equal_parts_follow_the_order_of_work() -> None:
    found = over(a_course(), Grouping.PART, parts=4)
    assert [each.name for each in found.periods] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert [each.figures for each in found.periods] == [4, 5, 4, 5]
    lasts = [each.last for each in found.periods]
    assert lasts == sorted(lasts)
    assert found.periods[0].iaa == 1


def test_there_are_no_more_parts_than_figures() -> None:
    work = [*scored("f1", AGREED), *scored("f2", AGREED, day=1)]
    assert [each.figures for each in over(work, Grouping.PART, parts=9).periods] == [1, 1]
    with pytest.raises(ValueError, match="0 parts cannot be"):
        over(work, Grouping.PART, parts=0)


def test_batches_come_in_the_order_of_their_first_figures_and_figures_without_one_are_told() -> None:
    batches = {"f1": "late", "f2": "early", "f3": "early", "f9": "of no scored figure"}
    work = [
        each
        for name, day in (("f1", 9), ("f2", 1), ("f3", 12), ("f4", 0))
        for each in scored(name, AGREED, day=day)
    ]
    found = over(work, Grouping.BATCH, batches=batches)
    assert [(each.name, each.figures) for each in found.periods] == [("early", 2), ("late", 1)]
    assert found.unplaced == ("f4",)
    undated = drift(pair_scores(work), {}, Grouping.BATCH, batches={"f1": "b", "f2": "a"}, resamples=5)
    assert [(each.name, each.first) for each in undated.periods] == [("a", None), ("b", None)]


def test_a_time_that_nobody_knows_is_in_no_week() -> None:
    assert UNKNOWN_TIME == UNKNOWN_IN_FILES
    work = scored("f1", AGREED)
    found = drift(pair_scores(work), {"f1": UNKNOWN_TIME}, resamples=5)
    assert (found.periods, found.unplaced, found.reason) == ((), ("f1",), "no scored figure has a time")
    assert (found.trend.slope, found.trend.reason) == (None, "no scored figure has a time")


@pytest.mark.parametrize(
    ("work", "by", "reason"),
    [
        ([], Grouping.WEEK, "no figure was scored"),
        (scored("f1", AGREED), Grouping.BATCH, "no scored figure names its batch"),
        (
            [*scored("f1", AGREED), *scored("f2", AGREED)],
            Grouping.PART,
            "all work was saved at one moment, so it has no order",
        ),
    ],
)
def test_where_there_is_no_period_the_reason_is_told(work: list[Annotation], by: Grouping, reason: str) -> None:
    found = over(work, by)
    assert (found.periods, found.reason, found.method) == ((), reason, "")


def test_a_period_without_an_iaa_or_an_interval_says_why() -> None:
    nothing = [*scored("f1", ()), *scored("f2", ())]
    nothing = [an_annotation(each.figure, annotator=each.annotator, subfigures=()) for each in nothing]
    (period,) = over(nothing).periods
    assert (period.iaa, period.interval) == (None, None)
    assert (
        period.reason
        == period.interval_reason
        == "no gold subfigure with a counted token in the figures they share"
    )
    (period,) = over(scored("f1", AGREED)).periods
    assert (period.iaa, period.interval, period.reason) == (1, None, "")
    assert period.interval_reason == "one figure alone cannot be resampled"
    found = over(a_course(), resamples=0)
    assert {each.interval_reason for each in found.periods} == {"no resamples were asked for"}
    assert found.trend.slope is not None
    assert (found.trend.interval, found.trend.reason) == (None, "no resamples were asked for")


def test_nothing_to_count_is_0_by_the_official_code_and_has_no_interval() -> None:
    nothing = [
        an_annotation(a_figure(name), annotator=who, subfigures=()) for name in ("f1", "f2") for who in "AB"
    ]
    found = drift(pair_scores(nothing, mode=Mode.OFFICIAL), finished(nothing), resamples=5)
    (period,) = found.periods
    assert (period.iaa, period.interval, period.interval_reason) == (
        *(0, None),
        "no gold subfigure with a counted token",
    )


def test_a_period_in_which_one_figure_alone_counts_has_no_interval_and_no_part_in_the_trend() -> None:
    work = [*scored("f1", AGREED), *scored("f3", AGREED, day=8), *scored("f4", HALF, day=8)]
    work += [an_annotation(a_figure("f2"), annotator=name, subfigures=(a_subfigure(tokens=()),)) for name in "AB"]
    found = over(work)
    assert [each.figures for each in found.periods] == [2, 2]
    assert [each.interval_reason for each in found.periods] == ["one figure alone cannot be resampled", ""]
    assert found.trend.slope is None


def test_a_period_whose_draws_never_hold_what_counts_says_so() -> None:
    work = [each for n in range(40) for each in scored(f"f{n:02}", AGREED)]
    work = [each if each.figure.id < "f02" else replace(each, subfigures=()) for each in work]
    told = {over(work, resamples=1, seed=seed).periods[0].interval_reason for seed in range(40)}
    assert told == {"", "no resample holds anything that counts"}


def test_periods_of_one_figure_are_no_part_of_the_trend() -> None:
    found = over([*scored("f1", AGREED), *scored("f2", APART, day=8)])
    assert found.trend.slope is None
    assert found.trend.reason == "fewer than two periods with an IAA over two figures or more"


def test_a_figure_belongs_to_its_last_accepted_annotation() -> None:
    work = scored("f1", AGREED)
    work[1] = an_annotation(work[1].figure, annotator="B", minutes=9 * DAY)
    (moment,) = finished(work).at(FigureNames.of(["f1"])).tolist()
    assert moment == microseconds(NOON + timedelta(days=9))


def test_one_seed_gives_one_drift_and_another_another() -> None:
    assert over(a_course(), seed=1) == over(a_course(), seed=1)
    assert over(a_course(), seed=1) != over(a_course(), seed=2)


def plain_iaa(annotations: list[Annotation]) -> float | None:
    known = [mean for mean in pair_means(annotations).values() if mean is not None]
    return sum(known) / len(known) if known else None


@pytest.mark.slow
@given(campaigns)
@settings(max_examples=30)
def test_drift_over_one_period_is_the_whole(annotations: list[Annotation]) -> None:
    pairs = pair_scores(annotations)
    found = over(annotations)
    whole = intervals(pairs, resamples=50)
    assert len(found.periods) == any(pair.figures for pair in pairs)
    for period in found.periods:
        assert period.iaa == mean_of_pairs(pairs)
        assert period.interval == whole.iaa
        assert period.interval_reason == (period.reason or whole.reason)
    assert drift(pairs, finished(annotations), whole=whole, resamples=50) == found


@pytest.mark.slow
@given(campaigns, st.lists(st.integers(0, 20), min_size=3, max_size=3), st.randoms())
@settings(max_examples=30)
def test_each_week_is_what_a_plain_loop_finds_over_its_figures_alone_in_any_order(
    annotations: list[Annotation], days: list[int], source: random.Random
) -> None:
    times = {f"f{number + 1}": NOON + timedelta(days=day) for number, day in enumerate(days)}
    pairs = pair_scores(annotations)
    found = drift(pairs, times, resamples=5)
    weeks: dict[str, list[Annotation]] = {}
    for each in annotations:
        weeks.setdefault(f"{times[each.figure.id]:%G-W%V}", []).append(each)
    plain = {name: plain_iaa(own) for name, own in weeks.items()}
    for period in found.periods:
        assert period.iaa == pytest.approx(plain[period.name], abs=1e-12)
    shuffled = source.sample(annotations, len(annotations))
    assert drift(pair_scores(shuffled), times, resamples=5) == found
