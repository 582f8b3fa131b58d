"""`annotator up`: run a whole campaign with one command."""

from __future__ import annotations

import getpass
import os
import queue
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.campaign.init import TEMPLATE_NAMES
from annotator.cli.campaign.serve import listening, listening_options
from annotator.cli.commandline import print_next_step, stop_requests, warn
from panelwise.domain.errors import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store
    from panelwise.runtime.supervisor import Part, PartReport
    from panelwise.settings.campaign_toml import ViewSettings

CLOSING = "Ctrl-C stops everything; the campaign remains."
VIEW, STUDIO, SYNC = "adjudication view", "Label Studio", "synchronization"


@click.command(epilog="Example: annotator up lungs --template subfigures")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--template", type=click.Choice(TEMPLATE_NAMES), default=None, help="Template of a new campaign; see init."
)
@click.option("--lead", default="", metavar="NAME", help="Name of the first lead [default: your user name].")
@listening_options
@click.option(
    "--studio-port",
    type=click.IntRange(1, 65535),
    default=None,
    help="Port of Label Studio [default: campaign.toml, else any free].",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the view in the browser.")
def command(
    directory: Path | None,
    template: str | None,
    lead: str,
    open_browser: bool,
    **options: Any,
) -> None:
    """Run the campaign in DIR: adjudication view, its own Label Studio, and synchronization, until Ctrl-C.

    DIR (default: PANELWISE_HOME, else the current folder) is created as a campaign if it is new or empty. The
    first lead is added, with a link to set a password. Label Studio runs once there are figures, if a phase is
    annotated there and campaign.toml names no other server. A part that ends is started again; the dashboard shows
    it. `annotator serve`, `studio` and `sync --watch` run the parts separately.
    """
    from annotator.operations import running_parts
    from panelwise.runtime.supervisor import PartState, Supervisor

    home = _home(directory, template)
    there = running_parts.read_parts(home.path)
    if there is not None and there.alive:
        raise AnnotatorError(f"annotator up runs already for {home.path} (process {there.pid}): {there.url}")
    view = listening(home, options)
    # A port that is taken is an error before anything is started.
    view = replace(view, port=_free_port(view.host, view.port))
    url = home.view_url or f"http://{_from_here(view)}:{view.port}"

    def record(reports: Sequence[PartReport]) -> None:
        running_parts.write_parts(home.path, running_parts.RunningParts(os.getpid(), f"{url}/", tuple(reports)))
        _warn_of_ends(reports, shown)
        late = any(each.name == STUDIO and each.state is PartState.READY for each in reports)
        if late and welcomed == [False]:
            welcomed[0] = True
            click.echo("\n".join(_studio_login(home)))

    shown: dict[str, int] = {}
    #: Once all was announced: whether Label Studio was with it.
    welcomed: list[bool] = []
    with home.open_store() as store:
        name = _ensure_lead(store, lead)
        parts = _parts(home, store, view)
        supervisor = Supervisor(parts, output=_print_line, changed=record)

        def announce() -> None:
            studio = _studio_login(home)
            click.echo("\n".join([*_welcome(home, store, url, name), *studio, CLOSING]))
            welcomed.append(bool(studio))
            print_next_step("annotator up", directory=home.path)
            if open_browser:
                click.launch(f"{url}/")

        wait_for_stop = stop_requests()

        def stopped(seconds: float) -> bool:
            try:
                wait_for_stop(timeout=seconds)
            except queue.Empty:
                return False
            return True

        try:
            supervisor.run(all_ready=announce, stop=stopped)
        finally:
            running_parts.remove_parts(home.path)
    click.echo("stopped", err=True)


def _home(directory: Path | None, template: str | None) -> Home:
    """The campaign in a folder, created if the folder is new or empty."""
    from annotator.campaign.home import Home, name_of
    from annotator.campaign.templates import initial_texts
    from panelwise.settings.campaign_toml import FILE_NAME

    folder = (directory or Path(os.environ.get("PANELWISE_HOME") or ".")).resolve()
    if (folder / FILE_NAME).is_file():
        if template is not None:
            raise AnnotatorError(f"{folder}: the campaign exists; --template is for a new one")
        return Home.find(folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise AnnotatorError(
            f"{folder}: no campaign here, and not empty; name a new folder, such as annotator up my-campaign"
        )
    settings, guidelines = initial_texts(template or "", name_of(folder))
    home = Home.create(folder, settings=settings, guidelines=guidelines)
    click.echo(f'{home.path}: created campaign "{home.campaign.name}"', err=True)
    return home


def _ensure_lead(store: Store, name: str) -> str:
    """Add a lead if there is none; return the name of the lead who has no password yet, "" for none."""
    from annotator.accounts.people import add_person
    from panelwise.domain.campaign import Role

    with store.read() as tx:
        leads = [each for each in tx.people.all(Role.LEAD) if each.active]
        for each in leads:
            if not tx.people.password_hash(each.name):
                return each.name
    if leads:
        return ""
    return add_person(store, name or getpass.getuser(), roles=[Role.LEAD]).name


def _free_port(host: str, port: int) -> int:
    """Return the port, or any free one for 0. Raises AnnotatorError if it is taken."""
    from panelwise.runtime.sockets import listen

    with listen(host, port) as free:
        return int(free.getsockname()[1])


def _from_here(view: ViewSettings) -> str:
    """Return the host at which this machine reaches the view."""
    return "127.0.0.1" if view.host in ("0.0.0.0", "::") else view.host


def _parts(home: Home, store: Store, view: ViewSettings) -> list[Part]:
    """The view, Label Studio if it is the campaign's own, and synchronization once there are tasks for it."""
    from annotator.campaign.home import LiveHome
    from annotator.label_studio.embedded import server as embedded
    from panelwise.runtime.supervisor import Part

    live = LiveHome(home, report=warn)
    studio_port = view.studio_port or _free_port("127.0.0.1", 0)

    def uses_label_studio() -> bool:
        return any(phase.in_label_studio for phase in live.current().campaign.phases)

    def needs_studio() -> bool:
        # A new campaign is set up in the browser first, perhaps for Panelwise's own screen.
        return not live.current().label_studio.url and uses_label_studio() and _begun(store)

    def has_tasks() -> bool:
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
            lambda: embedded.running(home.path) is not None,
            needs_studio,
        ),
        Part(SYNC, _annotator(home, "sync", "--watch", "--webhook-port", "0"), needed=has_tasks),
    ]


