from __future__ import annotations

import pytest
from builders import a_figure

from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.errors import StoreError

ANN = Person("ann", frozenset({Role.ANNOTATOR}), "ann@example.org")
REV = Person("rev", frozenset({Role.REVIEWER, Role.LEAD}), active=False)


def test_a_person_is_kept_by_name_and_brought_up_to_date(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(ANN)
        tx.people.put(REV, password_hash="hash")
        assert tx.people.get("ann") == ANN
        assert tx.people.get("nobody") is None
        changed = Person("ann", frozenset(), "new@example.org", active=False)
        tx.people.put(changed)
        assert tx.people.get("ann") == changed


def test_people_are_listed_by_name_and_role(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(REV)
        tx.people.put(ANN)
        assert tx.people.all() == [ANN, REV]
        assert tx.people.all(Role.LEAD) == [REV]
        assert tx.people.all(Role.ANNOTATOR) == [ANN]


def test_a_password_hash_stays_until_another_is_given(store: Store) -> None:
    with store.transaction() as tx:
        tx.people.put(ANN)
        assert tx.people.password_hash("ann") is None
        tx.people.put(ANN, password_hash="one")
        tx.people.put(ANN)
        assert tx.people.password_hash("ann") == "one"
        tx.people.put(ANN, password_hash="two")
        assert tx.people.password_hash("ann") == "two"
        assert tx.people.password_hash("nobody") is None


def test_tasks_are_added_once_and_keep_their_order(store: Store) -> None:
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        first = [Task("f3", "ann", "1"), Task("f1", "ann", "1"), Task("f1", "bob", "1")]
        assert tx.tasks.add(iter([*first, first[0]])) == 3
        more = Task("f2", "ann", "2")
        assert tx.tasks.add([first[1], more]) == 1
        assert tx.tasks.add([]) == 0
        assert tx.tasks.all() == [*first, more]
        assert tx.tasks.all(phase="1", annotator="ann") == first[:2]
        assert tx.tasks.all(annotator="bob") == first[2:]
        assert tx.tasks.all(phase="2") == [more]


def test_a_task_needs_its_figure(store: Store) -> None:
    with store.transaction() as tx, pytest.raises(StoreError, match='figure "x" is not in the store; import it'):
        tx.tasks.add([Task("x", "ann", "1")])


def test_a_setting_keeps_its_last_value(store: Store) -> None:
    with store.transaction() as tx:
        assert tx.settings.get("token") is None
        tx.settings.put("token", "a")
        tx.settings.put("token", "b")
    with store.read() as tx:
        assert tx.settings.get("token") == "b"


def test_links_are_put_found_and_replaced(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.figures.add(a_figure("f2"))
        one, other = Link("ann", "1", 7, "f1", 70), Link("bob", "2", 8, "f2", 80)
        tx.links.put(other)
        tx.links.put(one)
        assert tx.links.all() == [one, other]
        assert tx.links.all(annotator="ann") == [one]
        assert tx.links.all(phase="2", annotator="bob") == [other]
        again = Link("ann", "1", 9, "f1", 2**40)
        tx.links.put(again)
        assert tx.links.all(phase="1") == [again]
        with pytest.raises(StoreError, match='figure "x" is not in the store'):
            tx.links.put(Link("ann", "1", 7, "x", 1))


def test_a_vanished_project_is_forgotten_with_its_links_only(store: Store) -> None:
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
            tx.links.put(Link("ann", "1", 7, name, 70))
            tx.links.put(Link("ann", "2", 8, name, 80))
        gone = ProjectLink("ann", "1", 7, "http://127.0.0.1:8080")
        kept = ProjectLink("ann", "2", 8, "http://127.0.0.1:8080", "phase 2")
        tx.links.put_project(gone)
        tx.links.put_project(kept)
        assert tx.links.projects() == [gone, kept]
        assert tx.links.projects(annotator="ann", phase="2") == [kept]
        assert tx.links.delete(gone) == 2
        assert tx.links.projects() == [kept]
        assert {link.phase for link in tx.links.all()} == {"2"}
        renewed = ProjectLink("ann", "2", 12, "http://127.0.0.1:8080", "again")
        tx.links.put_project(renewed)
        assert tx.links.projects() == [renewed]
