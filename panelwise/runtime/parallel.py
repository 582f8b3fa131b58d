"""Work in batches, ahead of the caller and in parallel processes, each with a pipe of its own.

`concurrent.futures.ProcessPoolExecutor` has one pipe for all results. A process killed while writing there, for
lack of memory perhaps, leaves half a message and a lock that is never released, and all waiting for a result hang.
Here only its current work is lost.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pipe, get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Condition
from typing import Any, TypeVar

from panelwise.domain.errors import AnnotatorError, one_line

Result = TypeVar("Result")

#: What a system that grants no more processes, or threads, or none at all, raises.
_REFUSALS = (OSError, RuntimeError, ImportError)


_T = TypeVar("_T")


def batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield the items in order, `size` per list, the last one possibly shorter.

    Draws only the items of the current batch. Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError(f"batches of {size} cannot be")
    waiting = iter(items)
    while batch := list(islice(waiting, size)):
        yield batch


def ahead(items: Iterable[_T]) -> Iterator[_T]:
    """Yield the items, making the next one in a thread while the caller uses the last.

    An exception while making an item is raised in its place.
    """
    making = ([item] for item in items)
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, making, None)
        while (made := coming.result()) is not None:
            coming = thread.submit(next, making, None)
            yield from made


def cores() -> int:
    """Return the number of usable cores; a batch system may grant fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessLost(AnnotatorError):
    """A process was killed during its work."""


class NoProcess(ProcessLost):
    """The system allows no more processes."""


@dataclass(slots=True, eq=False)
class _Other:
    """A process, and this one's end of its pipe.

    asked, answered: number of requests so far, and of finished ones. sent: whether the last one is on its way.
    gone: whether it has died, or was ended. end: how, once a thread has begun to end it.
    """

    process: BaseProcess
    pipe: Connection
    asked: int = 0
    answered: int = 0
    sent: bool = True
    gone: bool = False
    end: str | None = None


