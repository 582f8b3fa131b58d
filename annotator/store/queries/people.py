"""People and small settings."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from annotator.store.database.errors import quoted
from annotator.store.database.tables import people, settings
from annotator.store.database.values import Row
from annotator.store.queries.sign_ins import signed_out
from annotator.store.rows.statements import Queries
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import AnnotatorError, StoreError, one_line


class PeopleQueries(Queries):
    """People with their password hashes, and settings."""

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
        return None if row is None else person_from(row)

    def person_and_hash(self, name: str, since: int | None = None) -> tuple[Person, str | None] | None:
        """The person of that name with the password's hash, None if there is none.

        since: number of an entry in the audit of sign-ins; None where the person signed out after it.
        """
        statement = select(people).where(people.c.name == name)
        if since is not None:
            statement = statement.where(~signed_out(name, since))
        row = self._first(statement)
        return None if row is None else (person_from(row), row["password_hash"])

    def people(self, role: Role | None = None) -> list[Person]:
        """Everyone, or everyone with that role, by name; inactive people too."""
        found = [person_from(row) for row in self._rows(select(people).order_by(people.c.name))]
        return [person for person in found if role is None or role in person.roles]

    def password_hash(self, name: str) -> str | None:
        """The person's password hash; None if there is no such person or no password."""
        row = self._first(select(people.c.password_hash).where(people.c.name == name))
        return None if row is None else row["password_hash"]

    # settings

    def setting(self, name: str) -> str | None:
        """The value kept under this name, None if there is none."""
        row = self._first(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else row["value"]

    def set_setting(self, name: str, value: str) -> None:
        """Keep a small fact under a name."""
        self._put(settings, {"name": name}, {"value": value})


def person_from(row: Row) -> Person:
    """The person of a row of `people`."""
    try:
        return Person(
            row["name"], frozenset(Role(role) for role in row["roles"].split()), row["email"], row["active"]
        )
    except (AnnotatorError, ValueError) as error:
        raise StoreError(
            f"person {quoted(row['name'])} in the store is damaged ({one_line(error)}); restore a backup"
        ) from error
