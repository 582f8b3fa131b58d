"""`annotator user email` and `invite`: accounts in Label Studio."""

from __future__ import annotations

from typing import Annotated

import click

from annotator.cli.commandline import campaign_at, warn
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.shared_options import HomeOption, StudioToken, StudioUrl


@click.command(epilog="Example: annotator user email ann1 ann1@example.org", cls=SignatureCommand)
def email(name: str, address: str, home: HomeOption) -> None:
    """Set a person's e-mail, which must match their account in Label Studio."""
    from annotator.accounts import people
    from annotator.sync.project_access import withdraw_access

    where = campaign_at(home)
    with where.open_store() as store:
        people.set_email(store, name, address)
        withdraw_access(where, store)
    click.echo(f"{name}: {address}")


@click.command(epilog="Example: annotator user invite --make", cls=SignatureCommand)
def invite(
    names: Annotated[tuple[str, ...], Argument(metavar="[NAME]...")],
    make: Annotated[bool, Option("Create the accounts and print their passwords, once.")],
    url: StudioUrl,
    token: StudioToken,
    home: HomeOption,
) -> int:
    """Invite annotators to Label Studio: all of them, or those named.

    Prints who has an account, and the sign-up page for the others, who must use the e-mail set here. Exit status 1
    if one has no e-mail.
    """
    from annotator.cli.campaign.server_options import connected
    from annotator.sync.project_access import guests

    where = campaign_at(home)
    with where.open_store() as store, connected(where, url, token) as server:
        found = guests(store, server, names, make=make)
        waiting = [each for each in found if not each.has_account]
        page = server.invitation() if any(each.email for each in waiting) else ""
    width = max(len(each.name) for each in found)
    for each in found:
        state = "has an account" if each.has_account else "no account"
        if each.password is not None:
            state = f"created, password: {each.password}"
        click.echo(f"{each.name:<{width}}  {each.email or '-'}  {state}")
    if page:
        click.echo(f"sign-up page for annotators without an account: {page}")
    for each in waiting:
        if not each.email:
            warn(f"{each.name} has no e-mail; set it with: annotator user email {each.name} ADDRESS")
    return 1 if any(not each.email for each in waiting) else 0
