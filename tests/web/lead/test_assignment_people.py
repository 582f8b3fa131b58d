"""Each figure by so many people, in turns, on the lead's page of assignments."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from web.lead_client import client

from annotator.assignment.plan import plan_tasks
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.errors import AnnotatorError


@pytest.mark.parametrize(("people", "annotators"), [(1, "abc"), (2, "abc"), (2, "abcd"), (3, "abcd"), (4, "abcd")])
def test_each_figure_has_so_many_people_and_everyone_meets_everyone(people: int, annotators: str) -> None:
    figures = [f"f{n:02}" for n in range(24)]
    tasks = plan_tasks(figures, tuple(annotators), overlap=24, phase="1", people=people)
    holders = {figure: {task.annotator for task in tasks if task.figure == figure} for figure in figures}
    assert {len(names) for names in holders.values()} == {people}
    loads = Counter(task.annotator for task in tasks)
    assert max(loads.values()) - min(loads.values()) <= 1
    met = Counter(pair for names in holders.values() for pair in combinations(sorted(names), 2))
    if people > 1:
        assert set(met) == set(combinations(annotators, 2))
        assert max(met.values()) - min(met.values()) <= 1


@pytest.mark.parametrize("people", [0, 4])
def test_more_people_than_there_are_is_refused(people: int) -> None:
    with pytest.raises(AnnotatorError, match="give 1 to 3"):
        plan_tasks(["f1"], ("a", "b", "c"), overlap=1, phase="1", people=people)


def test_the_page_assigns_each_figure_to_two_of_three(home: Home, store: Store) -> None:
    lead = client(home, store)
    form = {"phase": "1", "annotator": ["ann", "ben", "cem"], "people": "2"}
    assert "4 new tasks" in lead.get("/campaign/assignment", query_string=form).text
    lead.post("/campaign/assignment", data=form)
    with store.read() as tx:
        tasks = list(tx.tasks.all(phase="1"))
    assert Counter(task.figure for task in tasks) == {"f1": 2, "f2": 2}


def test_more_people_than_are_chosen_is_refused_with_what_can_be(home: Home, store: Store) -> None:
    form = {"phase": "1", "annotator": ["ann", "ben"], "people": "3"}
    page = client(home, store).get("/campaign/assignment", query_string=form).text
    assert "each figure by 3 people cannot be; give 1 to 2, or choose more annotators." in page


@pytest.mark.parametrize("more", [{"people": "2", "overlap": "1"}, {"people": "x"}, {"people": "9"}])
def test_people_that_cannot_be_are_refused(home: Home, store: Store, more: dict[str, str]) -> None:
    page = client(home, store).get("/campaign/assignment", query_string={"phase": "1", "annotator": "ann"} | more)
    assert 'role="alert"' in page.text
    assert 'id="plan"' not in page.text
