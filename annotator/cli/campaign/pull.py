"""`annotator pull`: fetch submitted annotations from Label Studio."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.campaign.server_options import at_server, server_options
from annotator.cli.commandline import home_option, warned_lines


@click.command(epilog="Example: annotator pull --phase 1")
@server_options
@click.option("--all", "whole", is_flag=True, help="Read every task, not only changed ones.")
@home_option
def command(
    phase: str | None,
    annotators: tuple[str, ...],
    url: str | None,
    token: str | None,
    whole: bool,
    home: Path | None,
) -> int:
    """Pull submitted annotations from Label Studio into the campaign's store.

    Only changed tasks are read; a changed annotation supersedes the old one, one on a replaced caption or image is
    outdated. Annotations that don't fit their figures are named until fixed, with exit status 1.
    """
    from annotator.cli.campaign.sync_lines import pulled_line
    from annotator.queue.ranking import refresh_disagreement
    from annotator.sync.pull import pull

    problems, lines = 0, warned_lines()
    with at_server(home, phase, annotators, url, token) as (where, store, server):
        try:
            for step in pull(where, store, server, phase=phase, annotators=annotators or None, whole=whole):
                for line in step.findings:
                    lines.add(f"note: {line}")
                for line in step.problems:
                    lines.add(line)
                problems += len(step.problems)
                click.echo(pulled_line(step))
        finally:
            # Also after an interruption or without new work: annotations that an earlier, killed pull stored
            # would never enter the queue otherwise.
            refresh_disagreement(store, campaign=where.campaign, phase=phase)
    return 1 if problems else 0
