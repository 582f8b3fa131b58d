"""What has become of each figure of a campaign, and the gold that there is.

A figure's state is decided here alone. Export, release and `annotator status` work it out from the whole store;
the queue and the dashboard show what was worked out when work, tasks or decisions changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from annotator.consensus.differences import common_work, newest_of_each, some_do_not_count
from annotator.consensus.items import (
    ITEM_TASKS,
    Reading,
    agreed_items,
    common_status,
    is_adjudicated,
    items_differ,
    least_voices,
    readings_of,
)
from annotator.consensus.outdated import worked_on_before
from panelwise.domain.annotation import Annotation, Status, repeated_labels
from panelwise.domain.campaign import TaskType
from panelwise.domain.decision import FigureState, Gold, GoldSource, Provenance, decided_state

if TYPE_CHECKING:
    from annotator.store.queries.work import PresentWork
    from annotator.store.store import Store, Transaction
    from panelwise.domain.campaign import Campaign, Task
    from panelwise.domain.decision import Decision


@dataclass(slots=True)
class GoldTally:
    """What became of every figure of a campaign when its gold was written.

    states: how many figures are in each state. exported: of those that were written, how many by source. The rest
    is left out, with the ids of each state, untouched figures but counted; `single` holds those that are left out
    because nobody reviewed them. changed: decided, but an annotation is newer than the decision, which still
    holds.
    """

    states: Counter[FigureState] = field(default_factory=Counter)
    exported: dict[GoldSource, int] = field(default_factory=lambda: dict.fromkeys(GoldSource, 0))
    single: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    awaiting: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)
    untouched: int = 0

    def leave_out(self, figure_id: str, state: FigureState) -> None:
        """Count a figure among those that are not written."""
        if state is FigureState.UNTOUCHED:
            self.untouched += 1
        else:
            getattr(self, state.value).append(figure_id)


def gold(
    store: Store, campaign: Campaign, tally: GoldTally, *, include: Collection[GoldSource] | None = None
) -> Iterator[Gold]:
    """The gold of every figure that has it, by figure id; `tally` is filled meanwhile.

    A figure whose subfigures nobody marked, but whose type or pairs somebody judged, has gold of these alone;
    human evaluation makes none. include: the sources that count as gold, None for what campaign.toml says.
    """
    with store.read() as tx:
        yield from gold_in(tx, campaign, tally, include=include)


def gold_in(
    tx: Transaction,
    campaign: Campaign,
    tally: GoldTally,
    without: dict[str, FigureState] | None = None,
    *,
    include: Collection[GoldSource] | None = None,
) -> Iterator[Gold]:
    """See `gold`: of the state that an open transaction sees.

    without: gets the ids of figures that are left out, with their state.
    """
    include = campaign.gold_sources if include is None else include
    settling = {phase.name for phase in campaign.phases if is_adjudicated(phase)}
    for work, state, record in _states(tx, campaign):
        tally.states[state] += 1
        decision = work.decision
        if decision is not None and decision.awaits is None and _annotated_since(work, decision, settling):
            tally.changed.append(work.figure.id)
        if record is None or record.provenance.source not in include:
            tally.leave_out(work.figure.id, state)
            if without is not None:
                without[work.figure.id] = state
            continue
        tally.exported[record.provenance.source] += 1
        yield record


def figure_states(tx: Transaction, campaign: Campaign) -> Counter[FigureState]:
    """How many figures of the campaign are in each state, worked out from all work."""
    return Counter(state for _, state, _ in _states(tx, campaign))


def _states(tx: Transaction, campaign: Campaign) -> Iterator[tuple[PresentWork, FigureState, Gold | None]]:
    """Every figure's work and state, with its gold where the state is one of gold, by figure id."""
    assigned, revised = _assigned(tx.tasks(), campaign), worked_on_before(tx, campaign)
    for work in tx.figure_work():
        name, decision = work.figure.id, work.decision
        if decision is not None:
            state = decided_state(decision.status, awaits=decision.awaits is not None)
            yield work, state, from_decision(decision) if state is FigureState.ADJUDICATED else None
        elif is_waiting(every := work.annotations, campaign, assigned.get(name, ())):
            yield work, FigureState.WAITING, None
        else:
            yield work, *state_of_work(every, campaign, worked_before=name in revised)


def is_waiting(every: Sequence[Annotation], campaign: Campaign, assigned: Collection[tuple[str, str]]) -> bool:
    """Whether someone has worked on a figure, and someone else to whom it is assigned has not submitted.

    every: the current annotations of the figure. assigned: see `tasks_due`.
    """
    missing = set(assigned) - {(each.annotator, each.phase) for each in every}
    if not missing:
        return False
    marked = bool(newest_of_each(every, campaign))
    if not marked and not readings_of(every, campaign):
        return False
    tasks = {TaskType.SUBFIGURES} if marked else ITEM_TASKS
    return any(campaign.phase(phase).task_type in tasks for _, phase in missing)


