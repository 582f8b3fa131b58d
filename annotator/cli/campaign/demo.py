"""`annotator demo`: run a sample campaign on this machine."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from annotator.cli.campaign.running import run_parts
from annotator.cli.commandline import as_typed_here, warn
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.paths import InPath
from panelwise.domain import SyncError

if TYPE_CHECKING:
    from annotator.campaign.connect import OwnServer
    from annotator.campaign.home import Home
    from annotator.demo.figures import DemoLogin
    from annotator.store.store import Store


@click.command(epilog="Example: annotator demo --home /tmp/panelwise-demo", cls=SignatureCommand)
def command(
    home: Annotated[
        Path | None,
        Option(
            "Campaign to create or continue [default: demo-campaign, demo-questions].",
            type=InPath(file_okay=False),
        ),
    ],
    kind: Annotated[
        Literal["subfigures", "figure-qa"],
        Option(
            "Subfigures and subcaptions, or question-answer pairs and figure types.",
            "--campaign",
            default="subfigures",
        ),
    ],
    port: Annotated[
        int,
        Option(
            "Port of the adjudication view [default: any].",
            type=click.IntRange(0, 65535),
            default=0,
            show_default=False,
        ),
    ],
    studio_port: Annotated[
        int | None, Option("Port of Label Studio [default: any].", type=click.IntRange(1, 65535))
    ],
    exit_when_ready: Annotated[bool, Option("Stop once everything is up.")],
) -> None:
    """Run a sample campaign until Ctrl-C: Label Studio, pre-labels, simulated annotators, adjudication view.

    Prints addresses and logins.
    """
    from annotator.campaign.connect import own_server, server_of
    from annotator.demo import figures as demo
    from annotator.demo import questions as demo_questions

    began = time.monotonic()
    filled = False

    def report(line: str) -> None:
        warn(f"[{time.monotonic() - began:5.1f} s] {line}")

    pairs = kind == "figure-qa"
    prepared = demo_questions if pairs else demo
    where = prepared.prepare(home or Path("demo-questions" if pairs else "demo-campaign"), report)
    with where.open_store() as store:
        login = demo.reviewer_login(where, store)

        def begin(url: str) -> None:
            nonlocal filled
            studio = own_server(where)
            if studio is None:
                raise SyncError("Label Studio ended; see the lines above")
            with server_of(studio) as server:
                demo.fill(where, store, server, report, work=demo_questions.work if pairs else None)
            filled = True
            report("ready")
            click.echo(welcome(where, store, f"{url}/", login, studio, pairs=pairs))

        view = replace(where.settings.view, host="127.0.0.1", port=port, studio_port=studio_port)
        report("starting Label Studio and the adjudication view")
        run_parts(
            where,
            store,
            view,
            begin=begin,
            synchronized=lambda: filled,
            stop_at_once=exit_when_ready,
            silent=is_for_accounts,
        )


def is_for_accounts(line: str) -> bool:
    """Return whether a line of a push is about an annotator's missing account: here the lead plays them all."""
    from annotator.sync.push import NO_EMAIL

    return NO_EMAIL in line


def welcome(where: Home, store: Store, view: str, login: DemoLogin, studio: OwnServer, *, pairs: bool) -> str:
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
