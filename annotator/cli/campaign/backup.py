"""`annotator backup`: back up the campaign to one file."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import campaign_at, home_option, progress, warn
from annotator.cli.paths import OutPath
from panelwise.runtime.plurals import counted


@click.command(epilog="Example: annotator backup lungs-2026-11-22.zip --secret")
@click.argument("file", metavar="FILE", type=OutPath())
@click.option(
    "--secret",
    is_flag=True,
    help="Include secret.key, which sessions and pseudonyms need; protect the file like a password.",
)
@click.option(
    "--label-studio",
    "studio",
    is_flag=True,
    help="Include the campaign's own Label Studio.",
)
@home_option
def command(file: Path, secret: bool, studio: bool, home: Path | None) -> int:
    """Back up the campaign to FILE, a ZIP archive, while people continue to work.

    Contains the store, images of every revision, campaign.toml, guidelines, releases, and a manifest with hashes.
    Only its owner can read it. Missing files are named, with exit status 1.
    """
    from annotator.operations.backup import BackedUp, back_up, has_studio

    where = campaign_at(home)
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
        warn("note: without --secret, a restored campaign has new pseudonyms, and everyone has to sign in again")
    if not studio and has_studio(where):
        warn("note: without --label-studio, work not yet pulled is missing; run annotator pull before the backup")
    return 1 if done.problems else 0
