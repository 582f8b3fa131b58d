"""Tasks of a phase that measure: hidden gold for the annotators, tasks without pre-labels for the pre-labels."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from annotator.store.store import Transaction
from panelwise.domain import Phase, Status, Task
from panelwise.runtime import counted


def add_hidden_gold(
    tx: Transaction,
    phase: Phase,
    annotators: Sequence[str],
    tasks: Sequence[Task],
    *,
    seed: int,
    closed: Collection[str] = (),
) -> tuple[list[Task], list[str]]:
    """Return a phase's new tasks with hidden gold among them, in the order to be worked on, and warnings.

    tasks: the new ones, by batch. Each annotator gets so many figures that they are `phase.hidden_gold` of all
    their tasks: accepted figures with a final decision that the annotator neither has nor knows, drawn at random
    and spread over the batches of `tasks`; without new tasks they come last. closed: figures that are not used.
    """
    before = tx.tasks.all(phase=phase.name)
    gold = [
        decision
        for decision in tx.decisions.all(final=True)
        if decision.status is Status.ACCEPTED and decision.subfigures
    ]
    reviewers = {decision.figure.id: decision.reviewer for decision in gold if decision.figure.id not in closed}
    knew = tx.seen.knew()
    planned = {task.figure for task in (*before, *tasks) if not task.hidden}
    found, notes = list(tasks), []
    for name in annotators:
        own = [task for task in (*before, *tasks) if task.annotator == name]
        regular = sum(not task.hidden for task in own)
        wanted = round(regular * phase.hidden_gold / (1 - phase.hidden_gold))
        missing = wanted - (len(own) - regular)
        known = {task.figure for task in (*tx.tasks.all(annotator=name), *own)}
        known |= {figure for figure, person in knew if person == name}
        pool = sorted(figure for figure, reviewer in reviewers.items() if figure not in known and reviewer != name)
        # What other annotators have of this phase tells least: it is drawn last.
        draw = random.Random(f"{seed}:{phase.name}:hidden:{name}")
        draw.shuffle(pool)
        pool.sort(key=lambda figure: figure in planned)
        chosen = pool[: max(missing, 0)]
        found = _mixed(found, [task for task in tasks if task.annotator == name], chosen, name, phase, draw)
        if len(chosen) < missing:
            there = wanted - missing + len(chosen)
            notes.append(
                f"{name} has {there} of {counted(wanted, 'hidden gold figure')}: no other figure has gold they "
                "don't know; assign again once more are adjudicated"
            )
    return found, notes


def draw_unseeded(
    tx: Transaction, phase: Phase, tasks: Sequence[Task], *, seed: int, closed: Collection[str]
) -> tuple[list[Task], int]:
    """Return a phase's new tasks with some of each annotator's drawn to begin without pre-labels, and how many.

    So many that they are `phase.unseeded` of all of the annotator's tasks, one of each stratum of tasks that the
    model is about equally sure of; in it first a figure that begins with pre-labels for another annotator, so that
    both kinds of work meet. A figure that all share begins with them for one at least. closed: figures whose
    predictions are not looked at.
    """
    certainty = {figure: sure for figure, sure in tx.predictions.certainties().items() if figure not in closed}
    regular = [task for task in tasks if not task.hidden]
    before = [task for task in tx.tasks.all(phase=phase.name) if not task.hidden]
    with_pre_labels = Counter(task.figure for task in (*before, *regular) if not task.unseeded)
    shared = Counter(task.figure for task in (*before, *regular))
    chosen: set[Task] = set()
    for name in sorted({task.annotator for task in regular}):
        draw = random.Random(f"{seed}:{phase.name}:unseeded:{name}")
        own = [task for task in regular if task.annotator == name]
        own.sort(key=lambda task: (certainty.get(task.figure, -1.0), task.figure))
        earlier = [task for task in before if task.annotator == name]
        wanted = round(phase.unseeded * (len(own) + len(earlier))) - sum(task.unseeded for task in earlier)
        wanted = min(max(wanted, 0), len(own))
        for number in range(wanted):
            stratum = own[number * len(own) // wanted : (number + 1) * len(own) // wanted]
            possible = [task for task in stratum if shared[task.figure] == 1 or with_pre_labels[task.figure] > 1]
            draw.shuffle(possible)
            # Figures that begin with pre-labels for all others, then those of one annotator.
            possible.sort(
                key=lambda task: (shared[task.figure] == 1, with_pre_labels[task.figure] < shared[task.figure])
            )
            if possible:
                chosen.add(possible[0])
                with_pre_labels[possible[0].figure] -= 1
    return [replace(task, unseeded=task in chosen) for task in tasks], len(chosen)


def _mixed(
    tasks: Sequence[Task],
    own: Sequence[Task],
    figures: Collection[str],
    annotator: str,
    phase: Phase,
    draw: random.Random,
) -> list[Task]:
    """Return tasks with hidden ones on these figures at random places among the annotator's own."""
    if not own:
        return [*tasks, *(Task(figure, annotator, phase.name, hidden=True) for figure in figures)]
    following: dict[Task, list[Task]] = defaultdict(list)
    for figure in figures:
        place = draw.choice(own)
        following[place].append(
            Task(figure, annotator, phase.name, place.batch, released=place.released, hidden=True)
        )
    return [each for task in tasks for each in (task, *following[task])]
