"""Who does which figure: the plan from plain values."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.assignment.plan import FigureTraits, Standing, draw, plan_tasks, units
from panelwise.domain.campaign import Task
from panelwise.domain.errors import AnnotatorError

NAMES = ["ann", "ben", "cho"]


def figures(count: int) -> list[str]:
    return [f"f{number:03}" for number in range(count)]


def loads(tasks: list[Task], efforts: dict[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for task in tasks:
        found[task.annotator] += efforts[task.figure]
    return found


@given(st.integers(0, 40), st.integers(1, 6), st.data())
def test_every_figure_is_dealt_and_the_overlap_goes_to_all(count: int, people: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, count))
    names = [f"ann{n}" for n in range(people)]
    tasks = plan_tasks(figures(count), names, overlap=overlap, phase="1")
    by_figure = Counter(task.figure for task in tasks)
    assert len(by_figure) == count
    assert sum(number == people for number in by_figure.values()) >= overlap
    assert len(tasks) == overlap * people + (count - overlap)
    spread = Counter(task.annotator for task in tasks)
    assert not tasks or max(spread.values()) - min(spread[name] for name in names) <= 1


@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 300), min_size=1, max_size=40),
    st.integers(1, 5),
    st.integers(0, 9),
)
def test_nobody_has_more_to_do_than_another_by_more_than_one_figure(
    efforts: dict[str, int], people: int, seed: int
) -> None:
    names = [f"ann{n}" for n in range(people)]
    tasks = plan_tasks(list(efforts), names, overlap=0, phase="1", seed=seed, traits=FigureTraits(efforts=efforts))
    found = loads(tasks, efforts)
    assert max(found.values()) - min(found[name] for name in names) <= max(efforts.values())


def test_the_same_seed_deals_the_same_whatever_the_order() -> None:
    first = plan_tasks(figures(20), ["a", "b"], overlap=5, phase="1", seed=3)
    assert first == plan_tasks(figures(20)[::-1], ["a", "b"], overlap=5, phase="1", seed=3)
    assert first != plan_tasks(figures(20), ["a", "b"], overlap=5, phase="1", seed=4)


def test_only_those_named_share_the_overlap_and_the_others_get_more_of_the_rest() -> None:
    tasks = plan_tasks(figures(30), NAMES, overlap=6, phase="1", sharing=["ann", "cho"])
    times = Counter(task.figure for task in tasks)
    shared = {figure for figure, count in times.items() if count > 1}
    assert len(shared) == 6
    assert {task.annotator for task in tasks if task.figure in shared} == {"ann", "cho"}
    assert Counter(task.annotator for task in tasks) == {"ann": 12, "ben": 12, "cho": 12}


def test_batches_hold_their_share_of_the_overlap_and_of_everyones_work() -> None:
    tasks = plan_tasks(figures(60), NAMES, overlap=12, phase="1", batch=20)
    times = Counter(task.figure for task in tasks)
    for number in (1, 2, 3):
        members = [task for task in tasks if task.batch == number]
        assert len({task.figure for task in members}) == 20
        assert len({task.figure for task in members if times[task.figure] > 1}) == 4
        spread = Counter(task.annotator for task in members)
        assert max(spread.values()) - min(spread.values()) <= 1
        assert {task.released for task in members} == {number == 1}


def test_without_batches_everything_may_be_worked_on() -> None:
    tasks = plan_tasks(figures(9), NAMES, overlap=3, phase="1")
    assert {(task.batch, task.released) for task in tasks} == {(1, True)}


def test_the_last_batch_is_filled_up_before_another_one_begins() -> None:
    tasks = plan_tasks(figures(5), NAMES, overlap=0, phase="1", batch=4, standing=Standing(figures=6, released=2))
    assert sorted((task.batch, task.released) for task in tasks) == [(2, True)] * 2 + [(3, False)] * 3


def test_a_document_stays_with_one_annotator_also_with_the_one_who_has_it() -> None:
    documents = {name: f"d{position // 4}" for position, name in enumerate(figures(24))} | {"f001": ""}
    tasks = plan_tasks(
        figures(24),
        NAMES,
        overlap=0,
        phase="1",
        traits=FigureTraits(documents=documents),
        standing=Standing(holders={"d3": "cho"}),
    )
    owners: dict[str, set[str]] = {}
    for task in tasks:
        owners.setdefault(documents[task.figure] or task.figure, set()).add(task.annotator)
    assert {len(names) for names in owners.values()} == {1}
    assert owners["d3"] == {"cho"}


def test_a_holder_who_works_here_no_more_is_passed_over() -> None:
    (task,) = plan_tasks(
        ["f1"],
        ["ann"],
        overlap=0,
        phase="1",
        traits=FigureTraits(documents={"f1": "d"}),
        standing=Standing(holders={"d": "gone"}),
    )
    assert task.annotator == "ann"


def test_a_whole_document_is_shared_or_none_of_it() -> None:
    documents = {name: f"d{position // 3}" for position, name in enumerate(figures(18))}
    tasks = plan_tasks(figures(18), NAMES, overlap=6, phase="1", traits=FigureTraits(documents=documents))
    times = Counter(task.figure for task in tasks)
    assert sorted(Counter(documents[name] for name, count in times.items() if count > 1).values()) == [3, 3]


def test_who_has_done_much_already_gets_less() -> None:
    standing = Standing(efforts={"ann": 10})
    tasks = plan_tasks(figures(20), ["ann", "ben"], overlap=0, phase="1", standing=standing)
    assert Counter(task.annotator for task in tasks) == {"ann": 5, "ben": 15}


def test_a_figure_is_kept_from_who_knows_its_answers_while_anybody_else_can_do_it() -> None:
    unwanted = {(name, "ann") for name in figures(4)} | {("f003", "ben")}
    tasks = plan_tasks(figures(4), ["ann", "ben"], overlap=0, phase="1", traits=FigureTraits(unwanted=unwanted))
    by_figure = {task.figure: task.annotator for task in tasks}
    assert by_figure == {"f000": "ben", "f001": "ben", "f002": "ben", "f003": "ann"}


@pytest.mark.parametrize(
    ("annotators", "overlap", "sharing", "complaint"),
    [
        ([], 0, [], "no annotators; choose some"),
        (["a", "a"], 0, [], "twice"),
        (["a"], 4, [], "give 0 to 3"),
        (["a"], -1, [], "give 0 to 3"),
        (["a", "b"], 1, ["c", "a"], '"c" is to share the overlap, but is none of a, b'),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    annotators: list[str], overlap: int, sharing: list[str], complaint: str
) -> None:
    with pytest.raises(AnnotatorError, match=complaint):
        plan_tasks(["f1", "f2", "f3"], annotators, overlap=overlap, phase="1", sharing=sharing)


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(0, 40))
def test_whole_units_come_as_near_to_the_number_as_any_choice_of_them(sizes: list[int], count: int) -> None:
    among = [tuple(f"{position}-{n}" for n in range(size)) for position, size in enumerate(sizes)]
    taken, rest = draw(among, count)
    sums = {0}
    for size in sizes:
        sums |= {each + size for each in sums}
    assert sum(map(len, taken)) == max(each for each in sums if each <= count)
    assert sorted([*taken, *rest]) == sorted(among)
    assert taken == [unit for unit in among if unit in taken]


def test_units_are_documents_and_figures_without_one() -> None:
    found = units(["a", "b", "c", "d"], {"a": "x", "c": "x", "b": ""}, seed="1")
    assert sorted(found) == [("a", "c"), ("b",), ("d",)]
