"""`annotator doctor`: is everything set as it should be?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from annotator.cli.commandline import home_option


@click.command(epilog="Example: annotator doctor --home lungs --json")
@click.option("--no-server", is_flag=True, help="Do not ask Label Studio.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@home_option
def command(no_server: bool, as_json: bool, home: Path | None) -> int:
    """Look at the campaign's settings and surroundings, and say what to do about what is wrong.

    The secret and who may read it, permissions, disk space, releases, the store, its version, whether it
    takes writes, clocks and time zone, people, and Label Studio: whether it answers, its version, the token,
    sign-in forms, images. Nothing is changed. Exit status 1 where something is wrong; a note alone is none.
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
        told = {"well": not counts[State.WRONG], "findings": findings}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        click.echo(f"{counts[State.WRONG]} wrong, {counts[State.NOTE]} to look at, {counts[State.GOOD]} good")
    return 1 if counts[State.WRONG] else 0
