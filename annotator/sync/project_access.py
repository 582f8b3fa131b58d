"""Write the file that Label Studio's isolation rules read: which account may open which project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from annotator.annotation_server import AnnotationServer
from annotator.campaign.home import Home
from annotator.label_studio.embedded.server import access_file
from annotator.label_studio.isolation.rules import FILE_VARIABLE, format_access, parse_access
from annotator.store.store import Store
from annotator.sync.projects import stored_project
from panelwise.domain import Role, SyncError
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
            known = {each.email.casefold() for each in tx.people.all(Role.ANNOTATOR) if each.active}
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
