"""The checks of `annotator doctor` on the store: reachable, of this version, writable, clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from annotator.campaign.home import Home
from annotator.operations.findings import Finding, good, note, wrong
from annotator.store.database.engine import Database, open_database, spare_folder
from annotator.store.database.errors import explained
from annotator.store.database.schema import check_revision, revision_of
from annotator.store.database.tables import HEAD
from annotator.store.store import Store
from panelwise.domain import AnnotatorError

#: Difference of two clocks in seconds that is worth a note, and that makes stored times wrong.
CLOCK_NOTE, CLOCK_WRONG = 2.0, 30.0
#: The oldest supported versions.
_OLDEST = {"PostgreSQL": (14,), "SQLite": (3, 35)}
#: File systems shared between machines, where SQLite's locks don't work.
_SHARED = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs"})


class Opening:
    """Opens the home's store without upgrading it. store: after `look`, None if it can't be used."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.store: Store | None = None

    def look(self) -> Iterator[Finding]:
        """Check the store."""
        database = open_database(self._home.store_location, create=False, spare=spare_folder())
        try:
            revision = _revision(database)
            if revision is None:
                yield wrong("store", f"{database.where} has no store", "run annotator init, or correct the URL")
                return
            check_revision(revision, database.where)
            if revision != HEAD:
                yield note(
                    "store",
                    f"{database.where} has an older version ({revision}; this program uses {HEAD})",
                    "back it up, then: annotator store upgrade",
                )
                return
            self.store = Store(database)
        finally:
            if self.store is None:
                database.close()
        yield good("store", f"{self.store.where} is accessible and up to date ({HEAD})")
        yield from _engine(self.store, database.file)
        yield from _writing(self.store)


def _revision(database: Database) -> str | None:
    with explained(database.where), database.engine.connect() as connection, connection.begin():
        return revision_of(connection)


def _engine(store: Store, file: Path | None) -> Iterator[Finding]:
    with store.read() as tx:
        name, version = tx.status.engine()
        before, theirs, after = datetime.now(UTC), tx.status.clock(), datetime.now(UTC)
    server = f"{name} {'.'.join(map(str, version))}"
    if version < _OLDEST[name]:
        oldest = ".".join(map(str, _OLDEST[name]))
        yield note("database", f"{server} is old", f"upgrade to {name} {oldest} or newer")
    else:
        yield good("database", server)
    if file is None:
        # Our clock read between before and after; a difference within that span may be network delay.
        off = max((before - theirs).total_seconds(), (theirs - after).total_seconds(), 0.0)
        yield of_clock("the database", off)
        return
    kind = _file_system(file)
    if kind in _SHARED:
        yield wrong(
            "store",
            f"{file} is on a {kind} file system, where SQLite's locks may not hold",
            "move the home to a disk of this machine, or the store to PostgreSQL: annotator store copy",
        )


def _writing(store: Store) -> Iterator[Finding]:
    """Check that a transaction can take the writer's lock; nothing is written."""
    try:
        with store.transaction() as tx:
            tx.status.engine()
    except AnnotatorError as error:
        message, _, fix = str(error).partition("; ")
        yield wrong("store", f"not writable: {message}", fix)


def of_clock(whose: str, seconds: float) -> Finding:
    """Return the finding for two clocks that differ by this many seconds."""
    if seconds >= CLOCK_WRONG:
        return wrong(
            "clock", f"differs from that of {whose} by {seconds:.0f} s", "set both by an NTP service (timedatectl)"
        )
    if seconds >= CLOCK_NOTE:
        return note("clock", f"differs from that of {whose} by {seconds:.0f} s", "set both by an NTP service")
    return good("clock", f"agrees with that of {whose}")


def _file_system(file: Path) -> str:
    """Return the type of a file's file system from /proc/mounts; "" if unknown."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) >= 3 and file.resolve().is_relative_to(fields[1]) and len(fields[1]) >= len(best):
            best, kind = fields[1], fields[2]
    return kind
