"""`annotator export`: gold and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from annotator.cli.campaign import export_formats, export_items
from annotator.cli.campaign.export_options import INCLUDE, NAMES, OUT, report_gold, sources
from annotator.cli.commandline import OutPath, home_option, progress, warn
from panelwise.runtime.plurals import counted


@click.group()
def command() -> None:
    """Write the campaign's gold, annotations or figures, in its own layouts or in those of others."""


for _each in (*export_formats.COMMANDS, *export_items.COMMANDS):
    command.add_command(_each)


@command.command(epilog="Example: annotator export gold --out gold.jsonl")
@OUT
@NAMES
@click.option(
    "--images",
    type=OutPath(folder=True),
    help="Copy the images into this folder too, under the names by which readers of the layout open them.",
)
@click.option(
    "--left-out",
    type=OutPath(),
    help="Write the figures that are left out to this file too, a line each, with why.",
)
@INCLUDE
@home_option
def gold(
    out: Path, names: str, images: Path | None, left_out: Path | None, include: str | None, home: Path | None
) -> int:
    """Write the gold in MedICaT's annotation layout, with provenance.

    A reviewer's decision makes gold ("adjudicated"); without one, annotators who all agree do ("unanimous"), if
    they are as many as the quorum, two at least, and everyone to whom the figure was assigned has submitted. What
    fewer annotators did ("single") nobody has reviewed: it is left out unless --include single, or include in
    campaign.toml, adds it, and the output says how many figures are unreviewed.

    All other figures are left out too and counted on stderr, as are figures annotated again since they were
    adjudicated, and what the layout cannot represent; --left-out lists them, with the reason: single, unresolved
    (annotators differ, or a reviewer put it off), awaiting (another reviewer), waiting (for open tasks), rejected,
    revised (caption or image replaced since), untouched. An image that cannot be copied is named on stderr, and
    the exit status is 1.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.records import Exported, gold_records, left_out_records
    from panelwise.files.jsonl import Problems, write_lines

    where = Home.find(home)
    refuse_kept(out, where)
    refuse_kept(images, where)
    refuse_kept(left_out, where)
    store = where.open_store()
    exported = Exported(problems=Problems(report=warn))
    try:
        found = gold_records(where, store, exported, names=Names(names), images=images, include=sources(include))
        count = _write(out, found, "exporting gold")
        if left_out is not None:
            write_lines(left_out, left_out_records(exported))
    finally:
        store.close()
    parts = ", ".join(f"{number} {source.value}" for source, number in exported.tally.exported.items())
    click.echo(f"wrote {counted(count, 'figure')} to {out} ({parts})")
    if left_out is not None:
        click.echo(f"wrote {counted(len(exported.without), 'left-out figure')} to {left_out}")
    if images is not None:
        click.echo(f"copied {counted(exported.images, 'image')} to {images}")
    for line in (*exported.losses.lines(), *exported.told):
        warn(f"note: {line}")
    report_gold(exported.tally)
    return 1 if exported.problems.count else 0


@command.command("annotations", epilog="Example: annotator export annotations --phase 1 --out annotations.jsonl")
@OUT
@click.option("--phase", default=None, help="Only this phase's.")
@click.option("--annotator", default=None, help="Only this annotator's.")
@click.option(
    "--revision",
    type=click.Choice(["current", "all"]),
    default="current",
    show_default=True,
    help="Only work on the figures' current captions and images, or also what was made on earlier ones.",
)
@NAMES
@home_option
def annotations_(
    out: Path, phase: str | None, annotator: str | None, revision: str, names: str, home: Path | None
) -> None:
    """Write the current annotations as annotations.jsonl, each with the caption that it was made on.

    What the file has no place for is told on stderr, and so is work on captions and images replaced since.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.records import Exported, annotation_records
    from annotator.store.rows.records import Revisions

    where = Home.find(home)
    refuse_kept(out, where)
    store = where.open_store()
    exported = Exported()
    try:
        found = annotation_records(
            where,
            store,
            exported,
            names=Names(names),
            phase=phase,
            annotator=annotator,
            revisions=Revisions.ALL if revision == "all" else Revisions.PRESENT,
        )
        count = _write(out, found, "exporting annotations")
    finally:
        store.close()
    click.echo(f"wrote {counted(count, 'annotation')} to {out}")
    for line in (*exported.losses.lines(), *exported.told):
        warn(f"note: {line}")


def _write(out: Path, records: Iterable[Mapping[str, Any]], label: str) -> int:
    from panelwise.files.jsonl import write_lines

    return write_lines(out, progress(records, label))
