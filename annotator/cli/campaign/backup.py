"""`annotator backup`: the campaign in one file."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import OutPath, home_option, progress, warn
from panelwise.runtime.plurals import counted


@click.command(epilog="Example: annotator backup lungs-2026-11-22.zip --secret")
@click.argument("file", metavar="FILE", type=OutPath())
@click.option(
    "--secret",
    is_flag=True,
    help="With secret.key: sessions and pseudonyms stay the same. Keep the file like a password.",
)
@click.option(
    "--label-studio",
    "studio",
    is_flag=True,
    help="With the data of the campaign's own Label Studio: its accounts, tokens, and work that is not pulled.",
)
@home_option
def command(file: Path, secret: bool, studio: bool, home: Path | None) -> int:
    """Write the campaign to FILE, a ZIP archive, while people go on working on it.

    The store as it is at one moment, the images of every revision, campaign.toml, guidelines and releases, with a
    manifest of their hashes. FILE appears whole or not at all; its owner alone may read it. What is missing is
    named, the rest is kept, and the exit status is 1. `annotator restore` makes a campaign of it again.
    """
    from annotator.campaign.home import Home
    from annotator.operations.backup import BackedUp, back_up, has_studio

    where = Home.find(home)
    done = BackedUp()
    for step in progress(back_up(where, file, secret=secret, studio=studio), "backing up", unit="files"):
        done = step
    for line in done.problems:
        warn(line)
    store = done.manifest["store"]
    rows = sum(store["rows"].values())
    click.echo(
        f"backed up {counted(done.files, 'file')}, {done.bytes / 1e6:.1f} MB, to {file}: "
        f"{counted(rows, 'row')} of the store at revision {store['revision']}"
    )
    if not secret:
        warn("note: without --secret, pseudonyms will be others after restoring, and everybody signs in anew")
    if not studio and has_studio(where):
        warn(
            "note: without --label-studio, work there that was not pulled is not in it; run annotator pull before"
        )
    return 1 if done.problems else 0
