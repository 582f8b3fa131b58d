"""The adjudication view in a process whose clock a test may set."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from datetime import datetime, timedelta, tzinfo
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from reliability.saving import PATIENCE, Server

from annotator.campaign.home import Home
from annotator.web.server import AdjudicationServer


def set_the_clock(offset: Any) -> None:
    """Have all modules of this process read the time as `offset.value` seconds from what it is."""
    really = time.time

    class Plain(type):
        """Every datetime counts as one of the class: it makes none of its own."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, datetime)

    class Shifted(datetime, metaclass=Plain):
        """What `datetime.now` gives; all else of it is as ever."""

        def __new__(cls, *values: Any, **named: Any) -> Any:
            # A plain one: what writes JSON knows no other class.
            return datetime(*values, **named)

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + timedelta(seconds=offset.value)

    time.time = lambda: really() + offset.value
    for name, module in list(sys.modules.items()):
        # The store's records ask no clock: they name the class, and rows are read by it.
        asks = name.startswith("annotator.") and name != "annotator.store.rows.records"
        if asks and getattr(module, "datetime", None) is datetime:
            module.datetime = Shifted


def serve_at_any_time(home: Path, offset: Any, told: Connection) -> None:
    """What `annotator serve` does, by a clock of its own."""
    found = Home.find(home)
    with AdjudicationServer(found, found.open_store()) as server:
        set_the_clock(offset)
        told.send(server.url.rstrip("/"))
        signal.pause()


class JumpingServer(Server):
    """Its clock goes as the machine's does, but for the jumps that a test makes it do."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._processes = multiprocessing.get_context("spawn")
        self._offset = self._processes.Value("d", 0.0)

    def jump(self, to: timedelta) -> None:
        """So far from the right time, from now on."""
        self._offset.value = to.total_seconds()

    def start(self) -> None:
        """Begin to answer; returns once it does."""
        ours, theirs = self._processes.Pipe(duplex=False)
        arguments = (self._home, self._offset, theirs)
        self._process = self._processes.Process(target=serve_at_any_time, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        assert ours.poll(PATIENCE), "the server did not start"
        self.url = ours.recv()
        ours.close()
