"""`annotator init`: make a campaign's home."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog='Example: annotator init chest-figures --name "Chest figures"')
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--name", default="", help="The campaign's name [default: that of the folder].")
@click.option("--labels", default="", help="Labels of subfigures, comma separated [default: A to Z].")
def command(directory: Path, name: str, labels: str) -> None:
    """Make DIR a campaign's home: campaign.toml, store, images/. An existing home is left as it is."""
    from annotator.services.home import DEFAULT_LABELS, Home

    wanted = tuple(label.strip() for label in labels.split(",") if label.strip())
    home = Home.create(directory, name=name, labels=wanted or DEFAULT_LABELS)
    click.echo(f'{home.path}: campaign "{home.campaign.name}" is ready')
    click.echo("next: annotator import figures FILE --home " + str(directory))
