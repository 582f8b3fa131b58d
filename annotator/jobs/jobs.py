"""Start, list and cancel background jobs of a campaign."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from annotator.campaign.home import Home
from annotator.jobs.folders import (
    CANCEL,
    FILES,
    FOLDER,
    LOCK,
    LOG,
    WAITING,
    JobState,
    Request,
    Result,
    files_of,
    is_locked,
    read_request,
    read_result,
    write_request,
)
from panelwise.domain import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.runtime import locked

#: Set where jobs are left to `annotator jobs --work`, which may run on another machine.
WORKER = "PANELWISE_JOBS_WORKER"
UNDER_WAY = frozenset((JobState.WAITING, JobState.RUNNING))
#: The end of a log that is shown, in bytes.
SHOWN = 64 << 10


class NoSuchJob(AnnotatorError):
    """There is no job of that number."""


class JobUnderWay(AnnotatorError):
    """A job of the kind waits or runs."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to start a job, which may be repeated. key: of the person's choice, "" for one that is made once.

    requested: what is asked for, in any text that is the same for the same.
    """

    key: str = ""
    requested: str = ""


ONCE = Attempt()


@dataclass(frozen=True, slots=True)
class Job:
    """A job. number: from 1. result: None while it runs or if it was interrupted. files: names of what it made."""

    number: int
    folder: Path
    request: Request
    result: Result | None
    state: JobState
    files: tuple[str, ...]

    def log(self) -> str:
        """The end of what its command printed, without what to type next in a shell."""
        try:
            with (self.folder / LOG).open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - SHOWN))
                text = file.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(line for line in text.split("\n") if not line.startswith("next: "))


def start_job(
    home: Home,
    kind: str,
    title: str,
    make_commands: Callable[[Path], Sequence[Sequence[str]]],
    by: str,
    attempt: Attempt = ONCE,
) -> Job:
    """Start commands as a job, or leave them to a worker; it goes on when this process ends.

    make_commands: returns them, to run one after the other, given the folder for files that they make. Raises
    JobUnderWay if a job of this kind runs. A repeated attempt gets the job of the first; see `job_of_attempt`.
    """
    place = home.path / FOLDER
    with locked(place / LOCK):
        if (before := job_of_attempt(home, by, attempt)) is not None:
            return before
        earlier = jobs_of(home)
        for job in earlier:
            if job.state in UNDER_WAY and job.request.kind == kind:
                raise JobUnderWay(f"job {job.number} ({job.request.title}) still runs; wait for it, or cancel it")
        number = max((job.number for job in earlier), default=0) + 1
        while (folder := place / f"{number:06}").exists():
            number += 1  # begun, and without a request: see `jobs_of`
        (folder / FILES).mkdir(mode=0o700, parents=True)
        words, *then = map(tuple, make_commands(folder / FILES))
        now = datetime.now(UTC).replace(microsecond=0)
        request = Request(kind, title, words, by, now, tuple(then), attempt.key, _digest(attempt))
        with locked(folder / LOCK) as handle:
            if os.environ.get(WORKER):
                (folder / WAITING).touch()
            write_request(folder, request)
            if not os.environ.get(WORKER):
                _spawn(folder, handle)
    return job_of(home, number)


def job_of_attempt(home: Home, by: str, attempt: Attempt) -> Job | None:
    """Return the job that a person started with the attempt's key; None for a new key, and without one.

    Raises InvalidAnnotation if something else was asked for with that key.
    """
    if not attempt.key:
        return None
    for job in jobs_of(home):
        if (job.request.key, job.request.by) == (attempt.key, by):
            if job.request.requested != _digest(attempt):
                raise InvalidAnnotation(
                    f"the key {attempt.key[:60]} is that of job {job.number}, which was asked for something else; "
                    "use another key"
                )
            return job
    return None


def _digest(attempt: Attempt) -> str:
    return sha256(attempt.requested.encode()).hexdigest() if attempt.key else ""


def run_waiting(home: Home) -> list[Job]:
    """Run the jobs that wait, each in a process of its own; returns those that begin. A worker calls it often."""
    begun = []
    for job in reversed(jobs_of(home)):
        if job.state is not JobState.WAITING:
            continue
        with locked(job.folder / LOCK) as handle:
            try:
                (job.folder / WAITING).unlink()
            except FileNotFoundError:
                continue  # another worker was faster
            _spawn(job.folder, handle)
        begun.append(job)
    return begun


def _spawn(folder: Path, lock: int) -> None:
    runner = subprocess.Popen(
        [sys.executable, "-m", "annotator.jobs.runner", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder.parent.parent,
        pass_fds=(lock,),
        start_new_session=True,
    )
    # Collected when it ends, so that no dead process is left as long as this one runs.
    threading.Thread(target=runner.wait, daemon=True).start()


def jobs_of(home: Home) -> list[Job]:
    """All jobs, the newest first. Folders that are no job's are left out."""
    jobs = []
    place = home.path / FOLDER
    folders = [folder for folder in place.iterdir() if folder.name.isdecimal()] if place.is_dir() else []
    for folder in sorted(folders, key=lambda folder: int(folder.name), reverse=True):
        try:
            jobs.append(_job(folder))
        except FormatError:
            continue  # begun, and killed before its request was written, or without room for it
    return jobs


def job_of(home: Home, number: int) -> Job:
    """The job of that number. Raises NoSuchJob."""
    folder = home.path / FOLDER / f"{number:06}"
    if not folder.is_dir():
        raise NoSuchJob(f"there is no job {number}; look at the list of jobs")
    return _job(folder)


def cancel_job(home: Home, number: int) -> None:
    """Ask a running job to stop; what it has stored stays. Raises NoSuchJob."""
    job = job_of(home, number)
    if job.state in UNDER_WAY:
        (job.folder / CANCEL).touch()


def _job(folder: Path) -> Job:
    request = read_request(folder)
    # In this order: the lock is let go after the result was written.
    running = is_locked(folder)
    result = read_result(folder)
    waits = result is None and (folder / WAITING).exists()
    state = JobState.WAITING if waits else _state(result, running=running)
    return Job(int(folder.name), folder, request, result, state, files_of(folder))


def _state(result: Result | None, *, running: bool) -> JobState:
    if result is None:
        return JobState.RUNNING if running else JobState.INTERRUPTED
    if result.cancelled:
        return JobState.CANCELLED
    return JobState.DONE if result.exit == 0 else JobState.FAILED
