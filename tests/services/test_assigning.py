from __future__ import annotations

from collections import Counter

import pytest
from builders import a_figure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.campaign import Campaign, Person, Phase, Role
from annotator.domain.errors import AnnotatorError
from annotator.services.assigning import assign, plan_tasks
from annotator.store.store import Store


@given(st.integers(0, 40), st.integers(1, 6), st.data())
def test_every_figure_is_dealt_and_the_overlap_goes_to_all(count: int, people: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, count))
    names = [f"ann{n}" for n in range(people)]
    tasks = plan_tasks([f"f{n}" for n in range(count)], names, overlap=overlap, phase="1")
    by_figure = Counter(task.figure for task in tasks)
    assert len(by_figure) == count
    assert sum(number == people for number in by_figure.values()) >= overlap
    assert len(tasks) == overlap * people + (count - overlap)
    loads = Counter(task.annotator for task in tasks)
    assert not tasks or max(loads.values()) - min(loads[name] for name in names) <= 1


def test_the_same_seed_deals_the_same_whatever_the_order() -> None:
    figures = [f"f{n}" for n in range(20)]
    first = plan_tasks(figures, ["a", "b"], overlap=5, phase="1", seed=3)
    assert first == plan_tasks(figures[::-1], ["a", "b"], overlap=5, phase="1", seed=3)
    assert first != plan_tasks(figures, ["a", "b"], overlap=5, phase="1", seed=4)


@pytest.mark.parametrize(
    ("annotators", "overlap", "complaint"),
    [([], 0, "nobody"), (["a", "a"], 0, "twice"), (["a"], 4, "give 0 to 3")],
)
def test_what_cannot_be_dealt_is_refused(annotators: list[str], overlap: int, complaint: str) -> None:
    with pytest.raises(AnnotatorError, match=complaint):
        plan_tasks(["f1", "f2", "f3"], annotators, overlap=overlap, phase="1")


def test_assigning_again_deals_only_what_is_new(store: Store) -> None:
    with store.transaction() as tx:
        for number in range(6):
            tx.add_figure(a_figure(f"f{number}"))
    assert len(assign(store, ["a", "b"], overlap=2, phase="1")) == 8
    assert assign(store, ["a", "b"], overlap=2, phase="1") == []
    with store.transaction() as tx:
        tx.add_figure(a_figure("f9"))
    (task,) = assign(store, ["a", "b"], overlap=2, phase="1")
    assert task.figure == "f9"
    with store.read() as tx:
        assert {person.name for person in tx.people(Role.ANNOTATOR)} == {"a", "b"}


def test_assigning_leaves_what_is_known_of_a_person(store: Store) -> None:
    known = Person("a", frozenset({Role.REVIEWER}), "a@example.org", active=False)
    with store.transaction() as tx:
        tx.add_figure(a_figure())
        tx.put_person(known)
    assign(store, ["a"], overlap=1, phase="1")
    with store.read() as tx:
        assert tx.person("a") == Person("a", known.roles | {Role.ANNOTATOR}, known.email, active=False)


def test_a_phase_that_the_campaign_lacks_gets_no_tasks(store: Store) -> None:
    campaign = Campaign("c", (Phase("1"), Phase("2")), ("A",))
    with store.transaction() as tx:
        tx.add_figure(a_figure())
    with pytest.raises(AnnotatorError, match=r'campaign\.toml: has no phase "typo"; .* one of 1, 2 with --phase'):
        assign(store, ["a"], overlap=1, phase="typo", campaign=campaign)
    with store.read() as tx:
        assert (tx.tasks(), tx.people()) == ([], [])
    assert len(assign(store, ["a"], overlap=1, phase="2", campaign=campaign)) == 1
    with store.transaction() as tx:
        tx.add_annotation(an_annotation(phase="earlier"))
    assert len(assign(store, ["a"], overlap=1, phase="earlier", campaign=campaign)) == 1


def test_nobody_new_bears_a_control_character(store: Store) -> None:
    with store.transaction() as tx:
        tx.add_figure(a_figure())
    with pytest.raises(AnnotatorError, match="control characters"):
        assign(store, ["a\tb"], overlap=1, phase="1")
