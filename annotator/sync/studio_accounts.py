"""Annotators' accounts in Label Studio: matched by e-mail, created through the server's own invitation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.annotation_server import AnnotationServer
from annotator.campaign import connect
from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain import AnnotatorError, Person, Role, SyncError

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
    store: Store, server: AnnotationServer, names: Sequence[str] = (), *, make: bool = False
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


def annotates_in_studio(home: Home, person: Person) -> bool:
    """Return whether a phase in Label Studio is for the person: all annotators, unless the phase names some."""
    return Role.ANNOTATOR in person.roles and any(
        phase.in_label_studio and (not phase.annotators or person.name in phase.annotators)
        for phase in home.campaign.phases
    )


def create_studio_account(home: Home, person: Person, password: str) -> str:
    """Create the account in Label Studio of a person who has just set their password; it has the same password.

    Returns what the person has to know, one line. An existing account keeps its password.
    """
    lead_helps = "Tell the campaign's lead"
    if not person.email:
        return f"You have no account in Label Studio yet. {lead_helps} your e-mail address."
    try:
        with connect.running_studio(home) as server:
            known = {account.email.casefold() for account in server.accounts()}
            if person.email.casefold() in known:
                return f"Label Studio has an account for {person.email} already; its password stays as it is."
            server.ensure_account(person.email, password)
    except SyncError as error:
        return f"Your account in Label Studio could not be made: {error}. {lead_helps}."
    return f"Label Studio has an account for you: {person.email}, with the same password."
