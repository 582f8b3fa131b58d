"""Background jobs: commands that outlive the server, one of a kind at a time, with a log, a result and files."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from builders import a_figure
from click.testing import CliRunner
from PIL import Image

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.jobs import jobs, runner
from annotator.jobs.commands import EXPORTS, JobKind, start
from annotator.jobs.folders import (
    REQUEST,
    RESULT,
    JobState,
    Request,
    Result,
    file_of,
    read_request,
    read_result,
    write_request,
    write_result,
)
from annotator.jobs.jobs import WORKER, Job, NoSuchJob, cancel_job, job_of, jobs_of, run_waiting, start_job
from annotator.jobs.models import trained_models
from annotator.store.store import Store
from panelwise.domain.errors import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.runtime.atomic_write import locked
from panelwise.runtime.messages import progress_line, read_progress


def ended(home: Home, number: int) -> Job:
    """The job once it has ended, however long that takes."""
    for _ in range(6000):
        job = job_of(home, number)
        if job.state is not JobState.RUNNING:
            return job
        time.sleep(0.02)
    raise AssertionError(f"job {number} does not end: {job.log()}")


def python(*codes: str) -> Callable[[Path], list[list[str]]]:
    return lambda files: [[sys.executable, "-c", code, str(files)] for code in codes]


def test_a_command_runs_in_the_background_with_its_log_its_files_and_its_end(home: Home) -> None:
    code = "import sys, pathlib; pathlib.Path(sys.argv[1], 'made.txt').write_text('x'); print('said', flush=True)"
    begun = start_job(home, "test", "A test", python(code), "lea")
    assert (begun.number, begun.request.by, begun.request.title) == (1, "lea", "A test")
    job = ended(home, 1)
    assert (job.state, job.files, job.log()) == (JobState.DONE, ("made.txt",), "said\n")
    assert file_of(job.folder, "made.txt").read_text() == "x"
    for name in ("../request.json", "other", ""):
        with pytest.raises(AnnotatorError, match="made no file"):
            file_of(job.folder, name)
    failed = start_job(home, "test", "Fails", python("import sys; sys.exit('no such thing')"), "lea")
    found = ended(home, failed.number)
    assert (found.state, found.log().strip()) == (JobState.FAILED, "no such thing")
    assert found.result is not None
    assert found.result.exit == 1
    assert [each.number for each in jobs_of(home)] == [2, 1]
    with pytest.raises(NoSuchJob, match="there is no job 3"):
        job_of(home, 3)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"\xff": 1}'])
def test_damaged_files_of_a_job_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    for name in (REQUEST, RESULT):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=r"is no job \(.+\)$"):
        read_request(tmp_path)
    with pytest.raises(FormatError, match=r"cannot be read \(.+\)$"):
        read_result(tmp_path)


def test_one_job_of_a_kind_runs_at_a_time_and_can_be_cancelled(home: Home) -> None:
    waits = python("import time; print('begun', flush=True); time.sleep(600)")
    first = start_job(home, "prelabel", "First", waits, "lea")
    with pytest.raises(AnnotatorError, match=r"job 1 \(First\) still runs; wait for it, or cancel it"):
        start_job(home, "prelabel", "Second", waits, "lea")
    other = start_job(home, "export", "Other", python("pass"), "lea")
    assert ended(home, other.number).state is JobState.DONE
    cancel_job(home, first.number)
    assert ended(home, first.number).state is JobState.CANCELLED
    assert start_job(home, "prelabel", "Third", python("pass"), "lea").number == 3
    assert ended(home, 3).state is JobState.DONE
    cancel_job(home, 3)
    assert job_of(home, 3).state is JobState.DONE


def test_a_job_whose_process_was_killed_is_interrupted_and_the_next_one_may_run(home: Home) -> None:
    code = "import os, time; print(os.getppid(), os.getpid(), flush=True); time.sleep(600)"
    job = start_job(home, "prelabel", "Killed", python(code), "lea")
    while not (said := job_of(home, job.number).log()).endswith("\n"):  # what it prints may come in pieces
        time.sleep(0.02)
    runner, child = map(int, said.split())
    os.kill(runner, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    assert ended(home, job.number).state is JobState.INTERRUPTED
    again = start_job(home, "prelabel", "Again", python("pass"), "lea")
    assert ended(home, again.number).state is JobState.DONE


def test_it_outlives_the_process_that_started_it(home: Home, tmp_path: Path) -> None:
    code = f"""
