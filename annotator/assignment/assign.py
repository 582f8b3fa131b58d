"""Dealing a phase's figures out: which figures are the phase's, and who does which, as campaign.toml says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from annotator.assignment.measuring import add_hidden_gold, draw_unseeded
from annotator.assignment.plan import (
    FigureTraits,
    Standing,
    draw,
    enlarge_overlap,
    least_sure_first,
    plan_tasks,
    reduce_overlap,
    units,
)
from annotator.campaign.choices import check_phase_to_assign
from annotator.checks.qualification import not_admitted
from annotator.queue.ranking import refresh_waiting
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    AnnotatorError,
    Campaign,
    Figure,
    Kind,
    Person,
    Phase,
    Role,
    Task,
    check_another_name,
)
from panelwise.runtime import counted

#: End of the note on tasks with annotators who know the figures: it says that there is work on them.
REPORTED_APART = "agreement there is reported apart"


@dataclass(frozen=True, slots=True)
class Share:
    """One annotator's share of tasks. shared: on figures of the overlap. seconds: expected, for all tasks. knows:
    on figures that the annotator worked on before, or knows others' work on.

    batches: tasks by batch, from the first one with a task.
    """

    annotator: str
    tasks: int
    shared: int
    seconds: int
    batches: dict[int, int]
    knows: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """The newly assigned tasks, by batch. efforts: expected seconds by figure. notes: warnings.

    shared: the phase's figures that several annotators have once these tasks are recorded. enlarged: how many of
    them one annotator had before. withdrawn: tasks that are taken back, so that fewer figures are shared.
    familiar: (figure, annotator) where the annotator knows the figure.
    """

    phase: Phase
    annotators: tuple[str, ...]
    tasks: tuple[Task, ...]
    efforts: dict[str, int]
    notes: tuple[str, ...] = ()
    shared: frozenset[str] = frozenset()
    enlarged: int = 0
    withdrawn: tuple[Task, ...] = ()
    familiar: Collection[tuple[str, str]] = frozenset()

    def shares(self) -> list[Share]:
        """Return each annotator's share, in the given order of annotators."""
        found = []
        for name in self.annotators:
            own = [task for task in self.tasks if task.annotator == name]
            found.append(
                Share(
                    name,
                    len(own),
                    sum(task.figure in self.shared for task in own),
                    sum(self.efforts[task.figure] for task in own),
                    dict(sorted(Counter(task.batch for task in own).items())),
                    sum((task.figure, name) in self.familiar for task in own),
                )
            )
        return found


def assign(
    store: Store,
    annotators: Sequence[str],
    *,
    overlap: int,
    phase: str,
    seed: int = 0,
    campaign: Campaign | None = None,
) -> list[Task]:
    """Assign all figures of the store that the phase has not assigned, `overlap` of them to everyone.

    As `assign_phase`, for a phase that is given by its name; None for the campaign: any phase may be given.
    """
    campaign = campaign or Campaign("", (Phase(phase),), ())
    if phase not in {each.name for each in campaign.phases}:
        with store.read() as tx:
            check_phase_to_assign(tx, campaign, phase)
    wanted = replace(campaign.phase(phase), annotators=tuple(annotators), overlap=overlap, overlap_annotators=())
    return list(assign_phase(store, campaign, wanted, seed=seed).tasks)


def adjusted_phase(phase: Phase, changes: Mapping[str, Any]) -> Phase:
    """The phase with other settings for one assignment. Raises InvalidAnnotation if they conflict.

    Of the overlap's annotators in campaign.toml, only those among the new `annotators` remain.
    """
    changes = dict(changes)
    if "annotators" in changes and "overlap_annotators" not in changes:
        sharing = tuple(name for name in phase.overlap_annotators if name in changes["annotators"])
        changes["overlap_annotators"] = sharing if len(sharing) > 1 else ()
    return replace(phase, **changes)


