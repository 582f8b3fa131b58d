"""Copy a store as of one moment to an SQLite file, while others go on reading and writing."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.store.database.engine import Database, open_database
from annotator.store.database.errors import explained
from annotator.store.database.tables import HEAD, VERSION_TABLE
from annotator.store.maintenance.copy import copy_store
from panelwise.domain import StoreError, one_line
from panelwise.runtime import BACKUP, scratch_folder, sync_folder


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The contents of a snapshot. engine: of the original store. rows: by table."""

    engine: str
    revision: str
    rows: dict[str, int]


class _Named(msgspec.Struct, gc=False):
    """The image in a figure's payload, in every revision of the tables."""

    image: str = ""
    image_sha256: str = ""


def take_snapshot(location: str | Path, file: Path, *, spare: Path | None = None) -> Snapshot:
    """Copy the store at a URL or in a file to a new SQLite file, of the same revision of the tables.

    Of SQLite by its own online backup, of PostgreSQL in one REPEATABLE READ transaction, compared row by row: both
    are of one moment, and no writer waits. spare: see `open_database`. Raises StoreError if there is no store,
    or it cannot be read.
    """
    with closing(open_database(location, create=False, spare=spare)) as source:
        if source.file is None:
            with closing(open_database(file, create=True)) as target:
                for _ in copy_store(source, target, alone=False):
                    pass
        else:
            _back_up(source, file)
        with explained(source.where), closing(sqlite3.connect(file)) as plain:
            # One file without a log beside it.
            plain.execute("PRAGMA journal_mode=DELETE")
        found = look_into(file, source.where)
        return Snapshot(source.engine.dialect.name, found.revision, found.rows)


def save_before_upgrade(database: Database, location: str | Path, folder: Path | None) -> None:
    """Save a copy of a store of an earlier version as an SQLite file: NAME-before-REVISION.sqlite.

    The copy is beside an SQLite file, or in `folder` for a server's store. Raises StoreError if it can't be saved,
    or if there is no folder.
    """
    if database.copied:
        return
    place = saved_copy(database, folder)
    if place is None:
        raise StoreError(f"{database.where}: an earlier version made this store; run annotator store upgrade")
    try:
        with scratch_folder(place.parent, BACKUP) as scratch:
            file = scratch / place.name
            take_snapshot(location, file)
            file.chmod(0o600)
            with file.open("rb") as written:
                os.fsync(written.fileno())
            file.replace(place)
        sync_folder(place.parent)
    except OSError as error:
        raise StoreError(
            f"{_unsaved(database, place)} ({error.strerror}); make room, or make it writable"
        ) from error
    except StoreError as error:
        raise StoreError(f"{_unsaved(database, place)}: {error}") from error


def _unsaved(database: Database, place: Path) -> str:
    return f"{database.where}: not upgraded, as no copy of it could be saved as {place}"


def saved_copy(database: Database, folder: Path | None) -> Path | None:
    """Return where `save_before_upgrade` saves the copy; None for a server's store without a folder."""
    if database.file is not None:
        return database.file.with_name(f"{database.file.stem}-before-{HEAD}.sqlite")
    return None if folder is None else folder / f"store-before-{HEAD}.sqlite"


def look_into(file: Path, where: str) -> Snapshot:
    """Return the contents of an SQLite file that no other process uses. where: for messages. Raises StoreError."""
    with explained(where), closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as plain:
        problem = plain.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise StoreError(f"{where}: the database is damaged ({one_line(problem)}); restore a backup")
        names = [
            name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        ]
        if VERSION_TABLE not in names:
            raise StoreError(f"{where}: this database holds no Panelwise store; name the campaign's own")
        revision = plain.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        ours = [
            name for name in names if name != VERSION_TABLE and not name.startswith(("queue_words", "sqlite_"))
        ]
        rows = {name: plain.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in ours}
    return Snapshot("sqlite", str(revision[0]) if revision else "", rows)


def images_in(file: Path) -> Iterator[tuple[str, str, str]]:
    """Return (image, id of its figure, SHA-256 or "") of every image of any revision, each once."""
    seen = set()
    with explained(str(file)), closing(sqlite3.connect(file)) as plain:
        for figure_id, payload in plain.execute("SELECT figure_id, payload FROM figure_revisions ORDER BY 1"):
            named = _named(payload)
            if named.image and named.image not in seen:
                seen.add(named.image)
                yield named.image, str(figure_id), named.image_sha256


def _named(payload: str) -> _Named:
    try:
        return msgspec.json.decode(payload, type=_Named)
    except msgspec.MsgspecError:
        pass
    try:
        value = json.loads(payload)  # Infinity, which Python writes
        return _Named(str(value.get("image", "")), str(value.get("image_sha256", "")))
    except (ValueError, AttributeError):
        return _Named()  # A damaged row is backed up as it is; `annotator store check` tells of it.


def _back_up(source: Database, file: Path) -> None:
    with explained(source.where), closing(sqlite3.connect(file)) as target:
        connection = source.engine.raw_connection()
        try:
            # All pages in one step: in several, a write in between would restart it.
            plain = connection.driver_connection
            assert isinstance(plain, sqlite3.Connection)
            plain.backup(target)
        finally:
            connection.close()
