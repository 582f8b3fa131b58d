"""The state of each figure of a campaign, and the gold.

Only this module decides a figure's state. Export, release and `annotator status` compute it from the whole store;
the queue and the dashboard show the state computed at the last change of work, tasks or decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from annotator.consensus.differences import common_work, needs_reviewer, newest_of_each, unchanged_by_all
from annotator.consensus.items import (
    Reading,
    agreed_items,
    common_status,
    is_adjudicated,
    items_differ,
    least_voices,
    readings_of,
)
from annotator.consensus.outdated import worked_on_before
from panelwise.domain import (
    ITEM_KINDS,
    SUBFIGURES,
    Annotation,
    Campaign,
    Decision,
    FigureState,
    Gold,
    GoldSource,
    Provenance,
    Status,
    Task,
    decided_state,
    repeated_labels,
)

if TYPE_CHECKING:
    from annotator.store.queries.work import PresentWork
    from annotator.store.store import Store, Transaction


@dataclass(slots=True)
class GoldTally:
    """The states of a campaign's figures when its gold was written.

    states: number of figures in each state. exported: number of written figures by source. The others are left
    out, with their ids by state (untouched figures are only counted); `single` are left out because they are
    unreviewed. changed: with an annotation newer than the decision, which remains current.
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
        """Count a figure that is not written."""
        if state is FigureState.UNTOUCHED:
            self.untouched += 1
        else:
            getattr(self, state.value).append(figure_id)


def gold(
    store: Store, campaign: Campaign, tally: GoldTally, *, include: Collection[GoldSource] | None = None
) -> Iterator[Gold]:
    """Yield the gold by figure id, and count the states in `tally`.

    A figure without annotated subfigures but with a judged type or pairs has gold of these only; human evaluation
    makes no gold. include: sources that count as gold, None for those of campaign.toml.
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
    """Yield `gold` within an open transaction. without: filled with left-out figure ids and their states."""
    include = campaign.gold_sources if include is None else include
    hidden = tx.tasks.hidden()
    for work, state, record in _states(tx, campaign):
        tally.states[state] += 1
        decision = work.decision
        if decision is not None and decision.awaits is None and annotated_since_decision(work, campaign, hidden):
            tally.changed.append(work.figure.id)
        if record is None or record.provenance.source not in include:
            tally.leave_out(work.figure.id, state)
            if without is not None:
                without[work.figure.id] = state
            continue
        tally.exported[record.provenance.source] += 1
        yield record


def figure_states(tx: Transaction, campaign: Campaign) -> Counter[FigureState]:
    """Compute the number of figures in each state from all work."""
    return Counter(state for _, state, _ in _states(tx, campaign))


def _states(tx: Transaction, campaign: Campaign) -> Iterator[tuple[PresentWork, FigureState, Gold | None]]:
    """Yield every figure's work and state by figure id, with its gold if the state has one."""
    assigned, revised = _assigned(tx.tasks.all(), campaign), worked_on_before(tx, campaign)
    sent_back = figures_to_correct(tx, campaign)
    for work in tx.work.all():
        name = work.figure.id
        due = assigned.get(name, ())
        yield work, *_state(work, campaign, due, sent_back=name in sent_back, worked_before=name in revised)


def gold_of_figure(tx: Transaction, campaign: Campaign, figure_id: str) -> Gold | None:
    """Return one figure's gold of any source, as `gold` yields it; None if it has none."""
    return next((record for _, _, record in states_of(tx, campaign, [figure_id])), None)


def states_of(
    tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]
) -> Iterator[tuple[PresentWork, FigureState, Gold | None]]:
    """Yield the work and state of these figures, each with its gold of any source; unknown ids are skipped."""
    due, sent_back = tasks_due(tx, campaign, figure_ids), figures_to_correct(tx, campaign, figure_ids)
    for work in tx.work.on(figure_ids):
        name = work.figure.id
        yield work, *_state(work, campaign, due.get(name, ()), sent_back=name in sent_back, worked_before=False)


def _state(
    work: PresentWork,
    campaign: Campaign,
    due: Collection[tuple[str, str]],
    *,
    sent_back: bool,
    worked_before: bool,
) -> tuple[FigureState, Gold | None]:
    decision = work.decision
    if decision is not None:
        state = decided_state(decision.status, awaits=decision.awaits is not None)
        return state, from_decision(decision) if state is FigureState.ADJUDICATED else None
    if sent_back or is_waiting(every := work.annotations, campaign, due):
        return FigureState.WAITING, None
    return state_of_work(every, campaign, worked_before=worked_before)


