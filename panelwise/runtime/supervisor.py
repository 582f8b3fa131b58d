"""Programs that run together as child processes: started in order, started again when they end, stopped together.

A child that calls `end_with_supervisor` stops by itself when the supervising process is gone, however that ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import IO

from panelwise.domain.errors import AnnotatorError

#: Names the reading end of a pipe that only the supervising process writes to.
_PIPE = "PANELWISE_SUPERVISOR_PIPE"

#: Seconds between two looks at the children.
TICK = 0.5
#: Seconds until a child that ended is started again: the first time, and at most. The delay doubles each time, and
#: is reset once a child was ready for the longest delay.
FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
#: Seconds that a child gets to stop before it is killed.
STOP_TIMEOUT = 20.0
#: Lines of a child's stderr stored for the error message.
_LAST_LINES = 20


class PartState(StrEnum):
    """The state of a part. IDLE: not needed now. DOWN: it ended, and is started again after a delay."""

    IDLE = "idle"
    STARTING = "starting"
    READY = "ready"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Part:
    """A program to keep running. name: for messages.

    ready: returns whether it does its work; called after its start until it returns True. needed: returns whether
    it is to run now.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[], bool] = lambda: True
    needed: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class PartReport:
    """The state of a part. restarts: since the supervisor began. exit, ended_at: of its last end, or None.

    error: its last line on stderr then, or "".
    """

    name: str
    state: PartState
    restarts: int = 0
    exit: int | None = None
    ended_at: datetime | None = None
    error: str = ""


#: Called, from threads, with the name of a part and a line that it printed to stderr.
Output = Callable[[str, str], None]


class Supervisor:
    """Keeps parts running. changed: called with a report of every part whenever the state of one changed."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        output: Output,
        changed: Callable[[Sequence[PartReport]], None] = lambda _reports: None,
    ) -> None:
        self._children = [_Child(part, output) for part in parts]
        self._changed = changed
        self._reported: list[PartReport] = []

    def run(self, *, all_ready: Callable[[], None], stop: Callable[[float], bool]) -> None:
        """Start the parts one after the other, then keep them running until `stop`, and stop them.

        all_ready: called once, as soon as every part that is needed is ready. stop: waits for at most this many
        seconds; returns True to end. Raises AnnotatorError if a part ends before it was ready for the first time.
        """
        announced = False
        try:
            while True:
                starting = False
                for child in self._children:
                    starting = child.look(start=not starting, fatal=not announced) or starting
                self._report()
                if not (starting or announced):
                    all_ready()
                    announced = True
                if stop(TICK):
                    return
        finally:
            for child in reversed(self._children):
                child.stop()

    def _report(self) -> None:
        reports = [child.report for child in self._children]
        if reports != self._reported:
            self._reported = reports
            self._changed(reports)


class _Child:
    """One part with its process, if it runs."""

    def __init__(self, part: Part, output: Output) -> None:
        self.part = part
        self.report = PartReport(part.name, PartState.IDLE)
        self._output = output
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._pipe = -1
        self._lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._delay, self._again_at, self._ready_at = FIRST_DELAY, 0.0, 0.0
        self._was_ready = False

    def look(self, *, start: bool, fatal: bool) -> bool:
        """Bring the part into the state that is wanted; returns whether it is starting.

        start: whether it may start now. fatal: raise AnnotatorError if it ended before it was ready.
        """
        if self._process is not None and self._process.poll() is not None:
            self._ended(self._process.returncode, fatal=fatal)
        if not self.part.needed():
            self.stop()
            self._set(PartState.IDLE)
            return False
        if self._process is None:
            if not start or time.monotonic() < self._again_at:
                return self.report.state is not PartState.DOWN
            self._start()
            self._set(PartState.STARTING)
        if self.report.state is PartState.STARTING and self.part.ready():
            self._was_ready, self._ready_at = True, time.monotonic()
            self._set(PartState.READY)
        return self.report.state is PartState.STARTING

    def stop(self) -> None:
        """Stop the process, if it runs: politely, then by force."""
        if self._process is None:
            return
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, how)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_TIMEOUT)
                break
        self._let_go()

    def _start(self) -> None:
        reading, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                list(self.part.command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, _PIPE: str(reading), "PYTHONUNBUFFERED": "1"},
                pass_fds=(reading,),
                # Ctrl-C in the terminal reaches the supervisor alone, which stops the parts in order.
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._pipe)
            raise AnnotatorError(f"{self.part.name} can't be started: {error.strerror}") from error
        finally:
            os.close(reading)
        self._lines.clear()
        self._reader = threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True)
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.append(line.rstrip("\n"))
            if line.strip():
                self._output(self.part.name, self._lines[-1])

    def _ended(self, status: int, *, fatal: bool) -> None:
        self._let_go()
        line = next((each for each in reversed(self._lines) if each.strip()), "")
        if fatal and not self._was_ready:
            raise AnnotatorError(f"{self.part.name} ended at once ({describe_exit(status)}): {line}")
        now = time.monotonic()
        if self.report.state is PartState.READY and now - self._ready_at >= LONGEST_DELAY:
            self._delay = FIRST_DELAY
        self._again_at = now + self._delay
        self._delay = min(2 * self._delay, LONGEST_DELAY)
        restarts = self.report.restarts + 1
        self.report = PartReport(
            self.part.name, PartState.DOWN, restarts, status, datetime.now(UTC).replace(microsecond=0), line
        )

    def _let_go(self) -> None:
        if self._reader is not None:
            self._reader.join(STOP_TIMEOUT)
        if self._process is not None and self._process.stderr is not None:
            self._process.stderr.close()
        os.close(self._pipe)
        self._process = self._reader = None

    def _set(self, state: PartState) -> None:
        before = self.report
        if before.state is not state:
            self.report = PartReport(
                before.name, state, before.restarts, before.exit, before.ended_at, before.error
            )


def describe_exit(status: int) -> str:
    """Describe how a process ended: "exit status 1", or "killed by SIGKILL" for a negative status."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def end_with_supervisor() -> None:
    """Stop this process with SIGTERM when the supervisor that started it is gone; nothing without a supervisor."""
    number = os.environ.pop(_PIPE, "")
    if number.isdigit():
        threading.Thread(target=_wait_for_end, args=(int(number),), daemon=True).start()


def _wait_for_end(pipe: int) -> None:
    with suppress(OSError):
        os.read(pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)
