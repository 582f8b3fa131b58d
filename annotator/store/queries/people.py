"""People with their password hashes, their API tokens, and the audit of sign-ins: who, when, from where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, exists, func, select

from annotator.store.database.errors import quoted
from annotator.store.database.tables import api_tokens, people, sign_ins
from annotator.store.database.values import Row, from_time, to_time
from annotator.store.rows.records import ApiToken, Outcome, SignIn
from annotator.store.rows.statements import Queries, check_name, record_of
from panelwise.domain import AnnotatorError, Person, Role, StoreError, one_line

#: What ends a person's sessions, and the links by which they set a password.
_ENDS_SESSIONS = (Outcome.SIGNED_OUT, Outcome.DISABLED)
_ENDS_LINKS = (Outcome.ADDED, Outcome.RENAMED, Outcome.ROLES_CHANGED, Outcome.DISABLED)


class PeopleQueries(Queries):
    """People with their password hashes."""

    def put(self, person: Person, *, password_hash: str | None = None) -> None:
        """Add or update a person by name. A password hash of None keeps the stored one.

        What changes about their rights is entered in the audit of sign-ins: links and sessions end by that.
        """
        values: dict[str, Any] = {
            "email": person.email,
            "active": person.active,
            "roles": " ".join(sorted(role.value for role in person.roles)),
        }
        if password_hash is not None:
            values["password_hash"] = password_hash
        before = self._first(select(people).where(people.c.name == person.name))
        self._put(people, {"name": person.name}, values)
        self.note(person.name, *_changes(before, values))

    def note(self, name: str, *outcomes: Outcome) -> None:
        """Enter changes of a person's account in the audit of sign-ins."""
        for outcome in outcomes:
            at = to_time(datetime.now(UTC))
            self._insert(sign_ins, {"at": at, "name": name, "outcome": outcome.value, "address": ""})

    def get(self, name: str) -> Person | None:
        """Return the person with that name, None if there is none."""
        row = self._first(select(people).where(people.c.name == name))
        return None if row is None else person_from(row)

    def with_hash(self, name: str, since: int | None = None) -> tuple[Person, str | None] | None:
        """Return the person with that name and the password's hash, None if there is none.

        since: number of an entry in the audit of sign-ins; None if the person signed out, or was disabled, after
        it.
        """
        statement = select(people).where(people.c.name == name)
        if since is not None:
            statement = statement.where(~_entered(name, since, _ENDS_SESSIONS))
        row = self._first(statement)
        return None if row is None else (person_from(row), row["password_hash"])

    def all(self, role: Role | None = None) -> list[Person]:
        """Return all people, or those with that role, by name, inactive ones included."""
        found = [person_from(row) for row in self._rows(select(people).order_by(people.c.name))]
        return [person for person in found if role is None or role in person.roles]

    def names(self) -> list[str]:
        """Return the names of all people, in order."""
        return [row["name"] for row in self._rows(select(people.c.name).order_by(people.c.name))]

    def with_passwords(self, names: Sequence[str] | None = None) -> list[tuple[Person, bool]]:
        """Return the people with these names, or all (None), by name, and whether they have a password."""
        chosen = select(people) if names is None else select(people).where(people.c.name.in_(names))
        rows = self._rows(chosen.order_by(people.c.name))
        return [(person_from(row), bool(row["password_hash"])) for row in rows]

    def password_hash(self, name: str) -> str | None:
        """Return the person's password hash; None without a person or a password."""
        row = self._first(select(people.c.password_hash).where(people.c.name == name))
        return None if row is None else row["password_hash"]


def _changes(before: Row | None, after: Mapping[str, Any]) -> list[Outcome]:
    """Return what the audit says of a changed row of `people`."""
    if before is None:
        return [Outcome.ADDED]
    found = [] if before["roles"] == after["roles"] else [Outcome.ROLES_CHANGED]
    if before["active"] != after["active"]:
        found.append(Outcome.ENABLED if after["active"] else Outcome.DISABLED)
    return found


def person_from(row: Row) -> Person:
    """Return the person of a row of `people`."""
    try:
        return Person(
            row["name"], frozenset(Role(role) for role in row["roles"].split()), row["email"], row["active"]
        )
    except (AnnotatorError, ValueError) as error:
        raise StoreError(
            f"person {quoted(row['name'])} in the store is damaged ({one_line(error)}); restore a backup"
        ) from error


