"""`annotator push`: send the assigned tasks to Label Studio."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.campaign.server_options import at_server, push_options, server_options, warn_of_shared_work
from annotator.cli.commandline import home_option, warn


@click.command(epilog="Example: annotator push --phase 1")
@server_options
@push_options
@click.option(
    "--ml-backend",
    "backend",
    metavar="URL",
    help="Connect the projects to this model server (`prelabel serve`), at its address for Label Studio; `none` "
    "disconnects them.",
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

    Safe to run again: missing tasks are added, changed ones updated, and tasks with work never changed. A figure
    whose caption or image was replaced gets a new task if its old one has work. An untouched task is removed if
    the figure was reassigned. Without --url, the campaign's own server is used, and started for the push if it is
    not running.

    With --ml-backend, a task without pre-labels gets them when it is opened. Set the model server's password in
    PANELWISE_MODEL_PASSWORD or in a file named by PANELWISE_MODEL_PASSWORD_FILE.
    """
    from annotator.cli.campaign.sync_lines import pushed_line
    from annotator.label_studio.ml_backend import Models
    from annotator.sync.push import push
    from panelwise.settings.secrets import secret_setting

    models = None if backend is None else Models.read(backend, secret_setting("PANELWISE_MODEL_PASSWORD"))
    told: set[str] = set()
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
                warn(f"note: {line}")
            for line in step.problems:
                if line not in told:  # what is wrong with a figure is wrong for every annotator
                    warn(line)
            told.update(step.problems)
            click.echo(pushed_line(step))
    return 1 if told else 0
