"""Run the parts of a campaign together: for `annotator up` and the demo."""

from __future__ import annotations

import os
import queue
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import stop_requests, warn
from annotator.cli.process import describe_os_error
from panelwise.domain import AnnotatorError, StoreError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store
    from panelwise.runtime import Part, PartReport
    from panelwise.settings import ViewSettings

VIEW, STUDIO, SYNC = "adjudication view", "Label Studio", "synchronization"


def run_parts(
    home: Home,
    store: Store,
    view: ViewSettings,
    *,
    begin: Callable[[str], None],
    synchronized: Callable[[], bool] = lambda: True,
    stop_at_once: bool = False,
    silent: Callable[[str], bool] = lambda line: False,
) -> None:
    """Run the view, Label Studio where it is needed, and synchronization, until Ctrl-C.

    begin: called once with the view's address, when all that is needed is ready. synchronized: whether tasks may
    be pushed and pulled yet. stop_at_once: stop after `begin`. silent: which lines of the parts are not shown.
    Raises AnnotatorError if they run already.
    """
    from annotator.operations import running_parts
    from panelwise.runtime import PartState, Supervisor

    there = running_parts.read_parts(home.path)
    if there is not None and there.alive:
        raise AnnotatorError(f"annotator up runs already for {home.path} (process {there.pid}): {there.url}")
    # A port that is taken is an error before anything is started.
    view = replace(view, port=_free_port(view.host, view.port))
    url = home.view_url or f"http://{_from_here(view)}:{view.port}"
    shown: dict[str, int] = {}
    #: Once all was ready: whether Label Studio was with it.
    begun: list[bool] = []

    def record(reports: Sequence[PartReport]) -> None:
        parts = running_parts.RunningParts(os.getpid(), f"{url}/", tuple(reports))
        try:
            running_parts.write_parts(home.path, parts)
        except OSError as error:
            # The parts go on; only the dashboard reads the file.
            warn(f"{describe_os_error(error)}; the dashboard shows an earlier state of the parts")
        _warn_of_ends(reports, shown)
        late = any(each.name == STUDIO and each.state is PartState.READY for each in reports)
        if late and begun == [False]:
            begun[0] = True
            click.echo("\n".join(studio_login(home)))

    def ready() -> None:
        begin(url)
        begun.append(bool(studio_login(home)))

    wait_for_stop = stop_requests()

    def stopped(seconds: float) -> bool:
        if begun and stop_at_once:
            return True
        try:
            wait_for_stop(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def print_line(name: str, line: str) -> None:
        # Each part is a command that can run alone, and says then what to do in another terminal.
        if not line.startswith(("next: ", "Ctrl-C ")) and not silent(line):
            warn(f"{name}: {line}")

    supervisor = Supervisor(_parts(home, store, view, synchronized), output=print_line, changed=record)
    try:
        supervisor.run(all_ready=ready, stop=stopped)
    finally:
        running_parts.remove_parts(home.path)


def studio_login(home: Home) -> list[str]:
    """The address and the login of Label Studio, if it runs."""
    from annotator.campaign.connect import own_server

    studio = own_server(home)
    return (
        []
        if studio is None
        else [f"Label Studio  {studio.url}", f"              {studio.email}  {studio.password}"]
    )


def _free_port(host: str, port: int) -> int:
    """Return the port, or any free one for 0. Raises AnnotatorError if it is taken."""
    from panelwise.runtime import listen

    with listen(host, port) as free:
        return int(free.getsockname()[1])


def _from_here(view: ViewSettings) -> str:
    """Return the host at which this machine reaches the view."""
    return "127.0.0.1" if view.host in ("0.0.0.0", "::") else view.host


def _parts(home: Home, store: Store, view: ViewSettings, synchronized: Callable[[], bool]) -> list[Part]:
    """The view, Label Studio if it is the campaign's own, and synchronization once there are tasks for it."""
    from annotator.campaign.connect import own_server, usual_port
    from annotator.campaign.home import LiveHome
    from panelwise.runtime import Part

    live = LiveHome(home, report=warn)
    studio_port = view.studio_port or usual_port(home, warn)

    def uses_label_studio() -> bool:
        return any(phase.in_label_studio for phase in live.current().campaign.phases)

    def needs_studio() -> bool:
        # A new campaign is set up in the browser first, perhaps for Panelwise's own screen.
        return not live.current().label_studio.url and uses_label_studio() and _is_set_up(store)

    def has_tasks() -> bool:
        if not synchronized():
            return False
        campaign = live.current().campaign
        there = {phase.name for phase in campaign.phases if phase.in_label_studio}
        with store.read() as tx:
            return any(group.released and group.phase in there for group in tx.tasks.groups())

    serve = ["serve", "--host", view.host, "--port", str(view.port), *(["--https"] if view.https else [])]
    serve += ["--proxy", view.proxy] if view.proxy else []
    return [
        Part(VIEW, _annotator(home, *serve), lambda: _answers(_from_here(view), view.port)),
        Part(
            STUDIO,
            _annotator(home, "studio", "--port", str(studio_port)),
            lambda: own_server(home) is not None,
            _or_as_before(needs_studio),
        ),
        Part(SYNC, _annotator(home, "sync", "--watch", "--webhook-port", "0"), needed=_or_as_before(has_tasks)),
    ]


def _or_as_before(needed: Callable[[], bool]) -> Callable[[], bool]:
    """Repeat the last answer while the store can't be read, so that the parts go on; they report why it can't."""
    last = False

    def ask() -> bool:
        nonlocal last
        with suppress(StoreError):
            last = needed()
        return last

    return ask


def _is_set_up(store: Store) -> bool:
    """Return whether the campaign has figures, or people other than leads."""
    from panelwise.domain import Role

    with store.read() as tx:
        return bool(tx.figures.gallery((), limit=1)) or any(tx.people.all(Role.ANNOTATOR))


def _annotator(home: Home, *words: str) -> list[str]:
    program = "from annotator.cli.campaign.main import main; main()"
    return [sys.executable, "-c", program, *words, "--home", str(home.path)]


def _warn_of_ends(reports: Sequence[PartReport], shown: dict[str, int]) -> None:
    from annotator.operations.running_parts import describe_end

    for report in reports:
        if report.restarts > shown.get(report.name, 0):
            shown[report.name] = report.restarts
            warn(describe_end(report))


def _answers(host: str, port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
