"""`prelabel statistics`: count panels, subcaptions, markers and sizes of figures."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import exit_on, warned_problems
from annotator.cli.parameters import SignatureCommand
from annotator.cli.prelabel.options import simulator_required


@click.command(
    "statistics", epilog="Example: prelabel statistics simulated/annotations.jsonl", cls=SignatureCommand
)
def command(file: Path) -> None:
    """Count panels, subcaptions, markers and sizes, to compare simulated with real figures.

    FILE is annotations.jsonl, figures.jsonl or captions.
    """

    with simulator_required():
        from panelwise_simulator.statistics import measured, statistics_text

    problems = warned_problems()
    found = measured(file, problems)
    for line in statistics_text(found):
        click.echo(line)
    exit_on(problems)
