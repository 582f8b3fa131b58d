"""Back up a campaign to one file while people continue to work, also on a schedule, with a restore as a test."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

from annotator.campaign.guidelines import guidelines_path
from annotator.campaign.home import Home
from annotator.campaign.protected_files import refuse_protected
from annotator.gold.releases import Release, changes, releases, sha256_of
from annotator.operations.backup_file import BackupWriter
from annotator.store.maintenance.snapshot import images_in, take_snapshot
from panelwise.domain import AnnotatorError, FormatError
from panelwise.formats import time_text
from panelwise.runtime import BACKUP, scratch_folder, whole_file
from panelwise.settings import FILE_NAME, with_store_url

#: Data in the folder of the embedded Label Studio; the rest is created again.
STUDIO = "label-studio"
_STUDIO_DATABASE = "label_studio.sqlite3"
_STUDIO_FILES = ("credentials.json",)
_STUDIO_FOLDERS = ("media",)


@dataclass(slots=True)
class BackedUp:
    """The content of the backup so far. problems: errors, one line each. manifest: once complete."""

    files: int = 0
    bytes: int = 0
    problems: list[str] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)


def back_up(home: Home, path: Path, *, secret: bool = False, studio: bool = False) -> Iterator[BackedUp]:
    """Write the campaign to a file at `path`, completely or not at all; yields after each file in it.

    Contains a snapshot of the store, the images of every revision, settings, guidelines and releases. secret: also
    secret.key and the store's URL with its password. studio: also the data of the embedded Label Studio with its
    accounts. An older store is not upgraded. Raises AnnotatorError if the store can't be read or `path` is one of
    the campaign's files, OSError if it can't be written.
    """
    refuse_protected(path, home)
    if path.suffix != ".zip":
        raise AnnotatorError(f"{path}: a backup is a ZIP archive; use a name that ends in .zip")
    done = BackedUp()
    with (
        whole_file(path) as file,
        closing(BackupWriter(file)) as archive,
        scratch_folder(path.parent, BACKUP) as scratch,
    ):
        os.chmod(file.fileno(), 0o600)
        writer = _Writer(archive, done)
        # The store first: images are stored before the rows that name them, and never removed.
        store = scratch / "store.sqlite"
        snapshot = take_snapshot(home.store_location, store, spare=scratch)
        yield writer.file("store.sqlite", store)
        settings = home.path / FILE_NAME
        text = settings.read_text(encoding="utf-8-sig")
        if not secret:
            text = with_store_url(text, None, str(settings))
        yield writer.bytes(FILE_NAME, text.encode())
        yield writer.guidelines(home)
        for image, figure_id, sha256 in images_in(store):
            yield writer.image(home, image, figure_id, sha256)
        for release in releases(home):
            yield from writer.release(home, release)
        if secret:
            home.secret()
            yield writer.file("secret.key", home.path / "secret.key")
        if studio:
            yield from _studio(home, writer, Path(scratch))
        done.manifest = writer.finish(
            {
                "created_at": time_text(datetime.now(UTC)),
                "panelwise": version("panelwise"),
                "campaign": home.campaign.name,
                "store": {
                    "engine": snapshot.engine,
                    "revision": snapshot.revision,
                    "rows": snapshot.rows,
                },
                "secret": secret,
                "label_studio": studio,
                "problems": done.problems,
            }
        )
    yield done


class _Writer:
    """Adds the home's files to the backup; unreadable files become problems."""

    def __init__(self, writer: BackupWriter, done: BackedUp) -> None:
        self._writer = writer
        self._done = done

    def file(self, name: str, path: Path, sha256: str = "") -> BackedUp:
        """Add a file. sha256: the expected hash, or ""."""
        found = self._add(name, path)
        if found and sha256 and found != sha256:
            self._done.problems.append(f"{path}: differs from the imported image; backed up as it is")
        return self._done

    def release(self, home: Home, release: Release) -> Iterator[BackedUp]:
        """Add the files of a release, and report changed ones."""
        digests: dict[Path, str] = {}
        for each in _files_below(release.path):
            digests[each] = self._add(each.relative_to(home.path).as_posix(), each)
            yield self._done
        tampered = changes(release, digest_of=lambda path: digests.get(path) or sha256_of(path))
        self._done.problems += [f"{line}; backed up as it is" for line in tampered]

    def _add(self, name: str, path: Path) -> str:
        """Add a file; returns its SHA-256, or "" and a problem if it can't be read."""
        try:
            opened = path.open("rb")
        except OSError as error:
            self._done.problems.append(f"{path}: {error.strerror}; missing in the backup")
            return ""
        with opened:
            found = self._writer.add(name, opened)
        self._counted()
        return found

    def bytes(self, name: str, data: bytes) -> BackedUp:
        """Add a file with these bytes."""
        self._writer.add(name, BytesIO(data))
        return self._counted()

    def image(self, home: Home, image: str, figure_id: str, sha256: str) -> BackedUp:
        """Add a stored image."""
        try:
            path = home.image_file(image, figure_id)
        except AnnotatorError as error:
            self._done.problems.append(f"{error}; missing in the backup")
            return self._done
        # The folder of images may be a link to another disk.
        name = path.relative_to(home.images.resolve()).as_posix()
        return self.file(f"images/{name}", path, sha256)

    def guidelines(self, home: Home) -> BackedUp:
        """Add the guidelines, if there are any."""
        try:
            path = guidelines_path(home)
        except FormatError as error:
            self._done.problems.append(f"{error}; missing in the backup")
            return self._done
        return self._done if path is None else self.file(f"guidelines/{home.campaign.guideline_file}", path)

    def finish(self, about: dict[str, Any]) -> dict[str, Any]:
        """Write the manifest."""
        return self._writer.finish(about)

    def _counted(self) -> BackedUp:
        self._done.files += 1
        self._done.bytes = self._writer.bytes
        return self._done