def assign_phase(
    store: Store,
    campaign: Campaign,
    phase: Phase,
    *,
    seed: int = 0,
    dry_run: bool = False,
    by_uncertainty: bool = False,
    change_overlap: bool = False,
    people: int | None = None,
    closed: Collection[str] = (),
) -> Assignment:
    """Deal a phase's figures out as its settings say and record the tasks; returns those that are new.

    phase: of the campaign, with other settings where somebody asked for them. Figures that the phase has already
    assigned keep their annotators; new figures go to the annotator with the least to do. Annotators become
    people of the campaign; those of a blind phase reviewers. dry_run: nothing is recorded. by_uncertainty: figures
    that the model is least sure of are drawn, and come into batches, before others. change_overlap: where new
    figures do not come to the phase's overlap, figures that one annotator has are given to the others too, and
    where more figures are shared, tasks that nothing was submitted for are withdrawn. people: so many of the
    annotators do each new figure, whatever the phase's overlap; None for its overlap. closed: figures that the
    person who asks annotates blind; the assignment is the same whatever happened to them. Raises AnnotatorError
    for a phase that cannot be assigned, and for an order by predictions where there are none.
    """
    with store.read() if dry_run else store.transaction() as tx:
        found = _planned(
            *(tx, campaign, phase, seed, _certainty(tx, closed) if by_uncertainty else None, closed),
            change_overlap=change_overlap,
            people=people,
        )
        found = _measured(tx, campaign, found, seed, closed)
        if not dry_run:
            add_people(tx, found.annotators, blind=phase.blind)
            tx.tasks.remove(found.withdrawn)
            tx.tasks.add(found.tasks)
            refresh_waiting(tx, campaign, (*found.withdrawn, *found.tasks))
    return found


def _certainty(tx: Transaction, closed: Collection[str]) -> dict[str, float]:
    certainties = tx.predictions.certainties()
    found = {figure: value for figure, value in certainties.items() if figure not in closed}
    if not found:
        raise AnnotatorError(
            "no figure has a prediction, so that none is more uncertain than another; "
            "pre-label the figures first: prelabel run"
        )
    return found


def _measured(
    tx: Transaction, campaign: Campaign, found: Assignment, seed: int, closed: Collection[str]
) -> Assignment:
    """Add hidden gold to the new tasks, and withhold tasks from annotators who have not passed training."""
    phase, tasks, notes = found.phase, list(found.tasks), list(found.notes)
    if phase.hidden_gold:
        tasks, warnings = add_hidden_gold(tx, phase, found.annotators, tasks, seed=seed, closed=closed)
        notes += warnings
    if phase.unseeded and tasks:
        tasks, drawn = draw_unseeded(tx, phase, tasks, seed=seed, closed=closed)
        notes.append(
            f"{counted(drawn, 'task')} of {len(tasks)} begin without pre-labels (unseeded = {phase.unseeded:g})"
        )
    barred = not_admitted(tx, campaign, phase, found.annotators, closed)
    if barred:
        tasks = [replace(task, released=False) if task.annotator in barred else task for task in tasks]
        notes.append(
            f"the tasks of {', '.join(sorted(barred))} are released once they reach the pass mark of phase "
            f"{phase.training_phase}"
        )
    if tasks == list(found.tasks):
        return replace(found, notes=tuple(notes))
    hidden = {task.figure for task in tasks if task.hidden} - found.efforts.keys()
    efforts = expected_seconds(tx, list(tx.figures.by_id(sorted(hidden)).values()), phase.kind)
    return replace(found, tasks=tuple(tasks), notes=tuple(notes), efforts={**found.efforts, **efforts})


