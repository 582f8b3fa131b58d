"""`annotator export`: coco, label-studio, figures, scivqa, decisions and flags."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.campaign.export_options import INCLUDE, NAMES, OUT, listed, report_gold, report_status, sources
from annotator.cli.commandline import home_option, progress, warn
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.gold.formats import Written


@click.command(epilog="Example: annotator export coco --out gold-coco.json --categories label")
@OUT
@click.option(
    "--categories",
    type=click.Choice(["subfigure", "label"]),
    default="subfigure",
    show_default=True,
    help="One category for all boxes, or one for each label.",
)
@click.option(
    "--images-root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that file_name starts from [default: the campaign's home].",
)
@INCLUDE
@NAMES
@home_option
def coco(
    out: Path, categories: str, images_root: Path | None, include: str | None, names: str, home: Path | None
) -> int:
    """Write the gold boxes as COCO detection JSON, for detectors.

    Which figures are gold: see `annotator export gold --help`. Labels, captions with tokens, subcaptions and
    provenance, for which COCO has no place, stand under the extra key `panelwise`, and that is told on stderr.
    `annotator import annotations --from coco` reads them again.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.formats import ImageNames, Written, read_gold
    from panelwise.files.jsonl import Problems
    from panelwise.formats.coco import Categories, write_coco
    from panelwise.formats.losses import Losses

    where = Home.find(home)
    refuse_kept(out, where)
    written = Written(Losses("COCO"), Problems(report=warn))
    images = ImageNames(where, images_root)
    store = where.open_store()
    try:
        found = progress(
            read_gold(where, store, written, names=Names(names), include=sources(include)), "exporting gold"
        )
        tally = write_coco(
            out,
            found,
            written.losses,
            categories=Categories(categories),
            file_name=images,
        )
    finally:
        store.close()
    bare = f", {counted(tally.undrawn, 'image')} without a box" if tally.undrawn else ""
    click.echo(f"wrote {counted(tally.boxes, 'box', 'boxes')} on {counted(tally.images, 'image')} to {out}{bare}")
    written.told += images.told()
    status = _tell(written)
    report_gold(written.tally)
    return status


@click.command("label-studio", epilog="Example: annotator export label-studio --phase 1 --out tasks.json")
@OUT
@click.option("--phase", default=None, help="Only this phase's.")
@click.option("--annotator", default=None, help="Only this annotator's.")
@NAMES
@home_option
def label_studio(out: Path, phase: str | None, annotator: str | None, names: str, home: Path | None) -> int:
    """Write the current annotations as tasks that Label Studio imports, with the data that `annotator push` sends.

    Each task holds one annotation. Label Studio shows them as the work of whoever imports them; whose they are
    stands in the task's `meta`, which it keeps and exports, and `annotator import annotations --from label-studio`
    goes by it. A figure without a stored image is named and left out, and the exit status is 1.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.formats import Written, label_studio_tasks
    from panelwise.files.json_arrays import write_records
    from panelwise.files.jsonl import Problems
    from panelwise.formats.losses import Losses

    where = Home.find(home)
    refuse_kept(out, where)
    written = Written(Losses("Label Studio"), Problems(report=warn))
    store = where.open_store()
    try:
        found = label_studio_tasks(where, store, written, names=Names(names), phase=phase, annotator=annotator)
        count = write_records(out, progress(found, "exporting annotations"), array=True)
    finally:
        store.close()
    click.echo(f"wrote {counted(count, 'annotation')} to {out}")
    return _tell(written)


@click.command(epilog="Example: annotator export figures --out figures.jsonl")
@OUT
@click.option(
    "--layout",
    type=click.Choice(["jsonl", "medicat"]),
    default="jsonl",
    show_default=True,
    help="figures.jsonl, or records as MedICaT's release has them.",
)
@home_option
def figures(out: Path, layout: str, home: Path | None) -> int:
    """Write all figures with captions, references, sources and the unknown keys that they came with.

    Image paths start from the campaign's home: `annotator import figures FILE --images HOME` reads them again.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.gold.formats import Written, figure_records
    from panelwise.files.jsonl import Problems, write_lines
    from panelwise.formats.losses import Losses

    where = Home.find(home)
    refuse_kept(out, where)
    written = Written(Losses("figures.jsonl" if layout == "jsonl" else "MedICaT's release"), Problems(report=warn))
    store = where.open_store()
    try:
        found = figure_records(store, written, layout=layout)
        count = write_lines(out, progress(found, "exporting figures"))
    finally:
        store.close()
    click.echo(f"wrote {counted(count, 'figure')} to {out}")
    return _tell(written)


