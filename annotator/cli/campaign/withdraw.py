"""`annotator withdraw`: take figures out of the campaign, and back."""

from __future__ import annotations

import getpass
from typing import Annotated

import click

from annotator.cli.commandline import campaign_at
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.shared_options import HomeOption
from panelwise.runtime import counted


@click.command(
    epilog='Example: annotator withdraw f12 f13 --reason "the licence forbids it"', cls=SignatureCommand
)
def command(
    figures: Annotated[tuple[str, ...], Argument(metavar="FIGURE...")],
    reason: Annotated[str, Option("Reason; required.", default="")],
    restore: Annotated[bool, Option("Take the figures back, with all work.")],
    listing: Annotated[bool, Option("List withdrawn figures and reasons.", "--list")],
    by: Annotated[str, Option("Name to record [default: your user name].", metavar="NAME", default="")],
    home: HomeOption,
) -> None:
    """Take figures out of the campaign: for their licence, as duplicates, or because their paper was retracted.

    Nothing is deleted; until restored they are in no queue, task, agreement, gold, export or release. Earlier
    releases stay.
    """
    from annotator.imports.withdraw import restore_figures, withdraw_figures

    if listing == bool(figures):
        raise click.UsageError("name the figures to withdraw or restore, or give --list alone")
    if restore and reason:
        raise click.UsageError("--reason can't be combined with --restore; leave it out")
    if figures and not restore and not reason.strip():
        raise click.UsageError('give --reason, such as --reason "a duplicate of f12"')
    where = campaign_at(home)
    with where.open_store(reading=listing) as store:
        if listing:
            with store.read() as tx:
                for each in tx.withdrawals.standing().values():
                    click.echo(f"{each.figure_id}: {each.reason} ({each.person}, {each.at:%Y-%m-%d %H:%M} UTC)")
            return
        person = by or getpass.getuser()
        if restore:
            restore_figures(store, where.campaign, figures, person)
        else:
            withdraw_figures(store, figures, person, reason)
    click.echo(f"{counted(len(set(figures)), 'figure')} {'restored' if restore else 'withdrawn'}")
