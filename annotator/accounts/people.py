"""People and their passwords. Only argon2 hashes are stored."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from annotator.accounts.weak_passwords import why_weak
from annotator.store.store import Store, Transaction
from panelwise.domain import AnnotatorError, InvalidAnnotation, Person, Role, check_another_name

#: Minimum length of a password (generated ones are longer).
MIN_PASSWORD = 8
#: Maximum length: hashing longer ones would load the server.
MAX_PASSWORD = 1024

_hasher = PasswordHasher()
_decoys: dict[str, str] = {}


def add_person(
    store: Store, name: str, *, roles: Iterable[Role], password: str | None = None, email: str = ""
) -> Person:
    """Create an account for a new person, or for one who is known from imported work and has no password yet.

    The roles are added to the person's roles. password: None for an annotator who works in Label Studio only.
    Raises AnnotatorError for a name with an account, and for an unsuitable password or name.
    """
    hashed = None if password is None else hash_password(password, (name, email))
    with store.transaction() as tx:
        known = tx.people.get(name)
        if known is not None and tx.people.password_hash(name):
            raise AnnotatorError(
                f'"{name}" already has an account; change it with `annotator user password` or '
                "`annotator user roles`"
            )
        if known is None:
            check_another_name(name, tx.names.all())
        _check_email(tx, name, email)
        roles = frozenset(roles) | (known.roles if known else frozenset())
        person = Person(name, roles, email or (known.email if known else ""))
        tx.people.put(person, password_hash=hashed)
    return person


def set_password(store: Store, name: str, password: str) -> None:
    """Replace a person's password and end their sessions. Raises AnnotatorError."""
    hashed = hash_password(password, (name,))
    with store.transaction() as tx:
        tx.people.put(_known(tx.people.get(name), name), password_hash=hashed)


def set_roles(store: Store, name: str, roles: Iterable[Role]) -> Person:
    """Replace a person's roles. Raises AnnotatorError for an unknown name."""
    with store.transaction() as tx:
        person = replace(_known(tx.people.get(name), name), roles=frozenset(roles))
        tx.people.put(person)
    return person


def set_email(store: Store, name: str, email: str) -> None:
    """Replace a person's e-mail. Raises AnnotatorError for an unknown name or an invalid address."""
    local, _, host = email.partition("@")
    if not local or not host or any(letter.isspace() or not letter.isprintable() for letter in email):
        raise AnnotatorError(f'"{email}" is not an e-mail address; use one such as ruth@example.org')
    with store.transaction() as tx:
        person = _known(tx.people.get(name), name)
        _check_email(tx, name, email)
        tx.people.put(replace(person, email=email))


def _check_email(tx: Transaction, name: str, email: str) -> None:
    """Raise AnnotatorError if another person has the e-mail, which must identify work from Label Studio."""
    for other in tx.people.all():
        if email and other.name != name and other.email.casefold() == email.casefold():
            raise AnnotatorError(f'"{other.name}" already has the e-mail {other.email}; use another one')


def set_active(store: Store, name: str, *, active: bool) -> bool:
    """Enable or disable a person's sign-in; returns whether that changed. Raises AnnotatorError if unknown.

    Disabling ends sessions and links and revokes API tokens, for good: enabling brings none of them back.
    """
    with store.transaction() as tx:
        person = _known(tx.people.get(name), name)
        if person.active != active:
            tx.people.put(replace(person, active=active))
        if not active:
            tx.tokens.revoke_all(name)
    return person.active != active


def verify_password(store: Store, name: str, password: str) -> Person | None:
    """Return the person if the password is correct, else None.

    Takes equally long for unknown or inactive names and names without a password, so that timing reveals no names.
    """
    with store.read() as tx:
        person = tx.people.get(name)
        hashed = tx.people.password_hash(name) if person else None
    if person is None or not person.active or not hashed:
        _matches(_decoy(), password)
        return None
    if not _matches(hashed, password):
        return None
    if _hasher.check_needs_rehash(hashed):
        renewed = _hashed(password)
        with store.transaction() as tx:
            # A renaming or change made meanwhile must not be overwritten.
            if tx.people.get(name) == person and tx.people.password_hash(name) == hashed:
                tx.people.put(person, password_hash=renewed)
    return person


def signed_in(store: Store, name: str) -> tuple[Person, str] | None:
    """Return the person and their password hash if they may be signed in, else None."""
    with store.read() as tx:
        return signed_in_at(tx, name)


def signed_in_at(tx: Transaction, name: str, *, since: int | None = None) -> tuple[Person, str] | None:
    """Return `signed_in` within an open transaction.

    since: number of an entry in the log of sign-ins; the result is None if the person signed out, or was disabled,
    after it.
    """
    person, hashed = tx.people.with_hash(name, since) or (None, None)
    return (person, hashed) if person and person.active and hashed else None


def people(store: Store) -> list[tuple[Person, bool]]:
    """Return all people by name, and whether they have a password."""
    with store.read() as tx:
        return tx.people.with_passwords()


def has_reviewer(store: Store) -> bool:
    """Return whether any active person is a reviewer or lead, with a password or still to set one by a link."""
    return any(person.active and may_adjudicate(person) for person, _ in people(store))


def may_adjudicate(person: Person) -> bool:
    """Return whether the person may open the queue and decide on figures."""
    return bool(person.roles & {Role.REVIEWER, Role.LEAD})


def _known(person: Person | None, name: str) -> Person:
    if person is None:
        raise AnnotatorError(f'no person "{name}"; see `annotator user list`')
    return person


def _normal(password: str) -> str:
    """Normalize the Unicode form of a password, which differs between keyboards."""
    return unicodedata.normalize("NFKC", password)


def hash_password(password: str, names: Iterable[str] = ()) -> str:
    """Hash a password. names: of the person and the campaign, which it must not be made of.

    Raises InvalidAnnotation if it is too short, too long or too easy to guess.
    """
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InvalidAnnotation(
            f"the password has {len(password)} characters; use {MIN_PASSWORD} to {MAX_PASSWORD}"
        )
    weak = why_weak(_normal(password), names)
    if weak:
        raise InvalidAnnotation(f"the password is too easy to guess: {weak}; use several unrelated words")
    return _hashed(password)


def _hashed(password: str) -> str:
    return _hasher.hash(_normal(password))


def _matches(hashed: str, password: str) -> bool:
    if len(password) > MAX_PASSWORD:
        password = ""
    try:
        return _hasher.verify(hashed, _normal(password))
    except (VerificationError, InvalidHashError):
        return False


def _decoy() -> str:
    """Return a dummy hash of the current cost, for unknown names; computed once."""
    cost = f"{_hasher.memory_cost},{_hasher.time_cost},{_hasher.parallelism}"
    if cost not in _decoys:
        _decoys[cost] = _hasher.hash("a decoy password")
    return _decoys[cost]