def is_waiting(every: Sequence[Annotation], campaign: Campaign, assigned: Collection[tuple[str, str]]) -> bool:
    """Return whether one annotator has worked on a figure and another one still has an open task for it.

    A figure that was sent back to an annotator waits in any case.

    every: the current annotations of the figure. assigned: see `tasks_due`.
    """
    missing = set(assigned) - {(each.annotator, each.phase) for each in every}
    if not missing:
        return False
    marked = bool(newest_of_each(every, campaign))
    if not marked and not readings_of(every, campaign):
        return False
    kinds = {SUBFIGURES} if marked else ITEM_KINDS
    return any(campaign.phase(phase).kind in kinds for _, phase in missing)


def state_of_work(
    every: Sequence[Annotation], campaign: Campaign, *, worked_before: bool
) -> tuple[FigureState, Gold | None]:
    """Return the state that annotators' work gives a figure without decisions, and its gold if there is any.

    Unanimous annotators make gold. Outdated work makes no gold for the current caption and image.

    every: the current annotations of the figure. worked_before: whether there is work that reviewers adjudicate,
    or a decision, on another revision.
    """
    annotations = newest_of_each(every, campaign)
    readings = readings_of(every, campaign)
    if needs_reviewer(every, campaign):
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
    """Return figure id -> (annotator, phase) of all tasks whose work is adjudicated, for these figures."""
    return _assigned(tx.tasks.on(figure_ids), campaign)


def figures_to_correct(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str] | None = None) -> set[str]:
    """Return those of the figures, or of all (None), with adjudicated work that was sent back to an annotator."""
    measuring = {phase.name for phase in campaign.phases if not is_adjudicated(phase)}
    return tx.sent_back.figures(figure_ids, without=measuring)


def annotated_since_decision(
    work: PresentWork, campaign: Campaign, hidden: Collection[tuple[str, str, str]]
) -> bool:
    """Return whether a figure has work that is newer than its decision, but for that on hidden gold.

    hidden: see `TaskQueries.hidden`.
    """
    return work.decision is not None and any(
        moment > work.decision.decided_at
        and (work.figure.id, annotator, phase) not in hidden
        and is_adjudicated(campaign.phase(phase))
        for annotator, phase, moment in work.saved
    )


def from_decision(decision: Decision) -> Gold:
    """Convert a decision to gold; a deferred one keeps its status "ignored"."""
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
    """Return the gold of one figure's annotations, one per annotator, without a reviewer; None if there is none.

    One annotator: their work. Several: their `common_work`, None if they differ or any of them ignored the figure.
    readings: of all annotators, on the figure's type and pairs. The source is "unanimous" if at least `least`
    annotators agree and judged every judged item, else "single".
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
    record = _unreviewed(annotations, status, source_of(voices, least), unchanged=unchanged_by_all(annotations))
    return replace(record, subfigures=subfigures, items=first.items)


def from_readings(readings: Sequence[Reading], *, least: int = 2) -> Gold | None:
    """Return the gold of a figure with judged type or pairs only, without these; None if annotators differ.

    "unanimous" if at least `least` judged each item, else "single". None if any annotator ignored the figure.
    """
    status = common_status(readings)
    if status is None or items_differ(readings):
        return None
    done = [each for reading in readings for each in reading.annotations]
    voices = len(readings) if status is Status.REJECTED else least_voices(readings)
    return _unreviewed(done, status, source_of(voices, least))


def _unreviewed(
    work: Sequence[Annotation], status: Status, source: GoldSource, *, unchanged: bool = False
) -> Gold:
    names = tuple(sorted({annotation.annotator for annotation in work}))
    saved_at = max(annotation.saved_at for annotation in work)
    return Gold(work[0].figure, status, (), Provenance(source, "", names, saved_at, unchanged=unchanged))


def source_of(voices: int, least: int) -> GoldSource:
    """Return the source of gold without a decision, from the number of annotators who agree."""
    return GoldSource.UNANIMOUS if voices >= least else GoldSource.SINGLE


def _assigned(tasks: Iterable[Task], campaign: Campaign) -> dict[str, set[tuple[str, str]]]:
    assigned: dict[str, set[tuple[str, str]]] = {}
    for task in tasks:
        # Nothing waits for work on hidden gold, which measures the annotator.
        if not task.hidden and is_adjudicated(campaign.phase(task.phase)):
            assigned.setdefault(task.figure, set()).add((task.annotator, task.phase))
    return assigned
