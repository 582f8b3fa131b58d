"""`annotator studio`: run the campaign's own Label Studio."""

from __future__ import annotations

from typing import Annotated

import click

from annotator.cli.commandline import campaign_at, print_next_step, warn
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption
from panelwise.domain import SyncError


@click.command(epilog="Example: annotator studio --port 8080", cls=SignatureCommand)
def command(
    port: Annotated[
        int | None, Option("Port [default: that of the last start, else any free].", type=click.IntRange(1, 65535))
    ],
    home: HomeOption,
) -> None:
    """Run the campaign's own Label Studio on this machine until Ctrl-C.

    Prints its address and the lead's login. The first start installs Label Studio.
    """
    from annotator.campaign.connect import run_own_server, wait_for_end

    where = campaign_at(home)
    if where.label_studio.url:
        raise SyncError(
            f"the campaign uses {where.label_studio.url}; remove it from campaign.toml and LABEL_STUDIO_URL to "
            "run the campaign's own"
        )
    with run_own_server(where, port=port, report=warn) as studio:
        click.echo(f"Label Studio of {where.campaign.name}: {studio.url}\n  {studio.email}  {studio.password}")
        if not studio.started_here:
            warn("already running in another terminal; stop it there")
            return
        warn("Ctrl-C stops it; continue in another terminal")
        print_next_step("annotator studio")
        wait_for_end(studio, where)
