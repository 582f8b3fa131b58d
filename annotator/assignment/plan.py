"""The plan of an assignment, from plain values. The same values in any order give the same plan."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from panelwise.domain import AnnotatorError, Task
from panelwise.runtime import counted

#: Figures that stay together: those of a source document, or a single one.
Unit = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """The tasks that a phase has already assigned.

    figures: how many. shared: those of them that several people have. efforts: seconds of work by annotator.
    holders: who has a document's figures. released: the last batch that may be worked on.
    """

    figures: int = 0
    shared: int = 0
    efforts: Mapping[str, int] = field(default_factory=dict)
    holders: Mapping[str, str] = field(default_factory=dict)
    released: int = 1


#: Nothing is assigned yet.
FRESH = Standing()


@dataclass(frozen=True, slots=True)
class FigureTraits:
    """The properties of single figures that a plan considers.

    efforts: figure -> expected seconds; without them all figures weigh the same. documents: figure -> document,
    whose figures stay with one annotator. unwanted: (figure, annotator) to keep apart where another annotator can
    do the figure. certainty: figure -> how sure a model is of it, in [0, 1]; None to draw in random order.
    """

    efforts: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    unwanted: Collection[tuple[str, str]] = frozenset()
    certainty: Mapping[str, float] | None = None


#: What a figure without a prediction is taken for: those that a model is sure of come before it.
UNPREDICTED = 2.0


def least_sure_first(among: Iterable[Unit], certainty: Mapping[str, float]) -> list[Unit]:
    """The units by the figure in each that a model is least sure of; of equals, and without predictions, as given.

    certainty: figure -> in [0, 1]. Figures that are not in it come last.
    """
    return sorted(among, key=lambda unit: min(certainty.get(figure, UNPREDICTED) for figure in unit))


def units(figures: Iterable[str], documents: Mapping[str, str], *, seed: str) -> list[Unit]:
    """The figures in units, shuffled. documents: figure -> document; one without ("" or missing) is on its own."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for figure in sorted(figures):
        document = documents.get(figure, "")
        groups[document, "" if document else figure].append(figure)
    found = [tuple(group) for _, group in sorted(groups.items())]
    random.Random(seed).shuffle(found)
    return found


def draw(among: Sequence[Unit], count: int) -> tuple[list[Unit], list[Unit]]:
    """Units of `count` figures together, or of as many below as whole units come to; and the rest. Order is kept.

    Of several ways the one that takes the first units.
    """
    sizes = [len(unit) for unit in among]
    if sum(sizes) <= count:
        return list(among), []
    if sum(sizes) == len(sizes):
        return list(among[:count]), list(among[count:])
    # Bit n of reach[i]: units from i on can come to n figures.
    reach = [1]
    for size in reversed(sizes):
        reach.append((reach[-1] | reach[-1] << size) & ((1 << count + 1) - 1))
    reach.reverse()
    left = reach[0].bit_length() - 1
    taken, rest = [], []
    for position, (unit, size) in enumerate(zip(among, sizes, strict=True)):
        if size <= left and reach[position + 1] >> (left - size) & 1:
            taken.append(unit)
            left -= size
        else:
            rest.append(unit)
    return taken, rest


def plan_tasks(
    figures: Collection[str],
    annotators: Sequence[str],
    *,
    overlap: int,
    phase: str,
    seed: int = 0,
    sharing: Sequence[str] = (),
    people: int | None = None,
    batch: int | None = None,
    standing: Standing = FRESH,
    traits: FigureTraits = FigureTraits(),
) -> list[Task]:
    """Plan the tasks of a phase, by batch: the same for the same arguments whatever the order of `figures`.

    overlap: so many figures go to everyone in `sharing` (() for all annotators); the rest go to one each, so that
    everyone has as much to do. people: so many of those in `sharing` do each figure of the overlap, in turns; None
    for all of them. batch: figures to a batch; batches hold their share of the overlap, and only the
    first may be worked on now. With a certainty in `traits`, what a model is least sure of comes first; the
    overlap is drawn as without, so that agreement is measured on figures of all kinds. Raises AnnotatorError for
    no annotators, a repeated one, or an overlap that is negative or exceeds the figures.
    """
    _check(annotators, sharing, overlap, len(figures))
    if people is not None and not 1 <= people <= len(sharing or annotators):
        raise AnnotatorError(
            f"each figure by {counted(people, 'person', 'people')} cannot be; "
            f"give 1 to {len(sharing or annotators)}, or choose more annotators"
        )
    shuffled = units(figures, traits.documents, seed=f"{seed}:{phase}")
    shared, single = draw(shuffled, overlap)
    if traits.certainty is not None:
        shared, single = least_sure_first(shared, traits.certainty), least_sure_first(single, traits.certainty)
    order = (
        _interleaved(shared, single)
        if batch
        else [*((unit, True) for unit in shared), *((unit, False) for unit in single)]
    )
    dealer = _Dealer(annotators, sharing or annotators, standing, traits, people)
    numbers = _batch_numbers(order, batch, standing.figures)
    tasks: list[Task] = []
    for members in _batches(order, numbers):
        for figure, annotator in dealer.deal(members):
            number = numbers[figure]
            tasks.append(Task(figure, annotator, phase, number, batch is None or number <= standing.released))
    return sorted(tasks, key=lambda task: task.batch)


