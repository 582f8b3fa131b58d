"""What `annotator up` runs: what the dashboard says of it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.campaign.home import Home
from annotator.cli.campaign import running as starting
from annotator.operations.running_parts import (
    FILE_NAME,
    RunningParts,
    problems_of,
    read_parts,
    remove_parts,
    write_parts,
)
from panelwise.domain.errors import StoreError
from panelwise.runtime.supervisor import Part, PartReport, PartState, describe_exit
from panelwise.settings import ViewSettings

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
FINE = PartReport("Label Studio", PartState.READY)
ENDED = PartReport("Label Studio", PartState.READY, 1, -signal.SIGKILL, NOW - timedelta(hours=1), "no memory")


def running(*parts: PartReport, pid: int = os.getpid()) -> RunningParts:
    return RunningParts(pid, "http://127.0.0.1:8090/", parts)


def test_it_is_read_as_it_was_written_and_gone_once_removed(tmp_path: Path) -> None:
    written = running(FINE, ENDED)
    write_parts(tmp_path, written)
    assert read_parts(tmp_path) == written
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0
    remove_parts(tmp_path)
    remove_parts(tmp_path)
    assert read_parts(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"pid": "x"}', b"\xff", b'{"\xff": 1}'])
def test_a_damaged_file_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    assert read_parts(tmp_path) is None


def test_parts_that_ended_within_a_day_and_those_that_are_down_are_problems() -> None:
    assert problems_of(None, NOW) == []
    assert problems_of(running(FINE), NOW) == []
    assert problems_of(running(FINE, ENDED), NOW) == [
        "Label Studio ended at 2026-11-23 11:00 UTC (killed by SIGKILL). It was started again. "
        "Its last line: no memory"
    ]
    assert problems_of(running(ENDED), NOW + timedelta(days=1)) == []
    down = PartReport("synchronization", PartState.DOWN, 3, 1, NOW - timedelta(days=9))
    assert problems_of(running(down), NOW) == [
        "synchronization ended at 2026-11-14 12:00 UTC (exit status 1). It is started again."
    ]


def test_a_killed_supervisor_is_one_problem() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert problems_of(running(FINE, ENDED, pid=gone.pid), NOW) == [
        "`annotator up` was killed: nothing is synchronized. Start it again."
    ]


def test_exits_are_described() -> None:
    assert [describe_exit(each) for each in (0, 2, -9, -1000)] == [
        "exit status 0",
        "exit status 2",
        "killed by SIGKILL",
        "killed by signal 1000",
    ]


class Told:
    """A supervisor whose parts change their state once."""

    def __init__(self, parts: Sequence[Part], *, output: object, changed: Callable[[Sequence[PartReport]], None]):
        self.parts, self.changed = parts, changed

    def run(self, *, all_ready: Callable[[], None], stop: object) -> None:
        self.changed([PartReport("one", PartState.READY)])
        all_ready()


def test_the_parts_go_on_where_the_disk_has_no_room_for_their_state(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, *_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    begun: list[str] = []
    monkeypatch.setattr("panelwise.runtime.Supervisor", Told)
    monkeypatch.setattr("annotator.operations.running_parts.write_parts", full)
    with home.open_store() as store:
        starting.run_parts(home, store, ViewSettings(port=0), begin=begun.append)
    assert len(begun) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left on device; the dashboard shows an earlier state of the parts" in line


def test_a_part_stays_as_it_is_while_the_store_cannot_be_read() -> None:
    answers = iter([False, True, StoreError("the disk is full"), StoreError("the disk is full"), False])

    def needed() -> bool:
        answer = next(answers)
        if isinstance(answer, StoreError):
            raise answer
        return answer

    ask = starting._or_as_before(needed)
    assert [ask() for _ in range(5)] == [False, True, True, True, False]
