"""`annotator sync`: in step with Label Studio, once or for as long as it runs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.campaign.server_options import server_options
from annotator.cli.commandline import home_option, warn

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.label_studio.server import AnnotationServer
    from annotator.label_studio.webhook import Receiver
    from annotator.store.store import Store
    from annotator.sync.watch import Options, Round


@click.command(epilog="Example: annotator sync --watch")
@server_options
@click.option("--watch", "watching", is_flag=True, help="Go on until Ctrl-C.")
@click.option(
    "--every",
    type=click.FloatRange(min=1),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="With --watch, between two looks.",
)
@click.option(
    "--webhook-port",
    type=click.IntRange(0, 65535),
    default=None,
    metavar="N",
    help="With --watch, let Label Studio call this port when something happens (0: any free one).",
)
@click.option(
    "--webhook-host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="The address of this machine that the port is opened on.",
)
@click.option(
    "--webhook-url",
    default=None,
    metavar="URL",
    help="How Label Studio reaches that port [default: http://HOST:N].",
)
@click.option("--pull-only", is_flag=True, help="Push nothing.")
@click.option("--no-prelabels", is_flag=True, help="Push bare tasks, without predictions to start from.")
@click.option(
    "--images-on-server",
    default=None,
    metavar="DIR",
    help="The folder of the campaign's images as another machine's Label Studio sees it.",
)
@click.option("--all", "whole", is_flag=True, help="Read every task, not only those that changed; once.")
@home_option
def command(
    phase: str | None,
    annotators: tuple[str, ...],
    url: str | None,
    token: str | None,
    watching: bool,
    every: float,
    webhook_port: int | None,
    webhook_host: str,
    webhook_url: str | None,
    pull_only: bool,
    no_prelabels: bool,
    images_on_server: str | None,
    whole: bool,
    home: Path | None,
) -> int:
    """Pull what was submitted in Label Studio, then push what is missing there; with --watch again and again.

    With --watch a line tells how things stand; news, and what somebody has to see to, get lines of their own, once
    each. A server that goes away is waited for. Ctrl-C ends it: nothing is lost at any point, and what was broken
    off goes on at the next run.
    """
    from annotator.campaign.home import Home
    from annotator.cli.campaign.server_options import connected, warn_of_shared_work
    from annotator.sync.projects import assigned, done_in_panelwise
    from annotator.sync.watch import Options, sync

    if webhook_port is not None and not watching:
        raise click.UsageError("--webhook-port goes with --watch")
    if webhook_url is not None and webhook_port is None:
        raise click.UsageError("--webhook-url goes with --webhook-port")
    if whole and watching:
        raise click.UsageError("--all goes without --watch")
    where = Home.find(home)
    options = Options(phase, annotators or None, not no_prelabels, images_on_server, not pull_only)
    store = where.open_store()
    try:
        assigned(store, phase, annotators or None, where.campaign)  # before a server is started for nothing
        for line in done_in_panelwise(where.campaign) if phase is None else ():
            warn(f"note: {line}")
        with connected(where, url, token) as server, ExitStack() as stack:
            if not watching:
                warn_of_shared_work(server)
                return _told_once(sync(where, store, server, options, whole=whole))
            receiver = None
            if webhook_port is not None:
                from annotator.label_studio.webhook import Receiver

                receiver = stack.enter_context(Receiver(webhook_port, host=webhook_host, public_url=webhook_url))
            return _watched(where, store, server, options, every, receiver)
    finally:
        store.close()


def _told_once(found: Round) -> int:
    from annotator.cli.campaign import sync_lines

    for line in found.findings:
        warn(f"note: {line}")
    for line in dict.fromkeys(found.problems):  # what is wrong with a figure is wrong for every annotator
        warn(line)
    for pulled in found.pulled:
        if pulled.project_id is None:
            continue  # the push has just made it
        click.echo(f"pulled  {sync_lines.pulled_line(pulled)}")
    for pushed in found.pushed:
        click.echo(f"pushed  {sync_lines.pushed_line(pushed)}")
    return 1 if found.problems else 0


def _watched(
    where: Home, store: Store, server: AnnotationServer, options: Options, every: float, receiver: Receiver | None
) -> int:
    from annotator.cli.campaign.sync_lines import Watched
    from annotator.sync.watch import watch

    screen = Watched(sys.stderr)
    if receiver is not None:
        server.stop_calls(receiver.base)  # of a run that was killed
    try:
        for found in watch(where, store, server, options, every=every, receiver=receiver):
            screen.show(found, datetime.now().astimezone())
    except KeyboardInterrupt:
        screen.end()
    finally:
        if receiver is not None:
            server.stop_calls(receiver.base)
    return 0
