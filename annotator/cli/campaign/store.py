"""`annotator store`: check, upgrade or copy the campaign's store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import click

from annotator.cli.commandline import campaign_at, progress, warn
from annotator.cli.parameters import Argument, Option, SignatureGroup
from annotator.cli.shared_options import HomeOption, Json
from panelwise.runtime import counted


@click.group(cls=SignatureGroup)
def command() -> None:
    """Check, upgrade or copy the campaign's store."""


@command.command(epilog="Example: annotator store copy store.sqlite postgresql://panelwise@db.example.org/lungs")
def copy(
    source: Annotated[str, Argument(metavar="FROM")],
    target: Annotated[str, Argument(metavar="TO")],
    as_json: Json,
) -> None:
    """Copy the store at FROM to TO: every row of every table, counted and hashed on both sides.

    FROM and TO are URLs (sqlite:///FILE, postgresql://USER@HOST/NAME; password in PGPASSWORD) or SQLite files; TO
    has no store or an empty one. FROM is locked meanwhile. Name TO in campaign.toml or PANELWISE_STORE_URL.
    """
    from annotator.store.maintenance.copy import copy_between

    tables = list(progress(copy_between(_location(source), _location(target)), "copying", unit="tables"))
    rows = sum(each.rows for each in tables)
    if as_json:
        found = [{"table": each.table, "rows": each.rows, "sha256": each.sha256} for each in tables]
        click.echo(json.dumps({"rows": rows, "tables": found}, indent=2))
        return
    for each in tables:
        if each.rows:
            click.echo(f"{each.table:<18} {each.rows:>9}  {each.sha256[:16]}")
    click.echo(f"copied {counted(rows, 'row')} of {len(tables)} tables; counts and hashes are equal on both sides")


@command.command(epilog="Example: annotator store check --hashes --json --home lungs")
def check(
    hashes: Annotated[bool, Option("Also check every image's hash.")],
    mend: Annotated[bool, Option("First rebuild the reviewers' queue.")],
    as_json: Json,
    home: HomeOption,
) -> int:
    """Check the store: readable rows, valid references, complete histories, intact images and releases.

    Changes nothing but the queue with --mend. Each fault is printed with its remedy, with exit status 1.
    """
    from annotator.operations.store_check import check_campaign, repair_queue
    from annotator.store.maintenance.check import Checked

    where = campaign_at(home)
    if mend:
        with where.open_store() as store:
            warn(f"recomputed {counted(repair_queue(where, store), 'figure')}")
    checked = Checked(max_boxes=where.campaign.max_boxes)
    faults = list(check_campaign(where, hashes=hashes, checked=checked))
    rows, images = sum(checked.rows.values()), len(checked.images)
    if as_json:
        found = [{"kind": each.kind.value, "where": each.where, "message": each.message} for each in faults]
        counts = {"rows": checked.rows, "images": images, "notes": checked.notes}
        click.echo(json.dumps({"sound": not faults, **counts, "faults": found}, indent=2, ensure_ascii=False))
        return 1 if faults else 0
    for each in faults:
        click.echo(str(each))
    for note in checked.notes:
        warn(f"note: {note}")
    looked = f"{counted(rows, 'row')} of {len(checked.rows)} tables, {counted(images, 'image')}"
    click.echo(f"{looked}: {counted(len(faults), 'fault') if faults else 'no faults'}")
    return 1 if faults else 0


@command.command(epilog="Example: annotator store upgrade --home lungs")
def upgrade(look: Annotated[bool, Option("Only print what would be done.")], home: HomeOption) -> None:
    """Upgrade the store to this version of Panelwise, as every other command does when it opens the store.

    A copy is saved first: STORE-before-REVISION.sqlite, beside the store's file or, for PostgreSQL, in the home.
    One transaction, verified before it is committed; a newer store is refused.
    """
    from annotator.operations.store_check import upgrade_store

    where = campaign_at(home)
    done = upgrade_store(where.store_location, where.path, only_look=look)
    if not done.done:
        click.echo(f"{done.where}: at revision {done.after}, the latest")
    elif look:
        click.echo(
            f"{done.where}: at revision {done.before}; annotator store upgrade would upgrade it to {done.after}"
        )
    else:
        click.echo(f"{done.where}: upgraded from revision {done.before} to {done.after}")
        warn(f"saved as it was before: {done.copy}")


def _location(given: str) -> str | Path:
    return given if "://" in given else Path(given)
