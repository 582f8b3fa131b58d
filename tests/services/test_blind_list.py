"""The list of a reviewer's blind figures: whose they are, how far each is, and handing them in."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure
from click.testing import CliRunner
from services.blind_work import TEXTS, key_of, written
from web.blind_campaign import BLIND, SECRET_TEXTS, blind_home

from annotator.adjudication.draft import SubfiguresDraft
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.campaign.visibility import hidden_from
from annotator.cli.campaign import status
from annotator.dashboards.status import campaign_progress
from annotator.own_tasks import annotate
from annotator.own_tasks.allowed_fields import BlindDraft
from annotator.own_tasks.blind_boxes import store_boxes
from annotator.own_tasks.blind_progress import BlindRow, blind_rows, waiting_lines
from annotator.own_tasks.tasks import State, UnknownTask, has_tasks, task_pages
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task
from panelwise.domain.figure import Figure

pytestmark = pytest.mark.usefixtures("cheap_passwords")


blind_pages = partial(task_pages, blind=True)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return blind_home(tmp_path / "campaign")


# -- keys and lists --------------------------------------------------------------------------------------


def test_keys_are_a_reviewers_own_and_tell_nothing(store: Store, home: Home) -> None:
    keys = {key_of(home, figure, who) for figure in BLIND for who in ("rev1", "rev2", "boss")}
    assert len(keys) == 9
    assert all(len(key) == 32 for key in keys)
    for key in (key_of(home, "f1", "rev2"), key_of(home, "plain"), "f1", "", "é" * 32):
        with pytest.raises(UnknownTask, match="no figure of yours"):
            annotate.open_blind_task(store, home, key, "rev1")
    other = TaskKeys(b"another secret of some length......")
    assert other.of(Task("f1", "rev1", "2")) not in keys


def test_a_figure_without_subfigures_has_no_screen(store: Store, home: Home) -> None:
    with pytest.raises(UnknownTask, match="no subfigures to describe"):
        annotate.open_blind_task(store, home, key_of(home, "f3"), "rev1")
    with store.transaction() as tx:
        tx.figures.add(a_figure("f4"))
        tx.tasks.add([Task("f4", "rev1", "2")])
    with pytest.raises(UnknownTask, match="not adjudicated yet"):
        annotate.open_blind_task(store, home, key_of(home, "f4"), "rev1")
    with store.read() as tx:
        assert tx.blind.boxes("2", ["f3", "f4"]) == {}


def test_the_list_tells_how_far_each_is(store: Store, home: Home) -> None:
    written(store, home, "f2", "rev2")
    (phase,) = blind_pages(store, home, "rev2")
    assert [(task.place, task.state) for task in phase.tasks] == [
        (1, State.OPEN),
        (2, State.WRITTEN),
        (3, State.LEFT_OUT),
    ]
    assert (phase.total, phase.done, phase.handed_in, phase.to_hand_in) == (3, 1, 0, 1)
    assert phase.next_key == key_of(home, "f1", "rev2")
    assert blind_pages(store, home, "free") == ()


def test_whoever_knew_a_figure_before_is_told_apart(store: Store, home: Home) -> None:
    by_name = {who: [task.before for task in blind_pages(store, home, who)[0].tasks] for who in ("rev1", "rev2")}
    assert [(each.phases, each.decided) for each in by_name["rev2"]] == [(("1",), False), ((), False), ((), False)]
    assert [(each.phases, each.decided) for each in by_name["rev1"]] == [((), False), ((), True), ((), False)]
    assert by_name["rev1"][0].describe() == ""
    assert by_name["rev1"][1].describe().startswith("You adjudicated this figure before.")
    opened, _ = annotate.open_blind_task(store, home, key_of(home, "f1", "rev2"), "rev2")
    assert opened.before.describe().startswith("You annotated this figure in phase 1.")


def test_a_figure_that_was_assigned_to_somebody_else_is_counted_no_more(store: Store, home: Home) -> None:
    written(store, home, "f1")
    with store.transaction() as tx:
        tx.tasks.remove([Task("f1", "rev1", "2")])
    (phase,) = blind_pages(store, home, "rev1")
    assert (phase.done, phase.total) == (0, 2)
    opened, _ = annotate.open_blind_task(store, home, key_of(home, "f2"), "rev1")
    assert (opened.work.done, opened.total) == (0, 2)
    done = written(store, home, "f2")
    assert (done.done, done.total) == (1, 2)


def test_neither_kind_of_task_is_opened_on_the_others_screen(store: Store, home: Home) -> None:
    key = key_of(home, "f1")
    with pytest.raises(UnknownTask, match="no task of yours"):
        annotate.open_task(store, home, key, "rev1")
    with pytest.raises(UnknownTask, match="no task of yours"):
        annotate.skip(store, home, key, "rev1")
    written(store, home, "f1")
    draft = SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=())
    with pytest.raises(UnknownTask, match="no task of yours"):
        annotate.submit(store, home, key, "rev1", draft, revision=1)
    with pytest.raises(UnknownTask, match="nothing to undo"):
        annotate.undo(store, home, "rev1")


def test_long_lists_come_in_pages(store: Store, home: Home) -> None:
    (first,) = blind_pages(store, home, "rev1", per_page=2)
    assert ([task.place for task in first.tasks], first.page, first.pages) == ([1, 2], 1, 2)
    (last,) = blind_pages(store, home, "rev1", pages={"2": 9}, per_page=2)
    assert ([task.place for task in last.tasks], last.page) == ([3], 2)


def test_what_is_not_out_yet_is_hidden_but_not_listed(store: Store, home: Home) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("plain", "rev1", "2", batch=2, released=False)])
        hidden = hidden_from(tx, home, "rev1")
        assert hidden is not None
        assert "plain" in tx.blind.hidden_figures(hidden)
    (phase,) = blind_pages(store, home, "rev1")
    assert (phase.total, phase.withheld) == (3, 1)
    with pytest.raises(UnknownTask):
        annotate.open_blind_task(store, home, key_of(home, "plain"), "rev1")


# -- handing in ------------------------------------------------------------------------------------------


def test_what_is_handed_in_stays_as_it_is_and_is_hidden_no_more(store: Store, home: Home) -> None:
    written(store, home)
    assert annotate.hand_in(store, home, "2", "rev1") == 1
    with store.read() as tx:
        hidden = hidden_from(tx, home, "rev1")
        assert hidden is not None
        assert tx.blind.hidden_figures(hidden) == {"f2"}  # f3 was left out: nothing is to be written there
        assert tx.blind.handed_in("2", "rev2") == set()
    with pytest.raises(UnknownTask, match="handed this figure in"):
        annotate.open_blind_task(store, home, key_of(home, "f1"), "rev1")
    with pytest.raises(UnknownTask, match="handed this figure in"):
        written_without_opening(store, home)
    assert annotate.task_of(store, home, key_of(home, "f1"), "rev1", blind=True).figure == "f1"
    (phase,) = blind_pages(store, home, "rev1")
    assert [task.state for task in phase.tasks] == [State.HANDED_IN, State.OPEN, State.LEFT_OUT]
    assert (phase.total, phase.done, phase.handed_in) == (2, 1, 1)


def test_a_figure_that_was_revised_after_it_was_handed_in_is_to_be_done_again(store: Store, home: Home) -> None:
    written(store, home)
    annotate.hand_in(store, home, "2", "rev1")
    before = revise(store, "f1", "Fig 1: (A) left. (B) right.")
    with store.read() as tx:
        hidden = hidden_from(tx, home, "rev1")
        assert hidden is not None
        assert tx.blind.hidden_figures(hidden) == {"f1", "f2"}
        assert tx.blind.hides(hidden, ["f1"])
    (phase,) = blind_pages(store, home, "rev1")
    assert [task.state for task in phase.tasks] == [State.OPEN, State.OPEN, State.LEFT_OUT]
    assert (phase.total, phase.done, phase.handed_in) == (2, 0, 0)
    opened, _ = annotate.open_blind_task(store, home, key_of(home, "f1"), "rev1")
    assert (opened.version, opened.own) == (0, None)
    notice = opened.before.describe()
    assert notice.startswith("You handed this figure in before its caption or image was replaced.")
    row = next(each for each in blind_rows(store, home.campaign) if each.reviewer == "rev1")
    assert (row.written, row.handed_in, row.annotated_before) == (0, 0, 1)
    draft = BlindDraft(0, Status.ACCEPTED, ((4,),))
    annotate.submit(store, home, key_of(home, "f1"), "rev1", draft, revision=2)
    annotate.submit(store, home, key_of(home, "f1"), "rev1", BlindDraft(1, Status.ACCEPTED, ((6,),)), revision=2)
    assert annotate.hand_in(store, home, "2", "rev1") == 1
    with store.transaction() as tx:
        assert tx.blind.handed_in("2", "rev1") == {"f1", "f3"}
        tx.figures.replace(before)  # the work that was handed in on it counts again
        assert tx.blind.handed_in("2", "rev1") == {"f1", "f3"}


def test_a_figure_that_was_left_out_and_then_revised_is_to_be_done(store: Store, home: Home) -> None:
    written(store, home)
    annotate.hand_in(store, home, "2", "rev1")  # f3 had no subfigures, and was closed with the others
    revise(store, "f3", "Fig 3: (A) left. (B) right.")
    (phase,) = blind_pages(store, home, "rev1")
    assert [task.state for task in phase.tasks] == [State.HANDED_IN, State.OPEN, State.OPEN]
    assert annotate.own_task(store, home, key_of(home, "f3"), "rev1", blind=True).before.describe() == ""
    with store.read() as tx:
        hidden = hidden_from(tx, home, "rev1")
        assert hidden is not None
        assert tx.blind.hidden_figures(hidden) == {"f2", "f3"}


def revise(store: Store, name: str, caption: str) -> Figure:
    """Another caption, settled with one subfigure; returns the figure as it was."""
    with store.transaction() as tx:
        before = tx.figures.get(name)
        revised = tx.figures.replace(a_figure(name, caption=caption))
        drawn = (a_subfigure(tokens=(4,)),)
        tx.decisions.add(a_decision(revised, reviewer="free", version=2, subfigures=drawn))
    return before


def written_without_opening(store: Store, home: Home) -> None:
    draft = BlindDraft(1, Status.ACCEPTED, ((), ()))
    annotate.submit(store, home, key_of(home, "f1"), "rev1", draft, revision=1)


def test_with_all_handed_in_nothing_is_hidden(store: Store, home: Home) -> None:
    for figure in ("f1", "f2"):
        written(store, home, figure)
    assert annotate.hand_in(store, home, "2", "rev1") == 2
    with store.read() as tx:
        assert hidden_from(tx, home, "rev1") is None
        assert has_tasks(tx, home.campaign, "rev1", blind=True)
        assert not has_tasks(tx, home.campaign, "free", blind=True)
    rows = {row.annotator: row for row in campaign_progress(store, home.campaign).rows if row.phase == "2"}
    assert rows["rev1"].done == 2


def test_only_blind_work_of_ones_own_is_handed_in(store: Store, home: Home) -> None:
    for phase, who in (("1", "rev2"), ("2", "free"), ("nope", "rev1")):
        with pytest.raises(UnknownTask, match="nothing to hand in"):
            annotate.hand_in(store, home, phase, who)


def test_who_may_not_any_more_neither_writes_nor_hands_in(store: Store, home: Home) -> None:
    def refuse(_: object) -> None:
        raise PermissionError("signed out meanwhile")

    annotate.open_blind_task(store, home, key_of(home, "f1"), "rev1")
    draft = BlindDraft(0, Status.ACCEPTED, TEXTS)
    with pytest.raises(PermissionError):
        annotate.submit(store.checking(refuse), home, key_of(home, "f1"), "rev1", draft, revision=1)
    with pytest.raises(PermissionError):
        annotate.hand_in(store.checking(refuse), home, "2", "rev1")
    with store.read() as tx:
        assert list(tx.annotations.all(phase="2")) == []


def test_no_secret_text_is_part_of_what_is_given(store: Store, home: Home) -> None:
    assert SECRET_TEXTS[0] != TEXTS[0]
    store_boxes(store, home.campaign, home.campaign.phase("2"), "f1", now=NOON)
    with store.read() as tx:
        kept = tx.blind.boxes("2", ["f1"])["f1"]
    assert all(each.subcaption == frozenset() for each in kept.subfigures)


def test_the_lead_is_told_how_far_each_is_and_who_knew_the_figures(store: Store, home: Home) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f4"))
        tx.tasks.add([Task("f4", "rev2", "2")])
    written(store, home, "f1", "rev2")
    annotate.hand_in(store, home, "2", "rev2")
    rows = {row.reviewer: row for row in blind_rows(store, home.campaign)}
    assert rows["rev2"] == BlindRow("2", "rev2", 4, 1, 1, 1, 0, 1, 1)
    assert rows["rev1"].settled_before == 1
    assert list(waiting_lines(list(rows.values()))) == [
        "phase 2, blind: 1 figure with no subfigures to describe; 1 figure without subfigures to show so far; "
        "a reviewer who does not annotate them blind adjudicates them: annotator serve"
    ]
    assert list(waiting_lines([replace(rows["rev2"], not_ready=0, left_out=0)])) == []


def test_status_tells_it_too(store: Store, home: Home) -> None:
    written(store, home, "f1", "rev2")
    runner = CliRunner()
    shown = runner.invoke(status.command, ["--home", str(home.path)]).stdout
    assert "phase 2, blind: 1 figure with no subfigures to describe\n" in shown
    record = json.loads(runner.invoke(status.command, ["--home", str(home.path), "--json"]).stdout)
    assert {row["reviewer"]: row["annotated_before"] for row in record["blind"]} == {
        "boss": 0,
        "rev1": 0,
        "rev2": 1,
    }
