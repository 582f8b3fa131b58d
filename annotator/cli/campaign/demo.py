"""`annotator demo`: run a sample campaign on this machine."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import as_typed_here, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.demo.figures import DemoLogin
    from annotator.label_studio.client import LabelStudioServer
    from annotator.label_studio.embedded.server import EmbeddedServer
    from annotator.store.store import Store

#: Seconds between two pulls, and the least multiple of a pull's own duration.
PULL_EVERY = 3.0
PULL_SHARE = 4


@click.command(epilog="Example: annotator demo --home /tmp/panelwise-demo")
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Folder of the demo's campaign, created or continued [default: demo-campaign, demo-questions].",
)
@click.option(
    "--campaign",
    "kind",
    type=click.Choice(["subfigures", "figure-qa"]),
    default="subfigures",
    show_default=True,
    help="Subfigures with subcaptions, or question-answer pairs with figure types.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of the adjudication view [default: any]."
)
@click.option(
    "--studio-port", type=click.IntRange(1, 65535), default=None, help="Port of Label Studio [default: any]."
)
@click.option("--exit-when-ready", is_flag=True, help="Stop once everything is up, for scripts and tests.")
def command(home: Path | None, kind: str, port: int, studio_port: int | None, exit_when_ready: bool) -> None:
    """Run a sample campaign end to end: real Label Studio, pre-labels, simulated annotators, adjudication view.

    Prints addresses and logins, and runs until Ctrl-C. Annotations that you submit in Label Studio appear in the
    adjudication view within seconds.
    """
    from annotator.demo import figures as demo
    from annotator.demo import questions as demo_questions
    from annotator.label_studio.client import LabelStudioServer
    from annotator.label_studio.embedded.server import label_studio
    from annotator.web.server import AdjudicationServer

    began = time.monotonic()

    def report(line: str) -> None:
        warn(f"[{time.monotonic() - began:5.1f} s] {line}")

    pairs = kind == "figure-qa"
    if pairs:
        where = demo_questions.prepare(home or Path("demo-questions"), report)
    else:
        where = demo.prepare(home or Path("demo-campaign"), report)
    with (
        where.open_store() as store,
        label_studio(where.path, port=studio_port, report=report) as studio,
        LabelStudioServer(studio.url, studio.token) as server,
    ):
        if not studio.started_here:
            report("using the Label Studio that already runs in another terminal; stop it there")
        demo.fill(where, store, server, report, work=demo_questions.work if pairs else None)
        login = demo.reviewer_login(where, store)
        with AdjudicationServer(where, store, port=port) as view:
            report("ready")
            click.echo(welcome(where, store, view.url, login, studio, pairs=pairs))
            if not exit_when_ready:
                _keep_in_step(where, store, server)


def _keep_in_step(where: Home, store: Store, server: LabelStudioServer) -> None:
    """Pull repeatedly until interrupted; if the server doesn't answer, warn once and try again."""
    from annotator.demo import figures as demo
    from panelwise.domain.errors import SyncError

    silent = False
    took = 0.0
    while True:
        time.sleep(max(PULL_EVERY, PULL_SHARE * took))
        began = time.monotonic()
        try:
            new = demo.pull(where, store, server)
            silent = False
        except SyncError as error:
            if not silent:
                warn(f"{error}; trying again")
            silent = True
        else:
            if new:
                warn(f"pulled {counted(new, 'new annotation')} from Label Studio")
        took = time.monotonic() - began


def welcome(where: Home, store: Store, view: str, login: DemoLogin, studio: EmbeddedServer, *, pairs: bool) -> str:
    """Return addresses, logins and what to try; the commands work from the beginning."""
    from annotator.demo.figures import NEWCOMER, PHASE

    home = where.path
    with store.read() as tx:
        figures, mine = tx.figures.count(), len(tx.tasks.all(phase=PHASE, annotator=NEWCOMER))
    asked = f"{mine} charts with seven questions each" if pairs else f"{mine} figures with pre-labels"
    gold = "qa" if pairs else "gold"
    commands = (
        f"agreement report --home {shlex.quote(str(home))}",
        f"annotator export {gold} --home {shlex.quote(str(home))} --out {gold}.jsonl",
    )
    # Below `make demo` the commands are not on the PATH.
    report, export = map(as_typed_here, commands)
    return f"""
Label Studio       {studio.url}
                   {studio.email}  {studio.password}
                   open the project "{NEWCOMER}": {asked} to correct and submit

Adjudication view  {view}
                   {login.name}  {login.password}
                   {figures} figures, largest disagreement first: adjudicate one; press ? for the keys

In another terminal:
  {report}
  {export}

Ctrl-C stops everything; the campaign remains in {home}."""
