"""Intervals resample articles where figures share some, wherever a report has one; it says which."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich_work import rich_figure, rich_work

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
        (alone.seeded.unseeded_interval, together.seeded.unseeded_interval),
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