@click.command(epilog="Example: annotator export scivqa --out scivqa.json")
@OUT
@INCLUDE
@NAMES
@home_option
def scivqa(out: Path, include: str | None, names: str, home: Path | None) -> int:
    """Write the figures' metadata with their question-answer pairs, field names as in SciVQA.

    A file that ends in .json is one JSON array, any other JSON lines. Pairs, figure types and counts of
    figures that are gold (see `annotator export gold --help`) are written as annotated, with verdicts and notes;
    the others as they came. Pairs stand with their
    figure, under `qa`.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.formats import Written, scivqa_records
    from panelwise.files.json_arrays import write_records
    from panelwise.files.jsonl import Problems
    from panelwise.formats.losses import Losses

    where = Home.find(home)
    refuse_kept(out, where)
    written = Written(Losses("SciVQA"), Problems(report=warn))
    store = where.open_store()
    try:
        found = scivqa_records(where, store, written, names=Names(names), include=sources(include))
        count = write_records(out, progress(found, "exporting figures"), array=out.suffix == ".json")
    finally:
        store.close()
    click.echo(f"wrote {counted(count, 'figure')} to {out}")
    report_status(written.tally)
    single = written.tally.single
    if single:
        warn(
            f"{len(single)} single are written as they came: nobody has reviewed them; adjudicate them with "
            f"`annotator serve`, or add --include single: {listed(single)}"
        )
    return _tell(written)


@click.command(epilog="Example: annotator export flags --out flags.csv")
@OUT
@NAMES
@home_option
def flags(out: Path, names: str, home: Path | None) -> None:
    """Write what reviewers flagged for the guidelines: figure, question, kind of error, note, reviewer, caption.

    A file that ends in .csv is a table for spreadsheets, any other JSON lines. A figure counts by its last
    decision, also where it was reopened since.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.flags import csv_text, flag_records
    from panelwise.files.jsonl import write_lines
    from panelwise.runtime.atomic_write import whole_file

    where = Home.find(home)
    refuse_kept(out, where)
    told: list[str] = []
    store = where.open_store()
    try:
        found = list(flag_records(where, store, told, names=Names(names)))
    finally:
        store.close()
    if out.suffix.lower() == ".csv":
        with whole_file(out) as file:
            file.write(csv_text(found).encode())
    else:
        write_lines(out, found)
    click.echo(f"wrote {counted(len(found), 'flagged figure')} to {out}")
    for line in told:
        warn(f"note: {line}")


@click.command(epilog="Example: annotator export decisions --out decisions.jsonl")
@OUT
@NAMES
@home_option
def decisions(out: Path, names: str, home: Path | None) -> None:
    """Write every decision that was ever made, and every reopening: who, when, how long, from whose work.

    One line each, by figure, the oldest first; the last one holds. Gold, with what annotators settled among
    themselves, is written by `annotator export gold`.
    """
    from annotator.campaign.home import Home
    from annotator.campaign.protected_files import refuse_kept
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.records import Exported, decision_records
    from panelwise.files.jsonl import write_lines

    where = Home.find(home)
    refuse_kept(out, where)
    exported = Exported()
    store = where.open_store()
    try:
        found = decision_records(where, store, exported, names=Names(names))
        count = write_lines(out, progress(found, "exporting decisions"))
    finally:
        store.close()
    click.echo(f"wrote {counted(count, 'entry', 'entries')} to {out}")
    for line in exported.told:
        warn(f"note: {line}")


COMMANDS = (coco, label_studio, figures, scivqa, decisions, flags)


def _tell(written: Written) -> int:
    """Warn of what the file does not hold; returns the exit status, 1 where something could not be written."""
    for line in (*written.losses.lines(), *written.told):
        warn(f"note: {line}")
    return 1 if written.problems.count else 0
