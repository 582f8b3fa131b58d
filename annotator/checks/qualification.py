"""Qualification of annotators by figures with known gold: hidden among their tasks, or in a training phase.

Whoever reaches the pass mark of a training phase gets the tasks of the phases that name it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from agreement import comparison
from agreement.models import Comparison
from agreement.primitives import Settings
from annotator.store.store import Store, Transaction
from panelwise.domain import Annotation, AnnotatorError, Campaign, Decision, Phase, Status, Task

#: Without resamples: only the score is needed.
_SETTINGS = Settings(resamples=0)


@dataclass(frozen=True, slots=True)
class Qualification:
    """One annotator's measured tasks of a phase: those on hidden gold, or all of a phase without any.

    tasks: how many, without figures that reviewers deferred and `partly_read`, those of which some of the accepted
    work could not be read. compared: submitted, and with gold. score: mean F1 over their scored subfigures, None
    if nothing is scored. pass_mark: None if the phase has none.
    """

    phase: str
    annotator: str
    tasks: int
    compared: int
    score: float | None
    pass_mark: float | None
    partly_read: int = 0

    @property
    def below(self) -> bool:
        """Return whether the work so far is below the pass mark."""
        return self.score is not None and self.pass_mark is not None and self.score < self.pass_mark

    @property
    def passed(self) -> bool:
        """Return whether every measured task is done and the pass mark is reached."""
        complete = 0 < self.tasks == self.compared
        return complete and self.score is not None and self.pass_mark is not None and not self.below


def is_measured(phase: Phase) -> bool:
    """Return whether annotators of a phase are measured against gold."""
    return bool(phase.hidden_gold) or phase.pass_mark is not None


def compare_with_gold(pairs: Iterable[tuple[Annotation, Decision]]) -> Comparison:
    """Compare one annotator's work on figures with the decisions on them."""
    pairs = list(pairs)
    gold = [
        Annotation(own.figure, "gold", "gold", decision.status, decision.subfigures, decision.decided_at)
        for own, decision in pairs
    ]
    work = [replace(own, annotator="own") for own, _ in pairs]
    return comparison(gold, work, _SETTINGS, curves=False)


def qualifications(tx: Transaction, campaign: Campaign) -> list[Qualification]:
    """Return each annotator with measured tasks and how they did, by phase in the campaign's order, by name."""
    found = []
    for phase in filter(is_measured, campaign.phases):
        measured: dict[str, set[str]] = defaultdict(set)
        for task in tx.tasks.all(phase=phase.name):
            if task.hidden or not phase.hidden_gold:
                measured[task.annotator].add(task.figure)
        found += [_qualification(tx, phase, name, figures) for name, figures in sorted(measured.items())]
    return found


def _qualification(tx: Transaction, phase: Phase, annotator: str, figures: set[str]) -> Qualification:
    pairs, deferred, partial = [], set(), set()
    for own, decision in tx.work.adjudicated(annotator):
        if own.phase != phase.name or own.figure.id not in figures:
            continue
        if decision.status is Status.IGNORED:
            deferred.add(own.figure.id)
        elif own.partly_read and own.status is Status.ACCEPTED:
            partial.add(own.figure.id)
        else:
            pairs.append((own, decision))
    score = compare_with_gold(pairs).score if pairs else None
    return Qualification(
        phase.name, annotator, len(figures - deferred - partial), len(pairs), score, phase.pass_mark, len(partial)
    )


def hidden_admissions(tx: Transaction, phases: Iterable[Phase], closed: Collection[str]) -> set[str]:
    """Return those of the phases whose training phase has tasks on figures that somebody annotates blind.

    closed: these figures. Who has passed, and so which tasks are released, shows how others did on them.
    """
    if not closed:
        return set()
    training = {phase.name: phase.training_phase for phase in phases if phase.training_phase}
    measured = {
        name for name in {*training.values()} if any(task.figure in closed for task in tx.tasks.all(phase=name))
    }
    return {name for name, required in training.items() if required in measured}


def check_admission_shown(tx: Transaction, phase: Phase, closed: Collection[str]) -> None:
    """Raises AnnotatorError if the admissions to a phase are hidden from who annotates `closed` blind."""
    if hidden_admissions(tx, [phase], closed):
        raise AnnotatorError(
            f"the tasks of phase {phase.name} are released to those who have passed phase {phase.training_phase}, "
            "which is measured on figures that you annotate blind; hand these in under Blind, or leave this to a "
            "lead who doesn't annotate blind"
        )


def not_admitted(
    tx: Transaction, campaign: Campaign, phase: Phase, annotators: Collection[str], closed: Collection[str] = ()
) -> set[str]:
    """Return those of the annotators who have not passed the phase's training phase yet.

    closed: figures that the person who asks annotates blind; all annotators if the training phase has some.
    """
    if not phase.training_phase:
        return set()
    if hidden_admissions(tx, [phase], closed):
        return {*annotators}
    passed = {
        each.annotator
        for each in qualifications(tx, campaign)
        if each.phase == phase.training_phase and each.passed
    }
    return {*annotators} - passed


def all_not_admitted(tx: Transaction, campaign: Campaign) -> dict[str, set[str]]:
    """Return phase -> who has tasks of it and has not passed its training phase yet."""
    return {
        phase.name: not_admitted(
            tx, campaign, phase, {task.annotator for task in tx.tasks.all(phase=phase.name, released=False)}
        )
        for phase in campaign.phases
        if phase.training_phase
    }


def admit(store: Store, campaign: Campaign, annotator: str | None = None) -> int:
    """Release the tasks of annotators who have passed the required training phase; returns how many.

    To be called where tasks are handed out: it does nothing else. annotator: only this one's tasks.
    """
    if not any(phase.training_phase for phase in campaign.phases):
        return 0
    with store.read() as tx:
        if not _to_release(tx, campaign, annotator):
            return 0
    with store.transaction() as tx:
        tasks = _to_release(tx, campaign, annotator)
        tx.tasks.change([(task, replace(task, released=True)) for task in tasks])
    return len(tasks)


def _to_release(tx: Transaction, campaign: Campaign, annotator: str | None) -> list[Task]:
    """Return the tasks that wait for nothing but a training phase that is passed by now."""
    found = []
    for phase in campaign.phases:
        waiting = (
            tx.tasks.all(phase=phase.name, annotator=annotator, released=False) if phase.training_phase else []
        )
        if waiting:
            barred = not_admitted(tx, campaign, phase, {task.annotator for task in waiting})
            last = last_released(tx, phase)
            found += [task for task in waiting if task.annotator not in barred and task.batch <= last]
    return found


def last_released(tx: Transaction, phase: Phase) -> int:
    """Return the number of the last batch of a phase of which anything is released; 1 at least."""
    return max((task.batch for task in tx.tasks.all(phase=phase.name, released=True)), default=1)
