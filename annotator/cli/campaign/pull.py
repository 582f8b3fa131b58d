"""`annotator pull`: submitted work back from Label Studio."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.campaign.server_options import server_options
from annotator.cli.commandline import home_option, warn


@click.command(epilog="Example: annotator pull --phase 1")
@server_options
@click.option("--all", "whole", is_flag=True, help="Read every task, not only those that changed.")
@home_option
def command(
    phase: str | None,
    annotators: tuple[str, ...],
    url: str | None,
    token: str | None,
    whole: bool,
    home: Path | None,
) -> int:
    """Bring submitted annotations from Label Studio into the campaign's store.

    Safe to run again: only what changed since is read, and a changed annotation supersedes the old one, which
    stays in the history. What was submitted on a caption or image that was replaced since is kept with that one,
    and told. What does not fit its figure is named on stderr at every pull until it is mended, the rest is kept,
    and the exit status is 1.
    """
    from annotator.campaign.home import Home
    from annotator.cli.campaign.server_options import connected
    from annotator.cli.campaign.sync_lines import pulled_line
    from annotator.queue.ranking import refresh_disagreement
    from annotator.sync.projects import assigned, done_in_panelwise
    from annotator.sync.pull import pull

    where = Home.find(home)
    problems = 0
    store = where.open_store()
    try:
        assigned(store, phase, annotators or None, where.campaign)  # before a server is started for nothing
        for line in done_in_panelwise(where.campaign) if phase is None else ():
            warn(f"note: {line}")
        with connected(where, url, token) as server:
            try:
                for step in pull(where, store, server, phase=phase, annotators=annotators or None, whole=whole):
                    for line in step.findings:
                        warn(f"note: {line}")
                    for line in step.problems:
                        warn(line)
                    problems += len(step.problems)
                    click.echo(pulled_line(step))
            finally:
                # Also after a break, and where nothing is new: what an earlier pull kept before it was killed
                # would never come into the queue.
                refresh_disagreement(store, campaign=where.campaign, phase=phase)
    finally:
        store.close()
    return 1 if problems else 0
