"""Keep a campaign in sync with Label Studio: at intervals, and at once when a webhook is called."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from annotator.annotation_server import AnnotationServer, TokenRefused
from annotator.campaign.home import COMPLETE_AFTER, Home, LiveHome
from annotator.checks.qualification import admit
from annotator.queue.ranking import refresh_disagreement, score_where_needed
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.pull_tasks import PulledProject
from annotator.sync.push import push
from annotator.sync.push_tasks import Pushed
from panelwise.domain import AnnotatorError, StoreError, SyncError
from panelwise.runtime import ClientLimits, HttpServer

#: Seconds between two looks at a server that does not answer, at most.
LONGEST_WAIT = 120.0
#: Seconds after which everything is pushed and every task looked after again, changed or not.
THOROUGH_EVERY = 900.0

#: Waits for at most this many seconds for an event; returns the projects with events, none for all.
Wait = Callable[[float], frozenset[int]]


@dataclass(slots=True)
class Round:
    """One synchronization. failed: the error that ended it, or "". wait: seconds until the next. notes: lines."""

    pulled: list[PulledProject] = field(default_factory=list)
    pushed: list[Pushed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str = ""
    wait: float = 0.0

    @property
    def added(self) -> int:
        """Return the number of new annotations."""
        return sum(step.added for step in self.pulled)

    @property
    def findings(self) -> list[str]:
        """Return lines about unusual things that need no action."""
        pulled = [line for step in self.pulled for line in step.findings]
        return [*self.notes, *pulled, *(line for step in self.pushed for line in step.notes)]

    @property
    def problems(self) -> list[str]:
        """Return lines about things that need action."""
        pulled = [line for step in self.pulled for line in step.problems]
        return [*pulled, *(line for step in self.pushed for line in step.problems)]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of synchronisation; see `push` and `pull`. pushing: False to pull only."""

    phase: str | None = None
    annotators: Sequence[str] | None = None
    seeded: bool = True
    images: str | None = None
    pushing: bool = True


def sync(home: Home, store: Store, server: AnnotationServer, options: Options, *, whole: bool = False) -> Round:
    """Pull, then push, so that the push knows the submitted work and the changes made by hand. Raises SyncError.

    The queue is scored again if work was pulled, even if an error follows.
    """
    found = Round()
    _pull(home, store, server, options, found, whole=whole)
    if options.pushing:
        _push(home, store, server, options, found)
    return found


def watch(
    home: Home,
    store: Store,
    server: AnnotationServer,
    options: Options,
    *,
    every: float,
    receiver: Receiver | None = None,
    clock: Callable[[], float] = time.monotonic,
    wait: Wait | None = None,
) -> Iterator[Round]:
    """Synchronize at intervals, without end; yields after each round, before it waits.

    Pushes only after changes. A server that doesn't answer, a locked store and a full disk are tried again at
    growing intervals. receiver: its webhook starts a round at once; rounds at intervals continue, for calls that
    were lost. Raises SyncError if the token is refused, and StoreError if campaign.toml names another store: later
    rounds could not succeed either.

    campaign.toml is read in each round. While it can't be read, nothing is pushed: a blind phase must not reach
    Label Studio, where all annotators see each other's work.
    """
    wait = wait or _waiter(receiver)
    problems: list[str] = []
    live, first_url = LiveHome(home, report=problems.append), home.label_studio.url
    hooked: set[int] = set()
    pushed_mark, thorough_at, failures = "", float("-inf"), 0
    only: frozenset[int] = frozenset()
    while True:
        found = Round()
        home = live.current()
        found.notes += [f"{problem}; nothing is pushed meanwhile" for problem in problems]
        problems.clear()
        live.check_store()
        try:
            _check_server(home, first_url, server)
            admit(store, home.campaign)
            mark = _mark(home, store)
            thorough = clock() - thorough_at >= THOROUGH_EVERY
            some = only if only and not thorough else None
            _pull(home, store, server, options, found, only=some, rescore=thorough)
            if options.pushing and not home.uncertain and (mark != pushed_mark or thorough):
                _push(home, store, server, options, found)
                pushed_mark = mark
            if thorough and not home.uncertain:
                thorough_at = clock()
            if receiver is not None:
                _ask_to_be_called(store, server, receiver, hooked, found)
        except TokenRefused:
            raise
        except (SyncError, StoreError) as error:
            found.failed = str(error)
        except OSError as error:
            found.failed = f"{error.filename or home.path}: {error.strerror or error}"
        failures = failures + 1 if found.failed else 0
        found.wait = min(every * 2**failures, max(every, LONGEST_WAIT))
        if home.uncertain and not live.problem and not found.failed:
            found.wait = min(every, COMPLETE_AFTER)
        yield found
        only = wait(found.wait)


def _waiter(receiver: Receiver | None) -> Wait:
    if receiver is not None:
        return receiver.wait

    def asleep(seconds: float) -> frozenset[int]:
        time.sleep(seconds)
        return frozenset()

    return asleep


