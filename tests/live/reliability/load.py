"""Reviewers who work as people do, while the campaign is pushed and pulled: how long answers take, what is lost.

All on loopback, for a time that is said beforehand, with so many people as are said.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from builders import a_figure, an_annotation
from reliability.saving import PATIENCE, Server
from web.asking import PASSWORD, token_of

from annotator.campaign.home import Home
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.campaign import Task
from panelwise.domain.decision import Decision
from tests.label_studio.fake import FakeServer

WORK = annotation_payload(an_annotation())
#: The annotator whose tasks are pushed, submitted and pulled while the reviewers work, and whose figures they are.
ANNOTATOR = "ann3"


def memory_of(server: Server) -> int:
    """Bytes that the server's process holds in memory now."""
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass
class Seen:
    """What all the reviewers saw. seconds: of each request, by what was asked for."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    answers: Counter[int] = field(default_factory=Counter)
    kept: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    twice: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def took(self, what: str, seconds: float, status: int) -> None:
        """One request that was answered."""
        with self.lock:
            self.seconds[what].append(seconds)
            self.answers[status] += 1
            if status not in (200, 302, 409):
                self.faults.append(f"{what}: {status}")

    def acknowledged(self, figure: str, version: int, reviewer: str, note: str) -> None:
        """One decision that the server said it kept."""
        with self.lock:
            if (figure, version) in self.kept:
                self.twice.append(f"{figure} {version}")
            self.kept[figure, version] = (reviewer, note)


class Worker:
    """A reviewer with the queue, a figure and its picture before them, who decides and goes on."""

    def __init__(self, server: Server, name: str, figures: Sequence[str], seen: Seen) -> None:
        self.name = name
        self._server, self._figures, self._seen = server, figures, seen
        self._random = random.Random(name)
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._count = 0

    def sign_in(self) -> None:
        """Get a session, which outlives the server's process."""
        page = self._opener.open(f"{self._server.url}/login", timeout=PATIENCE).read().decode()
        form = urllib.parse.urlencode({"csrf_token": token_of(page), "name": self.name, "password": PASSWORD})
        self._opener.open(f"{self._server.url}/login", form.encode(), timeout=PATIENCE).close()

    def settle_one(self) -> None:
        """A page of the queue, a figure's page, its state, its picture; then a decision, kept or in conflict."""
        figure = self._random.choice(self._figures)
        self._ask("queue", "/")
        self._ask("page", f"/figures/{figure}")
        status, body = self._ask("state", f"/api/figures/{figure}")
        if status == 200:
            self._decide(figure, json.loads(body))
        elif status == 401:
            self.sign_in()

    def _decide(self, figure: str, state: dict[str, Any]) -> None:
        self._count += 1
        note = f"{self.name} {self._count}"
        with self._seen.lock:
            self._seen.sent.add(note)
        draft = {
            "version": state["version"],
            "status": "accepted",
            "subfigures": [
                {"label": "A", "box": [0, 0, 400, 600], "tokens": sorted(self._random.sample(range(10), 3))}
            ],
            "note": note,
        }
        headers = {"Content-Type": "application/json", "X-CSRFToken": state["csrf"]}
        address = f"/api/figures/{figure}/decision"
        status, body = self._ask("decision", address, json.dumps(draft).encode(), headers)
        if status == 200:
            self._seen.acknowledged(figure, json.loads(body)["version"], self.name, note)

    def _ask(
        self, what: str, address: str, sent: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        request = urllib.request.Request(f"{self._server.url}{address}", sent, headers or {})
        began = time.perf_counter()
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, body = error.code, error.read()
        self._seen.took(what, time.perf_counter() - began, status)
        return status, body


def work_until(stop: threading.Event, worker: Worker, seconds: float) -> None:
    """Settle a figure every `seconds`, on and on; where no answer comes, try again."""
    chance = random.Random(worker.name)
    stop.wait(chance.uniform(0, seconds))
    while not stop.is_set():
        began = time.monotonic()
        try:
            worker.settle_one()
        except (OSError, HTTPException, ValueError):
            # Killed in the middle, or not there yet: what was sent may or may not be kept.
            stop.wait(0.05)
            continue
        stop.wait(max(0.0, began + seconds * chance.uniform(0.5, 1.5) - time.monotonic()))


class Syncing:
    """Pushes and pulls beside the reviewers: each round hands out tasks, submits them and fetches them."""

    def __init__(self, home: Home, store: Store, each: int) -> None:
        self._home, self._store, self._each = home, store, each
        self._server = FakeServer()
        self._account = self._server.ensure_account("ann3@example.org", PASSWORD)
        self.rounds = self.submitted = 0

    def once(self) -> None:
        """Some new figures for the annotator, pushed, submitted on the server and pulled."""
        new = [a_figure(f"n{self.rounds:04}-{number}") for number in range(self._each)]
        with self._store.transaction() as tx:
            tx.figures.add_many(new)
            tx.tasks.add([Task(figure.id, ANNOTATOR, "1") for figure in new])
        for step in push(self._home, self._store, self._server):
            project = step.project_id
        wanted = {figure.id for figure in new}
        for task in list(self._server.tasks(project)):
            if task["data"][names.DATA_SOURCE] in wanted:
                self._server.add_annotation(task["id"], {**WORK, "completed_by": self._account.id})
                self.submitted += 1
        assert all(not step.problems for step in pull(self._home, self._store, self._server))
        self.rounds += 1


def sync_until(stop: threading.Event, syncing: Syncing, seconds: float, faults: list[str]) -> None:
    """A round every `seconds`; what fails is kept for the test."""
    while not stop.wait(seconds):
        try:
            syncing.once()
        except Exception as error:
            faults.append(f"round {syncing.rounds}: {type(error).__name__}: {error}")
            return


@dataclass(frozen=True, slots=True)
class Late:
    """Milliseconds of a kind of request: the median, and what one in twenty and one in a hundred go beyond."""

    requests: int
    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Late:
        """Of the seconds that they took; at least two."""
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        return cls(len(seconds), *(round(1000 * cuts[place], 1) for place in (49, 94, 98)))


def check_all_kept(store: Store, seen: Seen, figures: Sequence[str]) -> int:
    """Every acknowledged decision stands in the history as it was sent, nothing stands there that nobody sent, and
    none is there twice. Returns how many decisions stand there.
    """
    with seen.lock:
        kept = dict(seen.kept)
    with store.read() as tx:
        history = {figure: tx.decisions.history(figure) for figure in figures}
    notes = Counter(each.note for found in history.values() for each in found)
    with seen.lock:
        assert set(notes) <= seen.sent
    assert max(notes.values(), default=1) == 1, "a decision was kept twice"
    for figure, found in history.items():
        assert [each.version for each in found] == list(range(1, len(found) + 1)), figure
    for (figure, version), (reviewer, note) in kept.items():
        entry = history[figure][version - 1]
        assert isinstance(entry, Decision)
        assert (entry.reviewer, entry.note) == (reviewer, note)
    return sum(notes.values())