def state_of_work(
    every: Sequence[Annotation], campaign: Campaign, *, worked_before: bool
) -> tuple[FigureState, Gold | None]:
    """What the annotators' work alone makes of a figure, and its gold where that is a state of gold.

    Annotators who all agree make gold. Work on an earlier caption or image makes no gold of the present one.

    every: the current annotations of the figure. worked_before: whether there is work that reviewers adjudicate,
    or a decision, on another revision.
    """
    annotations = newest_of_each(every, campaign)
    readings = readings_of(every, campaign)
    if some_do_not_count(every, campaign):
        return FigureState.UNRESOLVED, None
    if not annotations and not readings:
        return (FigureState.REVISED if worked_before else FigureState.UNTOUCHED), None
    least = campaign.least_unanimous
    record = (
        from_annotations(annotations, readings, least=least)
        if annotations
        else from_readings(readings, least=least)
    )
    if record is None:
        return FigureState.UNRESOLVED, None
    if record.status is Status.REJECTED:
        return FigureState.REJECTED, None
    return FigureState(record.provenance.source.value), replace(record, items=agreed_items(every))


def tasks_due(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]) -> dict[str, set[tuple[str, str]]]:
    """Figure id -> (annotator, phase) of everyone who is to do what reviewers adjudicate, of these figures."""
    return _assigned(tx.tasks_on(figure_ids), campaign)


def _annotated_since(work: PresentWork, decision: Decision, phases: Collection[str]) -> bool:
    return any(moment > decision.decided_at and phase in phases for phase, moment in work.saved)


def from_decision(decision: Decision) -> Gold:
    """A decision as gold; one put off ("ignored") keeps that status."""
    return Gold(
        figure=decision.figure,
        status=decision.status,
        subfigures=decision.subfigures,
        provenance=Provenance(
            GoldSource.ADJUDICATED,
            decision.reviewer,
            tuple(sorted(decision.based_on)),
            decision.decided_at,
            decision.note,
            decision.error_kind,
            decision.guideline_flag,
        ),
        items=decision.items,
    )


def from_annotations(
    annotations: Sequence[Annotation], readings: Sequence[Reading] = (), *, least: int = 2
) -> Gold | None:
    """The gold that the annotations of one figure, one an annotator, make without a reviewer; None where not.

    One annotator: their work. Several: what they did alike, see `common_work`; None where they differ. None too
    where anyone passed the figure over. readings: what they and others say of the figure's type and pairs.
    "unanimous" where at least `least` did the same, and judged each of the items that anyone judged; else
    "single".
    """
    first = annotations[0]
    if len(annotations) > 1:
        common = common_work(annotations)
    elif first.status is Status.REJECTED:
        common = (first.status, ())
    else:
        fit = first.status is Status.ACCEPTED and not repeated_labels(first.subfigures)
        common = (first.status, first.subfigures) if fit else None
    if common is None:
        return None
    status, subfigures = common
    voices = min(len(annotations), least_voices(readings) or len(annotations))
    return Gold(
        figure=first.figure,
        status=status,
        subfigures=subfigures,
        provenance=Provenance(
            source_of(voices, least),
            "",
            tuple(sorted(each.annotator for each in annotations)),
            max(each.saved_at for each in annotations),
        ),
        items=first.items,
    )


def from_readings(readings: Sequence[Reading], *, least: int = 2) -> Gold | None:
    """The gold of a figure whose types or pairs alone were judged, without these; None where annotators differ.

    "unanimous" where at least `least` judged each item, else "single". None where anyone passed the figure over.
    """
    status = common_status(readings)
    if status is None or items_differ(readings):
        return None
    done = [each for reading in readings for each in reading.annotations]
    voices = len(readings) if status is Status.REJECTED else least_voices(readings)
    return Gold(
        figure=done[0].figure,
        status=status,
        subfigures=(),
        provenance=Provenance(
            source_of(voices, least),
            "",
            tuple(reading.annotator for reading in readings),
            max(each.saved_at for each in done),
        ),
    )


def source_of(voices: int, least: int) -> GoldSource:
    """Where gold comes from that no reviewer decided on, and that so many annotators gave alike."""
    return GoldSource.UNANIMOUS if voices >= least else GoldSource.SINGLE


def _assigned(tasks: Iterable[Task], campaign: Campaign) -> dict[str, set[tuple[str, str]]]:
    assigned: dict[str, set[tuple[str, str]]] = {}
    for task in tasks:
        if is_adjudicated(campaign.phase(task.phase)):
            assigned.setdefault(task.figure, set()).add((task.annotator, task.phase))
    return assigned
