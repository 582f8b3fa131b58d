"""Figures taken out of the campaign: out of everything at once, and back with all work on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, a_subfigure, an_annotation

from annotator.adjudication import history
from annotator.adjudication.decide import decide
from annotator.adjudication.draft import SubfiguresDraft
from annotator.adjudication.messages.send_back import send_back
from annotator.assignment.assign import assign
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.dashboards.status import campaign_progress
from annotator.imports.withdraw import restore_figures, withdraw_figures
from annotator.measurement.report import measure_sources
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Hidden
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.errors import InvalidAnnotation, StoreError
from panelwise.files.jsonl import Problems

FULL = (a_subfigure(tokens=(4, 6, 7)),)


@pytest.fixture
def worked(home: Home, store: Store) -> Store:
    """f1 and f2 annotated alike by two, f1 adjudicated; f3 assigned to both; f4 predicted."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3", "f4"):
            tx.figures.add(a_figure(name))
    assign(store, ["ann", "ben"], overlap=4, phase="1")
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            for annotator in ("ann", "ben"):
                tx.annotations.add(an_annotation(a_figure(name), annotator=annotator, subfigures=FULL))
        tx.predictions.put(a_prediction(a_figure("f4")))
        tx.decisions.add(a_decision(a_figure("f1"), subfigures=FULL))
    score_disagreement(store, home.campaign)
    return store


def seen(home: Home, store: Store) -> dict[str, object]:
    """What the campaign is made of: every list that a withdrawn figure must be missing from."""
    tally = GoldTally()
    with store.read() as tx:
        return {
            "figures": [each.id for each in tx.figures.all()],
            "gallery": [each.id for each in tx.figures.gallery((), limit=9)],
            "count": tx.figures.count(),
            "tasks": sorted({task.figure for task in tx.tasks.all()}),
            "open": sorted({task.figure for task in tx.tasks.open()}),
            "groups": sum(group.tasks for group in tx.tasks.groups()),
            "annotated": sorted(tx.annotations.figures()),
            "annotations": sorted({each.figure.id for each in tx.annotations.all()}),
            "work": [each.figure.id for each in tx.work.all()],
            "decisions": [each.figure.id for each in tx.decisions.all()],
            "histories": [each.figure.id for each in tx.decisions.histories()],
            "predictions": [each.figure.id for each in tx.predictions.all()],
            "queue": sorted(tx.queue.entries(["f1", "f2", "f3", "f4"])),
            "counts": tx.queue.counts(),
            "done": sum(each.done for each in tx.statistics.task_counts().values()),
            "left": sum(each.open for each in tx.statistics.task_counts().values()),
            "hidden": sorted(tx.blind.hidden_figures(Hidden("ann", ("1",)))),
            "gold": [each.figure.id for each in gold(store, home.campaign, tally)],
            "states": tally.states,
            "status": campaign_progress(store, home.campaign).figures,
        }


def test_a_withdrawn_figure_is_in_no_list_and_comes_back_as_it_was(home: Home, worked: Store) -> None:
    before = seen(home, worked)
    withdraw_figures(worked, ["f1", "f3"], "lead", "licence")
    now = seen(home, worked)
    for name, value in now.items():
        if isinstance(value, list):
            assert {"f1", "f3"}.isdisjoint(value), name
            assert value == [each for each in before[name] if each not in ("f1", "f3")], name  # type: ignore[attr-defined]
    assert (now["count"], now["status"], now["groups"], now["done"], now["left"]) == (2, 2, 4, 2, 2)
    assert (now["counts"].total, now["counts"].decided) == (1, 0)  # type: ignore[attr-defined]
    assert campaign_progress(worked, home.campaign).withdrawn == ("f1", "f3")
    restore_figures(worked, home.campaign, ["f1", "f3"], "lead")
    assert seen(home, worked) == before


def test_agreement_is_measured_without_withdrawn_figures_at_once(home: Home, worked: Store) -> None:
    with worked.read() as tx:
        mark = tx.annotations.mark()
    assert measure_sources([home.path], Problems()).figures.names == ("f1", "f2")
    withdraw_figures(worked, ["f2"], "lead", "a duplicate of f1")
    with worked.read() as tx:
        assert tx.annotations.mark() != mark
    assert measure_sources([home.path], Problems()).figures.names == ("f1",)


def test_work_that_comes_in_meanwhile_is_there_after_the_restoration(home: Home, worked: Store) -> None:
    withdraw_figures(worked, ["f3"], "lead", "licence")
    with worked.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f3"), annotator="ann", subfigures=FULL))
    score_disagreement(worked, home.campaign, ["f3"])
    with worked.read() as tx:
        assert tx.queue.entries(["f3"]) == {}
    restore_figures(worked, home.campaign, ["f3"], "lead")
    with worked.read() as tx:
        assert tx.queue.entries(["f3"])["f3"].annotators == 1


def test_new_figures_are_assigned_beside_withdrawn_ones(worked: Store) -> None:
    withdraw_figures(worked, ["f1"], "lead", "licence")
    with worked.transaction() as tx:
        tx.figures.add(a_figure("f5"))
    assert {task.figure for task in assign(worked, ["ann", "ben"], overlap=4, phase="1")} == {"f5"}


def test_nobody_decides_on_a_withdrawn_figure_nor_sends_it_back(home: Home, worked: Store) -> None:
    withdraw_figures(worked, ["f1"], "lead", "licence")
    draft = SubfiguresDraft(version=1, status=Status.REJECTED, subfigures=[], based_on=[])
    for change in (
        lambda: decide(worked, home, "f1", "rev", draft),
        lambda: history.reopen(worked, "f1", "rev", loaded=1),
        lambda: history.restore(worked, home, "f1", "rev", 1, loaded=1),
        lambda: send_back(worked, home, "f1", "rev", "key", "1", "why"),
    ):
        with pytest.raises(InvalidAnnotation, match='figure "f1" was withdrawn from the campaign: licence'):
            change()


def test_all_or_none_are_withdrawn_and_restored(home: Home, worked: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        withdraw_figures(worked, ["f1", "nowhere"], "lead", "licence")
    with pytest.raises(InvalidAnnotation, match="give a reason of 1 to 2,000 characters"):
        withdraw_figures(worked, ["f1"], "lead", "  ")
    withdraw_figures(worked, ["f1"], "lead", "licence")
    with pytest.raises(InvalidAnnotation, match="1 figure withdrawn already: f1"):
        withdraw_figures(worked, ["f2", "f1"], "lead", "licence")
    with pytest.raises(InvalidAnnotation, match="1 figure not withdrawn: f2"):
        restore_figures(worked, home.campaign, ["f1", "f2"], "lead")
    with worked.read() as tx:
        assert [*tx.withdrawals.standing()] == ["f1"]
        (entry,) = tx.withdrawals.on_figure("f1")
    assert (entry.person, entry.reason, entry.restored_at) == ("lead", "licence", None)