def _check_server(home: Home, first_url: str, server: AnnotationServer) -> None:
    """Raise SyncError while campaign.toml names another server than the connected one."""
    url = home.label_studio.url
    if url not in (first_url, server.url):
        raise SyncError(f"campaign.toml names {url or 'no Label Studio'} now; end this command and start it again")


def _mark(home: Home, store: Store) -> str:
    with store.read() as tx:
        return f"{home.campaign!r} {tx.links.push_mark()} {tx.sent_back.mark()} {tx.comments.last()}"


def _pull(
    home: Home,
    store: Store,
    server: AnnotationServer,
    options: Options,
    found: Round,
    *,
    whole: bool = False,
    only: frozenset[int] | None = None,
    rescore: bool = True,
) -> None:
    """Pull. rescore: look for work without a place in the queue even if nothing was pulled."""
    try:
        for step in pull(
            home, store, server, phase=options.phase, annotators=options.annotators, whole=whole, only=only
        ):
            if step.project_id is None and options.pushing:
                # The push that follows makes it; that there was one is worth a line.
                found.notes += step.problems if step.gone else ()
                step.problems.clear()
            found.pulled.append(step)
    finally:
        if found.added:
            refresh_disagreement(store, campaign=home.campaign, phase=options.phase)
        elif rescore:
            # What an earlier pull stored before it was killed would never come into the queue.
            score_where_needed(store, home.campaign)


def _push(home: Home, store: Store, server: AnnotationServer, options: Options, found: Round) -> None:
    for step in push(
        home,
        store,
        server,
        phase=options.phase,
        annotators=options.annotators,
        seeded=options.seeded,
        images=options.images,
    ):
        found.pushed.append(step)


def _ask_to_be_called(
    store: Store, server: AnnotationServer, receiver: Receiver, hooked: set[int], found: Round
) -> None:
    """Create webhooks for projects that have none; a refusal is reported, and the watch polls instead."""
    with store.read() as tx:
        ids = {link.project_id for link in tx.links.projects() if link.server_url == server.url}
    for project_id in sorted(ids - hooked):
        hooked.add(project_id)
        try:
            server.call_back(project_id, receiver.address(project_id))
        except TokenRefused:
            raise
        except SyncError as error:
            hooked |= ids
            found.notes.append(f"no webhooks, so it is looked at every so often only: {error}")
            return


# A small server for Label Studio's webhooks: answers at once and wakes the synchronization. Label Studio sends
# each event once and waits at most a second, so a request only marks its project. What happened is then requested
# from the server; the webhook's content is ignored.

#: Below this path webhooks are ours, of whichever run.
_PATH = "/panelwise-sync/"
_MOST_DIGITS = 18
#: Bytes of a request at most, of which nothing is read.
_MOST_BYTES = 1 << 20


class Receiver:
    """Receives webhooks while its context is open. A secret in its address keeps other callers out."""

    def __init__(self, port: int, *, host: str = "127.0.0.1", public_url: str | None = None) -> None:
        """port: 0 chooses a free one. public_url: how Label Studio reaches `host` and `port`, if it differs.

        Raises SyncError if the port is in use.
        """
        self._secret = secrets.token_urlsafe(16)
        self._changed = threading.Condition()
        self._projects: set[int] = set()
        try:
            self._server = HttpServer(
                self._answer,
                host=host,
                port=port,
                threads=2,
                name="webhooks",
                limits=ClientLimits(connections=64),
                # The secret keeps other callers out, and `public_url` may have any name.
                host_names=None,
                max_request_body_size=_MOST_BYTES,
            )
        except AnnotatorError as error:
            reason = getattr(error.__cause__, "strerror", error)
            raise SyncError(f"webhooks: port {port} of {host}: {reason}; give another one") from error
        self.base = (public_url or f"http://{host}:{self._server.port}").rstrip("/") + _PATH

    def address(self, project_id: int) -> str:
        """Return the webhook's address for a project."""
        return f"{self.base}{self._secret}/{project_id}"

    def wait(self, seconds: float) -> frozenset[int]:
        """Return the ids of projects with changes since the last call; waits for one, at most `seconds`."""
        with self._changed:
            if not self._projects:
                self._changed.wait(seconds)
            found = frozenset(self._projects)
            self._projects.clear()
        return found

    def accepts(self, path: str) -> bool:
        """Note the project of a request's path; whether it was one of ours."""
        beginning, _, number = path.rpartition("/")
        known = secrets.compare_digest(beginning.encode(), f"{_PATH}{self._secret}".encode())
        if not known or not number.isascii() or not number.isdigit() or len(number) > _MOST_DIGITS:
            return False
        with self._changed:
            self._projects.add(int(number))
            self._changed.notify_all()
        return True

    def __enter__(self) -> Receiver:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()

    def _answer(self, environ: dict[str, Any], start: Callable[..., object]) -> list[bytes]:
        """Answer 204 to a webhook of ours, 404 to any other request (WSGI)."""
        ours = environ["REQUEST_METHOD"] == "POST" and self.accepts(environ["PATH_INFO"])
        start("204 No Content" if ours else "404 Not Found", [("Content-Length", "0")])
        return []
