"""Annotators' accounts in Label Studio, and the file that its isolation rules read: who may open which project."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.annotation_server import AnnotationServer
from annotator.campaign import connect
from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import FILE_VARIABLE, format_access, parse_access
from annotator.store.store import Store
from annotator.sync.projects import stored_project
from panelwise.domain import AnnotatorError, Person, Role, SyncError
from panelwise.runtime import locked, write_whole


def publish_access(home: Home, store: Store, server: AnnotationServer) -> tuple[str, ...]:
    """Write which account may open which of the server's projects, if that has changed.

    A project is open to its annotator only, by the e-mail that the campaign has for them; inactive annotators get
    no access. Returns the active annotators with projects and without an e-mail, by name. Raises SyncError if the
    file can't be written: the earlier access then remains in force.
    """
    path = _file(home)
    with _rewriting(path):
        with store.read() as tx:
            links = [link for link in tx.links.projects() if stored_project(home, server, link) is not None]
            people = {person.name: person for person in tx.people.all(Role.ANNOTATOR) if person.active}
        owners = {link.project_id: people[link.annotator] for link in links if link.annotator in people}
        projects = {project: frozenset({owner.email} - {""}) for project, owner in owners.items()}
        _write(path, format_access(projects))
    return tuple(sorted({owner.name for owner in owners.values() if not owner.email}))


def withdraw_access(home: Home, store: Store) -> None:
    """Close Label Studio at once to accounts whose person left, no longer annotates, or has another e-mail now.

    To be called after a change of people; no server is asked, so it opens nothing: the next push or pull does.
    Raises SyncError if the file can't be written: the earlier access then remains in force.
    """
    path = _file(home)
    if not path.exists():
        return  # Without the file Label Studio is open to administrators only.
    with _rewriting(path):
        with store.read() as tx:
            known = {person.email.casefold() for person in tx.people.all(Role.ANNOTATOR) if person.active}
        try:
            access = parse_access(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return  # A file that can't be read opens nothing.
        _write(path, format_access({project: emails & known for project, emails in access.projects.items()}))


@contextmanager
def _rewriting(path: Path) -> Iterator[None]:
    """Let one process at a time read the people and write the file: an older state never replaces a newer one."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(path.with_name(f".{path.name}.lock")))
        except OSError as error:
            raise _unwritten(path, error) from error
        yield


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
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> SyncError:
    return SyncError(
        f"{path}: {error.strerror}; annotators cannot open new projects, and people who left can open theirs, "
        "until it is written: make it writable, then run annotator pull"
    )


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
