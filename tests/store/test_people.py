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
        tx.put_person(ANN)
        tx.put_person(REV, password_hash="hash")
        assert tx.person("ann") == ANN
        assert tx.person("nobody") is None
        changed = Person("ann", frozenset(), "new@example.org", active=False)
        tx.put_person(changed)
        assert tx.person("ann") == changed


def test_people_are_listed_by_name_and_role(store: Store) -> None:
    with store.transaction() as tx:
        tx.put_person(REV)
        tx.put_person(ANN)
        assert tx.people() == [ANN, REV]
        assert tx.people(Role.LEAD) == [REV]
        assert tx.people(Role.ANNOTATOR) == [ANN]


def test_a_password_hash_stays_until_another_is_given(store: Store) -> None:
    with store.transaction() as tx:
        tx.put_person(ANN)
        assert tx.password_hash("ann") is None
        tx.put_person(ANN, password_hash="one")
        tx.put_person(ANN)
        assert tx.password_hash("ann") == "one"
        tx.put_person(ANN, password_hash="two")
        assert tx.password_hash("ann") == "two"
        assert tx.password_hash("nobody") is None


def test_tasks_are_added_once_and_keep_their_order(store: Store) -> None:
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.add_figure(a_figure(name))
        first = [Task("f3", "ann", "1"), Task("f1", "ann", "1"), Task("f1", "bob", "1")]
        assert tx.add_tasks(iter([*first, first[0]])) == 3
        more = Task("f2", "ann", "2")
        assert tx.add_tasks([first[1], more]) == 1
        assert tx.add_tasks([]) == 0
        assert tx.tasks() == [*first, more]
        assert tx.tasks(phase="1", annotator="ann") == first[:2]
        assert tx.tasks(annotator="bob") == first[2:]
        assert tx.tasks(phase="2") == [more]


def test_a_task_needs_its_figure(store: Store) -> None:
    with store.transaction() as tx, pytest.raises(StoreError, match='figure "x" is not in the store; import it'):
        tx.add_tasks([Task("x", "ann", "1")])


def test_a_setting_keeps_its_last_value(store: Store) -> None:
    with store.transaction() as tx:
        assert tx.setting("token") is None
        tx.set_setting("token", "a")
        tx.set_setting("token", "b")
    with store.read() as tx:
        assert tx.setting("token") == "b"


def test_links_are_put_found_and_replaced(store: Store) -> None:
    with store.transaction() as tx:
        tx.add_figure(a_figure("f1"))
        tx.add_figure(a_figure("f2"))
        one, other = Link("ann", "1", 7, "f1", 70), Link("bob", "2", 8, "f2", 80)
        tx.put_link(other)
        tx.put_link(one)
        assert tx.links() == [one, other]
        assert tx.links(annotator="ann") == [one]
        assert tx.links(phase="2", annotator="bob") == [other]
        again = Link("ann", "1", 9, "f1", 2**40)
        tx.put_link(again)
        assert tx.links(phase="1") == [again]
        with pytest.raises(StoreError, match='figure "x" is not in the store'):
            tx.put_link(Link("ann", "1", 7, "x", 1))


def test_a_vanished_project_is_forgotten_with_its_links_only(store: Store) -> None:
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.add_figure(a_figure(name))
            tx.put_link(Link("ann", "1", 7, name, 70))
            tx.put_link(Link("ann", "2", 8, name, 80))
        gone = ProjectLink("ann", "1", 7, "http://127.0.0.1:8080")
        kept = ProjectLink("ann", "2", 8, "http://127.0.0.1:8080", "phase 2")
        tx.put_project(gone)
        tx.put_project(kept)
        assert tx.projects() == [gone, kept]
        assert tx.projects(annotator="ann", phase="2") == [kept]
        assert tx.delete_links(gone) == 2
        assert tx.projects() == [kept]
        assert {link.phase for link in tx.links()} == {"2"}
        renewed = ProjectLink("ann", "2", 12, "http://127.0.0.1:8080", "again")
        tx.put_project(renewed)
        assert tx.projects() == [renewed]
