"""Tasks that change hands or come out: the next batch, early finishers, and people who are away."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.assignment.assign import add_people, expected_seconds
from annotator.checks.qualification import check_admission_shown, not_admitted
from annotator.queue.ranking import refresh_waiting
from annotator.store.store import Store, Transaction
from panelwise.domain import AnnotatorError, Campaign, Task
from panelwise.runtime import counted

#: How a refusal ends; of a person from whom figures are hidden.
_SEE = "; see annotator status"
_LEFT = ", besides those on figures that you annotate blind, which stay as they are"


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a reassignment: each task before and after. left: tasks that no annotator could take."""

    changes: tuple[tuple[Task, Task], ...]
    left: tuple[Task, ...] = ()


def release_batch(
    store: Store, campaign: Campaign, phase: str, *, closed: Collection[str] = (), dry_run: bool = False
) -> Changed:
    """Release a phase's next batch, and what is left of those before it.

    Tasks of annotators who have not passed the training phase stay withheld. closed: figures that the person who
    asks annotates blind. Raises AnnotatorError if no batch is left to release, and if it depends on work on
    closed figures who has passed.
    """
    with store.read() if dry_run else store.transaction() as tx:
        check_admission_shown(tx, campaign.phase(phase), closed)
        waiting = tx.tasks.all(phase=phase, released=False)
        barred = not_admitted(tx, campaign, campaign.phase(phase), {task.annotator for task in waiting})
        withheld = len(waiting)
        waiting = [task for task in waiting if task.annotator not in barred]
        if not waiting and withheld:
            raise AnnotatorError(
                f"the tasks left of phase {phase} wait for {', '.join(sorted(barred))} to reach the pass mark "
                f"of phase {campaign.phase(phase).training_phase}; see annotator status"
            )
        if not waiting:
            raise AnnotatorError(f"every task of phase {phase} is released already; nothing is left to release")
        number = min(task.batch for task in waiting)
        changes = [(task, replace(task, released=True)) for task in waiting if task.batch <= number]
        if not dry_run:
            tx.tasks.change(changes)
    return Changed(tuple(changes))


def top_up(
    store: Store, campaign: Campaign, phase: str, *, closed: Collection[str] = (), dry_run: bool = False
) -> Changed:
    """Give annotators who have finished a phase's released tasks their share of the next batch.

    Who has nothing left of their own takes tasks over from those who have most left, a share of a batch at a time:
    tasks that are not released yet and that nobody shares, the last batches first, and whole documents where the
    phase keeps these together. Done tasks stay where they are. closed: figures that the person who asks annotates
    blind; annotators with a released task on one get nothing, as if it were open. Raises AnnotatorError as
    `release_batch` does for closed figures.
    """
    with store.read() if dry_run else store.transaction() as tx:
        check_admission_shown(tx, campaign.phase(phase), closed)
        tasks = tx.tasks.all(phase=phase)
        busy = {task.annotator for task in tx.tasks.open(phase=phase) if task.released}
        busy |= {task.annotator for task in tasks if task.released and task.figure in closed}
        inactive = {person.name for person in tx.people.all() if not person.active}
        people = {task.annotator for task in tasks}
        barred = not_admitted(tx, campaign, campaign.phase(phase), people)
        early = sorted(people - busy - inactive - barred)
        waiting = [task for task in tasks if not task.released and (not task.hidden or task.annotator in early)]
        changes: list[tuple[Task, Task]] = []
        bare = []
        for name in early:
            own = [task for task in waiting if task.annotator == name]
            following = min((task.batch for task in own), default=None)
            changes += [(task, replace(task, released=True)) for task in own if task.batch == following]
            if following is None:
                bare.append(name)
        gone = {old for old, _ in changes}
        left = [task for task in waiting if task not in gone]
        documents = _documents(tx, tasks) if bare and campaign.phase(phase).by_document else {}
        for name in bare:
            taken = _choose_top_up(tasks, left, documents)
            left = [task for task in left if task not in taken]
            changes += [(task, replace(task, annotator=name, released=True)) for task in taken]
        if not dry_run:
            tx.tasks.change(changes)
            refresh_waiting(tx, campaign, (task for task, _ in changes))
    return Changed(tuple(changes))


def _documents(tx: Transaction, tasks: Sequence[Task]) -> dict[str, str]:
    """Figure -> document of the figures of some tasks."""
    found = tx.figures.by_id(sorted({task.figure for task in tasks}))
    return {name: figure.document for name, figure in found.items()}


