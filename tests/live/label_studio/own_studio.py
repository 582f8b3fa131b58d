"""A Label Studio that a test may kill, and start again on the same database."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer, label_studio

LEAD_PASSWORD = "a-long-password-1"


class OwnStudio:
    """Started where it does not run; its address is another one after each start."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._context: AbstractContextManager[EmbeddedServer] | None = None
        self._running: EmbeddedServer | None = None
        self._killed = False

    @property
    def running(self) -> EmbeddedServer:
        if self._killed:  # And not stopped: the test that killed it has failed, which is nothing to the next.
            self.stop()
        if self._running is None:
            self._context = label_studio(self.home, password=LEAD_PASSWORD)
            self._running = self._context.__enter__()
        return self._running

    def stop(self) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
        self._context = self._running = None
        self._killed = False

    def kill(self) -> None:
        """As a power cut does: nothing is finished."""
        os.killpg(self.running.pid, signal.SIGKILL)
        self._killed = True

    @contextmanager
    def server(self, token: str | None = None) -> Iterator[LabelStudioServer]:
        with LabelStudioServer(self.running.url, token or self.running.token) as server:
            yield server

    def write(self, statement: str, *values: object) -> None:
        """Change the server's database behind its back."""
        database = self.home / "label-studio" / "label_studio.sqlite3"
        with closing(sqlite3.connect(database, timeout=300)) as connection, connection:
            connection.execute(statement, values)

    def ask(self, method: str, path: str, token: str | None = None, **sent: Any) -> Any:
        headers = {"Authorization": f"Token {token or self.running.token}"}
        with httpx.Client(base_url=self.running.url, trust_env=False, timeout=300, headers=headers) as client:
            answer = client.request(method, path, **sent)
            answer.raise_for_status()
            return answer.json() if answer.content else None

    def token_of(self, email: str) -> str:
        """An account's token."""
        return stored_token(self.home, email)


def stored_token(home: Path, email: str) -> str:
    """An account's token as the database of a home's server has it: annotators' pages do not show them theirs."""
    database = home / "label-studio" / "label_studio.sqlite3"
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        row = connection.execute(
            "SELECT key FROM authtoken_token JOIN htx_user ON htx_user.id = user_id WHERE email = ?", (email,)
        ).fetchone()
    return str(row[0])


def until(happened: Callable[[], bool], seconds: float = 300) -> None:
    """Wait for something that is bound to happen."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
