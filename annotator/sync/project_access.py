"""Annotators' accounts in Label Studio: who has one, and the file that says which project each may open."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import FILE_VARIABLE, format_access
from annotator.store.store import Store
from annotator.sync.projects import stored_project
from panelwise.domain.campaign import Role
from panelwise.domain.errors import AnnotatorError, SyncError
from panelwise.runtime.atomic_write import write_whole


def publish_access(home: Home, store: Store, server: LabelStudioServer) -> tuple[str, ...]:
    """Write which account may open which of the server's projects, if that has changed.

    A project is open to its annotator only, by the e-mail that the campaign has for them; inactive annotators get
    no access. Returns the active annotators with projects and without an e-mail, by name. Raises SyncError if the
    file can't be written: the earlier access then remains in force.
    """
    with store.read() as tx:
        links = [link for link in tx.links.projects() if stored_project(home, server, link) is not None]
        people = {person.name: person for person in tx.people.all(Role.ANNOTATOR) if person.active}
    owners = {link.project_id: people[link.annotator] for link in links if link.annotator in people}
    projects = {project: frozenset({owner.email} - {""}) for project, owner in owners.items()}
    _write(_file(home), format_access(projects))
    return tuple(sorted({owner.name for owner in owners.values() if not owner.email}))


def _file(home: Home) -> Path:
    """Return the path of the access file; an environment variable names it if Label Studio runs in a container."""
    named = os.environ.get(FILE_VARIABLE)
    return Path(named) if named else access_file(home.path)


def _write(path: Path, text: str) -> None:
    try:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        write_whole(path, text.encode())
    except OSError as error:
        raise SyncError(
            f"{path}: {error.strerror}; annotators cannot open new projects until it is written"
        ) from error


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
