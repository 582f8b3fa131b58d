"""People, tasks and small settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import select

from annotator.domain.campaign import Person, Role, Task
from annotator.domain.errors import AnnotatorError, StoreError, one_line
from annotator.store.base import Queries, check_name
from annotator.store.errors import quoted
from annotator.store.tables import people, settings, tasks
from annotator.store.values import Row


class PeopleQueries(Queries):
    """People with their password hashes, who is to do what, and settings."""

    def put_person(self, person: Person, *, password_hash: str | None = None) -> None:
        """Add a person or bring one up to date, by name. A password hash of None keeps the one that is there."""
        values: dict[str, Any] = {
            "email": person.email,
            "active": person.active,
            "roles": " ".join(sorted(role.value for role in person.roles)),
        }
        if password_hash is not None:
            values["password_hash"] = password_hash
        self._put(people, {"name": person.name}, values)

    def person(self, name: str) -> Person | None:
        """The person of that name, None if there is none."""
        row = self._first(select(people).where(people.c.name == name))
        return None if row is None else _person(row)

    def people(self, role: Role | None = None) -> list[Person]:
        """Everyone, or everyone with that role, by name; inactive people too."""
        found = [_person(row) for row in self._rows(select(people).order_by(people.c.name))]
        return [person for person in found if role is None or role in person.roles]

    def password_hash(self, name: str) -> str | None:
        """The person's password hash; None if there is no such person or no password."""
        row = self._first(select(people.c.password_hash).where(people.c.name == name))
        return None if row is None else row["password_hash"]

    # tasks

    def add_tasks(self, tasks: Iterable[Task]) -> int:
        """Add the tasks that are not there yet, in the order given; returns how many those were.

        Raises StoreError for a figure that is not in the store.
        """
        return self._add_tasks(list(tasks))

    def _add_tasks(self, given: list[Task]) -> int:
        self._check_known(task.figure for task in given)
        groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for task in given:
            groups[task.phase, task.annotator][task.figure] = None
        new: set[Task] = set()
        for (phase, annotator), wanted in groups.items():
            check_name(phase)
            check_name(annotator)
            there = {
                row["figure_id"]
                for row in self._rows(
                    select(tasks.c.figure_id).where(tasks.c.phase == phase, tasks.c.annotator == annotator)
                )
            }
            new.update(Task(figure, annotator, phase) for figure in wanted if figure not in there)
        rows = [
            {"phase": task.phase, "annotator": task.annotator, "figure_id": task.figure}
            for task in dict.fromkeys(given)
            if task in new
        ]
        if rows:
            self._write(tasks.insert(), rows)
        return len(rows)

    def tasks(self, *, phase: str | None = None, annotator: str | None = None) -> list[Task]:
        """Tasks in the order in which they were added, of one phase and annotator where given."""
        statement = select(tasks).order_by(tasks.c.id)
        if phase is not None:
            statement = statement.where(tasks.c.phase == phase)
        if annotator is not None:
            statement = statement.where(tasks.c.annotator == annotator)
        return [Task(row["figure_id"], row["annotator"], row["phase"]) for row in self._rows(statement)]

    def has_tasks(self, annotator: str, phase: str) -> bool:
        """Whether anything of a phase is assigned to somebody of that name."""
        wanted = select(tasks.c.id).where(tasks.c.phase == phase, tasks.c.annotator == annotator).limit(1)
        return self._first(wanted) is not None

    # settings

    def setting(self, name: str) -> str | None:
        """The value kept under this name, None if there is none."""
        row = self._first(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else row["value"]

    def set_setting(self, name: str, value: str) -> None:
        """Keep a small fact under a name."""
        self._put(settings, {"name": name}, {"value": value})


def _person(row: Row) -> Person:
    try:
        return Person(
            row["name"], frozenset(Role(role) for role in row["roles"].split()), row["email"], row["active"]
        )
    except (AnnotatorError, ValueError) as error:
        raise StoreError(
            f"person {quoted(row['name'])} in the store is damaged ({one_line(error)}); restore a backup"
        ) from error
