"""Annotators' accounts in Label Studio: matched by e-mail, created through the server's own invitation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.campaign.choices import check_among
from annotator.label_studio.client import LabelStudioServer
from annotator.store.store import Store
from panelwise.domain.campaign import Role
from panelwise.domain.errors import AnnotatorError

#: Bytes of chance in a password that is made up (16 characters).
_BYTES = 12


@dataclass(frozen=True, slots=True)
class Guest:
    """An annotator as Label Studio knows them. password: of an account created just now, else None."""

    name: str
    email: str
    has_account: bool
    password: str | None = None


def guests(
    store: Store, server: LabelStudioServer, names: Sequence[str] = (), *, make: bool = False
) -> tuple[Guest, ...]:
    """Return annotators and whether they have an account on the server, by name.

    names: default every active annotator. make: create accounts, each with a new password, for annotators with an
    e-mail and without an account. Raises AnnotatorError for a name that is not an active annotator.
    """
    with store.read() as tx:
        people = {person.name: person for person in tx.people.all(Role.ANNOTATOR) if person.active}
    for name in names:
        check_among(name, people, "annotator", "the campaign", option="NAME")
    if not people:
        raise AnnotatorError("the campaign has no annotators yet; run annotator assign --annotators a,b,c")
    known = {account.email.casefold() for account in server.accounts()}
    found = []
    for name in sorted(names or people):
        email = people[name].email
        has, password = email.casefold() in known, None
        if make and email and not has:
            password = secrets.token_urlsafe(_BYTES)
            server.ensure_account(email, password)
        found.append(Guest(name, email, has or password is not None, password))
    return tuple(found)
