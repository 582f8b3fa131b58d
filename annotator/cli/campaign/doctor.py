"""`annotator doctor`: check the campaign's settings and environment."""

from __future__ import annotations

import json
from typing import Annotated

import click

from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption, Json


@click.command(epilog="Example: annotator doctor --home lungs --json", cls=SignatureCommand)
def command(no_server: Annotated[bool, Option("Skip Label Studio.")], as_json: Json, home: HomeOption) -> int:
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