class Processes:
    """At most `count` processes, started on demand and replaced after they die.

    They are spawned afresh, so they inherit no threads or locks, and ignore Ctrl-C. begin: called first in each.
    ahead: send each its next work early, for short work with small requests. As a context manager it ends with
    `close`.
    """

    def __init__(self, count: int, begin: Callable[[], None] | None = None, *, ahead: bool = False) -> None:
        self._count = count
        self._begin = begin
        self._ahead = ahead
        # More threads than processes: some unpack what was done while others wait for what is.
        self._threads = ThreadPoolExecutor((3 if ahead else 2) * count, "process")
        self._change = Condition()
        self._running: list[_Other] = []
        self._refusal: str | None = None
        self._closing = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Return a future of `work(*arguments)` run in a process; arguments and results must pickle.

        The future raises ProcessLost if the process dies during it, NoProcess if the system allows none at all.
        """
        try:
            return self._threads.submit(self._done, work, arguments)
        except RuntimeError as error:
            refused: Future[Result] = Future()
            refused.set_exception(NoProcess(f"the system grants no thread ({one_line(error)})"))
            return refused

    def close(self) -> None:
        """Wait for current work, drop what has not started, and end the processes."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        try:
            self._threads.shutdown(cancel_futures=True)
        except BaseException:  # Ctrl-C once more: do not wait.
            for other in self._running:
                other.process.kill()
            raise
        for other in self._running:
            other.pipe.close()
        for other in list(self._running):
            self._end(other)

    def _done(self, work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        request = pickle.dumps((work, arguments))
        answer = None
        while answer is None:
            other, place = self._take()
            try:
                answer = self._ask(other, place, request)
            except ProcessLost:
                raise
            except BaseException:  # Out of memory, say. The content of its pipe is unknown.
                self._give_up(other, place)
                raise
        good, result = pickle.loads(answer)
        if not good:
            raise result
        done: Result = result
        return done

    def _ask(self, other: _Other, place: int, request: bytes) -> bytes | None:
        """The answer; None if the process was gone before it began. place: see `_take`."""
        if place == 0 and not self._greeted(other):
            return None
        try:
            other.pipe.send_bytes(request)
            sent = True
        except OSError:
            sent = False
        with self._change:
            other.sent = True
            self._change.notify_all()
            self._change.wait_for(lambda: other.gone or other.answered == place)
        if other.gone:
            return None
        if not sent:
            self._end(other)
            return None
        try:
            answer = _received(other)
        except (EOFError, OSError):
            raise ProcessLost(self._end(other)) from None
        with self._change:
            other.answered += 1
            self._change.notify_all()
        return answer

    def _greeted(self, other: _Other) -> bool:
        """Wait until it has begun. One that cannot is as good as refused: another one could not either."""
        try:
            _received(other)
        except (EOFError, OSError):
            with self._change:
                other.sent = True
            self._refusal = self._end(other)
            return False
        return True

    def _take(self) -> tuple[_Other, int]:
        """A process to ask, and how many requests it had before."""
        with self._change:
            while not self._closing:
                other = self._free()
                if other is not None:
                    taken = other, other.asked
                    other.asked, other.sent = other.asked + 1, False
                    return taken
                if not self._running:
                    raise NoProcess(f"the system grants no process ({self._refusal})")
                self._change.wait()
            raise ProcessLost("no caller waits for it any more")

    def _free(self) -> _Other | None:
        """Return an idle process; else a new one; else, with `ahead`, one at its last work."""
        for each in self._running:
            if each.asked == each.answered:
                return each
        if self._refusal is None and len(self._running) < self._count:
            try:
                self._running.append(self._start())
            except _REFUSALS as error:
                self._refusal = one_line(error)  # Those that did start do the work.
            else:
                return self._running[-1]
        if self._ahead:
            for each in self._running:
                if each.sent and each.asked == each.answered + 1:
                    return each
        return None

    def _start(self) -> _Other:
        ours, theirs = Pipe()
        process = get_context("spawn").Process(target=_serve, args=(theirs, self._begin), daemon=True)
        try:
            with _without_interrupts():
                process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            # Nobody else holds that end: when the process dies, ours tells.
            theirs.close()
        return _Other(process, ours)

    def _end(self, other: _Other) -> str:
        """End the process; returns how it ended. Only for the caller whose turn it is to read its pipe."""
        with self._change:
            self._forget(other)
            if other.end is not None:
                # Ctrl-C can leave a thread running that its pool does not know: that one is ending it.
                self._change.wait_for(lambda: other.gone)
                return other.end
            other.end = ""
            # Nobody may write to a pipe that is closed: another one may have its number by then.
            self._change.wait_for(lambda: other.sent)
        other.pipe.close()
        other.process.kill()  # Nothing to one that has ended; the others have nothing in hand.
        code = _exit_code(other.process)
        with self._change:
            other.end = _described(code)
            other.gone = True
            self._change.notify_all()
        return other.end

    def _give_up(self, other: _Other, place: int) -> None:
        """End the process after any error. Its pipe is closed with its last reference."""
        other.process.kill()
        with self._change:
            self._forget(other)
            if other.asked == place + 1:  # Else another thread may be writing.
                other.sent = True
            other.gone = True
            self._change.notify_all()

    def _forget(self, other: _Other) -> None:
        if other in self._running:
            self._running.remove(other)


def _described(code: int | None) -> str:
    """Describe how a process ended, by its exit code."""
    if code is None or code >= 0:
        return f"a process ended at its work (exit {code})"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"a process was killed ({name}), perhaps for want of memory"


def _received(other: _Other) -> bytes:
    """Return the next message. Raises EOFError or OSError if the process died."""
    if other.pipe not in wait([other.pipe, other.process.sentinel]):
        raise EOFError
    return other.pipe.recv_bytes()


def _exit_code(process: BaseProcess) -> int | None:
    """Wait for the end of a killed process; returns its exit code, None if something else has taken that."""
    process.join()
    # Starting a process collects the ended ones in its own thread: `join` is back before that has noted the code.
    for _ in range(1000):
        if process.exitcode is not None:
            break
        time.sleep(0.001)
    code = process.exitcode
    if code is not None:
        process.close()
    return code


def _serve(pipe: Connection, begin: Callable[[], None] | None) -> None:
    """Run in each process: confirm the start, then do the work that the pipe brings until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":  # pragma: no branch
        os.set_inheritable(pipe.fileno(), False)  # What is started from here must not hold it open.
    if begin is not None:
        begin()
    try:
        pipe.send_bytes(b"")
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return


def _answer(request: bytes) -> bytes:
    """Return success, and the result or the error, pickled."""
    try:
        work, arguments = pickle.loads(request)
        return pickle.dumps((True, work(*arguments)))
    except Exception as error:
        where = traceback.format_exc()
        error.add_note(where)
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)
        except Exception:  # Not every error pickles, and errors of pickling are of any kind; what it says does.
            told = RuntimeError(f"{type(error).__name__}: {one_line(error)}")
            told.add_note(where)
            return pickle.dumps((False, told))
        return answer


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C: processes started meanwhile inherit that, and are stopped by their parent."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - Windows, where they inherit nothing
        yield
        return
    resource_tracker.ensure_running()  # It would let them through again, were it started meanwhile.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
