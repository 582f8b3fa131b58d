"""What the commands of `annotator export` share."""

from __future__ import annotations

import click

from annotator.commandline import OutPath

OUT = click.option(
    "--out",
    type=OutPath(),
    required=True,
    help="The file to write; it appears whole or not at all.",
)
NAMES = click.option(
    "--names",
    type=click.Choice(["pseudonyms", "real"]),
    default="real",
    show_default=True,
    help="How people are named; pseudonyms are the same in all exports and releases.",
)