def enlarge_overlap(
    held: Collection[Task],
    sharing: Sequence[str],
    *,
    count: int,
    phase: str,
    seed: int = 0,
    documents: Mapping[str, str] | None = None,
    unwanted: Collection[tuple[str, str]] = frozenset(),
) -> list[Task]:
    """The tasks that give `count` figures of one annotator each to everyone in `sharing` too, or fewer figures.

    held: the present tasks, one per figure; the new ones are of the same batches. documents: figure -> document,
    whose figures are shared together, as in `plan_tasks`. unwanted: (figure, annotator) to keep apart if possible.
    Figures of those in `sharing` are drawn before others'.
    """
    holders = {task.figure: task for task in held}
    shuffled = units(holders, documents or {}, seed=f"{seed}:{phase}:enlarging")
    outside = {figure for figure, task in holders.items() if task.annotator not in sharing}

    def rank(unit: Unit) -> tuple[int, bool]:
        others = [(figure, name) for figure in unit for name in sharing if name != holders[figure].annotator]
        return sum(pair in unwanted for pair in others), not outside.isdisjoint(unit)

    chosen, _ = draw(sorted(shuffled, key=rank), count)
    return [
        replace(holders[figure], annotator=name)
        for unit in chosen
        for figure in unit
        for name in sharing
        if name != holders[figure].annotator
    ]


def reduce_overlap(
    held: Collection[Task],
    untouched: Collection[Task],
    *,
    count: int,
    phase: str,
    seed: int = 0,
    documents: Mapping[str, str] | None = None,
) -> list[Task]:
    """The tasks to withdraw so that `count` shared figures have one annotator each, or fewer figures.

    held: all tasks of the phase. untouched: those of them that nothing was submitted for; no others are withdrawn,
    so a figure that two have submitted stays shared. documents: as in `enlarge_overlap`. Whoever has submitted a
    figure keeps it, else the annotator with the least to do.
    """
    holders: dict[str, list[Task]] = defaultdict(list)
    for task in held:
        holders[task.figure].append(task)
    shared = {figure: tasks for figure, tasks in holders.items() if len(tasks) > 1}
    open_tasks = set(untouched)
    loads = Counter(task.annotator for task in held)
    busy: dict[Unit, set[str]] = {}
    for unit in units(shared, documents or {}, seed=f"{seed}:{phase}:reducing"):
        busy[unit] = {task.annotator for figure in unit for task in shared[figure] if task not in open_tasks}
    chosen, _ = draw([unit for unit, names in busy.items() if len(names) < 2], count)
    withdrawn: list[Task] = []
    for unit in chosen:
        tasks = [task for figure in unit for task in shared[figure]]
        keeper = min(busy[unit] or {task.annotator for task in tasks}, key=lambda name: (loads[name], name))
        gone = [task for task in tasks if task.annotator != keeper]
        loads.subtract(task.annotator for task in gone)
        withdrawn += gone
    return withdrawn


def _check(annotators: Sequence[str], sharing: Sequence[str], overlap: int, figures: int) -> None:
    if not annotators:
        raise AnnotatorError("no annotators; choose some (--annotators a,b,c) or name them in campaign.toml")
    if len(set(annotators)) != len(annotators):
        raise AnnotatorError(f"an annotator is named twice in {', '.join(annotators)}; name each once")
    stray = [name for name in sharing if name not in annotators]
    if stray:
        raise AnnotatorError(f'"{stray[0]}" is to share the overlap, but is none of {", ".join(annotators)}')
    if not 0 <= overlap <= figures:
        raise AnnotatorError(
            f"an overlap of {overlap} of {counted(figures, 'figure')} cannot be; give 0 to {figures}"
        )


