"""What a model is least sure of comes first: in the queue that reviewers ask for so, and in the next batch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from adjudicated import after_decision
from builders import a_figure, a_prediction, an_annotation
from running import run_command

from annotator.assignment.assign import assign_phase
from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.queue.filter import UnknownFilter, chosen_filter
from annotator.queue.pages import Place, Show, queue_page
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Facet
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Phase, Role

SURE = {"f1": 0.9, "f2": 0.3, "f3": 0.6, "f5": 0.3}
REVIEWER = Person("rev", frozenset({Role.REVIEWER}))


@pytest.fixture
def predicted(home: Home, store: Store) -> Store:
    """Five figures, all but f4 predicted; all are in the queue."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3", "f4", "f5"):
            figure = a_figure(name)
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure))
            if name in SURE:
                tx.predictions.put(a_prediction(figure, scores=(1.0, SURE[name])))
    score_disagreement(store, home.campaign)
    return store


def listed(home: Home, store: Store, **asked: object) -> list[str]:
    with store.read() as tx:
        wanted = chosen_filter(tx, home, REVIEWER, {"order": ["uncertainty"]})
    return [row.figure_id for row in queue_page(store, home.campaign, chosen=wanted, **asked).rows]


def test_the_queue_can_be_had_in_the_order_of_uncertainty(home: Home, predicted: Store) -> None:
    assert listed(home, predicted) == ["f2", "f5", "f3", "f1"]
    assert listed(home, predicted, place=Place(per_page=2)) == ["f2", "f5"]
    assert listed(home, predicted, place=Place(per_page=2, after="f5")) == ["f3", "f1"]
    assert listed(home, predicted, place=Place(per_page=2, before="f3")) == ["f2", "f5"]
    assert listed(home, predicted, show=Show.ALL, place=Place(2, per_page=3)) == ["f1"]


def test_the_next_figure_is_the_least_sure_of_those_that_are_open(home: Home, predicted: Store) -> None:
    with predicted.read() as tx:
        wanted = chosen_filter(tx, home, REVIEWER, {"order": ["uncertainty"]})
    assert after_decision(predicted, "f2", reviewer="rev", chosen=wanted) == "f5"


def test_a_newer_prediction_takes_its_figure_to_another_place(home: Home, predicted: Store) -> None:
    with predicted.transaction() as tx:
        tx.predictions.put(a_prediction(a_figure("f1"), model_version="newer", scores=(0.1, 0.8)))
        tx.predictions.put(a_prediction(a_figure("f4"), model_version="newer", scores=(0.2, 0.8)))
    assert listed(home, predicted) == ["f1", "f4", "f2", "f5", "f3"]
    with predicted.read() as tx:
        assert tx.queue.counts(Facet.UNSURE).total == 5
    score_disagreement(predicted, home.campaign)
    assert listed(home, predicted) == ["f1", "f4", "f2", "f5", "f3"]


def test_the_order_goes_with_other_conditions(home: Home, predicted: Store) -> None:
    with predicted.read() as tx:
        wanted = chosen_filter(tx, home, REVIEWER, {"order": ["uncertainty"], "q": ["f3"]})
        other = chosen_filter(tx, home, REVIEWER, {"order": ["uncertainty"], "phase": ["1"]})
        with pytest.raises(UnknownFilter, match='no order "size"'):
            chosen_filter(tx, home, REVIEWER, {"order": ["size"]})
    assert [row.figure_id for row in queue_page(predicted, home.campaign, chosen=wanted).rows] == ["f3"]
    assert [row.figure_id for row in queue_page(predicted, home.campaign, chosen=other).rows] == [
        "f2",
        "f5",
        "f3",
        "f1",
    ]


def test_a_prediction_without_subfigures_is_no_certainty(home: Home, predicted: Store) -> None:
    with predicted.transaction() as tx:
        tx.predictions.put(replace(a_prediction(a_figure("f2")), model_version="newer", subfigures=(), scores=()))
        assert tx.predictions.certainties(["f1", "f2"]) == {"f1": 0.9}
    assert listed(home, predicted) == ["f5", "f3", "f1"]


def test_the_next_batch_has_the_figures_that_the_model_is_least_sure_of(home: Home, predicted: Store) -> None:
    phase = Phase("1", annotators=("ann", "ben"), overlap=0, batch=2)
    dealt = assign_phase(predicted, home.campaign, phase, by_uncertainty=True, dry_run=True)
    batches = {task.figure: task.batch for task in dealt.tasks}
    assert batches == {"f2": 1, "f5": 1, "f3": 2, "f1": 2, "f4": 3}


def test_a_phase_of_some_figures_draws_those_that_the_model_is_least_sure_of(home: Home, predicted: Store) -> None:
    phase = Phase("1", annotators=("ann", "ben"), figures=3, overlap=1)
    for seed in range(4):
        dealt = assign_phase(predicted, home.campaign, phase, seed=seed, by_uncertainty=True, dry_run=True)
        assert {task.figure for task in dealt.tasks} == {"f2", "f5", "f3"}
        assert len(dealt.tasks) == 4


def test_the_overlap_is_drawn_whatever_the_model_is_sure_of(home: Home, predicted: Store) -> None:
    phase = Phase("1", annotators=("ann", "ben"), overlap=1)
    shared = set()
    for seed in range(30):
        dealt = assign_phase(predicted, home.campaign, phase, seed=seed, by_uncertainty=True, dry_run=True)
        figures = [task.figure for task in dealt.tasks]
        shared |= {name for name in figures if figures.count(name) > 1}
    assert shared == {"f1", "f2", "f3", "f4", "f5"}


def test_without_predictions_it_is_told_and_nothing_is_dealt(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    arguments = ("assign", "--home", home.path, "--annotators", "ann", "--order", "uncertainty")
    done = run_command(group, "annotator", *arguments)
    assert done.returncode == 1
    assert "prelabel run" in done.stderr
    with store.read() as tx:
        assert list(tx.tasks.all()) == []
        tx_prediction = a_prediction(a_figure("f1"))
    with store.transaction() as tx:
        tx.predictions.put(tx_prediction)
    assert run_command(group, "annotator", *arguments).returncode == 0


def test_the_commands_example_says_how(tmp_path: Path) -> None:
    done = run_command(group, "annotator", "assign", "--help")
    assert "--order" in done.stdout


@pytest.mark.slow
def test_the_page_says_what_comes_first(home: Home, predicted: Store) -> None:
    from annotator.accounts import people
    from annotator.web.factory import create_app

    people.add_person(predicted, "rev", roles=[Role.REVIEWER], password="a password of a reviewer")
    client = create_app(home, predicted).test_client()
    token = client.get("/login").text.partition('name="csrf_token" value="')[2].partition('"')[0]
    client.post("/login", data={"csrf_token": token, "name": "rev", "password": "a password of a reviewer"})
    least, usual = "Figures with the lowest ", "Largest disagreement first."
    for address, said, other in (("/", usual, least), ("/?order=uncertainty", least, usual)):
        page = client.get(address).text
        assert said in page
        assert other not in page
