"""Who does which figure: an overlap that all named annotators share, the rest dealt out evenly."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.domain.campaign import Campaign, Person, Role, Task, check_new_name
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError
from annotator.services.choices import check_phase_to_assign

if TYPE_CHECKING:
    from annotator.store.store import Store


def plan_tasks(
    figures: Sequence[str], annotators: Sequence[str], *, overlap: int, phase: str, seed: int = 0
) -> list[Task]:
    """The tasks of a phase, the same for the same arguments whatever the order of `figures`.

    overlap: so many figures go to every annotator; the rest go to one each, in turn. Raises AnnotatorError
    for no annotators, a repeated one, or an overlap that is negative or exceeds the figures.
    """
    if not annotators:
        raise AnnotatorError("nobody to assign to; name annotators with --annotators a,b,c")
    if len(set(annotators)) != len(annotators):
        raise AnnotatorError(f"an annotator is named twice in {', '.join(annotators)}; name each once")
    if not 0 <= overlap <= len(figures):
        raise AnnotatorError(
            f"an overlap of {overlap} of {counted(len(figures), 'figure')} cannot be; give 0 to {len(figures)}"
        )
    dealt = sorted(figures)
    random.Random(f"{seed}:{phase}").shuffle(dealt)
    tasks = [Task(figure, annotator, phase) for figure in dealt[:overlap] for annotator in annotators]
    tasks += [
        Task(figure, annotators[position % len(annotators)], phase)
        for position, figure in enumerate(dealt[overlap:])
    ]
    return tasks


def assign(
    store: Store,
    annotators: Sequence[str],
    *,
    overlap: int,
    phase: str,
    seed: int = 0,
    campaign: Campaign | None = None,
) -> list[Task]:
    """Plan a phase over all figures of the store and record its tasks; returns the ones that are new.

    Figures that the phase has already dealt out keep their annotators. Annotators become people of the campaign.
    campaign: its phases may be given, and those that somebody worked in; AnnotatorError for another. None: any.
    """
    with store.transaction() as tx:
        if campaign is not None:
            check_phase_to_assign(tx, campaign, phase)
        before = set(tx.tasks(phase=phase))
        dealt = Counter(task.figure for task in before)
        figures = [figure.id for figure in tx.figures() if figure.id not in dealt]
        shared = sum(count > 1 for count in dealt.values())
        tasks = plan_tasks(
            figures,
            annotators,
            overlap=min(max(overlap - shared, 0), len(figures)) if before else overlap,
            phase=phase,
            seed=seed,
        )
        for name in annotators:
            known = tx.person(name)
            if known is None:
                check_new_name(name)
                known = Person(name, frozenset())
            tx.put_person(replace(known, roles=known.roles | {Role.ANNOTATOR}))
        tx.add_tasks(tasks)
    return tasks
