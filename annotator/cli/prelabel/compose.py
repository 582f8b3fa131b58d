"""`prelabel compose`: compose training figures of real pictures, with ground truth."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import finish, progress, warned_problems
from annotator.cli.paths import OutPath
from annotator.cli.prelabel.options import FOLDER, drawing_options, simulator_required
from panelwise.runtime import counted


@click.command("compose", epilog="Example: prelabel compose pictures --out composed --figures 1000 --part train")
@click.argument("pictures", type=FOLDER)
@click.option("--out", type=OutPath(folder=True), required=True, help="Output folder.")
@click.option("--figures", type=click.IntRange(min=1), default=60, show_default=True, help="Number of figures.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--part",
    type=click.Choice(["train", "apart", "all"]),
    default="all",
    show_default=True,
    help="Pictures to use: of two thirds of the sources, of the third kept apart for scoring, or all.",
)
@drawing_options
def command(
    pictures: Path,
    out: Path,
    figures: int,
    seed: int,
    part: str,
    processes: int | None,
    sheet: Path | None,
    sheet_boxes: bool,
) -> None:
    """Compose compound figures of the pictures in a folder, with ground truth (annotator "truth").

    PICTURES has pictures.jsonl: picture_id, image, kind, single, source and licence of each picture. Pictures that
    are not "single": true, or whose licence or credit is share-alike, non-commercial, no-derivatives or by
    permission, are left out. Each figure names its pictures with their sources and licences. A larger run starts
    with the figures of a smaller one. A folder with other files is refused.
    """
    from annotator.campaign.protected_files import refuse_protected

    if sheet_boxes and sheet is None:
        raise click.UsageError("--sheet-boxes needs --sheet FILE")
    refuse_protected(out)
    refuse_protected(sheet)
    with simulator_required():
        from panelwise_simulator.composer.figures import composed_files
        from panelwise_simulator.composer.pictures import Part, read_pictures
        from panelwise_simulator.figures import clear_folder, write_figures
        from panelwise_simulator.sheets import Sheet
    contact = Sheet(sheet, boxes=sheet_boxes) if sheet is not None else None
    problems = warned_problems()
    usable = read_pictures(pictures, problems, Part(part))
    clear_folder(out)
    drawn = progress(
        composed_files(usable, figures, seed=seed, part=Part(part), processes=processes),
        "composing",
        total=figures,
        unit="figures",
    )
    count = write_figures(contact.seeing(drawn) if contact is not None else drawn, out)
    if contact is not None:
        contact.save()
    finish(f"composed {counted(count, 'figure')} of {counted(len(usable), 'picture')} into {out}", problems)
