"""The lead's dashboard in numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from annotator.campaign.home import Home
from annotator.dashboards.lead import DAYS, PACE, LiveDashboard
from annotator.dashboards.status import campaign_progress
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Outcome, SignIn
from annotator.store.store import Store
from panelwise.domain.campaign import Task


@pytest.fixture
def busy(home: Home, store: Store) -> Store:
    """Six figures for two annotators; ann1 did four of them over two days, ann2 one; two are settled."""
    with store.transaction() as tx:
        for number in range(6):
            tx.figures.add(a_figure(f"f{number}"))
        tx.tasks.add([Task(f"f{number}", name, "1") for number in range(6) for name in ("ann1", "ann2")])
        for number in range(4):
            minutes = 0 if number < 3 else 24 * 60
            tx.annotations.add(an_annotation(a_figure(f"f{number}"), minutes=minutes, seconds=10 * (number + 1)))
        tx.annotations.add(an_annotation(a_figure("f0"), annotator="ann2", seconds=100))
        for number in range(2):
            tx.decisions.add(a_decision(a_figure(f"f{number}"), seconds=30 + number))
    score_disagreement(store, home.campaign)
    return store


def test_progress_is_that_of_annotator_status(home: Home, busy: Store) -> None:
    page = LiveDashboard(lambda: home, busy).page(now=NOON)
    shown = [(row.phase, row.annotator, row.done, row.open, row.redo) for each in page.phases for row in each.rows]
    assert shown == [
        (row.phase, row.annotator, row.done, row.open, row.redo) for row in campaign_progress(busy).rows
    ]
    assert [(each.phase, each.done, each.whole) for each in page.phases] == [("1", 5, 12)]
    assert (page.figures, page.queued, page.adjudicated) == (6, 4, 2)


def test_times_are_medians(home: Home, busy: Store) -> None:
    page = LiveDashboard(lambda: home, busy).page(now=NOON)
    rows = {row.annotator: row for row in page.phases[0].rows}
    assert rows["ann1"].seconds == 25
    assert rows["ann2"].seconds == 100
    assert page.annotation_seconds == 30
    assert page.decision_seconds == page.reviewers[0].seconds == 30.5


def test_every_day_is_there_and_what_was_done_on_it(home: Home, busy: Store) -> None:
    page = LiveDashboard(lambda: home, busy).page(now=NOON + timedelta(days=2))
    assert len(page.days) == DAYS
    assert [day.submitted for day in page.days[-3:]] == [4, 1, 0]
    assert [day.adjudicated for day in page.days[-3:]] == [2, 0, 0]
    assert page.busiest == 4
    assert page.busy_days == page.days[-3:]
    assert {row.annotator: row.lately for row in page.phases[0].rows} == {"ann1": 4, "ann2": 1}


def test_the_time_to_go_is_at_the_present_pace(home: Home, busy: Store) -> None:
    dashboard = LiveDashboard(lambda: home, busy)
    # Two were settled on the first day, two are open: the days since count, a week of them at most.
    today = dashboard.page(now=NOON)
    assert (today.days_to_go, today.paced, today.early) == (None, 0, True)
    for days, paced in ((1, 2), (3, 4), (6, 7)):
        later = dashboard.page(now=NOON + timedelta(days=days))
        assert (later.days_to_go, later.paced, later.early) == (paced, paced, False)
    idle = dashboard.page(now=NOON + timedelta(days=8))
    assert (idle.days_to_go, idle.paced, idle.early) == (None, 0, False)


def test_a_campaign_that_goes_on_after_long_has_the_pace_of_a_week(home: Home, busy: Store) -> None:
    late = NOON + timedelta(days=40)
    with busy.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2"), decided_at=late))
    page = LiveDashboard(lambda: home, busy).page(now=late)
    assert (page.paced, page.early, page.days_to_go) == (PACE, False, PACE)


def test_it_is_counted_anew_when_something_was_saved_and_at_midnight_only(
    home: Home, busy: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dashboard = LiveDashboard(lambda: home, busy)
    first = dashboard.page(now=NOON)
    assert dashboard.page(now=NOON + timedelta(hours=1)) is first
    assert dashboard.page(now=NOON + timedelta(days=1)) is not first
    kept = dashboard.page(now=NOON)
    for change in (
        lambda tx: tx.decisions.add(a_decision(a_figure("f2"))),
        lambda tx: tx.annotations.add(an_annotation(a_figure("f5"))),
        lambda tx: tx.tasks.add([Task("f5", "ann3", "1")]),
        lambda tx: tx.names.rename("ann2", "ann9"),
        lambda tx: tx.sign_ins.add(SignIn(datetime.now(UTC), "", Outcome.UNKNOWN_NAME, "192.0.2.1")),
    ):
        with busy.transaction() as tx:
            change(tx)
        page = dashboard.page(now=NOON)
        assert page is not kept
        kept = page


def test_what_takes_long_to_count_is_shown_for_a_while_with_its_time(
    home: Home, busy: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.dashboards.lead.SLOW", 0.0)
    monkeypatch.setattr("annotator.dashboards.lead.LASTS", 1e9)
    dashboard = LiveDashboard(lambda: home, busy)
    first = dashboard.page(now=NOON)
    with busy.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f5")))
    assert dashboard.page(now=NOON + timedelta(seconds=30)) is first
    assert first.at == NOON
    monkeypatch.setattr("annotator.dashboards.lead.LASTS", 0)
    assert LiveDashboard(lambda: home, busy).page(now=NOON).phases[0].done == 6


def test_an_empty_campaign_has_a_dashboard(home: Home, store: Store) -> None:
    page = LiveDashboard(lambda: home, store).page(now=NOON)
    assert (page.figures, page.phases, page.reviewers, page.days_to_go) == (0, (), (), None)
    assert page.busiest == 1
    assert page.busy_days == page.days[-1:]


def test_weeks_with_work_have_figures_agreement_and_hours(home: Home, store: Store) -> None:
    later = 26 * 7 * 24 * 60
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        for annotator, minutes in (("ann", 0), ("ben", 60)):
            tx.annotations.add(an_annotation(a_figure("f1"), annotator=annotator, minutes=minutes, seconds=1800))
        tx.annotations.add(an_annotation(a_figure("f2"), annotator="ann", seconds=5400))
    score_disagreement(store, home.campaign)
    dashboard = LiveDashboard(lambda: home, store)
    assert dashboard.page().weeks == ()  # One week alone is the days above it.
    with store.transaction() as tx:
        # The second annotation of f2, of another box, moves its agreement to this week.
        other = (a_subfigure("A", box=(400, 0, 800, 600)),)
        tx.annotations.add(an_annotation(a_figure("f2"), annotator="ben", minutes=later, subfigures=other))
        tx.decisions.add(a_decision(a_figure("f1"), decided_at=NOON + timedelta(minutes=later)))
    score_disagreement(store, home.campaign)
    first, last = dashboard.page().weeks
    assert (first.monday, last.monday) == (date(2026, 11, 16), date(2027, 5, 17))
    assert (first.submitted, first.adjudicated, first.agreement, first.hours, first.seconds) == (
        3,
        0,
        1,
        2.5,
        1800,
    )
    assert (last.submitted, last.adjudicated, last.agreement) == (1, 1, 0)
    assert dashboard.page().busiest_week == 3
