"""`annotator push`: send the assigned tasks to Label Studio."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.campaign.server_options import at_server, push_options, server_options, warn_of_shared_work
from annotator.cli.commandline import home_option, warned_lines


@click.command(epilog="Example: annotator push --phase 1")
@server_options
@push_options
@click.option(
    "--ml-backend",
    "backend",
    metavar="URL",
    help="Connect to this `prelabel serve`, for tasks without pre-labels; `none` disconnects.",
)
@home_option
def command(
    phase: str | None,
    annotators: tuple[str, ...],
    url: str | None,
    token: str | None,
    no_prelabels: bool,
    images_on_server: str | None,
    backend: str | None,
    home: Path | None,
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
    with at_server(home, phase, annotators, url, token) as (where, store, server):
        warn_of_shared_work(server)
        steps = push(
            where,
            store,
            server,
            phase=phase,
            annotators=annotators or None,
            seeded=not no_prelabels,
            images=images_on_server,
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