import sys, pathlib
from annotator.campaign.home import Home
from annotator.jobs.jobs import start_job
words = [sys.executable, "-c", "import time; time.sleep(0.5); print('after all')"]
start_job(Home.find(pathlib.Path({str(home.path)!r})), "test", "Outlives", lambda files: [words], "lea")
"""
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
    job = ended(home, 1)
    assert (job.state, job.log()) == (JobState.DONE, "after all\n")


def test_folders_that_are_no_job_are_left_out(home: Home) -> None:
    (home.path / "jobs" / "000007").mkdir(parents=True)
    (home.path / "jobs" / "notes").mkdir()
    with locked(home.path / "jobs" / "000007" / "lock"):
        assert jobs_of(home) == []
    assert start_job(home, "test", "After", python("pass"), "lea").number == 1
    assert ended(home, 1).state is JobState.DONE


@pytest.mark.slow
def test_the_commands_of_leads_are_those_of_the_shell(home: Home, store: Store) -> None:
    Image.new("RGB", (800, 600), "white").save(home.images / "f1.png")
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1", image="images/f1.png"))
    for kind, asked in ((JobKind.PRELABEL, {}), (JobKind.EXPORT, {"what": "figures"}), (JobKind.BACKUP, {})):
        found = ended(home, start(home, store, kind, "lea", asked).number)
        assert found.state is JobState.DONE, found.log()
    assert job_of(home, 2).files == ("figures.jsonl",)
    assert job_of(home, 3).files == ("backup.zip",)
    assert set(EXPORTS) > {"gold", "coco"}


@pytest.mark.parametrize(
    ("kind", "asked", "why"),
    [
        (JobKind.EXPORT, {"what": "secrets"}, "cannot be exported"),
        (JobKind.RELEASE, {"name": ""}, "needs a name"),
        (JobKind.RELEASE, {"name": "--list"}, "needs a name"),
        (JobKind.TRAIN, {"model": "detector", "name": "../x"}, "letters, digits"),
        (JobKind.TRAIN, {"model": "oracle", "name": "x"}, "is not one of"),
        (JobKind.TRAIN, {"model": "detector", "name": "x", "minutes": "-1"}, "whole number"),
        (JobKind.PRELABEL, {"models": "../../etc"}, "no model"),
        (JobKind.REPORT, {"phase": "7"}, 'phase "7" has no annotations; choose one of 1'),
        (JobKind.PUSH, {}, "no tasks"),
    ],
)
def test_what_a_form_cannot_ask_is_refused_and_leaves_no_job(
    home: Home, adjudicated: Store, kind: JobKind, asked: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORKER, "1")  # torch need not be here
    with pytest.raises(InvalidAnnotation, match=why):
        start(home, adjudicated, kind, "lea", asked)
    assert jobs_of(home) == []


def test_commands_of_one_job_run_one_after_the_other_and_a_failure_is_the_jobs(home: Home) -> None:
    job = start_job(home, "test", "Two", python("print(1); exit(3)", "print(2)"), "lea")
    found = ended(home, job.number)
    assert (found.state, found.log()) == (JobState.FAILED, "1\n2\n")
    assert found.result is not None
    assert found.result.exit == 3


@pytest.mark.parametrize("content", [b"", b"{", b'{"kind": 3}', b"\xff"])
def test_models_are_the_folders_with_a_whole_checkpoint(home: Home, content: bytes) -> None:
    said = {"kind": "detector", "name": "x", "scores": {"f1": 0.5}, "made_at": "2026-01-02T00:00:00Z"}
    for name, written in (("good", json.dumps(said).encode()), ("bad", content)):
        folder = home.path / "models" / name / "best"
        folder.mkdir(parents=True)
        (folder / "config.json").write_bytes(written)
    (found,) = trained_models(home)
    assert (found.name, found.kind, found.scores) == ("good", "detector", {"f1": 0.5})


def test_progress_is_read_back_from_the_log() -> None:
    log = f"note: a: 3\n{progress_line('pre-labelling', 5, 12)}\nan error: of 3 kinds\n"
    assert read_progress(log) == ("pre-labelling", 5, 12)
    assert read_progress(progress_line("importing", 7, None)) == ("importing", 7, None)
    assert read_progress("nothing\n") is None


def test_a_request_is_private_and_says_who_asked(home: Home) -> None:
    job = start_job(home, "test", "A test", python("pass"), "lea")
    file = job.folder / "request.json"
    assert file.stat().st_mode & 0o077 == 0
    assert json.loads(file.read_text())["by"] == "lea"
    assert ended(home, job.number).state is JobState.DONE


def test_jobs_that_are_left_to_a_worker_wait_for_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WORKER, "1")
    job = start_job(home, "test", "Waits", python("print('done')"), "lea")
    assert job.state is JobState.WAITING
    with pytest.raises(AnnotatorError, match="still runs"):
        start_job(home, "test", "Second", python("pass"), "lea")
    other = start_job(home, "other", "Cancelled before", python("import time; time.sleep(600)"), "lea")
    cancel_job(home, other.number)
    listed = CliRunner().invoke(group, ["jobs", "--home", str(home.path)]).output
    assert [line.split()[:2] for line in listed.splitlines()] == [["2", "waiting"], ["1", "waiting"]]
    assert [each.number for each in run_waiting(home)] == [1, 2]
    assert run_waiting(home) == []
    assert ended(home, 1).log() == "done\n"
    assert ended(home, 2).state is JobState.CANCELLED


def test_a_job_without_room_for_its_request_keeps_no_later_one_from_starting(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "write_request", full)
        with pytest.raises(OSError, match="No space left"):
            start_job(home, "test", "A test", python("pass"), "lea")
    assert jobs_of(home) == []
    assert start_job(home, "test", "A test", python("pass"), "lea").number == 2
    assert ended(home, 2).state is JobState.DONE


def test_the_end_of_a_job_is_written_once_the_disk_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_request(tmp_path, Request("test", "A test", (sys.executable, "-c", "exit(3)"), "lea", datetime.now(UTC)))
    room = iter([False, False, True])

    def write(folder: Path, result: Result) -> None:
        if not next(room):
            raise OSError(errno.ENOSPC, "No space left on device")
        write_result(folder, result)

    monkeypatch.setattr(runner, "AGAIN", 0.0)
    monkeypatch.setattr(runner, "write_result", write)
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        assert runner.main(tmp_path) == 3
        assert read_result(tmp_path) is not None
        monkeypatch.setattr(runner, "PATIENCE", -1.0)
        room = iter([False])
        with pytest.raises(OSError, match="No space left"):
            runner.main(tmp_path)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
