"""Sign-ins and their log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from annotator.accounts import people as accounts
from annotator.store.rows.records import Outcome, SignIn
from annotator.store.store import Store
from panelwise.domain import Conflict, InvalidAnnotation, Person

#: A person who signed in from an address within this time is known there.
PLACE_REMEMBERED = timedelta(days=90)
#: Maximum stored length of a client's address.
_ADDRESS = 100


def attempt(store: Store, name: str, password: str, address: str) -> Person | None:
    """Return the person if the password is correct, else None, and log the attempt.

    Takes as long, and writes as much, for an unknown name. Unknown names are not stored, because people sometimes
    type their password there.
    """
    person = accounts.verify_password(store, name, password)
    with store.transaction() as tx:
        known = tx.people.get(name)
        hashed = tx.people.password_hash(name)
        if person is not None:
            outcome = Outcome.SIGNED_IN
        elif known is None:
            outcome = Outcome.UNKNOWN_NAME
        else:
            outcome = Outcome.WRONG_PASSWORD if known.active and hashed else Outcome.NO_ACCESS
        tx.sign_ins.add(entry(known.name if known else "", outcome, address))
    return person


def record(store: Store, name: str, outcome: Outcome, address: str) -> None:
    """Log another event; an unknown name is not stored."""
    with store.transaction() as tx:
        known = tx.people.get(name)
        tx.sign_ins.add(entry(known.name if known else "", outcome, address))


def change_password(store: Store, name: str, old: str, new: str, address: str) -> bool:
    """Change a person's own password and end their sessions; returns False if the current password is wrong.

    Raises InvalidAnnotation for an unsuitable new password, and Conflict if it was changed meanwhile.
    """
    if accounts.verify_password(store, name, old) is None:
        record(store, name, Outcome.WRONG_PASSWORD, address)
        return False
    if old == new:
        raise InvalidAnnotation("the new password is the current one; use another")
    before = accounts.signed_in(store, name)
    hashed = accounts.hash_password(new, (name,))
    with store.transaction() as tx:
        if before is None or accounts.signed_in_at(tx, name) != before:
            raise Conflict("your account was changed meanwhile; sign in again")
        tx.people.put(before[0], password_hash=hashed)
        tx.sign_ins.add(entry(name, Outcome.PASSWORD_CHANGED, address))
    return True


def signed_in_from(store: Store, name: str, address: str, *, now: datetime | None = None) -> bool:
    """Return whether the person recently signed in from this address, or from the same network of IPv6."""
    with store.read() as tx:
        known = tx.sign_ins.addresses_of(name, (now or datetime.now(UTC)) - PLACE_REMEMBERED)
    return network_of(address[:_ADDRESS]) in {network_of(place) for place in known}


def network_of(address: str) -> str:
    """Return what one subscriber has of the Internet: an IPv4 address, or the /64 network of an IPv6 address.

    Whoever has an IPv6 address has 2**64 of them, so limits of attempts count them as one. An IPv4 address written
    as an IPv6 one is the former. Text that is no address is returned as it is.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False))
    return str(ip)


def last_entry(store: Store) -> int:
    """Return the number of the newest entry in the log of sign-ins, 0 if it is empty."""
    with store.read() as tx:
        return tx.sign_ins.last_number()


def sign_in_log(
    store: Store, *, name: str | None = None, failed: bool = False, limit: int = 50, offset: int = 0
) -> list[SignIn]:
    """Return the log of sign-ins, newest first. name: "" for attempts with unknown names; None for all."""
    with store.read() as tx:
        return tx.sign_ins.newest(name=name, failed=failed, limit=limit, offset=offset)


def entry(name: str, outcome: Outcome, address: str) -> SignIn:
    """Create a log entry with the current time."""
    return SignIn(datetime.now(UTC), name, outcome, address[:_ADDRESS])
