"""`annotator up`: run a whole campaign with one command."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.campaign.init import TEMPLATE_NAMES
from annotator.cli.campaign.running import run_parts, studio_login
from annotator.cli.campaign.serve import Listening, listening
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.paths import InPath
from annotator.cli.shared_options import OpenBrowser
from panelwise.domain import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store

CLOSING = "Ctrl-C stops everything; the campaign remains."


class ListeningWithStudio(Listening):
    """Addresses of the view and port of Label Studio; None for the settings in campaign.toml."""

    studio_port: Annotated[
        int | None,
        Option(
            "Port of Label Studio [default: campaign.toml, else that of the last start].",
            type=click.IntRange(1, 65535),
        ),
    ]


@click.command(epilog="Example: annotator up lungs --template subfigures", cls=SignatureCommand)
def command(
    directory: Annotated[Path | None, Argument(metavar="[DIR]", type=InPath(file_okay=False))],
    template: Annotated[
        str | None, Option("Template of a new campaign; see init.", type=click.Choice(TEMPLATE_NAMES))
    ],
    lead: Annotated[str, Option("Name of the first lead [default: your user name].", metavar="NAME", default="")],
    options: ListeningWithStudio,
    open_browser: OpenBrowser,
) -> None:
    """Run the campaign in DIR: adjudication view, its own Label Studio, and synchronization, until Ctrl-C.

    DIR (default: PANELWISE_HOME, else the current folder) becomes a campaign if new or empty, with a first lead
    and a link to set a password. Label Studio runs once there are figures, unless campaign.toml names another
    server. `annotator serve`, `studio` and `sync --watch` run the parts separately.
    """
    home = _home(directory, template)
    with home.open_store() as store:
        name = _ensure_lead(store, lead)

        def begin(url: str) -> None:
            click.echo("\n".join([*_welcome(home, store, url, name), *studio_login(home), CLOSING]))
            if open_browser:
                click.launch(f"{url}/")

        run_parts(home, store, listening(home, vars(options)), begin=begin)
    click.echo("stopped", err=True)


def _home(directory: Path | None, template: str | None) -> Home:
    """The campaign in a folder, created if the folder is new or empty."""
    from annotator.campaign.home import Home, name_of
    from annotator.campaign.templates import initial_texts
    from panelwise.settings import FILE_NAME

    folder = (directory or Path(os.environ.get("PANELWISE_HOME") or ".")).resolve()
    if (folder / FILE_NAME).is_file():
        if template is not None:
            raise AnnotatorError(f"{folder}: the campaign exists; --template is for a new one")
        return Home.find(folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise AnnotatorError(
            f"{folder}: no campaign here, and not empty; name a new folder, such as annotator up my-campaign"
        )
    settings, guidelines = initial_texts(template or "", name_of(folder))
    home = Home.create(folder, settings=settings, guidelines=guidelines)
    click.echo(f'{home.path}: created campaign "{home.campaign.name}"', err=True)
    return home


def _ensure_lead(store: Store, name: str) -> str:
    """Add a lead if there is none; return the name of the lead who has no password yet, "" for none."""
    from annotator.accounts.people import add_person
    from panelwise.domain import Role

    with store.read() as tx:
        leads = [each for each in tx.people.all(Role.LEAD) if each.active]
        for each in leads:
            if not tx.people.password_hash(each.name):
                return each.name
    if leads:
        return ""
    return add_person(store, name or getpass.getuser(), roles=[Role.LEAD]).name


def _welcome(home: Home, store: Store, url: str, name: str) -> list[str]:
    """The address, and the link for the first lead."""
    from annotator.accounts.invitations import HOURS, invite, noted_address

    url = noted_address(store).rstrip("/") or url
    lines = [f"Panelwise     {url}/"]
    if name:
        lines += [
            f"              set the password of {name}, once, within {HOURS} hours:",
            f"              {url}/welcome/{invite(home, store, name)}",
        ]
    return lines
