"""`annotator backup`: back up the campaign to one file."""

from __future__ import annotations

import queue
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import campaign_at, progress, stop_requests, warn
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.paths import OutPath
from annotator.cli.shared_options import HomeOption
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.operations.backup import Schedule

#: Backups that a schedule keeps.
_KEEP = 14


@click.command(epilog="Example: annotator backup lungs-2026-11-22.zip --secret", cls=SignatureCommand)
def command(
    file: Annotated[Path, Argument(metavar="FILE", type=OutPath())],
    secret: Annotated[
        bool, Option("Include secret.key, which sessions and pseudonyms need; protect the file like a password.")
    ],
    studio: Annotated[bool, Option("Include the campaign's own Label Studio.", "--label-studio")],
    every: Annotated[
        float | None,
        Option(
            "Repeat until Ctrl-C; FILE is then a folder. Each backup is restored as a test.",
            metavar="HOURS",
            type=click.FloatRange(min=0.1, max=24 * 366),
        ),
    ],
    keep: Annotated[
        int | None, Option("With --every: backups that stay [default: 14].", type=click.IntRange(1, 10_000))
    ],
    home: HomeOption,
) -> int:
    """Back up the campaign to FILE, a ZIP archive, while people continue to work.

    Contains the store, images of every revision, campaign.toml, guidelines, releases, and a manifest with hashes.
    Only its owner can read it. Missing files are named, with exit status 1.
    """
    from annotator.operations.backup import BackedUp, Schedule, back_up, has_studio

    where = campaign_at(home)
    if every is not None:
        schedule = Schedule(file, timedelta(hours=every), keep or _KEEP, secret, studio)
        return _on_schedule(where, schedule)
    if keep is not None:
        raise click.UsageError("--keep needs --every")
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


def _on_schedule(where: Home, schedule: Schedule) -> int:
    """Make backups until a request to stop. Errors are printed, and the next attempt is made."""
    from annotator.campaign.protected_files import refuse_protected
    from annotator.operations.backup import scheduled_backups

    if schedule.folder.suffix == ".zip" or (schedule.folder.exists() and not schedule.folder.is_dir()):
        raise click.UsageError(f"{schedule.folder}: with --every name a folder for backups")
    refuse_protected(schedule.folder, where)
    stop = stop_requests()

    def wait(seconds: float) -> bool:
        try:
            stop(timeout=seconds)
        except queue.Empty:
            return False
        return True

    warn(f"backing up every {schedule.every.total_seconds() / 3600:g} h to {schedule.folder}; Ctrl-C stops")
    for made in scheduled_backups(where, schedule, wait=wait, now=lambda: datetime.now(UTC)):
        for line in made.problems:
            warn(line)
        if made.path is not None:
            size = made.path.stat().st_size / 1e6
            gone = f"; removed {counted(len(made.removed), 'older one')}" if made.removed else ""
            click.echo(f"{made.path}: {size:.1f} MB, restored as a test{gone}")
    return 0
