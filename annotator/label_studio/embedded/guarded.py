"""Runs Label Studio inside its own environment, and ends it when the process that started it is gone.

A script, not a module: it is given to the other environment's interpreter and imports nothing of ours. The first
argument is the number of a pipe's reading end; nobody writes to it, so reading returns once the writer has died.
"""

import os
import signal
import sys
import threading
import time


def _leave_with_parent(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    os.kill(os.getpid(), signal.SIGKILL)


def _main() -> None:
    pipe = int(sys.argv.pop(1))
    threading.Thread(target=_leave_with_parent, args=(pipe,), daemon=True).start()
    from label_studio.server import main  # type: ignore[import-not-found]

    main()


if __name__ == "__main__":
    _main()
