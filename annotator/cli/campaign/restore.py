"""`annotator restore`: restore a campaign from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from annotator.cli.commandline import campaign_at, progress, warn
from annotator.cli.parameters import Argument, Option, SignatureCommand
from panelwise.runtime import counted


@click.command(epilog="Example: annotator restore lungs-2026-11-22.zip lungs-again", cls=SignatureCommand)
def command(
    file: Annotated[Path, Argument(metavar="FILE")],
    directory: Annotated[Path | None, Argument(metavar="[DIR]")],
    store_url: Annotated[
        str,
        Option(
            "Restore to this empty database, entered in campaign.toml, not to a file in DIR.",
            "--store",
            metavar="URL",
            default="",
        ),
    ],
    check: Annotated[bool, Option("Only check FILE; without DIR.")],
) -> int:
    """Restore a campaign home from FILE, a backup, to DIR, which is empty or doesn't exist yet.

    A damaged backup is refused. Finally everything is checked as by `annotator store check`.
    """
    from annotator.operations.restore import check_backup, restore

    if check:
        if directory is not None or store_url:
            raise click.UsageError("--check restores nothing; leave out DIR and --store")
        count = sum(1 for _ in progress(check_backup(file), "checking", unit="files"))
        click.echo(f"{file}: {counted(count, 'file')}, all intact")
        return 0
    if directory is None or not str(directory).strip():
        raise click.UsageError("add the folder DIR to restore to, or --check")
    manifest: dict[str, Any] = {}
    for step in progress(restore(file, directory, store_url=store_url), "restoring", unit="files"):
        manifest, count = step.manifest, step.files
    return _check(directory, count, manifest)


def _check(directory: Path, count: int, manifest: dict[str, Any]) -> int:
    from annotator.operations.store_check import check_campaign, upgrade_store

    home = campaign_at(directory)
    upgraded = upgrade_store(home.store_location, home.path)
    if upgraded.done:
        warn(f"upgraded the store from revision {upgraded.before} to {upgraded.after}")
    faults = list(check_campaign(home))
    for each in faults:
        warn(str(each))
    click.echo(
        f'{home.path}: campaign "{home.campaign.name}" as of {manifest.get("created_at")}, '
        f"{counted(count, 'file')}; its store is {upgraded.where}"
    )
    if "secret.key" not in manifest["files"]:
        warn("note: the backup has no secret.key; a new one was created, so pseudonyms change from now on")
    return 1 if faults else 0
