"""SciVQA's campaign from the template with six simulated annotators, up to gold and human evaluation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from builders import NOON
from items_cases import a_qa_figure, edited, judged, kinds, verdicts

from annotator.assignment.assign import assign_phase
from annotator.assignment.reassign import release_batch
from annotator.campaign.templates import TEMPLATES
from annotator.consensus.adjudicated_pairs import adjudicated_figure
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, Task
from panelwise.domain.decision import GoldSource
from panelwise.domain.items import HumanAnswer, Items, Verdict

PEOPLE = tuple(f"ann{number}" for number in range(1, 7))
#: Figures for each annotator, of the whole campaign.
SIZES = {"training": 20, "train": 380, "test": 100}
ANSWERED = {"human-eval-training": ("test", 20), "human-eval": ("test", 80), "human-eval-rest": ("train", 20)}


def a_campaign(part: int) -> Campaign:
    """The template's campaign, a `part`th of its size."""
    whole = TEMPLATES["figure-qa"].campaign("charts", ("A",), annotators=PEOPLE)
    smaller = (
        replace(phase, figures=(phase.figures or 0) // part, batch=phase.batch and phase.batch // part)
        for phase in whole.phases
    )
    return replace(whole, phases=tuple(smaller), include=frozenset({GoldSource.SINGLE}))


def simulate(store: Store, campaign: Campaign, phase: Phase, tasks: list[Task]) -> None:
    """Do all tasks of a phase: every tenth figure gets an edited pair; questions are answered with the gold's."""
    with store.transaction() as tx:
        for number, task in enumerate(tasks):
            figure = tx.figures.get(task.figure)
            if phase.kind.answered:
                pairs = adjudicated_figure(tx, campaign, figure).imported.pairs
                items = Items(answers=tuple(HumanAnswer(pair.id, pair.answer) for pair in pairs))
                done = Annotation(figure, task.annotator, phase.name, Status.ACCEPTED, (), NOON, items)
            else:
                changed = [edited(figure, "q4", answer="Yes")] if number % 10 == 0 else []
                parts = (*verdicts(figure, *changed).parts, *kinds().parts)
                done = judged(figure, Items(parts=parts), annotator=task.annotator, phase=phase.name)
            tx.annotations.add(done)


@pytest.mark.parametrize(
    "part", [pytest.param(10, marks=pytest.mark.slow), pytest.param(1, marks=[pytest.mark.slow, pytest.mark.soak])]
)
def test_every_phase_of_scivqas_schedule_runs_to_gold_and_human_evaluation(store: Store, part: int) -> None:
    campaign = a_campaign(part)
    figures = 3_000 // part
    with store.transaction() as tx:
        for number in range(figures):
            document = f"doc{number // 2}"
            tx.figures.add(a_qa_figure(f"f{number:04}", document=document, source={"document": document}))
    dealt: dict[str, list[Task]] = {}
    for phase in campaign.phases:
        assigned = assign_phase(store, campaign, phase)
        assert list(assigned.notes) == []
        while any(not task.released for task in tasks_of(store, phase)):
            release_batch(store, campaign, phase.name)
        dealt[phase.name] = tasks_of(store, phase)
        simulate(store, campaign, phase, dealt[phase.name])
    # Nothing undealt, nothing dealt twice but what the plan says.
    validated = [task.figure for name in SIZES for task in dealt[name]]
    assert Counter(Counter(validated).values()) == {1: figures}
    for name, size in SIZES.items():
        done = Counter(task.annotator for task in dealt[name])
        assert sum(done.values()) == size * len(PEOPLE) // part
        # Both figures of a document go to one person.
        assert all(abs(done[who] - size // part) <= 2 for who in PEOPLE)
    validators = {task.figure: task.annotator for name in SIZES for task in dealt[name]}
    answered = [task for name in ANSWERED for task in dealt[name]]
    assert len({task.figure for task in answered}) == len(answered)
    assert not [task for task in answered if validators[task.figure] == task.annotator]
    for name, (source, size) in ANSWERED.items():
        assert len(dealt[name]) == size * len(PEOPLE) // part
        assert {task.figure for task in dealt[name]} <= {task.figure for task in dealt[source]}
    # All pairs and types are gold, corrected ones as they were corrected.
    made = list(gold(store, campaign, GoldTally(), include=frozenset(GoldSource)))
    assert len(made) == figures
    assert sum(len(each.items.verdicts) for each in made) == 7 * figures
    assert all(each.items.kind is not None and each.items.kind.compound for each in made)
    edits = sum(verdict.verdict is Verdict.INCORRECT for each in made for verdict in each.items.verdicts)
    assert edits == sum(len(dealt[name][::10]) for name in SIZES)


def tasks_of(store: Store, phase: Phase) -> list[Task]:
    with store.read() as tx:
        return list(tx.tasks.all(phase=phase.name))
