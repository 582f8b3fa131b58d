"""Progress of a campaign by person, phase and batch, with deadlines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import Any

from annotator.assignment.schedule import BatchState, NextBatch, batch_states, next_batches, waiting
from annotator.checks.qualification import Qualification, all_not_admitted, qualifications
from annotator.checks.run import check_work
from annotator.consensus.gold_rule import figure_states
from annotator.consensus.outdated import key_of
from annotator.own_tasks.tasks import done_before, own_phases
from annotator.queue.pages import answered_figures
from annotator.queue.ranking import count_partly_read
from annotator.store.rows.records import Revisions
from annotator.store.store import Store, Transaction
from panelwise.domain import Campaign, FigureState, Severity
from panelwise.formats import time_text


@dataclass(frozen=True, slots=True)
class BlindProgress:
    """A reviewer's tasks of a blind phase.

    handed_in: how many are. seen: on figures that they annotated or adjudicated before, which the report
    separates.
    """

    handed_in: int
    seen: int


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One annotator's tasks in one phase. redo: number of outdated ones.

    late: open past the batch's deadline. later: not released yet. seconds: median time per figure, None if
    unknown. findings: number of guideline findings by severity. blind: for a blind phase.
    """

    phase: str
    annotator: str
    done: int
    open: int
    redo: int = 0
    late: int = 0
    later: int = 0
    seconds: float | None = None
    findings: dict[str, int] = field(default_factory=dict)
    blind: BlindProgress | None = None


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """figures: in the store. adjudicated: with a reviewer's decision. rows: phases in their order, then by name.
    states: how many figures are in each state. answered: see `answered_figures`.

    batches: of the phases' tasks, in order. following: which batches come next. revised: figures, by id, with work
    that stands on an earlier revision only; left_behind: such annotations; unsettled: figures with a decision on
    an earlier revision only. partly_read: figures without a decision on which some work was read in part.
    withdrawn: figures taken out of the campaign, not counted in `figures`. qualifications: how annotators did on
    hidden gold and in training phases.
    """

    figures: int
    adjudicated: int
    rows: tuple[ProgressRow, ...]
    batches: tuple[BatchState, ...] = ()
    following: tuple[NextBatch, ...] = ()
    revised: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    left_behind: int = 0
    unsettled: int = 0
    partly_read: int = 0
    states: Mapping[FigureState, int] = field(default_factory=dict, hash=False)
    answered: int = 0
    qualifications: tuple[Qualification, ...] = ()

    def as_record(self, campaign: str) -> dict[str, Any]:
        """Return plain values for JSON; times as text in UTC."""
        return {
            "campaign": campaign,
            "figures": self.figures,
            "settled": self.adjudicated,
            "status": {state.value: self.states.get(state, 0) for state in FigureState},
            "annotators": [asdict(row) for row in self.rows],
            "batches": [
                {**asdict(each), "deadline": each.deadline and time_text(each.deadline)} for each in self.batches
            ],
            "qualifications": [
                {**asdict(each), "passed": each.passed, "below": each.below} for each in self.qualifications
            ],
            "next": [{**asdict(each), "early": list(each.early)} for each in self.following],
            "withdrawn": list(self.withdrawn),
            "partly_read": self.partly_read,
            "revised": {
                "figures": list(self.revised),
                "annotations": self.left_behind,
                "decisions": self.unsettled,
            },
        }


def campaign_progress(
    store: Store, campaign: Campaign | None = None, *, now: datetime | None = None
) -> CampaignProgress:
    """Count tasks and submitted annotations; imported work without a task counts as done.

    Outdated work is to be redone and counts neither as done nor as open. campaign: for deadlines and checks, or
    None.
    """
    campaign = campaign or Campaign("", (), ())
    now = now or datetime.now(UTC)
    with store.read() as tx:
        groups = tx.tasks.groups()
        done, findings = _worked(tx, campaign)
        redo = {key_of(each) for each in tx.annotations.all(revisions=Revisions.OTHER)} - done
        seconds = _medians(tx)
        figures, adjudicated = tx.figures.count(), tx.decisions.count()
        unsettled = tx.decisions.count(revisions=Revisions.ALL) - adjudicated
        away = {person.name for person in tx.people.all() if not person.active}
        blind = dict(_blind(tx, campaign))
        states = figure_states(tx, campaign)
        answered = answered_figures(tx, campaign)
        partly_read = count_partly_read(tx)
        withdrawn = tuple(sorted(tx.withdrawals.standing()))
        barred, qualified = all_not_admitted(tx, campaign), tuple(qualifications(tx, campaign))
    finished, again = (Counter((phase, annotator) for _, annotator, phase in keys) for keys in (done, redo))
    waits = waiting(groups, campaign, now)
    order = {phase.name: position for position, phase in enumerate(campaign.phases)}
    rows = tuple(
        ProgressRow(
            *key,
            done=finished[key],
            open=waits[key]["open"],
            redo=again[key],
            late=waits[key]["late"],
            later=waits[key]["later"],
            seconds=seconds.get(key),
            blind=blind.get(key),
            findings={severity.value: findings[key][severity] for severity in Severity},
        )
        for key in sorted({*finished, *again, *waits}, key=lambda key: (order.get(key[0], len(order)), key))
    )
    return CampaignProgress(
        figures,
        adjudicated,
        rows,
        batches=tuple(batch_states(groups, campaign, now)),
        following=tuple(next_batches(groups, campaign, now, away=away, barred=barred)),
        revised=tuple(sorted({figure for figure, _, _ in redo})),
        withdrawn=withdrawn,
        left_behind=len(redo),
        unsettled=unsettled,
        partly_read=partly_read,
        states=states,
        answered=answered,
        qualifications=qualified,
    )


_Key = tuple[str, str]


def _worked(
    tx: Transaction, campaign: Campaign
) -> tuple[set[tuple[str, str, str]], defaultdict[_Key, Counter[Severity]]]:
    """(figure, annotator, phase) of all work that counts; of each phase and annotator the findings in it."""
    done = set()
    findings: defaultdict[_Key, Counter[Severity]] = defaultdict(Counter)
    for checked in check_work(tx, campaign):
        done.add(key_of(checked.annotation))
        key = (checked.annotation.phase, checked.annotation.annotator)
        findings[key].update(finding.severity for finding in checked.findings)
    return done, findings


def _blind(tx: Transaction, campaign: Campaign) -> Iterator[tuple[_Key, BlindProgress]]:
    """Return the reviewers of blind phases by phase and name."""
    for phase in own_phases(campaign, blind=True):
        tasks: defaultdict[str, set[str]] = defaultdict(set)
        for task in tx.tasks.all(phase=phase.name):
            tasks[task.annotator].add(task.figure)
        for name, figures in tasks.items():
            seen = figures & done_before(tx, name, phase).keys()
            yield (phase.name, name), BlindProgress(len(figures & tx.blind.handed_in(phase.name, name)), len(seen))


def _medians(tx: Transaction) -> dict[_Key, float]:
    spent: defaultdict[_Key, list[float]] = defaultdict(list)
    for phase, annotator, seconds in tx.statistics.annotation_seconds():
        spent[phase, annotator].append(seconds)
    return {key: median(values) for key, values in spent.items()}
