"""Links by which a person sets their own password, once: the lead never knows it, and no password is a default.

A link is made with the home's secret and the password that holds now (or that there is none): the one that it sets
makes it void. It ends by itself, too.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.accounts import people, sign_in
from annotator.store.rows.records import Outcome
from panelwise.domain.errors import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store
    from panelwise.domain.campaign import Person

#: Hours that a link holds unless told otherwise, and at most.
HOURS = 48
MOST_HOURS = 14 * 24
#: Name of the store's setting that holds the address of the view.
_ADDRESS = "view_address"


class InvitationOver(AnnotatorError):
    """A link does not hold: it is none, was used, or is over."""


@dataclass(frozen=True, slots=True)
class _Invitation:
    """What a link says, before it is known to be genuine. until: seconds since 1970."""

    name: str
    until: int


def note_address(store: Store, url: str) -> None:
    """Remember where the view is served, for links to it. url: "" where only its proxy's operator knows."""
    with store.read() as tx:
        noted = tx.setting(_ADDRESS)
    if url != noted:
        with store.transaction() as tx:
            tx.set_setting(_ADDRESS, url)


def noted_address(store: Store) -> str:
    """Where the view was last served; "" where that is not known."""
    with store.read() as tx:
        return tx.setting(_ADDRESS) or ""


def invite(home: Home, store: Store, name: str, *, hours: int = HOURS) -> str:
    """The token of a link by which the person sets a password. Raises AnnotatorError for nobody."""
    with store.read() as tx:
        person, hashed = tx.person(name), tx.password_hash(name)
    if person is None:
        raise AnnotatorError(f'nobody here is called "{name}"; see `annotator user list`')
    if not person.active:
        raise AnnotatorError(f'"{name}" can sign in no more; let them in again with `annotator user enable`')
    said = json.dumps([name, int(time.time()) + hours * 3600], ensure_ascii=False).encode()
    return f"{_text(said)}.{_text(_seal(home, said, hashed))}"


def invited(home: Home, store: Store, token: str) -> Person | None:
    """Whom a link is for; None where it is none, was used, or is over."""
    found = _read(token)
    if found is None or found[0].until < time.time():
        return None
    invitation, said, seal = found
    with store.read() as tx:
        person, hashed = tx.person(invitation.name), tx.password_hash(invitation.name)
    # Compared for nobody too, so that time tells no names.
    genuine = hmac.compare_digest(seal, _seal(home, said, hashed))
    return person if genuine and person is not None and person.active else None


def accept(home: Home, store: Store, token: str, password: str, address: str) -> Person | None:
    """Set the password of whom the link is for; None where it does not hold. Raises InvalidAnnotation.

    Every session of the person ends, and so does the link.
    """
    person = invited(home, store, token)
    if person is None:
        return None
    hashed = people.hash_password(password, (person.name, home.campaign.name))
    _, said, seal = _read(token) or (None, b"", b"")
    with store.transaction() as tx:
        # Looked at again: of two who open the link at the same time one comes first.
        if tx.person(person.name) != person:
            return None
        if not hmac.compare_digest(seal, _seal(home, said, tx.password_hash(person.name))):
            return None
        tx.put_person(person, password_hash=hashed)
        tx.add_sign_in(sign_in.entry(person.name, Outcome.PASSWORD_SET, address))
    return person


def _seal(home: Home, said: bytes, hashed: str | None) -> bytes:
    key = hashlib.sha256(b"invitations\0" + home.secret()).digest()
    return hmac.new(key, hashlib.sha256((hashed or "").encode()).digest() + said, hashlib.sha256).digest()


def _read(token: str) -> tuple[_Invitation, bytes, bytes] | None:
    try:
        first, _, last = token.partition(".")
        said, seal = _bytes(first), _bytes(last)
        name, until = json.loads(said)
        return (_Invitation(name, until), said, seal) if isinstance(name, str) and isinstance(until, int) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