_Marked = tuple[Unit, bool]


def _interleaved(shared: Sequence[Unit], single: Sequence[Unit]) -> list[_Marked]:
    """Both in one row, the shared ones spread evenly, so that agreement can be watched from the first batch on."""
    placed = [
        ((position + 0.5) / len(row), not is_shared, position, (unit, is_shared))
        for row, is_shared in ((shared, True), (single, False))
        for position, unit in enumerate(row)
    ]
    return [each[-1] for each in sorted(placed)]


def _batch_numbers(order: Iterable[_Marked], size: int | None, before: int) -> dict[str, int]:
    """Figure -> its batch, from 1, each full before the next one begins. before: figures already assigned."""
    figures = [figure for unit, _ in order for figure in unit]
    return {figure: (before + place) // size + 1 if size else 1 for place, figure in enumerate(figures)}


def _batches(order: Iterable[_Marked], numbers: Mapping[str, int]) -> list[list[_Marked]]:
    """The units that are assigned together: those whose first figures are in one batch."""
    found: dict[int, list[_Marked]] = defaultdict(list)
    for unit, is_shared in order:
        found[numbers[unit[0]]].append((unit, is_shared))
    return [members for _, members in sorted(found.items())]


class _Dealer:
    """Deals batch by batch, so that everyone has as much to do, in each batch and altogether."""

    def __init__(
        self,
        annotators: Sequence[str],
        sharing: Sequence[str],
        standing: Standing,
        traits: FigureTraits,
        people: int | None,
    ) -> None:
        self._annotators = annotators
        self._sharing = sharing
        self._people = people
        self._together: Counter[frozenset[str]] = Counter()
        self._traits = traits
        self._holders = dict(standing.holders)
        self._loads = Counter({name: standing.efforts.get(name, 0) for name in annotators})

    def deal(self, members: Iterable[_Marked]) -> list[tuple[str, str]]:
        """(figure, annotator) of the units of one batch, the overlap first."""
        dealt: list[tuple[str, str]] = []
        single: list[Unit] = []
        for unit, is_shared in members:
            if not is_shared:
                single.append(unit)
                continue
            names = self._sharing if self._people is None else self._group(unit, self._people)
            dealt += [(figure, name) for figure in unit for name in names]
            for name in names:
                self._loads[name] += self._effort(unit)
        # The longest first: what comes last evens out what is left.
        for unit in sorted(single, key=self._effort, reverse=True):
            name = self._holder(unit) or min(self._annotators, key=lambda annotator: self._rank(annotator, unit))
            self._loads[name] += self._effort(unit)
            if document := self._traits.documents.get(unit[0], ""):
                self._holders[document] = name
            dealt += [(figure, name) for figure in unit]
        return dealt

    def _group(self, unit: Unit, people: int) -> list[str]:
        """Choose those with the least to do; of equals, who shared the fewest units with the others so far.

        So everyone comes to share figures with everyone else.
        """
        chosen: list[str] = []
        for _ in range(people):
            left = (name for name in self._sharing if name not in chosen)
            chosen.append(min(left, key=lambda name: self._group_rank(name, unit, chosen)))
        self._together.update(frozenset(pair) for pair in combinations(chosen, 2))
        return chosen

    def _group_rank(self, name: str, unit: Unit, chosen: Sequence[str]) -> tuple[int, int, int, int]:
        apart, load, place = self._rank(name, unit)
        return apart, load, sum(self._together[frozenset((name, other))] for other in chosen), place

    def _rank(self, name: str, unit: Unit) -> tuple[int, int, int]:
        apart = sum((figure, name) in self._traits.unwanted for figure in unit)
        return (apart, self._loads[name], self._annotators.index(name))

    def _holder(self, unit: Unit) -> str | None:
        name = self._holders.get(self._traits.documents.get(unit[0], ""))
        return name if name in self._annotators else None

    def _effort(self, unit: Unit) -> int:
        return sum(self._traits.efforts.get(figure, 1) for figure in unit)
