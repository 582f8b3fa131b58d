"""Is everything set as it should be? What `annotator doctor` looks at on this machine, and what to do about it.

Nothing is changed: no store is upgraded, no secret made, no server started.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.home import Home
from annotator.gold.releases import changes, releases
from annotator.operations.findings import Finding, good, note, wrong
from panelwise.domain.campaign import Role
from panelwise.domain.errors import AnnotatorError, one_line
from panelwise.domain.names import describe_spellings, same_names
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Free space in bytes below which somebody should look, and below which work may be refused any moment.
LITTLE_SPACE, NO_SPACE = 2 * 1024**3, 200 * 1024**2
#: Where the built front end lies.
_BUILT = Path(__file__).resolve().parents[1] / "web" / "static" / "dist"


def diagnose(home_path: Path | None, *, server: bool = True) -> Iterator[Finding]:
    """Every check in turn. given: the home, see `Home.find`. server: whether Label Studio is asked."""
    from annotator.operations import doctor_label_studio, doctor_store

    yield from guarded("program", program)
    try:
        home = Home.find(home_path)
    except AnnotatorError as error:
        yield refused("campaign", error)
        return
    yield good("campaign", f"{home.campaign.name}, in {home.path}")
    yield from guarded("secret", lambda: secret(home))
    yield from guarded("permissions", lambda: permissions(home))
    yield from guarded("disk", lambda: disk(home))
    yield from guarded("releases", lambda: tampered_releases(home))
    store: Store | None = None
    try:
        opened = doctor_store.Opening(home)
        yield from guarded("store", opened.look)
        store = opened.store
        if store is not None:
            usable = store
            yield from guarded("people", lambda: people(usable))
        if server:
            yield from guarded("Label Studio", lambda: doctor_label_studio.studio(home, store))
    finally:
        if store is not None:
            store.close()


def guarded(about: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """What a check finds; where it breaks off, why."""
    try:
        yield from check()
    except AnnotatorError as error:
        yield refused(about, error)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        yield wrong(about, f"{name}{error.strerror or error}", "make it readable for this user")


def refused(about: str, error: AnnotatorError) -> Finding:
    """The finding that tells an error; its second half says what to do."""
    told, _, mend = one_line(error).partition("; ")
    return wrong(about, told, mend)


def program() -> Iterator[Finding]:
    """This program: its front end, the time zone it tells times in, what it runs on."""
    python = ".".join(map(str, sys.version_info[:3]))
    manifest = _BUILT / "manifest.json"
    try:
        listed = json.loads(manifest.read_text(encoding="utf-8"))["built"]
        stale = [name for name, digest in listed.items() if _digest(_BUILT / name) != digest]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield wrong("program", "the built front end is not whole", "reinstall Panelwise")
    else:
        if stale:
            yield wrong("program", f"{stale[0]} is not as it was built", "reinstall Panelwise")
        else:
            yield good("program", f"Python {python}; the front end is whole")
    now = datetime.now().astimezone()
    zone = now.tzname() or "unknown"
    if now.utcoffset() is None or zone == "unknown":
        yield note("time zone", "this machine's is unknown", "set TZ, so that times are told right")
    else:
        yield good("time zone", f"{zone}, {now:%z}; stored times are UTC")
    # Deadlines are told by the clock; one that was never set stands at the beginning of time.
    if datetime.now(UTC).year < 2025:
        yield wrong("clock", f"says {datetime.now(UTC):%Y-%m-%d}", "set it, and keep it set with an NTP service")


def secret(home: Home) -> Iterator[Finding]:
    """The key that signs sessions and makes pseudonyms."""
    file = home.path / "secret.key"
    try:
        held, mode = file.read_bytes().strip(), stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        yield wrong(
            "secret",
            f"{file} is missing",
            "put it back from a backup; a new one ends every session and changes every pseudonym",
        )
        return
    if len(held) < 32:
        yield wrong("secret", f"{file} is too short to be a secret", "put it back from a backup")
    elif mode & 0o077:
        yield wrong("secret", f"{file} can be read by others (mode {mode:03o})", f"chmod 600 {file}")
    else:
        yield good("secret", f"there, for its owner only (mode {mode:03o})")


def permissions(home: Home) -> Iterator[Finding]:
    """Who may read and write the home: its owner, and nobody else the store and the credentials."""
    mended = False
    for path in (home.path, home.images):
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            mended = True
            yield wrong("permissions", f"{path} may not be read and written", f"chown it to user {os.geteuid()}")
    for name in ("store.sqlite", "label-studio/credentials.json", "label-studio/label_studio.sqlite3"):
        file = home.path / name
        if file.exists() and file.stat().st_uid != os.geteuid():
            mended = True
            yield note(
                "permissions", f"{file} belongs to user {file.stat().st_uid}", f"chown it to user {os.geteuid()}"
            )
    mode = stat.S_IMODE(home.path.stat().st_mode)
    credentials = home.path / "label-studio" / "credentials.json"
    if credentials.exists() and stat.S_IMODE(credentials.stat().st_mode) & 0o077:
        mended = True
        yield wrong("permissions", f"{credentials} can be read by others", f"chmod 600 {credentials}")
    if mode & 0o007:
        mended = True
        yield note(
            "permissions",
            f"{home.path}, with people's password hashes in it, is open to every user (mode {mode:03o})",
            f"chmod 700 {home.path}",
        )
    if not mended:
        yield good("permissions", f"the home is this user's (mode {mode:03o})")


def disk(home: Home) -> Iterator[Finding]:
    """Room for the store, the images and what is written beside them."""
    free = shutil.disk_usage(home.path).free
    told = f"{free / 1024**3:.1f} GiB free at {home.path}"
    found = os.statvfs(home.path)
    if free < NO_SPACE:
        yield wrong("disk", told, "make room at once: decisions are refused when it is full")
    elif found.f_files and found.f_favail < 1000:
        yield wrong("disk", f"{counted(found.f_favail, 'file')} more can be made at {home.path}", "remove files")
    elif free < LITTLE_SPACE:
        yield note("disk", told, "make room before it is full")
    else:
        yield good("disk", told)
    # A clock that was set back orders sign-ins and deadlines wrongly; files tell of the time before.
    newest = max(
        (each.stat().st_mtime for each in (home.path / "store.sqlite", home.path / "secret.key") if each.exists()),
        default=0.0,
    )
    if newest > time.time() + 300:
        ahead = datetime.fromtimestamp(newest, UTC)
        yield wrong(
            "clock", f"is behind: a file of the home was written {ahead:%Y-%m-%d %H:%M} UTC", "set the clock"
        )


def tampered_releases(home: Home) -> Iterator[Finding]:
    """Whether every release is still as it was made; images are only looked for."""
    there = releases(home)
    sound = True
    for line in (line for each in there for line in changes(each, images=False)):
        sound = False
        told, _, mend = line.rpartition("; ")
        yield wrong("releases", told, mend)
    if there and sound:
        yield good("releases", f"{counted(len(there), 'release')}, as they were made")


def people(store: Store) -> Iterator[Finding]:
    """Whether anybody can sign in, and whether somebody leads."""
    with store.read() as tx:
        active = [person for person in tx.people() if person.active]
        for names in same_names(tx.names()):
            yield note("people", *describe_spellings(names))
    settling = [person for person in active if person.roles & {Role.REVIEWER, Role.LEAD}]
    if not settling:
        yield note(
            "people",
            "nobody can sign in to settle figures",
            "annotator user add NAME --role lead, or --role reviewer",
        )
    elif not any(Role.LEAD in person.roles for person in settling):
        yield note(
            "people",
            "nobody leads, so nobody sees the dashboard",
            "annotator user roles NAME --role lead, and --role for each role that NAME has",
        )
    else:
        yield good("people", f"{counted(len(active), 'person', 'people')}, of whom {len(settling)} settle figures")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
