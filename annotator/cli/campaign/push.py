"""`annotator push`: send the assigned tasks to Label Studio."""

from __future__ import annotations

from typing import Annotated

import click

from annotator.cli.campaign.server_options import PushOptions, ServerOptions, at_server, warn_of_shared_work
from annotator.cli.commandline import warned_lines
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption


@click.command(epilog="Example: annotator push --phase 1", cls=SignatureCommand)
def command(
    chosen: ServerOptions,
    pushing: PushOptions,
    backend: Annotated[
        str | None,
        Option(
            "Connect to this `prelabel serve`, for tasks without pre-labels; `none` disconnects.",
            "--ml-backend",
            metavar="URL",
        ),
    ],
    home: HomeOption,
) -> int:
    """Push assigned figures to Label Studio: a project per annotator and phase, with pre-labels.

    Missing tasks are added, untouched ones updated or, if reassigned, removed; work is never changed. Without
    --url, the campaign's own server is used, and started if needed. A model server's password is read from
    PANELWISE_MODEL_PASSWORD, or the file that PANELWISE_MODEL_PASSWORD_FILE names.
    """
    from annotator.annotation_server import Models
    from annotator.cli.campaign.sync_lines import pushed_line
    from annotator.sync.push import push
    from panelwise.settings import secret_setting

    models = None if backend is None else Models.read(backend, secret_setting("PANELWISE_MODEL_PASSWORD"))
    told: set[str] = set()
    lines = warned_lines()
    with at_server(home, chosen) as (where, store, server):
        warn_of_shared_work(server)
        steps = push(
            where,
            store,
            server,
            phase=chosen.phase,
            annotators=chosen.annotators or None,
            seeded=not pushing.no_prelabels,
            images=pushing.images_on_server,
            models=models,
        )
        for step in steps:
            for line in step.notes:
                lines.add(f"note: {line}")
            for line in step.problems:
                if line not in told:  # what is wrong with a figure is wrong for every annotator
                    lines.add(line)
            told.update(step.problems)
            click.echo(pushed_line(step))
    return 1 if told else 0
