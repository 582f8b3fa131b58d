"""The checks of `annotator doctor` on this machine, each with how to fix it.

Nothing is changed: no store is upgraded, no secret created, no server started.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotator.campaign.home import Home
from annotator.gold.releases import changes, exposures, releases, releases_folder
from annotator.jobs.folders import FOLDER as JOBS
from annotator.operations import doctor_label_studio, doctor_store
from annotator.operations.findings import Finding, good, note, wrong
from annotator.queue.ranking import count_partly_read
from annotator.store.store import Store
from panelwise.domain import AnnotatorError, Role, describe_spellings, one_line, same_names
from panelwise.runtime import counted, first_of, folders_called, is_unfinished, restoring

#: Free space in bytes below which a note is printed, and below which saving may fail at any moment.
LITTLE_SPACE, NO_SPACE = 2 * 1024**3, 200 * 1024**2
#: Seconds after which what is unfinished has been left.
_UNFINISHED_AFTER = 24 * 3600
#: Leftovers named at most.
_MOST_SHOWN = 3
#: Folder of the built front end.
_BUILT = Path(__file__).resolve().parents[1] / "web" / "static" / "dist"


@dataclass(slots=True)
class Examined:
    """The campaign that is checked. server: whether to check Label Studio. store: None until it is open."""

    home: Home
    server: bool
    store: Store | None = None


def diagnose(home_path: Path | None, *, server: bool = True) -> Iterator[Finding]:
    """Run all checks. home_path: see `Home.find`. server: whether to check Label Studio."""
    yield from guarded("program", program())
    try:
        home = Home.find(home_path)
    except AnnotatorError as error:
        yield refused("campaign", error)
        return
    yield good("campaign", f"{home.campaign.name}, in {home.path}")
    examined = Examined(home, server)
    try:
        for about, probe in PROBES.items():
            yield from guarded(about, probe(examined))
    finally:
        if examined.store is not None:
            examined.store.close()


def guarded(about: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Run a check; an error becomes a finding."""
    try:
        yield from findings
    except AnnotatorError as error:
        yield refused(about, error)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        yield wrong(about, f"{name}{error.strerror or error}", "make it readable for this user")


def refused(about: str, error: AnnotatorError) -> Finding:
    """Convert an error to a finding; the part after the semicolon is the fix."""
    message, _, fix = one_line(error).partition("; ")
    return wrong(about, message, fix)


def program() -> Iterator[Finding]:
    """Check this program: front end, time zone, Python."""
    python = ".".join(map(str, sys.version_info[:3]))
    manifest = _BUILT / "manifest.json"
    try:
        listed = json.loads(manifest.read_text(encoding="utf-8"))["built"]
        stale = [name for name, digest in listed.items() if _digest(_BUILT / name) != digest]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield wrong("program", "the built front end is incomplete", "reinstall Panelwise")
    else:
        if stale:
            yield wrong("program", f"{stale[0]} differs from the built file", "reinstall Panelwise")
        else:
            yield good("program", f"Python {python}; the front end is complete")
    now = datetime.now().astimezone()
    zone = now.tzname() or "unknown"
    if now.utcoffset() is None or zone == "unknown":
        yield note("time zone", "unknown on this machine", "set TZ, so that times are shown correctly")
    else:
        yield good("time zone", f"{zone}, {now:%z}; stored times are UTC")
    # Deadlines depend on the clock; one that was never set shows a date long ago.
    if datetime.now(UTC).year < 2025:
        yield wrong("clock", f"says {datetime.now(UTC):%Y-%m-%d}", "set it, and use an NTP service")


def secret(home: Home) -> Iterator[Finding]:
    """Check the key that signs sessions and derives pseudonyms."""
    file = home.path / "secret.key"
    try:
        held, mode = file.read_bytes().strip(), stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        yield wrong(
            "secret",
            f"{file} is missing",
            "restore it from a backup; a new one ends every session and changes every pseudonym",
        )
        return
    if len(held) < 32:
        yield wrong("secret", f"{file} is too short", "restore it from a backup")
    elif mode & 0o077:
        yield wrong("secret", f"{file} can be read by others (mode {mode:03o})", f"chmod 600 {file}")
    else:
        yield good("secret", f"readable by its owner only (mode {mode:03o})")


def permissions(home: Home) -> Iterator[Finding]:
    """Check that the owner can read and write the home, and only the owner the store and the credentials."""
    mended = False
    for path in (home.path, home.images):
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            mended = True
            yield wrong("permissions", f"{path} is not readable and writable", f"chown it to user {os.geteuid()}")
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
            f"{home.path}, which contains password hashes, is open to every user (mode {mode:03o})",
            f"chmod 700 {home.path}",
        )
    if not mended:
        yield good("permissions", f"the home belongs to this user (mode {mode:03o})")


def disk(home: Home) -> Iterator[Finding]:
    """Check the free disk space and the clock."""
    free = shutil.disk_usage(home.path).free
    message = f"{free / 1024**3:.1f} GiB free at {home.path}"
    found = os.statvfs(home.path)
    if free < NO_SPACE:
        yield wrong("disk", message, "free space now: decisions can't be saved on a full disk")
    elif found.f_files and found.f_favail < 1000:
        yield wrong("disk", f"only {counted(found.f_favail, 'more file')} possible at {home.path}", "remove files")
    elif free < LITTLE_SPACE:
        yield note("disk", message, "free space before it is full")
    else:
        yield good("disk", message)
    # A clock that was set back orders sign-ins and deadlines wrongly; the files' times reveal it.
    newest = max(
        (each.stat().st_mtime for each in (home.path / "store.sqlite", home.path / "secret.key") if each.exists()),
        default=0.0,
    )
    if newest > time.time() + 300:
        ahead = datetime.fromtimestamp(newest, UTC)
        yield wrong(
            "clock", f"is behind: a file of the home was written {ahead:%Y-%m-%d %H:%M} UTC", "set the clock"
        )