def _planned(
    tx: Transaction,
    campaign: Campaign,
    phase: Phase,
    seed: int,
    certainty: Mapping[str, float] | None,
    closed: Collection[str],
    *,
    change_overlap: bool,
    people: int | None,
) -> Assignment:
    if people is not None:
        phase = replace(phase, overlap=None, overlap_annotators=())
    annotators = campaign.annotators_of(phase)
    before = [task for task in tx.tasks.all(phase=phase.name) if not task.hidden]
    everything = {figure.id: figure for figure in tx.figures.all()}
    new, notes = _drawn(tx, campaign, phase, before, everything, seed, certainty, closed)
    dealt = Counter(task.figure for task in before)
    efforts = expected_seconds(tx, [everything[name] for name in {*new, *dealt}], phase.kind, closed)
    shared = sum(count > 1 for count in dealt.values())
    wanted = len(new) if phase.overlap is None else phase.overlap - shared
    documents = {name: everything[name].document for name in {*new, *dealt}} if phase.by_document else None
    known = {pair for pair in tx.seen.knew() if pair[0] not in closed}
    elsewhere = _in_other_phases(tx, phase) if phase.kind.answered else set()
    tasks = plan_tasks(
        new,
        annotators,
        overlap=min(max(wanted, 0), len(new)),
        phase=phase.name,
        seed=seed,
        sharing=phase.overlap_annotators,
        people=people,
        batch=phase.batch,
        standing=_assigned_before(before, efforts, documents),
        traits=FigureTraits(efforts, documents or {}, known | elsewhere, certainty),
    )
    enlarged: list[Task] = []
    sharing = phase.overlap_annotators or annotators
    if change_overlap and wanted > len(new) and len(sharing) > 1:
        enlarged = enlarge_overlap(
            [task for task in before if dealt[task.figure] == 1],
            sharing,
            count=wanted - len(new),
            phase=phase.name,
            seed=seed,
            documents=documents,
            unwanted=known | elsewhere,
        )
        tasks = sorted([*tasks, *enlarged], key=lambda task: task.batch)
    withdrawn: list[Task] = []
    if change_overlap and wanted < 0:
        untouched = [
            task for task in tx.tasks.open(phase=phase.name) if not task.hidden and task.figure not in closed
        ]
        withdrawn = reduce_overlap(
            before, untouched, count=-wanted, phase=phase.name, seed=seed, documents=documents
        )
    times = Counter(task.figure for task in (*before, *tasks))
    times.subtract(task.figure for task in withdrawn)
    now_shared = frozenset(figure for figure, count in times.items() if count > 1)
    if phase.kind.on_pairs:
        without = {task.figure for task in tasks if not everything[task.figure].imported.pairs}
        if without:
            notes.append(
                f"{counted(len(without), 'figure')} without question-answer pairs: nothing can be asked about "
                f"{'it' if len(without) == 1 else 'them'}; import the pairs with the figures, replacing these"
            )
    again = sum((task.figure, task.annotator) in elsewhere for task in tasks)
    if again:
        notes.append(f"{counted(again, 'task')} with an annotator who has the figure in another phase")
    biased = sum((task.figure, task.annotator) in known for task in tasks)
    if biased:
        notes.append(
            f"{counted(biased, 'task')} with an annotator who knows the figure from earlier work or from others': "
            f"{REPORTED_APART}"
        )
    disabled = {person.name for person in tx.people.all() if not person.active} & {
        task.annotator for task in tasks
    }
    notes += [f'"{name}" is disabled, and gets tasks all the same' for name in sorted(disabled)]
    if len(sharing) > 1:
        notes += _overlap_notes(
            phase, len(now_shared), len(times), change_overlap=change_overlap, again=bool(before)
        )
    enlarged_by = len({task.figure for task in enlarged})
    return Assignment(
        *(phase, annotators, tuple(tasks), efforts, tuple(notes), now_shared, enlarged_by, tuple(withdrawn)),
        frozenset(known),
    )


def _overlap_notes(phase: Phase, shared: int, figures: int, *, change_overlap: bool, again: bool) -> list[str]:
    """Explain why a phase's overlap differs from its setting. shared, figures: the phase's present numbers.

    again: whether the phase had tasks before.
    """
    wanted = phase.overlap
    if wanted is None or shared == wanted:
        return []
    if shared == figures and wanted > figures:
        if not figures:
            return ["there are no figures to assign"]
        shared_all = "the only figure is" if figures == 1 else f"all {figures} figures are"
        return [f"an overlap of {wanted} is more than there is: {shared_all} shared"]
    if shared > wanted:
        if not change_overlap:
            return []
        return [
            f"{counted(shared, 'figure')} still shared, {wanted} wanted: several annotators have submitted them, "
            "or whole documents come to no other number"
        ]
    if change_overlap or not again:
        return [f"{shared} of {counted(wanted, 'figure')} are shared now: whole documents come to no other number"]
    return [
        f"{shared} of {counted(wanted, 'figure')} are shared; to share more of those that are assigned already: "
        f"annotator assign --phase {phase.name} --overlap {wanted}"
    ]


def _drawn(
    tx: Transaction,
    campaign: Campaign,
    phase: Phase,
    before: Sequence[Task],
    everything: dict[str, Figure],
    seed: int,
    certainty: Mapping[str, float] | None,
    hidden_from_lead: Collection[str],
) -> tuple[list[str], list[str]]:
    """The figures that the phase deals out now, in order, and what is worth telling of them.

    A phase that says how many figures it has draws them from what no other such phase of the same source has.
    hidden_from_lead: figures that belong to another phase only if they are assigned there, whatever their work.
    """
    pool = set(everything)
    if phase.figures_of:
        there = tx.tasks.all(phase=phase.figures_of)
        own = {task.figure for task in there if not task.hidden}
        hidden = {task.figure for task in there if task.hidden} - own
        worked_on = tx.annotations.figures(phase=phase.figures_of) - hidden - {*hidden_from_lead}
        pool = own | worked_on
        if not pool:
            raise AnnotatorError(
                f'phase "{phase.name}" has its figures from phase "{phase.figures_of}", which has none yet; '
                f"assign that first: annotator assign --phase {phase.figures_of}"
            )
    dealt = {task.figure for task in before}
    pool -= {task.figure for task in tx.tasks.all(phase=phase.name)}
    if phase.figures is None:
        return sorted(pool), []
    taken = _drawn_by_others(tx, campaign, phase)
    documents = {name: everything[name].document for name in everything} if phase.by_document else {}
    closed = {documents[name] for name in taken if documents.get(name)}
    pool = {name for name in pool - taken if not documents.get(name) or documents[name] not in closed}
    among = units(pool, documents, seed=f"{seed}:{campaign.source_of(phase).name}:drawing")
    if certainty is not None:
        among = least_sure_first(among, certainty)
    chosen, _ = draw(among, max(phase.figures - len(dealt), 0))
    new = sorted(name for unit in chosen for name in unit)
    return new, _shortage(phase, len(dealt) + len(new), len(dealt) + len(pool))


