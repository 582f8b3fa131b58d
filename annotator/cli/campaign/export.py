"""`annotator export`: a subcommand for each format of the registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from annotator.cli.campaign.export_options import report_gold, report_status, sources
from annotator.cli.commandline import campaign_at, progress, warn, warned_lines
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.paths import InPath, OutPath
from annotator.cli.shared_options import HomeOption, IncludeGold, OutFile
from annotator.gold.exports.job import Export, Kind, Shared
from annotator.gold.exports.registry import EXPORTS

if TYPE_CHECKING:
    from annotator.gold.exports.job import Option as FormatOption
    from annotator.gold.exports.job import Outcome

_SHARED: dict[Shared, Any] = {
    Shared.NAMES: Annotated[
        Literal["pseudonyms", "real"],
        Option("Real names of people, or the pseudonyms of releases.", default="real"),
    ],
    Shared.INCLUDE: IncludeGold,
}
_TYPES = {
    Kind.TEXT: click.STRING,
    Kind.FOLDER: InPath(file_okay=False),
    Kind.NEW_FOLDER: OutPath(folder=True),
    Kind.NEW_FILE: OutPath(),
}


@click.group()
def command() -> None:
    """Export the campaign's gold, annotations, decisions or figures."""


def command_of(export: Export) -> click.Command:
    """Return the subcommand of one format."""

    def work(out: Path, home: Path | None, **options: Any) -> int:
        return _run(export, out, home, options)

    work.__doc__ = export.help
    own = {option.value if isinstance(option, Shared) else option.name: _hint(option) for option in export.options}
    work.__annotations__ = {"out": OutFile, **own, "home": HomeOption}
    return click.command(export.name, epilog=f"Example: {export.example}", cls=SignatureCommand)(work)


def _hint(option: FormatOption | Shared) -> Any:
    """Return the annotation that declares an option of the registry."""
    if isinstance(option, Shared):
        return _SHARED[option]
    if option.kind is Kind.CHOICE:
        choice = click.Choice(option.choices)
        return Annotated[str, Option(option.help, type=choice, default=option.choices[0])]
    if option.kind is Kind.FLAG:
        return Annotated[bool, Option(option.help)]
    return Annotated[str | None, Option(option.help, type=_TYPES[option.kind])]


def _run(export: Export, out: Path, home: Path | None, options: dict[str, Any]) -> int:
    """Write the file of one format and report it; returns the exit status."""
    from annotator.campaign.protected_files import refuse_protected
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.exports.job import Job

    where = campaign_at(home)
    refuse_protected(out, where)
    for option in export.options:
        if not isinstance(option, Shared) and option.kind in (Kind.NEW_FOLDER, Kind.NEW_FILE):
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
