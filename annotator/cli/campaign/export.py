"""`annotator export`: a subcommand for each format of the registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.campaign.export_options import INCLUDE, NAMES, OUT, report_gold, report_status, sources
from annotator.cli.commandline import campaign_at, home_option, progress, warn, warned_lines
from annotator.cli.paths import InPath, OutPath
from annotator.gold.exports.job import Export, Kind, Option, Shared
from annotator.gold.exports.registry import EXPORTS

if TYPE_CHECKING:
    from annotator.gold.exports.job import Outcome

_SHARED = {Shared.NAMES: NAMES, Shared.INCLUDE: INCLUDE}


@click.group()
def command() -> None:
    """Export the campaign's gold, annotations, decisions or figures."""


def command_of(export: Export) -> click.Command:
    """Return the subcommand of one format."""

    def work(out: Path, home: Path | None, **options: Any) -> int:
        return _run(export, out, home, options)

    work.__doc__ = export.help
    decorated: Callable[..., int] = home_option(work)
    for option in reversed(export.options):
        decorated = (_SHARED[option] if isinstance(option, Shared) else _option(option))(decorated)
    return click.command(export.name, epilog=f"Example: {export.example}")(OUT(decorated))


def _option(option: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    if option.kind is Kind.CHOICE:
        choice = click.Choice(option.choices)
        return click.option(
            option.flag, type=choice, default=option.choices[0], show_default=True, help=option.help
        )
    if option.kind is Kind.FLAG:
        return click.option(option.flag, is_flag=True, help=option.help)
    types = {
        Kind.TEXT: click.STRING,
        Kind.FOLDER: InPath(file_okay=False),
        Kind.NEW_FOLDER: OutPath(folder=True),
        Kind.NEW_FILE: OutPath(),
    }
    return click.option(option.flag, type=types[option.kind], help=option.help)


def _run(export: Export, out: Path, home: Path | None, options: dict[str, Any]) -> int:
    """Write the file of one format and report it; returns the exit status."""
    from annotator.campaign.protected_files import refuse_protected
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.exports.job import Job

    where = campaign_at(home)
    refuse_protected(out, where)
    for option in export.options:
        if isinstance(option, Option) and option.kind in (Kind.NEW_FOLDER, Kind.NEW_FILE):
            refuse_protected(options[option.name], where)
    names, include = Names(options.pop("names", "real")), sources(options.pop("include", None))
    with where.open_store() as store:
        outcome = export.write(Job(where, store, out, names, include, warn, progress, options))
    _report(outcome)
    return 1 if outcome.failed else 0


def _report(outcome: Outcome) -> None:
    for line in outcome.lines:
        click.echo(line)
    if outcome.states is not None:
        report_status(outcome.states)
    lines = warned_lines()
    for line in outcome.warnings:
        lines.add(line)
    if outcome.gold is not None:
        report_gold(outcome.gold, single=outcome.single)


for _export in EXPORTS:
    command.add_command(command_of(_export))
