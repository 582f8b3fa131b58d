"""Intervals resample articles where figures share some, wherever a report has one; it says which."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich_work import rich_figure, rich_work

from agreement.models.comparison import Comparison, comparison
from agreement.pairs.pairwise import latest, pair_scores
from agreement.pairs.parts import by_article
from agreement.primitives.settings import Settings
from agreement.report.full_report import full_report
from agreement.resampling import bootstrap
from agreement.resampling.bootstrap import Intervals, intervals
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=300)


def work_once() -> list[Annotation]:
    """Current work, of which some figures hold nothing that varies."""
    return latest(rich_work())[0]


def copies(times: int) -> tuple[list[Annotation], dict[str, str]]:
    """The same ten figures several times over; those of one origin are one article."""
    work, articles = [], {}
    for each in work_once():
        for copy in range(times):
            name = f"{each.figure.id}-{copy}"
            work.append(replace(each, figure=rich_figure(name, each.figure.caption.text)))
            articles[name] = f"article of {each.figure.id}"
    return work, articles


def of(work: list[Annotation], articles: dict[str, str]) -> Intervals:
    return intervals(by_article(pair_scores(work), articles), resamples=300)


def width(found: Intervals) -> float:
    assert found.iaa is not None
    return found.iaa[1] - found.iaa[0]


def test_copies_of_a_figure_in_one_article_tell_no_more_than_one() -> None:
    once, (work, articles) = of(work_once(), {}), copies(4)
    alone, together = of(work, {}), of(work, articles)
    assert (once.unit, alone.unit, together.unit) == ("figure", "figure", "article")
    assert together.iaa == pytest.approx(once.iaa)
    assert together.pairs == tuple(map(pytest.approx, once.pairs))
    assert width(alone) < 0.7 * width(together)


def test_articles_of_one_figure_each_are_figures() -> None:
    work = work_once()
    articles = {each.figure.id: f"article {each.figure.id}" for each in work}
    assert of(work, articles) == of(work, {})
    some = dict(list(articles.items())[:3])
    assert of(work, some) == of(work, {})


def test_one_article_alone_cannot_be_resampled() -> None:
    work = work_once()
    found = of(work, dict.fromkeys({each.figure.id for each in work}, "one"))
    assert (found.iaa, found.reason) == (None, "one article alone cannot be resampled")
    assert set(found.reasons) == {"one article alone cannot be resampled"}


def test_the_linearised_error_is_over_articles_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 5)
    work, articles = copies(4)
    once, alone, together = of(work_once(), {}), of(work, {}), of(work, articles)
    assert {each.method for each in (once, alone, together)} == {"linearised"}
    assert together.iaa == pytest.approx(once.iaa)
    assert width(alone) < 0.7 * width(together)


def test_every_interval_of_a_report_is_by_article() -> None:
    work, articles = copies(3)
    again = [replace(each, phase="2") for each in work if each.annotator != "cho"]
    both = [*work, *again]
    alone = full_report(both, QUICK, phase="1", against="2")
    together = full_report(both, QUICK, phase="1", against="2", articles=articles)
    assert alone.intervals.unit == "figure"
    assert together.intervals.unit == "article"
    for mine, theirs in (
        (alone.seeded.unseeded.interval, together.seeded.unseeded.interval),
        (
            alone.other_phase and alone.other_phase.contrasts[0].here.interval,
            together.other_phase and together.other_phase.contrasts[0].here.interval,
        ),
        (alone.habits[1].missed.interval, together.habits[1].missed.interval),
    ):
        assert mine is not None
        assert theirs is not None
        assert mine != theirs
    assert alone.iaa == together.iaa


def against_gold(work: list[Annotation], articles: dict[str, str]) -> Comparison:
    """Two people against the third, with all three as the ceiling."""
    gold = [each for each in work if each.annotator == "ann"]
    models = [each for each in work if each.annotator != "ann"]
    return comparison(gold, models, QUICK, people=work, curves=False, articles=articles)


def ends(found: Comparison) -> list[tuple[float, float] | None]:
    """Every interval of a comparison: of the pairs, the ranking, the difference and the gaps to the ceiling."""
    assert found.ceiling is not None
    return [
        *found.intervals.pairs,
        *(row.interval for row in found.ranking.rows),
        *(each.interval for each in found.ranking.differences),
        *(each.joint for each in found.ranking.differences),
        *(each.interval for each in found.ceiling.gaps),
    ]


@pytest.mark.parametrize("most", [20_000, 5])
def test_a_comparison_with_copies_in_one_article_tells_no_more_than_one(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", most)
    work, articles = copies(4)
    once, alone, together = against_gold(work_once(), {}), against_gold(work, {}), against_gold(work, articles)
    assert alone.ceiling is not None
    assert together.ceiling is not None
    assert (alone.intervals.unit, alone.ranking.unit, alone.ceiling.unit) == ("figure",) * 3
    assert (together.intervals.unit, together.ranking.unit, together.ceiling.unit) == ("article",) * 3
    assert together.ranking.method == ("bootstrap" if most > 5 else "linearised")
    narrow = []
    for mine, theirs, every in zip(ends(once), ends(together), ends(alone), strict=True):
        assert mine is not None
        assert theirs is not None
        assert every is not None
        assert theirs == pytest.approx(mine)
        if theirs[0] < theirs[1]:
            narrow.append((every[1] - every[0]) / (theirs[1] - theirs[0]))
    # One of the two agrees with the gold throughout.
    assert len(narrow) == 6
    assert max(narrow) < 0.8
    assert [row.score for row in together.ranking.rows] == [row.score for row in alone.ranking.rows]
    assert [row.figures for row in together.ranking.rows] == [row.figures for row in alone.ranking.rows]
    assert [each.figures for each in together.ranking.differences] == [
        each.figures for each in alone.ranking.differences
    ]


def test_a_comparison_over_one_article_has_no_interval() -> None:
    found = against_gold(work_once(), dict.fromkeys((each.figure.id for each in work_once()), "one"))
    assert set(ends(found)) == {None}
    assert {each.reason for each in found.ranking.differences} == {"one article alone cannot be resampled"}