def _begun(store: Store) -> bool:
    """Whether the campaign has figures, or people besides leads."""
    from panelwise.domain.campaign import Role

    with store.read() as tx:
        return bool(tx.figures.gallery((), limit=1)) or any(tx.people.all(Role.ANNOTATOR))


def _annotator(home: Home, *words: str) -> list[str]:
    program = "from annotator.cli.campaign.main import main; main()"
    return [sys.executable, "-c", program, *words, "--home", str(home.path)]


def _welcome(home: Home, store: Store, url: str, name: str) -> list[str]:
    """The address, and the link for the first lead."""
    from annotator.accounts.invitations import HOURS, invite, noted_address

    url = noted_address(store).rstrip("/") or url
    lines = [f"Panelwise     {url}/"]
    if name:
        lines += [
            f"              set the password of {name}, once, within {HOURS} hours:",
            f"              {url}/welcome/{invite(home, store, name)}",
        ]
    return lines


def _studio_login(home: Home) -> list[str]:
    """The address and the login of Label Studio, if it runs."""
    from annotator.label_studio.embedded import server as embedded

    studio = embedded.running(home.path)
    return (
        []
        if studio is None
        else [f"Label Studio  {studio.url}", f"              {studio.email}  {studio.password}"]
    )


def _print_line(name: str, line: str) -> None:
    # Each part is a command that can run alone, and says then what to do in another terminal.
    if not line.startswith(("next: ", "Ctrl-C ")):
        warn(f"{name}: {line}")


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
