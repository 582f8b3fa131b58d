"""Links where a person sets their own password, once: the lead never learns it, and there is no default password.

A link is signed with the home's secret and the hash of the current password, so setting a password makes it
invalid. It says how far the log of sign-ins had come when it was made: it ends with whatever that log says of the
account's rights afterwards (renamed, roles changed, disabled), and never opens the account of a later person of
that name. It also expires.
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
from annotator.store.store import Store, Transaction
from panelwise.domain import AnnotatorError, Person, Role

#: Hours until a link expires, unless another number is chosen.
HOURS = 48
#: Name of the store's setting that holds the address of the view.
_ADDRESS = "view_address"


class InvitationOver(AnnotatorError):
    """A link is invalid, used or expired."""


@dataclass(frozen=True, slots=True)
class _Invitation:
    """The content of a link, before its signature is checked. until: seconds since 1970.

    entry: number of the newest entry in the log of sign-ins when it was made.
    """

    name: str
    until: int
    entry: int


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
        entry = tx.sign_ins.last_number()
    if person is None:
        raise AnnotatorError(f'no person "{name}" in this campaign; see `annotator user list`')
    if not person.active:
        raise AnnotatorError(f'the account of "{name}" is disabled; enable it with `annotator user enable`')
    said = json.dumps([name, int(time.time()) + hours * 3600, entry], ensure_ascii=False).encode()
    return f"{_text(said)}.{_text(_seal(home, said, hashed))}"


def invited(home: Home, store: Store, token: str) -> Person | None:
    """Return the person a link is for; None if it is invalid, used or expired."""
    link = _read(token)
    if link is None or link[0].until < time.time():
        return None
    with store.read() as tx:
        return _opened_by(home, tx, *link)


def _opened_by(home: Home, tx: Transaction, invitation: _Invitation, said: bytes, seal: bytes) -> Person | None:
    """Return the person whose link it is, in an open transaction; None if it is no valid link of theirs."""
    person, hashed = tx.people.get(invitation.name), tx.people.password_hash(invitation.name)
    # Compared for unknown names too, so that timing reveals no names.
    genuine = hmac.compare_digest(seal, _seal(home, said, hashed))
    changed = tx.sign_ins.rights_changed(invitation.name, invitation.entry)
    return person if genuine and not changed and person is not None and person.active else None


def accept(home: Home, store: Store, token: str, password: str, address: str) -> Person | None:
    """Set the password of a link's person and end their sessions; returns None if the link is invalid.

    Raises InvalidAnnotation for an unsuitable password.
    """
    person, link = invited(home, store, token), _read(token)
    if person is None or link is None:
        return None
    hashed = people.hash_password(password, (person.name, home.campaign.name))
    with store.transaction() as tx:
        # Checked again: only the first of two simultaneous uses may succeed.
        if _opened_by(home, tx, *link) != person:
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
        name, until, entry = json.loads(said)
        if not isinstance(name, str) or type(until) is not int or type(entry) is not int:
            return None
        return _Invitation(name, until, entry), said, seal
    except (ValueError, TypeError, RecursionError):
        return None


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
