"""How far a campaign has come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from annotator.assignment.reassign import release_batch
from annotator.campaign.home import Home
from annotator.dashboards.lead import LiveDashboard
from annotator.dashboards.status import BlindProgress, ProgressRow, campaign_progress
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Phase, Task

DAY = timedelta(days=1)
PHASE = Phase("late", batch=2, batch_deadlines=(NOON + DAY,))
CAMPAIGN = Campaign("c", (PHASE, Phase("1")), ("A", "B"))


@pytest.fixture
def busy(store: Store) -> Store:
    """Four figures in two batches of phase "late" for ann; two in phase 1 for ben, who did another one."""
    with store.transaction() as tx:
        for number in range(5):
            tx.figures.add(a_figure(f"f{number}"))
        tx.tasks.add([Task(f"f{n}", "ann", "late", n // 2 + 1, n < 2) for n in range(4)])
        tx.tasks.add([Task(f"f{n}", "ben", "1") for n in range(2)])
        # Text without a box around it: the checks have something to say.
        bare = (a_subfigure("A"), replace(a_subfigure("B"), subcaption=frozenset()))
        tx.annotations.add(
            an_annotation(a_figure("f0"), annotator="ann", phase="late", subfigures=bare, seconds=20)
        )
        tx.annotations.add(an_annotation(a_figure("f4"), annotator="ben", seconds=40))
        tx.decisions.add(a_decision(a_figure("f4")))
    return store


def test_rows_tell_done_open_late_and_later_in_the_phases_order(busy: Store) -> None:
    state = campaign_progress(busy, CAMPAIGN, now=NOON + 2 * DAY)
    plain = [replace(row, findings={}) for row in state.rows]
    assert plain == [
        ProgressRow("late", "ann", done=1, open=1, late=1, later=2, seconds=20),
        ProgressRow("1", "ben", done=1, open=2, seconds=40),
    ]
    assert sum(state.rows[0].findings.values()) > 0
    assert (state.figures, state.adjudicated, state.unsettled) == (5, 1, 0)


def test_before_the_deadline_nothing_is_late(busy: Store) -> None:
    assert [row.late for row in campaign_progress(busy, CAMPAIGN, now=NOON).rows] == [0, 0]


def test_batches_and_what_comes_next_are_told(busy: Store) -> None:
    state = campaign_progress(busy, CAMPAIGN, now=NOON)
    assert [(each.phase, each.number, each.done, each.open, each.later) for each in state.batches] == [
        ("late", 1, 1, 1, 0),
        ("late", 2, 0, 0, 2),
        ("1", 1, 0, 2, 0),
    ]
    assert [(each.phase, each.number, each.early) for each in state.following] == [("late", 2, ())]
    record = state.as_record("c")
    assert record["batches"][0]["deadline"] == "2026-11-22T12:00:00Z"
    assert record["batches"][2]["deadline"] is None
    assert record["next"][0]["early"] == []


def test_without_a_campaign_there_are_no_deadlines(busy: Store) -> None:
    state = campaign_progress(busy, now=NOON + 999 * DAY)
    assert [(row.phase, row.late) for row in state.rows] == [("1", 0), ("late", 0)]


def test_the_dashboard_shows_the_same_and_learns_of_a_release_and_of_a_deadline(home: Home, busy: Store) -> None:
    home = Home(home.path, replace(home.settings, campaign=CAMPAIGN))
    dashboard = LiveDashboard(lambda: home, busy)
    page = dashboard.page(now=NOON)
    late = page.phases[0]
    (row,) = late.rows
    assert (row.done, row.open, row.late, row.later, late.whole) == (1, 1, 0, 2, 4)
    assert [each.number for each in late.batches] == [1, 2]
    assert late.following is not None
    assert page.phases[1].batches == ()
    assert dashboard.page(now=NOON + timedelta(hours=1)) is page
    # The deadline passes on the next day; the page of an hour after is another one than that of an hour before.
    before, after = (dashboard.page(now=NOON + DAY + timedelta(hours=hours)) for hours in (-1, 1))
    assert ([each.late for each in before.phases], [each.late for each in after.phases]) == ([0, 0], [1, 0])
    release_batch(busy, CAMPAIGN, "late")
    (row,) = dashboard.page(now=NOON + DAY + timedelta(hours=1)).phases[0].rows
    assert (row.open, row.later) == (3, 0)


def test_of_a_blind_phase_it_tells_what_is_handed_in_and_what_reviewers_saw_before(busy: Store) -> None:
    campaign = replace(CAMPAIGN, phases=(*CAMPAIGN.phases, Phase("2", blind=True, given="gold")))
    with busy.transaction() as tx:
        tx.tasks.add([Task(f"f{n}", name, "2") for n in range(5) for name in ("rev1", "ben")])
        tx.annotations.add(an_annotation(a_figure("f0"), annotator="rev1", phase="2"))
        tx.blind.hand_in("2", "rev1", ["f0"], NOON)
    rows = {row.annotator: row for row in campaign_progress(busy, campaign, now=NOON).rows if row.phase == "2"}
    # rev1 settled f4, ben annotated it in phase 1.
    assert (rows["rev1"].blind, rows["ben"].blind) == (BlindProgress(1, 1), BlindProgress(0, 1))
    assert (rows["rev1"].done, rows["rev1"].open) == (1, 4)
    assert all(row.blind is None for row in campaign_progress(busy, CAMPAIGN, now=NOON).rows if row.phase != "2")
