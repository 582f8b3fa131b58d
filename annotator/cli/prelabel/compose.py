"""`prelabel compose`: compose training figures of real pictures, with ground truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.commandline import finish, progress, warned_problems
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.prelabel.options import FOLDER, DrawingOptions, simulator_required
from annotator.cli.shared_options import OutFolder, Seed
from panelwise.runtime import counted


@click.command(
    "compose",
    epilog="Example: prelabel compose pictures --out composed --figures 1000 --part train",
    cls=SignatureCommand,
)
def command(
    pictures: Annotated[Path, Argument(type=FOLDER)],
    out: OutFolder,
    figures: Annotated[int, Option("Number of figures.", type=click.IntRange(min=1), default=60)],
    seed: Seed,
    part: Annotated[
        Literal["train", "apart", "all"],
        Option(
            "Pictures to use: of two thirds of the sources, of the third kept apart for scoring, or all.",
            default="all",
        ),
    ],
    drawing: DrawingOptions,
) -> None:
    """Compose compound figures of the pictures in a folder, with ground truth (annotator "truth").

    PICTURES has pictures.jsonl: picture_id, image, kind, single, source and licence of each picture. Pictures that
    are not "single": true, or whose licence or credit is share-alike, non-commercial, no-derivatives or by
    permission, are left out. Each figure names its pictures with their sources and licences. A larger run starts
    with the figures of a smaller one. A folder with other files is refused.
    """
    from annotator.campaign.protected_files import refuse_protected

    drawing.check()
    refuse_protected(out)
    refuse_protected(drawing.sheet)
    with simulator_required():
        from panelwise_simulator.composer.figures import composed_files
        from panelwise_simulator.composer.pictures import Part, read_pictures
        from panelwise_simulator.figures import clear_folder, write_figures
        from panelwise_simulator.sheets import Sheet
    contact = Sheet(drawing.sheet, boxes=drawing.sheet_boxes) if drawing.sheet is not None else None
    problems = warned_problems()
    usable = read_pictures(pictures, problems, Part(part))
    clear_folder(out)
    drawn = progress(
        composed_files(usable, figures, seed=seed, part=Part(part), processes=drawing.processes),
        "composing",
        total=figures,
        unit="figures",
    )
    count = write_figures(contact.seeing(drawn) if contact is not None else drawn, out)
    if contact is not None:
        contact.save()
    finish(f"composed {counted(count, 'figure')} of {counted(len(usable), 'picture')} into {out}", problems)
