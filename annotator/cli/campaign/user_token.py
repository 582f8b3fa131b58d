"""`annotator user token`: make, list and revoke a person's tokens for the HTTP API."""

from __future__ import annotations

from typing import Annotated

import click

from annotator.cli.commandline import campaign_at
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption


@click.command(epilog="Example: annotator user token ruth nightly-export", cls=SignatureCommand)
def token(
    name: str,
    label: str | None,
    revoke: Annotated[bool, Option("Revoke the token of that label.")],
    home: HomeOption,
) -> None:
    """Make a token for the HTTP API and print it, once; without LABEL, list the person's tokens.

    A token has the person's roles; only its hash is stored.
    """
    from annotator.accounts.tokens import make_token, revoke_token, tokens_of

    if revoke and label is None:
        raise click.UsageError("--revoke needs the LABEL of the token")
    with campaign_at(home).open_store() as store:
        if label is None:
            for each in tokens_of(store, name):
                used = f"{each.used_at:%Y-%m-%d}" if each.used_at else "never"
                click.echo(f"{each.created_at:%Y-%m-%d}  {used:<10}  {each.label}")
        elif revoke:
            revoke_token(store, name, label)
            click.echo(f'revoked token "{label}" of {name}')
        else:
            click.echo(make_token(store, name, label))
