"""Programs that run together: started in order, started again, stopped together, also with a killed supervisor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from panelwise.domain.errors import AnnotatorError
from panelwise.runtime import supervisor
from panelwise.runtime.supervisor import Part, PartReport, PartState, Supervisor

pytestmark = pytest.mark.slow

#: Longer than any machine takes: only a broken supervisor gets there.
LIMIT = 300.0

#: Says that it began, and that it was stopped politely.
CHILD = """
import signal, sys, time
from pathlib import Path
def stop(number, frame):
    with open(sys.argv[1], "a") as log: print("stopped", sys.argv[2], file=log)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
with open(sys.argv[1], "a") as log: print("began", sys.argv[2], file=log)
import os
Path(sys.argv[1] + "." + sys.argv[2]).write_text(str(os.getpid()))
while True: time.sleep(0.05)
"""


@pytest.fixture(autouse=True)
def short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "TICK", 0.05)
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(supervisor, "STOP_TIMEOUT", LIMIT)


def part(log: Path, name: str, needed: Callable[[], bool] = lambda: True) -> Part:
    return Part(
        name, [sys.executable, "-c", CHILD, str(log), name], lambda: _has_text(Path(f"{log}.{name}")), needed
    )


def _has_text(file: Path) -> bool:
    return file.exists() and bool(file.read_text())


class Watch:
    """Ends a supervisor once a condition on its latest reports holds; fails where it never does."""

    def __init__(self, until: Callable[[dict[str, PartReport]], bool]) -> None:
        self.until, self.reports, self.lines = until, dict[str, PartReport](), list[tuple[str, str]]()
        self.ready = 0
        self.end = time.monotonic() + LIMIT

    def run(self, parts: Sequence[Part]) -> None:
        made = Supervisor(parts, output=lambda *line: self.lines.append(line), changed=self.changed)
        made.run(all_ready=self.all_ready, stop=self.stop)

    def changed(self, reports: Sequence[PartReport]) -> None:
        self.reports = {each.name: each for each in reports}

    def all_ready(self) -> None:
        self.ready += 1

    def stop(self, seconds: float) -> bool:
        assert time.monotonic() < self.end, self.reports
        time.sleep(seconds)
        return self.until(self.reports)


def test_parts_start_one_after_the_other_and_stop_the_other_way_round(tmp_path: Path) -> None:
    log = tmp_path / "log"
    watch = Watch(lambda reports: all(each.state is PartState.READY for each in reports.values()))
    watch.run([part(log, "one"), part(log, "two")])
    assert log.read_text().splitlines() == ["began one", "began two", "stopped two", "stopped one"]
    assert watch.ready == 1


def test_a_part_that_is_killed_is_started_again_and_reported(tmp_path: Path) -> None:
    log = tmp_path / "log"
    killed: list[bool] = []

    def until(reports: dict[str, PartReport]) -> bool:
        if reports["one"].state is PartState.READY and not killed:
            killed.append(True)
            # Ready is the next one once it has written its own, not while this one's is there.
            pid = Path(f"{log}.one")
            killed_process = int(pid.read_text())
            pid.unlink()
            os.kill(killed_process, signal.SIGKILL)
        return reports["one"].restarts == 1 and reports["one"].state is PartState.READY

    watch = Watch(until)
    watch.run([part(log, "one")])
    report = watch.reports["one"]
    assert (report.exit, report.ended_at is not None) == (-signal.SIGKILL, True)
    assert log.read_text().splitlines() == ["began one", "began one", "stopped one"]


def test_a_part_runs_only_while_it_is_needed(tmp_path: Path) -> None:
    log, needed = tmp_path / "log", [False]

    def until(reports: dict[str, PartReport]) -> bool:
        if watch.ready and not needed[0] and reports["one"].state is PartState.IDLE:
            if log.exists():
                return True
            needed[0] = True
        elif reports["one"].state is PartState.READY:
            needed[0] = False
        return False

    watch = Watch(until)
    watch.run([part(log, "one", lambda: needed[0])])
    assert log.read_text().splitlines() == ["began one", "stopped one"]


def test_a_part_that_never_becomes_ready_ends_all_with_its_last_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    broken = Part("two", [sys.executable, "-c", "import sys; sys.exit('no such port')"], lambda: False)
    with pytest.raises(AnnotatorError, match=r"^two ended at once \(exit status 1\): no such port$"):
        Watch(lambda _reports: False).run([part(log, "one"), broken])
    assert log.read_text().splitlines() == ["began one", "stopped one"]
    missing = Part("three", [str(tmp_path / "nothing")])
    with pytest.raises(AnnotatorError, match=r"^three can't be started: No such file"):
        Watch(lambda _reports: False).run([missing])


def test_the_delay_before_a_restart_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    starts: list[float] = []
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 1.0)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY", 4.0)

    class Dead:
        pid, returncode, stderr = 0, 3, None

        def __init__(self, *_: object, **__: object) -> None:
            starts.append(now[0])

        def poll(self) -> int | None:
            return self.returncode if now[0] > starts[-1] else None

    monkeypatch.setattr(supervisor.subprocess, "Popen", Dead)
    monkeypatch.setattr(supervisor._Child, "_read", lambda *_: None)

    def stop(_seconds: float) -> bool:
        now[0] += 0.5
        return now[0] > 20

    Supervisor([Part("one", ["x"])], output=lambda *_: None).run(all_ready=lambda: None, stop=stop)
    gaps = [later - before for before, later in pairwise(starts)]
    assert gaps[:4] == [1.5, 2.5, 4.5, 4.5], "half a second of life, then 1, 2, 4 and again 4 seconds"


def test_children_stop_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = "from panelwise.runtime.supervisor import end_with_supervisor\nend_with_supervisor()\n" + CHILD
    outer = textwrap.dedent(
        f"""
        import sys, time
        from panelwise.runtime.supervisor import Part, Supervisor
        parts = [Part("one", [sys.executable, "-c", {child!r}, {str(log)!r}, "one"])]
        Supervisor(parts, output=print).run(all_ready=lambda: None, stop=lambda seconds: time.sleep(seconds))
        """
    )
    process = subprocess.Popen([sys.executable, "-c", outer])
    end = time.monotonic() + LIMIT
    while not Path(f"{log}.one").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(LIMIT)
    waiting = threading.Event()
    while "stopped one" not in log.read_text():
        assert time.monotonic() < end, log.read_text()
        waiting.wait(0.05)