def _choose_top_up(tasks: Sequence[Task], left: Sequence[Task], documents: Mapping[str, str]) -> list[Task]:
    """Choose tasks of others for an annotator without any: about one person's share of a batch.

    documents: figure -> document; a document with a released task stays with its annotator.
    """
    times = Counter(task.figure for task in tasks)
    units: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in left:
        if times[task.figure] == 1:
            units[task.annotator, documents.get(task.figure) or task.figure].append(task)
    begun = {documents.get(task.figure) or task.figure for task in set(tasks) - set(left)}
    able = [unit for (_, name), unit in units.items() if name not in begun]
    loads = Counter(unit[0].annotator for unit in able for _ in unit)
    share = -(-max(Counter(task.batch for task in tasks).values()) // len({task.annotator for task in tasks}))
    # Never more than leave the others as many tasks as the one who takes them.
    most = min(share, max(sum(loads.values()) // 2, 1))
    taken: list[Task] = []
    while able and len(taken) < most:
        # Of the fullest annotator the last unit.
        unit = max(
            able, key=lambda tasks: (loads[tasks[0].annotator], *max((task.batch, task.figure) for task in tasks))
        )
        able.remove(unit)
        loads[unit[0].annotator] -= len(unit)
        taken += unit
    return taken


def reassign(
    store: Store,
    campaign: Campaign,
    giver: str,
    takers: Sequence[str] = (),
    *,
    phase: str | None = None,
    closed: Collection[str] = (),
    dry_run: bool = False,
) -> Changed:
    """Give one annotator's open tasks to others who don't know the figures if possible, so that work is equal.

    Open is what nothing was ever submitted for: done tasks stay, with their history. takers: () for the others of
    the phase. phase: None for every phase. closed: figures that the person who asks annotates blind; tasks on them
    stay where they are, since it would show which are done. A figure that all takers have already stays where it
    is. Raises AnnotatorError if there is no open task, or no annotator to take it.
    """
    if giver in takers:
        raise AnnotatorError(f'"{giver}" cannot take over from "{giver}"; name others with --to')
    changes: list[tuple[Task, Task]] = []
    left: list[Task] = []
    with store.read() if dry_run else store.transaction() as tx:
        every = [task for task in tx.tasks.open(annotator=giver, phase=phase) if task.figure not in closed]
        # Hidden gold measures the one who has it.
        given = [task for task in every if not task.hidden]
        if not given:
            where = f"phase {phase}" if phase is not None else "any phase"
            raise AnnotatorError(f'"{giver}" has no open task of {where}{_LEFT if closed else _SEE}')
        known = {person.name: person for person in tx.people.all()}
        for name in takers:
            if name not in known:
                raise AnnotatorError(
                    f'"{name}" has no tasks in this campaign; assign figures with --annotators first'
                )
            if not known[name].active:
                raise AnnotatorError(f'"{name}" is inactive; name somebody who works here with --to')
        inactive = {name for name, person in known.items() if not person.active}
        for phase_name in sorted({task.phase for task in given}):
            some = [task for task in given if task.phase == phase_name]
            found, kept = _shared_out(tx, campaign, some, giver, takers, inactive, closed)
            changes += found
            left += kept
        if not dry_run:
            for blind in (False, True):
                names = {new.annotator for _, new in changes if campaign.phase(new.phase).blind == blind}
                add_people(tx, sorted(names), blind=blind)
            tx.tasks.change(changes)
            tx.tasks.remove([task for task in every if task.hidden])
            refresh_waiting(tx, campaign, (task for task, _ in changes))
    return Changed(tuple(changes), tuple(left))


def withdraw(
    store: Store, campaign: Campaign, phase: str, *, closed: Collection[str] = (), dry_run: bool = False
) -> tuple[Task, ...]:
    """Take back the tasks of a phase for which nothing was ever submitted, released or not; returns them.

    Their figures may then be assigned again. closed: as for `reassign`. Raises AnnotatorError if there are none.
    """
    with store.read() if dry_run else store.transaction() as tx:
        found = [task for task in tx.tasks.open(phase=phase) if task.figure not in closed]
        if not found:
            raise AnnotatorError(
                f"phase {phase} has no task that nothing was submitted for{_LEFT if closed else _SEE}"
            )
        if not dry_run:
            tx.tasks.remove(found)
            refresh_waiting(tx, campaign, found)
    return tuple(found)


def _shared_out(
    tx: Transaction,
    campaign: Campaign,
    given: Sequence[Task],
    giver: str,
    takers: Sequence[str],
    inactive: set[str],
    closed: Collection[str],
) -> tuple[list[tuple[Task, Task]], list[Task]]:
    """Choose annotators for another's tasks of one phase; also return the tasks that none of them can take."""
    phase = campaign.phase(given[0].phase)
    tasks = tx.tasks.all(phase=phase.name)
    names = list(takers) or sorted({task.annotator for task in tasks} - {giver} - inactive)
    if not names:
        raise AnnotatorError(f"no other annotator works in phase {phase.name}; name who takes over with --to")
    has = {(task.figure, task.annotator) for task in tasks}
    has |= tx.tasks.worked_on(phase.name)
    known = tx.seen.knew()
    figures = tx.figures.by_id([task.figure for task in given])
    efforts = expected_seconds(tx, list(figures.values()), phase.kind, closed)
    open_now = Counter(task.annotator for task in tx.tasks.open(phase=phase.name) if task.figure not in closed)
    usual = sum(efforts.values()) // len(efforts)
    loads = {name: open_now[name] * usual for name in names}
    holders: dict[str, str] = {}
    changes, left = [], []
    for task in sorted(given, key=lambda each: (-efforts[each.figure], each.figure)):
        document = figures[task.figure].document if phase.by_document else ""
        able = [name for name in names if (task.figure, name) not in has]
        if not able:
            left.append(task)
            continue
        same = holders.get(document) if document else None
        new = [name for name in able if (task.figure, name) not in known] or able
        name = same if same in able else min(new, key=lambda each: (loads[each], names.index(each)))
        holders[document] = name
        loads[name] += efforts[task.figure]
        changes.append((task, replace(task, annotator=name)))
    return changes, left


def describe(changed: Changed) -> list[str]:
    """Describe the changes, a line for each pair of annotators."""
    released: Counter[tuple[str, str, int]] = Counter()
    moved: Counter[tuple[str, str, str]] = Counter()
    for old, new in changed.changes:
        if old.annotator == new.annotator:
            released[new.annotator, new.phase, new.batch] += 1
        else:
            moved[new.annotator, new.phase, old.annotator] += 1
    lines = [
        f"{name}: {counted(count, 'task')} of batch {batch} of phase {phase} released"
        for (name, phase, batch), count in sorted(released.items())
    ]
    return lines + [
        f"{name}: {counted(count, 'task')} of phase {phase} taken over from {giver}"
        for (name, phase, giver), count in sorted(moved.items())
    ]
