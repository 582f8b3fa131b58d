"""Attempts to sign in, and the audit of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from annotator.accounts import people as accounts
from annotator.store.rows.records import Outcome, SignIn
from panelwise.domain.errors import Conflict, InvalidAnnotation

if TYPE_CHECKING:
    from annotator.store.store import Store
    from panelwise.domain.campaign import Person

#: Whoever signed in from an address within this time is known there.
PLACE_REMEMBERED = timedelta(days=90)
#: Characters kept of a client's address.
_ADDRESS = 100


def attempt(store: Store, name: str, password: str, address: str) -> Person | None:
    """The person if the password is theirs, else None; what came of it is kept in the audit.

    Takes as long, and writes as much, for a name that nobody has. Such a name is not kept: people type their
    password there.
    """
    person = accounts.verify_password(store, name, password)
    with store.transaction() as tx:
        known = tx.person(name)
        hashed = tx.password_hash(name)
        if person is not None:
            outcome = Outcome.SIGNED_IN
        elif known is None:
            outcome = Outcome.UNKNOWN_NAME
        else:
            outcome = Outcome.WRONG_PASSWORD if known.active and hashed else Outcome.NO_ACCESS
        tx.add_sign_in(entry(known.name if known else "", outcome, address))
    return person


def record(store: Store, name: str, outcome: Outcome, address: str) -> None:
    """Keep what happened otherwise; a name that nobody has is not kept."""
    with store.transaction() as tx:
        known = tx.person(name)
        tx.add_sign_in(entry(known.name if known else "", outcome, address))


def change_password(store: Store, name: str, old: str, new: str, address: str) -> bool:
    """Replace a person's password by their own wish; False where the present one is wrong.

    Every session of the person ends. Raises InvalidAnnotation for a new one that is not taken, and Conflict where
    the password was changed meanwhile.
    """
    if accounts.verify_password(store, name, old) is None:
        record(store, name, Outcome.WRONG_PASSWORD, address)
        return False
    if old == new:
        raise InvalidAnnotation("the new password is the present one; give another")
    before = accounts.signed_in(store, name)
    hashed = accounts.hash_password(new, (name,))
    with store.transaction() as tx:
        if before is None or accounts.signed_in_at(tx, name) != before:
            raise Conflict("your account was changed meanwhile; sign in again")
        tx.put_person(before[0], password_hash=hashed)
        tx.add_sign_in(entry(name, Outcome.PASSWORD_CHANGED, address))
    return True


def signed_in_from(store: Store, name: str, address: str, *, now: datetime | None = None) -> bool:
    """Whether the person signed in from this address lately."""
    with store.read() as tx:
        return tx.signed_in_from(name, address[:_ADDRESS], (now or datetime.now(UTC)) - PLACE_REMEMBERED)


def last_entry(store: Store) -> int:
    """How far the audit has come: the number of its newest entry, 0 where it is empty."""
    with store.read() as tx:
        return tx.last_sign_in()


def sign_in_log(
    store: Store, *, name: str | None = None, failed: bool = False, limit: int = 50, offset: int = 0
) -> list[SignIn]:
    """The audit, the newest first. name: "" for attempts under names that nobody has; None for all."""
    with store.read() as tx:
        return tx.sign_ins(name=name, failed=failed, limit=limit, offset=offset)


def entry(name: str, outcome: Outcome, address: str) -> SignIn:
    """An entry of this moment."""
    return SignIn(datetime.now(UTC), name, outcome, address[:_ADDRESS])
