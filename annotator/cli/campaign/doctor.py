"""`annotator doctor`: check the campaign's settings and environment."""

from __future__ import annotations

import json
from pathlib import Path

import click

from annotator.cli.commandline import home_option


@click.command(epilog="Example: annotator doctor --home lungs --json")
@click.option("--no-server", is_flag=True, help="Skip Label Studio.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@home_option
def command(no_server: bool, as_json: bool, home: Path | None) -> int:
    """Check the campaign's settings and environment, and print how to fix what is wrong.

    Checks secret, disk space, releases, store, clocks, people and Label Studio; changes nothing. Exit status 1 if
    something is wrong.
    """
    from annotator.operations.doctor import diagnose
    from annotator.operations.findings import State

    found = []
    for each in diagnose(home, server=not no_server):
        found.append(each)
        if not as_json:
            click.echo(str(each))
    counts = {state: sum(each.state is state for each in found) for state in State}
    if as_json:
        findings = [
            {"about": each.about, "state": each.state.value, "told": each.message, "mend": each.fix or None}
            for each in found
        ]
        record = {"well": not counts[State.WRONG], "findings": findings}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        click.echo(f"{counts[State.WRONG]} wrong, {counts[State.NOTE]} to review, {counts[State.GOOD]} good")
    return 1 if counts[State.WRONG] else 0
