"""`annotator init`: make a campaign's home."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from annotator.commandline import warn


@click.command(epilog='Example: annotator init chest-figures --name "Chest figures"')
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--name", default="", help="The campaign's name [default: that of the folder].")
@click.option("--labels", default="", help="Labels of subfigures, comma separated [default: A to Z].")
def command(directory: str, name: str, labels: str) -> None:
    """Make DIR a campaign's home: campaign.toml, store, images/. An existing home is left as it is."""
    from annotator.formats.campaign_toml import FILE_NAME
    from annotator.services.home import DEFAULT_LABELS, Home

    if directory == "":
        raise click.BadParameter('"" names no folder; give one, such as chest-figures', param_hint="DIR")
    folder = Path(directory)
    wanted = tuple(label.strip() for label in labels.split(",") if label.strip())
    there = (folder / FILE_NAME).is_file()
    home = Home.create(folder, name=name, labels=wanted or DEFAULT_LABELS)
    if there:
        click.echo(f'{home.path}: campaign "{home.campaign.name}" is there already')
        if (name and name != home.campaign.name) or (wanted and wanted != home.campaign.labels):
            warn(f"its name and labels stay as they are; edit {home.path / FILE_NAME} to change them")
    else:
        click.echo(f'{home.path}: campaign "{home.campaign.name}" is ready')
    click.echo(f"next: annotator import figures FILE --home {shlex.quote(directory)}")
