"""Links where a person sets their own password, once: the lead never learns it, and there is no default password.

A link is signed with the home's secret and the hash of the current password, so setting a password makes it
invalid. It also expires.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass

from annotator.accounts import people, sign_in
from annotator.campaign.home import Home
from annotator.store.rows.records import Outcome
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role
from panelwise.domain.errors import AnnotatorError

#: Hours until a link expires, unless another number is chosen.
HOURS = 48
#: Name of the store's setting that holds the address of the view.
_ADDRESS = "view_address"


class InvitationOver(AnnotatorError):
    """A link is invalid, used or expired."""


@dataclass(frozen=True, slots=True)
class _Invitation:
    """The content of a link, before its signature is checked. until: seconds since 1970."""

    name: str
    until: int


def invitation_message(campaign: str, person: Person, link: str, label_studio: str = "") -> tuple[str, str]:
    """Return subject and text of the message that sends a person their link.

    label_studio: the address of Label Studio if the link makes the person's account there too, else "".
    """
    if Role.LEAD in person.roles:
        work = "lead the campaign"
    else:
        work = "review annotations" if Role.REVIEWER in person.roles else "annotate figures"
    lines = [
        f"Hello {person.name},",
        "",
        f'you are invited to {work} in "{campaign}". Set your password here, within {HOURS} hours; the link works '
        "once:",
        "",
        link,
        "",
        f"Later you sign in as {person.name} with that password.",
    ]
    if label_studio:
        lines += [
            "",
            f"You annotate in Label Studio, at {label_studio}: sign in with {person.email} and the same password.",
        ]
    return f'Invitation to "{campaign}"', "\n".join(lines)


def note_address(store: Store, url: str) -> None:
    """Store the address of the adjudication view, for links to it. url: "" if only the proxy's operator knows."""
    with store.read() as tx:
        noted = tx.settings.get(_ADDRESS)
    if url != noted:
        with store.transaction() as tx:
            tx.settings.put(_ADDRESS, url)


def noted_address(store: Store) -> str:
    """Return the last address of the adjudication view; "" if unknown."""
    with store.read() as tx:
        return tx.settings.get(_ADDRESS) or ""


def invite(home: Home, store: Store, name: str, *, hours: int = HOURS) -> str:
    """Create the token of a link for setting a password. Raises AnnotatorError for an unknown person."""
    with store.read() as tx:
        person, hashed = tx.people.get(name), tx.people.password_hash(name)
    if person is None:
        raise AnnotatorError(f'no person "{name}" in this campaign; see `annotator user list`')
    if not person.active:
        raise AnnotatorError(f'the account of "{name}" is disabled; enable it with `annotator user enable`')
    said = json.dumps([name, int(time.time()) + hours * 3600], ensure_ascii=False).encode()
    return f"{_text(said)}.{_text(_seal(home, said, hashed))}"


def invited(home: Home, store: Store, token: str) -> Person | None:
    """Return the person a link is for; None if it is invalid, used or expired."""
    found = _read(token)
    if found is None or found[0].until < time.time():
        return None
    invitation, said, seal = found
    with store.read() as tx:
        person, hashed = tx.people.get(invitation.name), tx.people.password_hash(invitation.name)
    # Compared for unknown names too, so that timing reveals no names.
    genuine = hmac.compare_digest(seal, _seal(home, said, hashed))
    return person if genuine and person is not None and person.active else None


def accept(home: Home, store: Store, token: str, password: str, address: str) -> Person | None:
    """Set the password of a link's person and end their sessions; returns None if the link is invalid.

    Raises InvalidAnnotation for an unsuitable password.
    """
    person = invited(home, store, token)
    if person is None:
        return None
    hashed = people.hash_password(password, (person.name, home.campaign.name))
    _, said, seal = _read(token) or (None, b"", b"")
    with store.transaction() as tx:
        # Checked again: only the first of two simultaneous uses may succeed.
        if tx.people.get(person.name) != person:
            return None
        if not hmac.compare_digest(seal, _seal(home, said, tx.people.password_hash(person.name))):
            return None
        tx.people.put(person, password_hash=hashed)
        tx.sign_ins.add(sign_in.entry(person.name, Outcome.PASSWORD_SET, address))
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
