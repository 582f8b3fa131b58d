"""`annotator pull`: fetch submitted annotations from Label Studio."""

from __future__ import annotations

from typing import Annotated

import click

from annotator.cli.campaign.server_options import ServerOptions, at_server
from annotator.cli.commandline import warned_lines
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption


@click.command(epilog="Example: annotator pull --phase 1", cls=SignatureCommand)
def command(
    chosen: ServerOptions,
    whole: Annotated[bool, Option("Read every task, not only changed ones.", "--all")],
    home: HomeOption,
) -> int:
    """Pull submitted annotations from Label Studio into the campaign's store.

    Only changed tasks are read; a changed annotation supersedes the old one, one on a replaced caption or image is
    outdated. Annotations that don't fit their figures are named until fixed, with exit status 1.
    """
    from annotator.cli.campaign.sync_lines import pulled_line
    from annotator.queue.ranking import refresh_disagreement
    from annotator.sync.pull import pull

    problems, lines = 0, warned_lines()
    with at_server(home, chosen) as (where, store, server):
        try:
            steps = pull(
                where, store, server, phase=chosen.phase, annotators=chosen.annotators or None, whole=whole
            )
            for step in steps:
                for line in step.findings:
                    lines.add(f"note: {line}")
                for line in step.problems:
                    lines.add(line)
                problems += len(step.problems)
                click.echo(pulled_line(step))
        finally:
            # Also after an interruption or without new work: annotations that an earlier, killed pull stored
            # would never enter the queue otherwise.
            refresh_disagreement(store, campaign=where.campaign, phase=chosen.phase)
    return 1 if problems else 0