def leftovers(home: Home) -> Iterator[Finding]:
    """Name what commands that were killed left in the home, and beside it where they restored it."""
    old = time.time() - _UNFINISHED_AFTER
    found = [path for path in folders_called(home.path.parent, restoring(home.path)) if _is_older(path, old)]
    for folder, folders, files in os.walk(home.path):
        unfinished = [each for each in (*folders, *files) if is_unfinished(each)]
        folders[:] = [each for each in folders if each not in (*unfinished, "label-studio")]
        found += (path for each in unfinished if _is_older(path := Path(folder, each), old))
    if found:
        shown = first_of([str(each) for each in sorted(found)], _MOST_SHOWN)
        yield note("leftovers", f"of commands that were killed: {shown}", "remove them; nothing uses them")


def _is_older(path: Path, moment: float) -> bool:
    try:
        return path.lstat().st_mtime < moment
    except FileNotFoundError:  # its command has just finished
        return False


def tampered_releases(home: Home) -> Iterator[Finding]:
    """Check that every release is unchanged; for images, only that they exist."""
    there = releases(home)
    sound = True
    for line in (line for each in there for line in changes(each, images=False)):
        sound = False
        message, _, fix = line.rpartition("; ")
        yield wrong("releases", message, fix)
    if there and sound:
        yield good("releases", f"{counted(len(there), 'release')}, unchanged")


def exposed_secrets(home: Home) -> Iterator[Finding]:
    """Check that no release and no result or log of a job has a login or signature in an address."""
    folders = [folder for folder in (releases_folder(home), home.path / JOBS) if folder.is_dir()]
    sound = True
    for folder in folders:
        for line in exposures(folder):
            sound = False
            message, _, fix = line.rpartition("; ")
            yield wrong("addresses", message, fix)
    if folders and sound:
        yield good("addresses", "no login, key or signature in releases and jobs")


def people(store: Store) -> Iterator[Finding]:
    """Check that a reviewer can sign in, and that there is a lead."""
    with store.read() as tx:
        active = [person for person in tx.people.all() if person.active]
        for names in same_names(tx.names.all()):
            yield note("people", *describe_spellings(names))
    adjudicators = [person for person in active if person.roles & {Role.REVIEWER, Role.LEAD}]
    if not adjudicators:
        yield note(
            "people",
            "no reviewer or lead can sign in to adjudicate",
            "annotator user add NAME --role lead, or --role reviewer",
        )
    elif not any(Role.LEAD in person.roles for person in adjudicators):
        yield note(
            "people",
            "no lead, so the dashboard is not accessible",
            "annotator user roles NAME --role lead, and --role for each role that NAME has",
        )
    else:
        yield good("people", f"{counted(len(active), 'person', 'people')}, {len(adjudicators)} of them adjudicate")


def partly_read(store: Store) -> Iterator[Finding]:
    """Count figures that need a decision, because some of the work on them could not be read."""
    with store.read() as tx:
        number = count_partly_read(tx)
    if number:
        yield note(
            "work",
            f"{counted(number, 'figure')} with work that was read in part, which makes no gold without a reviewer",
            'adjudicate them (queue, main disagreement "read in part"), or import the work whole',
        )


def unread_pairs(store: Store) -> Iterator[Finding]:
    """Name stored question-answer pairs, and values of figure types, that cannot be read."""
    with store.read() as tx:
        lines = [line for figure in tx.figures.all() for line in figure.imported.unread]
    if lines:
        more = f"; and {len(lines) - _MOST_SHOWN} more" if len(lines) > _MOST_SHOWN else ""
        yield note(
            "pairs",
            f"stored, but not read: {'; '.join(lines[:_MOST_SHOWN])}{more}",
            "annotators do not see them; correct them and import the figures again with --revise",
        )


def opened(examined: Examined) -> Iterator[Finding]:
    """Check the store, and open it for the checks that read it."""
    opening = doctor_store.Opening(examined.home)
    try:
        yield from opening.look()
    finally:
        examined.store = opening.store


def label_studio(examined: Examined) -> Iterator[Finding]:
    """Check Label Studio, unless that is not wanted."""
    if examined.server:
        yield from doctor_label_studio.studio(examined.home, examined.store)


def _of_home(check: Callable[[Home], Iterator[Finding]]) -> Callable[[Examined], Iterator[Finding]]:
    return lambda examined: check(examined.home)


def _of_store(check: Callable[[Store], Iterator[Finding]]) -> Callable[[Examined], Iterator[Finding]]:
    """Return a check that is left out if the store can't be used."""
    return lambda examined: iter(()) if examined.store is None else check(examined.store)


#: The checks of a campaign, in order. The name stands for a check that fails itself.
PROBES: Mapping[str, Callable[[Examined], Iterator[Finding]]] = {
    "secret": _of_home(secret),
    "permissions": _of_home(permissions),
    "disk": _of_home(disk),
    "leftovers": _of_home(leftovers),
    "releases": _of_home(tampered_releases),
    "addresses": _of_home(exposed_secrets),
    "store": opened,
    "people": _of_store(people),
    "work": _of_store(partly_read),
    "pairs": _of_store(unread_pairs),
    "Label Studio": label_studio,
}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