def _files_below(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())


def has_studio(home: Home) -> bool:
    """Return whether the home has an embedded Label Studio with data."""
    return (home.path / STUDIO / _STUDIO_DATABASE).is_file()


def _studio(home: Home, writer: _Writer, scratch: Path) -> Iterator[BackedUp]:
    folder = home.path / STUDIO
    if not has_studio(home):
        return
    copy = scratch / _STUDIO_DATABASE
    try:
        # SQLite's online backup, because the server may be running.
        with (
            closing(sqlite3.connect(folder / _STUDIO_DATABASE, timeout=15)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        raise AnnotatorError(
            f"{folder / _STUDIO_DATABASE}: cannot be read ({error}); back up without --label-studio"
        ) from None
    yield writer.file(f"{STUDIO}/{_STUDIO_DATABASE}", copy)
    found = [folder / name for name in _STUDIO_FILES if (folder / name).is_file()]
    found += [each for name in _STUDIO_FOLDERS for each in _files_below(folder / name)]
    for each in found:
        yield writer.file(each.relative_to(home.path).as_posix(), each)


#: Folder for a backup that is being made and tested, and for those that could not be restored.
_UNTESTED, _FAILED = "untested", "failed"
#: Time to wait before another attempt after a failed one, unless the next backup is due before.
_RETRY = timedelta(hours=1)
_NAMED = "%Y-%m-%dT%H%M%SZ.zip"
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z\.zip")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times and number of backups. every: between two. keep: number of restorable ones, at least 1.

    secret, studio: see `back_up`.
    """

    folder: Path
    every: timedelta
    keep: int
    secret: bool = False
    studio: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """A scheduled backup. path: None if it failed. removed: older ones. problems: errors, one line each."""

    path: Path | None
    removed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


def backups_in(folder: Path) -> list[Path]:
    """The tested backups in a folder, oldest first; files of other names are none."""
    return sorted(each for each in folder.glob("*.zip") if _NAME.fullmatch(each.name))


def scheduled_backups(
    home: Home, schedule: Schedule, *, wait: Callable[[float], bool], now: Callable[[], datetime]
) -> Iterator[Made]:
    """Make backups until `wait` returns True; yields after each attempt.

    wait: for so many seconds, returns whether to stop. now: aware UTC. The first is due at once, or `every` after
    the newest in the folder.
    """
    due = _due_after(schedule)
    while True:
        seconds = 0.0 if due is None else (due - now()).total_seconds()
        # A clock that was set back must not end the schedule.
        if wait(min(max(seconds, 0.0), schedule.every.total_seconds())):
            return
        made = make_backup(home, schedule, now())
        yield made
        due = now() + min(_RETRY, schedule.every) if made.path is None else _due_after(schedule)


def _due_after(schedule: Schedule) -> datetime | None:
    newest = _newest(schedule.folder)
    return None if newest is None else newest + schedule.every


def _newest(folder: Path) -> datetime | None:
    """Return the time in the name of the newest tested backup; None without one."""
    there = backups_in(folder)
    return datetime.strptime(there[-1].name, _NAMED).replace(tzinfo=UTC) if there else None


def make_backup(home: Home, schedule: Schedule, moment: datetime) -> Made:
    """Make one backup, restore it as a test, and remove the oldest ones beyond `keep`.

    Older backups are removed only after a new one was restored. One that can't be restored is moved to the folder
    `failed`, in place of the last one there.
    """
    untested = schedule.folder / _UNTESTED
    if (newest := _newest(schedule.folder)) is not None:
        # The clock may have been set back: the last one made is the newest, and takes no other's place.
        moment = max(moment, newest + timedelta(seconds=1))
    name = moment.strftime(_NAMED)
    try:
        shutil.rmtree(untested, ignore_errors=True)  # left by a run that was killed
        untested.mkdir(mode=0o700, parents=True)
        # As it is now: its settings may have changed since the last one.
        *_, done = back_up(Home.find(home.path), untested / name, secret=schedule.secret, studio=schedule.studio)
        problems = list(done.problems)
        failure = restore_fails(untested / name)
        if failure:
            failed = schedule.folder / _FAILED
            shutil.rmtree(failed, ignore_errors=True)
            os.rename(untested, failed)
            return Made(None, (), (*problems, f"{failed / name}: can't be restored: {failure}"))
        os.replace(untested / name, schedule.folder / name)
        removed = backups_in(schedule.folder)[: -schedule.keep]
        for each in removed:
            each.unlink()
        return Made(schedule.folder / name, tuple(removed), tuple(problems))
    except OSError as error:
        return Made(
            None, (), (f"{error.filename or schedule.folder}: {error.strerror or error}; no backup was made",)
        )
    except AnnotatorError as error:
        return Made(None, (), (str(error),))
    finally:
        shutil.rmtree(untested, ignore_errors=True)


def restore_fails(path: Path) -> str:
    """Restore a backup into a folder beside it, check it, and remove it; returns what is wrong, "" for nothing.

    A process of its own runs `annotator restore` without the store's URL, so that nothing but files is written.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PANELWISE_", "PG"))}
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".restore-") as folder:
        code = "from annotator.cli.campaign.main import main; main()"
        words = [sys.executable, "-c", code, "restore", str(path), str(Path(folder) / "campaign")]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ours, check=False
        )
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"annotator restore ended with status {done.returncode}"
