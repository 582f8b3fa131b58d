"""Reviewers who save as fast as they can at a real server, and what must be true of the store afterwards."""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
import sqlite3
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from web.asking import PASSWORD, token_of

from annotator.campaign.home import Home
from annotator.web.server import AdjudicationServer
from panelwise.domain.decision import Decision

#: Figures that all save on, so that they meet.
FIGURES = ("f1", "f2", "f3")
#: Seconds to wait for a server to come up: on a busy machine it takes a while.
PATIENCE = 300.0


@dataclass(frozen=True)
class Kept:
    """A save that the server acknowledged."""

    figure: str
    version: int
    reviewer: str
    note: str


@dataclass
class Log:
    """What the reviewers saw. sent: the notes of all saves, answered or not."""

    kept: list[Kept] = field(default_factory=list)
    conflicts: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)
    others: list[tuple[int, str]] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)


def serve(home: Path, told: Connection) -> None:
    """What `annotator serve` does, until the process is killed."""
    found = Home.find(home)
    with AdjudicationServer(found, found.open_store()) as server:
        told.send(server.url.rstrip("/"))
        signal.pause()


class Server:
    """The adjudication view in a process of its own, on whatever port is free.

    The processes are forked off one that has read all modules, so that one is there at once.
    """

    def __init__(self, home: Path, serve: Callable[[Path, Connection], None] = serve) -> None:
        """serve: what the process does; it sends the address once it answers."""
        self._home = home
        self._serve = serve
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["annotator.web.server", "annotator.campaign.home"])
        self._process: BaseProcess | None = None
        self.url = ""

    def start(self) -> None:
        """Begin to answer; returns once it does."""
        ours, theirs = self._processes.Pipe(duplex=False)
        self._process = self._processes.Process(target=self._serve, args=(self._home, theirs), daemon=True)
        self._process.start()
        theirs.close()
        assert ours.poll(PATIENCE), "the server did not start"
        self.url = ours.recv()
        ours.close()

    @property
    def pid(self) -> int:
        """Of the process that answers."""
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL: it cannot finish anything."""
        assert self._process is not None
        self._process.kill()
        self._process.join(PATIENCE)
        assert self._process.exitcode == -signal.SIGKILL
        self._process.close()


class Reviewer:
    """One person at the screen: signed in, saving with the version that they last heard of."""

    def __init__(self, server: Server, name: str, log: Log, lock: threading.Lock, seed: int) -> None:
        self.name = name
        self._server, self._log, self._lock = server, log, lock
        self._random = random.Random(seed)
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._versions = dict.fromkeys(FIGURES, 0)
        self._csrf = ""
        self._count = 0

    def sign_in(self) -> None:
        """Get a session, which outlives the server's process, and the token that saving needs."""
        page = self._opener.open(f"{self._server.url}/login", timeout=PATIENCE).read().decode()
        form = urllib.parse.urlencode({"csrf_token": token_of(page), "name": self.name, "password": PASSWORD})
        self._opener.open(f"{self._server.url}/login", form.encode(), timeout=PATIENCE).close()
        self._csrf = self.state(FIGURES[0])["csrf"]

    def state(self, figure: str) -> dict[str, Any]:
        """What the figure's screen is made of."""
        with self._opener.open(f"{self._server.url}/api/figures/{figure}", timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.loads(answer.read())
        return found

    def save_once(self) -> None:
        """One save on one of the figures. Raises OSError or HTTPException where no answer came."""
        figure = self._random.choice(FIGURES)
        self._count += 1
        note, version = f"{self.name} {self._count}", self._versions[figure]
        with self._lock:
            self._log.sent.add(note)
        code, body = self._post(figure, version, note)
        if code in (200, 409):
            self._versions[figure] = body["version"]
        with self._lock:
            if code == 200:
                self._log.kept.append(Kept(figure, body["version"], self.name, note))
            elif code == 409:
                self._log.conflicts.append((figure, version, body))
            else:
                self._log.others.append((code, str(body)))

    def _post(self, figure: str, version: int, note: str) -> tuple[int, dict[str, Any]]:
        tokens = sorted(self._random.sample(range(10), 3))
        draft = {
            "version": version,
            "status": "accepted",
            "subfigures": [{"label": "A", "box": [0, 0, 400, 600], "tokens": tokens}],
            "note": note,
        }
        request = urllib.request.Request(
            f"{self._server.url}/api/figures/{figure}/decision",
            json.dumps(draft).encode(),
            {"Content-Type": "application/json", "X-CSRFToken": self._csrf},
        )
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())


def reviewers(server: Server, names: list[str], log: Log) -> list[Reviewer]:
    """All of them, signed in."""
    lock = threading.Lock()
    people = [Reviewer(server, name, log, lock, seed) for seed, name in enumerate(names)]
    for person in people:
        person.sign_in()
    return people


def save_until(stop: threading.Event, person: Reviewer) -> None:
    """Save on and on; while no server answers, try again."""
    while not stop.is_set():
        try:
            person.save_once()
        except (OSError, HTTPException, ValueError):
            # Killed in the middle, or not there yet: what was sent may or may not be kept.
            time.sleep(0.01)


def check_nothing_lost(home: Path, log: Log) -> None:
    """Every acknowledged save stands in the history as it was sent; nothing stands there that nobody sent."""
    with Home.find(home).open_store() as store, store.read() as tx:
        history = {figure: tx.decisions.history(figure) for figure in FIGURES}
        entries = tx.queue.entries(FIGURES)
    for figure, found in history.items():
        assert [each.version for each in found] == list(range(1, len(found) + 1))
        notes = [each.note for each in found]
        assert len(set(notes)) == len(notes), "a save was kept twice"
        assert set(notes) <= log.sent
        if found:
            last = found[-1]
            assert (entries[figure].version, entries[figure].reviewer) == (last.version, last.reviewer)
    for kept in log.kept:
        entry = history[kept.figure][kept.version - 1]
        assert isinstance(entry, Decision)
        assert (entry.reviewer, entry.note) == (kept.reviewer, kept.note)


def check_opens_clean(home: Path) -> None:
    """The database is whole after whatever happened to the process that wrote it."""
    connection = sqlite3.connect(home / "store.sqlite")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        connection.close()