def _shortage(phase: Phase, have: int, there: int) -> list[str]:
    """Warn that a phase gets fewer figures than its setting requests."""
    if phase.figures is None or have >= phase.figures:
        return []
    if there < phase.figures:
        return [f"phase {phase.name} asks for {phase.figures} figures, and there are {have} for it so far"]
    return [f"phase {phase.name} gets {have} of {phase.figures} figures: whole documents come to no other number"]


def _drawn_by_others(tx: Transaction, campaign: Campaign, phase: Phase) -> set[str]:
    """Figures that other phases have drawn from where this one draws."""
    others = [
        each.name
        for each in campaign.phases
        if each.name != phase.name and each.figures is not None and each.figures_of == phase.figures_of
    ]
    return {task.figure for name in others for task in tx.tasks.all(phase=name) if not task.hidden}


def _assigned_before(
    before: Sequence[Task], efforts: dict[str, int], documents: dict[str, str] | None
) -> Standing:
    times = Counter(task.figure for task in before)
    seconds: Counter[str] = Counter()
    for task in before:
        seconds[task.annotator] += efforts[task.figure]
    return Standing(
        figures=len(times),
        shared=sum(count > 1 for count in times.values()),
        efforts=seconds,
        holders={
            documents[task.figure]: task.annotator
            for task in reversed(before)
            if documents and documents[task.figure] and times[task.figure] == 1
        },
        released=max((task.batch for task in before if task.released), default=1),
    )


def _in_other_phases(tx: Transaction, phase: Phase) -> set[tuple[str, str]]:
    """(figure, annotator) of other phases: who validated a figure's pairs knows the answers."""
    return {(task.figure, task.annotator) for task in tx.tasks.all() if task.phase != phase.name}


def add_people(tx: Transaction, names: Sequence[str], *, blind: bool) -> None:
    """Register annotators as people of the campaign, of a blind phase as reviewers; known people are unchanged.

    Raises InvalidAnnotation for a new name that cannot be.
    """
    role = Role.REVIEWER if blind else Role.ANNOTATOR
    there = {person.name: person for person in tx.people.all()}
    in_use = tx.names.all() if any(name not in there for name in names) else set()
    for name in names:
        known = there.get(name)
        if known is None:
            if name not in in_use:
                check_another_name(name, in_use)
            known = Person(name, frozenset())
        if role not in known.roles:
            tx.people.put(replace(known, roles=known.roles | {role}))


# The expected working time of a figure, by which tasks are assigned evenly. Rough on purpose: only the ratio of
# one figure to another matters, and what a figure is short of is made up by the next. A figure takes some time
# whatever is on it, its caption has to be read, and each thing on it to be done.


def expected_seconds(
    tx: Transaction, figures: list[Figure], kind: Kind, closed: Collection[str] = ()
) -> dict[str, int]:
    """Figure id -> whole seconds that its task is expected to take, 1 at least.

    A figure without a prediction is taken to have as many subfigures as is usual among those that have one.
    closed: figures whose predictions do not count, as they are hidden from the person who asks.
    """
    costs = kind.effort
    counts = {} if kind.on_pairs else tx.predictions.counts()
    predicted = {figure: count for figure, count in counts.items() if figure not in closed}
    usual = median(predicted.values()) if predicted else 1
    return {
        figure.id: max(
            round(
                costs.figure
                + costs.token * len(figure.caption.ranges)
                + costs.thing * (len(figure.imported.pairs) if kind.on_pairs else predicted.get(figure.id, usual))
            ),
            1,
        )
        for figure in figures
    }