class SignInQueries(Queries):
    """The audit of sign-ins."""

    def add(self, entry: SignIn) -> None:
        """Add the outcome of an attempt to sign in."""
        check_name(entry.name)
        row = {
            "at": to_time(entry.at),
            "name": entry.name,
            "outcome": entry.outcome.value,
            "address": entry.address,
        }
        self._insert(sign_ins, row)

    def newest(
        self, *, name: str | None = None, failed: bool = False, limit: int = 50, offset: int = 0
    ) -> list[SignIn]:
        """Return the newest entries first: of one name, or only failures, if given."""
        statement = select(sign_ins).order_by(sign_ins.c.id.desc()).limit(max(0, limit)).offset(max(0, offset))
        if name is not None:
            statement = statement.where(sign_ins.c.name == name)
        if failed:
            statement = statement.where(sign_ins.c.outcome.in_([each.value for each in Outcome if each.failed]))
        return [record_of(SignIn, row) for row in self._rows(statement)]

    def count_failed(self, since: datetime) -> int:
        """Count the failed attempts since then."""
        failed = sign_ins.c.outcome.in_([each.value for each in Outcome if each.failed])
        return int(self._scalar(select(func.count()).where(failed, sign_ins.c.at >= to_time(since))))

    def last_by_name(self) -> dict[str, datetime]:
        """Return each person's last sign-in, by name."""
        last = (
            select(sign_ins.c.name, func.max(sign_ins.c.at).label("last"))
            .where(sign_ins.c.outcome == Outcome.SIGNED_IN.value)
            .group_by(sign_ins.c.name)
        )
        return {row["name"]: from_time(row["last"]) for row in self._rows(last)}

    def addresses_of(self, name: str, since: datetime) -> set[str]:
        """Return the addresses from which the person signed in since then."""
        signed_in = sign_ins.c.outcome == Outcome.SIGNED_IN.value
        theirs = (sign_ins.c.name == name, sign_ins.c.at >= to_time(since), signed_in)
        return {row["address"] for row in self._rows(select(sign_ins.c.address).where(*theirs).distinct())}

    def last_number(self) -> int:
        """Return the number of the newest entry; 0 if there is none."""
        return int(self._scalar(select(func.max(sign_ins.c.id))) or 0)

    def rights_changed(self, name: str, since: int) -> bool:
        """Return True if the account was added, renamed or disabled, or its roles changed, after that entry."""
        return bool(self._scalar(select(_entered(name, since, _ENDS_LINKS))))


def _entered(name: str, since: int, outcomes: Sequence[Outcome]) -> ColumnElement[bool]:
    """Return the condition that one of these outcomes was entered for the person after the entry `since`."""
    return exists().where(sign_ins.c.name == name, sign_ins.c.outcome.in_(outcomes), sign_ins.c.id > since)


class TokenQueries(Queries):
    """People's tokens for the HTTP API."""

    def add(self, token: ApiToken, digest: str) -> None:
        """Add a token by the SHA-256 of its text."""
        key = {"person": token.person, "label": token.label, "digest": digest}
        for value in key.values():
            check_name(value)
        self._insert(api_tokens, {**key, "created_at": to_time(token.created_at)})

    def of(self, person: str) -> list[ApiToken]:
        """Return the person's tokens, oldest first."""
        statement = select(api_tokens).where(api_tokens.c.person == person).order_by(api_tokens.c.id)
        return [record_of(ApiToken, row) for row in self._rows(statement)]

    def with_person(self, digest: str) -> tuple[ApiToken, Person] | None:
        """Return the token with that digest and its person; None if there is no such token."""
        statement = (
            select(people, api_tokens.c.person, api_tokens.c.label, api_tokens.c.created_at, api_tokens.c.used_at)
            .join(api_tokens, api_tokens.c.person == people.c.name)
            .where(api_tokens.c.digest == digest)
        )
        row = self._first(statement)
        return None if row is None else (record_of(ApiToken, row), person_from(row))

    def note_use(self, digest: str, at: datetime) -> None:
        """Store when a token was last used."""
        self._write(api_tokens.update().where(api_tokens.c.digest == digest).values(used_at=to_time(at)))

    def revoke_all(self, person: str) -> int:
        """Delete a person's tokens; returns their number."""
        return self._write(api_tokens.delete().where(api_tokens.c.person == person))

    def revoke(self, person: str, label: str) -> bool:
        """Delete a token; False if the person has none with that label."""
        named = (api_tokens.c.person == person) & (api_tokens.c.label == label)
        return bool(self._write(api_tokens.delete().where(named)))
