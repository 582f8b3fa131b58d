"""`annotator export`: gold and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from annotator.commandline import home_option, progress, warn

OUT = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file to write; it appears whole or not at all.",
)


@click.group()
def command() -> None:
    """Write the campaign's gold or its annotations."""


@command.command(epilog="Example: annotator export gold --out gold.jsonl")
@OUT
@home_option
def gold(out: Path, home: Path | None) -> None:
    """Write the settled figures in MedICaT's annotation layout, with provenance.

    A reviewer's decision makes gold ("adjudicated"); without one, annotators who all agree do ("unanimous"),
    or the only annotator there is ("single"), once all to whom the figure was assigned have submitted.
    Figures that are none of these, and settled ones annotated again since, are told on stderr.
    """
    from annotator.formats.medicat import gold_record
    from annotator.services.exporting import GoldTally
    from annotator.services.exporting import gold as settled
    from annotator.services.home import Home

    where = Home.find(home)
    store = where.open_store()
    tally = GoldTally()
    try:
        found = settled(store, where.campaign, tally)
        count = _write(out, (gold_record(each) for each in found), "exporting gold")
    finally:
        store.close()
    parts = ", ".join(f"{number} {source.value}" for source, number in tally.exported.items())
    click.echo(f"wrote {count} figures to {out} ({parts})")
    for figures, what in (
        (tally.unresolved, "left out {} unresolved, settle them with `annotator serve`"),
        (tally.waiting, "left out {} waiting for open tasks, pull them or settle without"),
        (tally.rejected, "left out {} rejected"),
        (tally.changed, "{} changed since they were settled, look at them again with `annotator serve`"),
    ):
        if figures:
            shown = ", ".join(figures[:5]) + (", ..." if len(figures) > 5 else "")
            warn(f"{what.format(len(figures))}: {shown}")
    if tally.untouched:
        warn(f"left out {tally.untouched} that nobody has annotated")


@command.command("annotations", epilog="Example: annotator export annotations --phase 1 --out annotations.jsonl")
@OUT
@click.option("--phase", default=None, help="Only this phase's.")
@click.option("--annotator", default=None, help="Only this annotator's.")
@home_option
def annotations_(out: Path, phase: str | None, annotator: str | None, home: Path | None) -> None:
    """Write the current annotations as annotations.jsonl."""
    from annotator.formats.annotations import annotation_record
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        with store.read() as tx:
            found = tx.annotations(phase=phase, annotator=annotator)
            count = _write(out, (annotation_record(each) for each in found), "exporting annotations")
    finally:
        store.close()
    click.echo(f"wrote {count} annotations to {out}")


def _write(out: Path, records: Iterable[Mapping[str, Any]], label: str) -> int:
    from annotator.formats.jsonl import write_lines

    return write_lines(out, progress(records, label))
