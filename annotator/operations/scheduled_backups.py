"""Backups on a schedule, each restored as a test, of which the newest are kept in a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotator.campaign.home import Home
from annotator.operations.backup import back_up
from panelwise.domain import AnnotatorError

#: Folder for a backup that is being made and tested, and for those that could not be restored.
UNTESTED, FAILED = "untested", "failed"
#: Time to wait before another attempt after a failed one, unless the next backup is due before.
RETRY = timedelta(hours=1)
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
        due = now() + min(RETRY, schedule.every) if made.path is None else _due_after(schedule)


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
    untested = schedule.folder / UNTESTED
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
            failed = schedule.folder / FAILED
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
