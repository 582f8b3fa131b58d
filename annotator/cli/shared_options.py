"""Options of several commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.parameters import Option
from annotator.cli.paths import InPath, OutPath

HomeOption = Annotated[
    Path | None,
    Option(
        "Campaign home [default: PANELWISE_HOME, else the current directory].",
        type=InPath(file_okay=False),
        envvar="PANELWISE_HOME",
    ),
]
OutFile = Annotated[Path, Option("Output file.", type=OutPath())]
OutFolder = Annotated[Path, Option("Output folder.", type=OutPath(folder=True))]
OutText = Annotated[Path | None, Option("Output file [default: stdout].", type=OutPath())]
Json = Annotated[bool, Option("Print JSON.", "--json")]
Seed = Annotated[int, Option("Random seed.", type=click.IntRange(0), default=0)]
AnySeed = Annotated[int, Option("Random seed.", default=0)]
Processes = Annotated[
    int | None, Option("Number of processes [default: one per core].", type=click.IntRange(min=1))
]
StudioUrl = Annotated[
    str | None, Option("Address of Label Studio [default: LABEL_STUDIO_URL, else its own].", "--url")
]
StudioToken = Annotated[
    str | None, Option("Label Studio's access token [default: LABEL_STUDIO_API_KEY].", "--token")
]
OpenBrowser = Annotated[bool, Option("Open the view in the browser.", "--open")]
IncludeGold = Annotated[
    Literal["none", "single"] | None,
    Option(
        "Gold besides adjudicated and unanimous figures: none, or unreviewed ones of a single annotator "
        "[default: campaign.toml, else none].",
        "--include",
    ),
]
