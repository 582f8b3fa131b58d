"""A request to stop is heard whenever it comes, also in the very moment in which the wait for it begins."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

#: Whatever lock the wait takes is held when the signal is handled; a wait on an Event would never end.
CHILD = """
import os, sys, threading
from annotator.cli.commandline import stop_requests

number, when = int(sys.argv[1]), sys.argv[2]
wait_for_stop = stop_requests()
if when == "before":
    os.kill(os.getpid(), number)
elif when == "while":
    threading.Timer(0.5, os.kill, (os.getpid(), number)).start()
    waiting = threading.Condition.wait
    def interrupted(self, timeout=None):
        os.kill(os.getpid(), number)
        return waiting(self, timeout)
    threading.Condition.wait = interrupted
print(wait_for_stop(), flush=True)
"""


@pytest.mark.parametrize("when", ["before", "while"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_a_signal_ends_the_wait(number: signal.Signals, when: str) -> None:
    command = [sys.executable, "-c", CHILD, str(int(number)), when]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{int(number)}\n", "")
