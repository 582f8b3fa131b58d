"""`annotator sync`: synchronize with Label Studio, once or continuously."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.campaign.server_options import PushOptions, ServerOptions, at_server, warn_of_shared_work
from annotator.cli.commandline import warned_lines
from annotator.cli.parameters import Number, Option, SignatureCommand
from annotator.cli.shared_options import HomeOption

if TYPE_CHECKING:
    from annotator.annotation_server import AnnotationServer
    from annotator.campaign.home import Home
    from annotator.store.store import Store
    from annotator.sync.watch import Options, Receiver, Round


@click.command(epilog="Example: annotator sync --watch", cls=SignatureCommand)
def command(
    chosen: ServerOptions,
    watching: Annotated[bool, Option("Repeat until Ctrl-C.", "--watch")],
    every: Annotated[
        float, Option("With --watch: time between polls.", metavar="SECONDS", type=Number(1, 86_400), default=30.0)
    ],
    webhook_port: Annotated[
        int | None,
        Option(
            "With --watch: receive Label Studio's webhooks here (0: any free port).",
            metavar="N",
            type=click.IntRange(0, 65535),
        ),
    ],
    webhook_host: Annotated[
        str, Option("Address to listen on for webhooks.", metavar="HOST", default="127.0.0.1")
    ],
    webhook_url: Annotated[
        str | None, Option("Its address for Label Studio [default: http://HOST:N].", metavar="URL")
    ],
    pull_only: Annotated[bool, Option("Don't push.")],
    pushing: PushOptions,
    whole: Annotated[bool, Option("Read every task; not with --watch.", "--all")],
    home: HomeOption,
) -> int:
    """Pull submitted annotations, then push missing tasks; with --watch, repeatedly.

    A server that doesn't answer is tried again. Ctrl-C stops at any time without loss.
    """
    from annotator.sync.watch import Options, sync

    if webhook_port is not None and not watching:
        raise click.UsageError("--webhook-port needs --watch")
    if webhook_url is not None and webhook_port is None:
        raise click.UsageError("--webhook-url needs --webhook-port")
    if whole and watching:
        raise click.UsageError("--all can't be combined with --watch")
    options = Options(
        *(chosen.phase, chosen.annotators or None, not pushing.no_prelabels),
        *(pushing.images_on_server, not pull_only),
    )
    with at_server(home, chosen) as (where, store, server), ExitStack() as stack:
        if not watching:
            warn_of_shared_work(server)
            return _report_once(sync(where, store, server, options, whole=whole))
        receiver = None
        if webhook_port is not None:
            from annotator.sync.watch import Receiver

            receiver = stack.enter_context(Receiver(webhook_port, host=webhook_host, public_url=webhook_url))
        return _watched(where, store, server, options, every, receiver)


def _report_once(found: Round) -> int:
    from annotator.cli.campaign import sync_lines

    lines = warned_lines()
    for line in found.findings:
        lines.add(f"note: {line}")
    for line in dict.fromkeys(found.problems):  # what is wrong with a figure is wrong for every annotator
        lines.add(line)
    for pulled in found.pulled:
        if pulled.project_id is None:
            continue  # created by the push just now
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
        server.stop_calls(receiver.base)  # left by a run that was killed
    try:
        for found in watch(where, store, server, options, every=every, receiver=receiver):
            screen.show(found, datetime.now().astimezone())
    except KeyboardInterrupt:
        screen.end()
    finally:
        if receiver is not None:
            server.stop_calls(receiver.base)
    return 0
