"""A job's folder in a campaign's home: request, log, result and the files that it made.

jobs/000001/request.json, log.txt, result.json, files/
"""

from __future__ import annotations

import fcntl
import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from panelwise.domain import AnnotatorError, FormatError
from panelwise.runtime import write_whole

FOLDER = "jobs"
REQUEST, LOG, RESULT, CANCEL, LOCK, FILES = "request.json", "log.txt", "result.json", "cancel", "lock", "files"
#: In the folder of a job that waits for a worker.
WAITING = "waiting"


class JobState(StrEnum):
    """The state of a job.

    WAITING: for a worker. INTERRUPTED: its process is gone, as after a power cut, and left no result.
    """

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


class Request(msgspec.Struct, frozen=True):
    """A job to run. kind: one job of a kind runs at a time. title: for people. by: who started it.

    words: the command. then: commands that run after it with any exit status. key: of the attempt to start it, ""
    without one; requested: what was asked for, as a digest, to recognise the attempt again.
    """

    kind: str
    title: str
    words: tuple[str, ...]
    by: str
    started_at: datetime
    then: tuple[tuple[str, ...], ...] = ()
    key: str = ""
    requested: str = ""


class Result(msgspec.Struct, frozen=True):
    """The end of a job. exit: its command's exit code, negative for a signal."""

    exit: int
    cancelled: bool = False
    ended_at: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


def read_request(folder: Path) -> Request:
    """Raises FormatError for a folder that is no job's."""
    try:
        return msgspec.json.decode((folder / REQUEST).read_bytes(), type=Request)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"{folder}: is no job ({error})") from None


def write_request(folder: Path, request: Request) -> None:
    """Write the request of a new job."""
    write_whole(folder / REQUEST, msgspec.json.encode(request), mode=0o600)


def read_result(folder: Path) -> Result | None:
    """The result; None while the job runs, or if it was interrupted."""
    try:
        return msgspec.json.decode((folder / RESULT).read_bytes(), type=Result)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"{folder / RESULT}: cannot be read ({error})") from None


def write_result(folder: Path, result: Result) -> None:
    """Write how a job ended."""
    write_whole(folder / RESULT, msgspec.json.encode(result), lasting=True, mode=0o600)


def is_locked(folder: Path) -> bool:
    """Return whether a process holds the lock of a job."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def files_of(folder: Path) -> tuple[str, ...]:
    """The names of the files that a job made, in order."""
    try:
        return tuple(sorted(file.name for file in (folder / FILES).iterdir() if file.is_file()))
    except FileNotFoundError:
        return ()


def file_of(folder: Path, name: str) -> Path:
    """The path of a file that a job made. Raises AnnotatorError for any other name."""
    if name not in files_of(folder):
        raise AnnotatorError(f'the job made no file "{name}"')
    return folder / FILES / name
