"""`annotator push`: the assigned tasks to Label Studio."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.campaign.server_options import server_options
from annotator.cli.commandline import home_option, warn


@click.command(epilog="Example: annotator push --phase 1")
@server_options
@click.option("--no-prelabels", is_flag=True, help="Push bare tasks, without predictions to start from.")
@click.option(
    "--images-on-server",
    default=None,
    metavar="DIR",
    help="The folder of the campaign's images as another machine's Label Studio sees it.",
)
@click.option(
    "--ml-backend",
    "backend",
    default=None,
    metavar="URL",
    help="Connect the projects with the models there (`prelabel serve`), as Label Studio reaches them; `none`: "
    "with none any more.",
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
    """Bring the assigned figures to Label Studio: a project per annotator and phase, with pre-labels.

    Safe to run again: only what is missing is added, what changed is sent anew, and tasks with work in them are
    never touched. A figure whose caption or image was replaced gets a new task beside one with work in it; an
    untouched task of a figure that was given to somebody else is taken back. Without --url the campaign's own
    server is used; it is started where it does not run, and stopped afterwards.

    With --ml-backend, a task that has no pre-labels gets some when it is opened. PANELWISE_MODEL_PASSWORD, or a
    file named by PANELWISE_MODEL_PASSWORD_FILE, holds the models' password, where they ask for one.
    """
    from annotator.campaign.home import Home
    from annotator.cli.campaign.server_options import connected, warn_of_shared_work
    from annotator.cli.campaign.sync_lines import pushed_line
    from annotator.label_studio.ml_backend import Models
    from annotator.sync.projects import assigned, done_in_panelwise
    from annotator.sync.push import push
    from panelwise.settings.secrets import secret_setting

    where = Home.find(home)
    models = None if backend is None else Models.read(backend, secret_setting("PANELWISE_MODEL_PASSWORD"))
    told: set[str] = set()
    store = where.open_store()
    try:
        assigned(store, phase, annotators or None, where.campaign)  # before a server is started for nothing
        for line in done_in_panelwise(where.campaign) if phase is None else ():
            warn(f"note: {line}")
        with connected(where, url, token) as server:
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
    finally:
        store.close()
    return 1 if told else 0
