"""Hidden gold: figures with known gold among an annotator's tasks, which tell how well the annotator works."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Sequence

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
    gold = [each for each in tx.decisions.all(final=True) if each.status is Status.ACCEPTED and each.subfigures]
    reviewers = {each.figure.id: each.reviewer for each in gold if each.figure.id not in closed}
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
