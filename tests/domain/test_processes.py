"""Processes side by side: what they do comes back, and one that dies costs what it was doing and nothing else."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe, active_children, util
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from process_state import alive

from panelwise.domain.errors import FormatError
from panelwise.runtime import parallel
from panelwise.runtime.parallel import NoProcess, Processes, ProcessLost

#: More than a pipe takes at once.
LARGE = 1 << 22


class Unpicklable(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def large(number: int) -> tuple[int, int, bytes]:
    return number, os.getpid(), bytes(LARGE)


def meet(folder: Path, number: int) -> int:
    """Waits until as many have come; returns the process."""
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < number:
        time.sleep(0.01)
    return os.getpid()


def refuse(error: Exception) -> None:
    raise error


def refuse_oddly() -> None:
    raise Unpicklable(1, 2)


def die(marker: Path | None = None) -> str:
    """Dies, the first time or every time."""
    if marker is not None and marker.exists():
        return "alive"
    if marker is not None:
        marker.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def kill_oddly() -> None:
    os.kill(os.getpid(), 40)
    time.sleep(60)


def start_and_die(started: Path) -> None:
    started.write_text(str(os.posix_spawn("/bin/sleep", ["sleep", "600"], {})))
    die()


def leave(code: int) -> None:
    os._exit(code)


def begun() -> str:
    return os.environ.get("BEGUN", "")


def begin() -> None:
    os.environ["BEGUN"] = "yes"


def hears_interrupts() -> bool:
    os.kill(os.getpid(), signal.SIGINT)
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.fixture(params=[False, True], ids=["one at a time", "asked ahead"])
def two(request: pytest.FixtureRequest) -> Iterator[Processes]:
    before = set(active_children())
    with Processes(2, begin, ahead=request.param) as made:
        yield made
    assert not set(active_children()) - before


@pytest.mark.slow
def test_what_is_done_comes_back_from_other_processes(two: Processes, tmp_path: Path) -> None:
    met = {each.result() for each in [two.submit(meet, tmp_path, 2) for _ in range(2)]}
    assert len(met) == 2
    found = [each.result() for each in [two.submit(large, number) for number in range(12)]]
    assert [number for number, _, _ in found] == list(range(12))
    assert {len(data) for _, _, data in found} == {LARGE}
    assert {pid for _, pid, _ in found} <= met
    assert os.getpid() not in met
    assert two.submit(begun).result() == "yes"
    assert "BEGUN" not in os.environ


@pytest.mark.slow
def test_they_leave_interrupts_to_the_process_that_started_them(two: Processes) -> None:
    assert two.submit(hears_interrupts).result() is False


@pytest.mark.slow
def test_errors_come_back_as_they_were_raised(two: Processes) -> None:
    with pytest.raises(FormatError, match="of the work") as caught:
        two.submit(refuse, FormatError("of the work")).result()
    assert any("in refuse" in note for note in caught.value.__notes__)
    with pytest.raises(RuntimeError, match=r"^Unpicklable: 1 and 2") as told:
        two.submit(refuse_oddly).result()
    assert any("in refuse_oddly" in note for note in told.value.__notes__)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        two.submit(lambda: 1).result()
    assert two.submit(begun).result() == "yes"


@pytest.mark.slow
def test_one_that_dies_costs_what_it_was_doing(two: Processes) -> None:
    before = [two.submit(large, number) for number in range(4)]
    killed, left = two.submit(die), two.submit(leave, 3)
    after = [two.submit(large, number) for number in range(4)]
    with pytest.raises(ProcessLost, match=r"killed \(SIGKILL\)"):
        killed.result()
    with pytest.raises(ProcessLost, match=r"ended at its work \(exit 3\)"):
        left.result()
    assert [each.result()[0] for each in before + after] == [0, 1, 2, 3] * 2


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05])
@pytest.mark.slow
def test_one_that_is_killed_while_it_writes_its_result_is_not_waited_for(wait: float, ahead: bool) -> None:
    with Processes(1, ahead=ahead) as one:
        pid = one.submit(os.getpid).result()
        found = [one.submit(large, number) for number in range(30)]
        found[0].result()
        time.sleep(wait)
        os.kill(pid, signal.SIGKILL)
        lost = [each for each in found if each.exception(600) is not None]
        assert len(lost) <= 1
        assert all(isinstance(each.exception(), ProcessLost) for each in lost)


@pytest.mark.parametrize("times", [1, 10**9])
@pytest.mark.slow
def test_one_whose_end_another_thread_collects_is_lost_like_any_other(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As `Process.start` in another thread does: it has waited for the process, but not noted how that ended.
    left, pids, waits = [times], list[int](), os.waitpid

    def collected(pid: int, flags: int) -> tuple[int, int]:
        if pid in pids and left[0] > 0:
            left[0] -= 1
            raise ChildProcessError
        return waits(pid, flags)

    monkeypatch.setattr(os, "waitpid", collected)
    with Processes(1) as one:
        pids.append(one.submit(os.getpid).result())
        with pytest.raises(ProcessLost, match=r"killed \(SIGKILL\)" if times == 1 else r"ended at its work"):
            one.submit(die).result()
        assert one.submit(os.getpid).result() not in pids


@pytest.mark.slow
def test_one_that_died_idle_is_not_missed(two: Processes) -> None:
    pids = {two.submit(os.getpid).result() for _ in range(4)}
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for child in active_children():
        child.join(30)
    assert two.submit(begun).result() == "yes"
    assert two.submit(os.getpid).result() not in pids


def test_where_none_can_begin_it_is_as_if_the_system_refused_them() -> None:
    with Processes(2, die) as two:
        found = [two.submit(begun) for _ in range(6)]
        for each in found:
            with pytest.raises(NoProcess, match="SIGKILL"):
                each.result()


def test_one_that_dies_before_it_is_asked_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    send, asked = Connection.send_bytes, []

    def gone(pipe: Connection, data: bytes) -> None:
        asked.append(data)
        if len(asked) == 1:
            raise BrokenPipeError
        send(pipe, data)

    monkeypatch.setattr(Connection, "send_bytes", gone)
    with Processes(1) as one:
        assert one.submit(os.getpid).result() != os.getpid()
    assert len(asked) == 2


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    with Processes(1) as one, pytest.raises(ProcessLost, match="signal 40"):
        one.submit(kill_oddly).result()


def test_a_pipe_is_not_held_open_by_what_was_started_from_a_process(tmp_path: Path) -> None:
    with Processes(1) as one:
        with pytest.raises(ProcessLost):
            one.submit(start_and_die, tmp_path / "started").result()
        started = int((tmp_path / "started").read_text())
        assert alive(started), "waited for what was started"
        os.kill(started, signal.SIGKILL)


@pytest.mark.parametrize("granted", [0, 1])
@pytest.mark.slow
def test_what_the_system_refuses_is_done_by_those_that_it_granted(
    granted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Processes(1) as one:  # So that what helps to start processes is there.
        one.submit(begun).result()
    start, asked = util.spawnv_passfds, []

    def refused(*arguments: Any) -> int:
        asked.append(1)
        if len(asked) > granted:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return start(*arguments)

    monkeypatch.setattr(util, "spawnv_passfds", refused)
    with Processes(2) as two:
        found = [two.submit(large, number) for number in range(8)]
        if granted:
            assert [each.result()[0] for each in found] == list(range(8))
        else:
            with pytest.raises(NoProcess, match="temporarily unavailable"):
                found[0].result()
            assert all(isinstance(each.exception(), NoProcess) for each in found)
    assert len(asked) == granted + 1


def test_without_threads_there_are_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with Processes(1) as one:
        monkeypatch.setattr(threading.Thread, "start", refused)
        found = one.submit(begun)
        monkeypatch.undo()
        with pytest.raises(NoProcess, match="no thread"):
            found.result()


def test_what_has_not_begun_is_dropped_at_the_end(tmp_path: Path) -> None:
    before, one = set(active_children()), Processes(1)
    found = [one.submit(meet, tmp_path, 2), *(one.submit(begun) for _ in range(50))]
    while not list(tmp_path.iterdir()):
        time.sleep(0.01)

    def let_go_on() -> None:
        while not one._closing:
            time.sleep(0.01)
        (tmp_path / "closing").touch()

    other = threading.Thread(target=let_go_on)
    other.start()
    one.close()
    other.join()
    assert [each.done() and not each.cancelled() and each.exception() is None for each in found] == [
        True, *[False] * 50
    ]  # fmt: skip
    assert not set(active_children()) - before


@pytest.mark.parametrize("method", ["recv_bytes", "send_bytes"])
@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.slow
def test_where_no_memory_suffices_one_process_is_lost(
    method: str, ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Processes(1, ahead=ahead) as one:
        pid = one.submit(os.getpid).result()
        before, calls = getattr(Connection, method), []

        def full(*arguments: Any) -> Any:
            calls.append(1)
            if len(calls) == 2:
                raise MemoryError
            return before(*arguments)

        monkeypatch.setattr(Connection, method, full)
        found = [one.submit(large, number) for number in range(8)]
        errors = [type(error) for each in found if (error := each.exception(600)) is not None]
        # Who asks ahead and cannot costs what the process is at.
        assert sorted(errors, key=str) in ([MemoryError], [MemoryError, ProcessLost])
        monkeypatch.undo()
        assert one.submit(os.getpid).result() != pid


def test_interrupted_as_it_ends_it_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    one = Processes(1)
    one.submit(begun).result()
    working = one.submit(time.sleep, 600)
    monkeypatch.setattr(one._threads, "shutdown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one.close()
    assert isinstance(working.exception(600), ProcessLost)
    monkeypatch.undo()
    one.close()


def test_one_that_two_threads_end_ends_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C within the start of a thread leaves one that the pool does not wait for."""
    one = Processes(1)
    one.submit(begun).result()
    (other,) = one._running
    ending, go_on, exit_code = threading.Event(), threading.Event(), parallel._exit_code

    def slowly(process: Any) -> int | None:
        ending.set()
        assert go_on.wait(600)
        return exit_code(process)

    monkeypatch.setattr(parallel, "_exit_code", slowly)
    ends: list[str] = []
    threads = [threading.Thread(target=lambda: ends.append(one._end(other))) for _ in range(2)]
    threads[0].start()
    assert ending.wait(600)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(600)
    assert len(ends) == 2
    assert ends[0] == ends[1] != ""
    one.close()


@pytest.mark.parametrize("first", [None, begin])
def test_each_serves_until_its_pipe_is_closed(
    first: Callable[[], None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs in the others, in this one."""
    before = signal.getsignal(signal.SIGINT)
    ours, theirs = Pipe()
    requests = [(int, ("12",)), (refuse, (FormatError("no"),)), (refuse_oddly, ())]
    answers: list[tuple[bool, Any]] = []

    def ask() -> None:
        assert ours.recv_bytes() == b""
        for request in requests:
            ours.send(request)
            answers.append(ours.recv())
        ours.close()

    asking = threading.Thread(target=ask)
    asking.start()
    monkeypatch.delenv("BEGUN", raising=False)
    try:
        parallel._serve(theirs, first)
    finally:
        asking.join()
        signal.signal(signal.SIGINT, before)
        theirs.close()
    assert os.environ.pop("BEGUN", "") == ("" if first is None else "yes")
    assert answers[0] == (True, 12)
    assert [(good, type(error)) for good, error in answers[1:]] == [(False, FormatError), (False, RuntimeError)]
