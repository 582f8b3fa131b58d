"""`prelabel synth`: draw simulated compound figures with ground truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.commandline import progress, typed, warned_problems
from annotator.cli.parameters import Number, Option, SignatureCommand
from annotator.cli.prelabel.options import DrawingOptions, simulator_required
from annotator.cli.shared_options import OutFolder, Seed
from panelwise.runtime import counted


@click.command(
    "synth",
    epilog="Example: prelabel synth --out simulated --figures 1000 --difficulty hard",
    cls=SignatureCommand,
)
def command(
    out: OutFolder,
    figures: Annotated[int, Option("Number of figures.", type=click.IntRange(min=1), default=6)],
    seed: Seed,
    difficulty: Annotated[
        Literal["easy", "medium", "hard", "mixed", "mosaic"],
        Option("mixed: a quarter easy, half medium, a quarter hard.", default="mixed"),
    ],
    annotators: Annotated[
        int,
        Option("Also simulate this many annotators, in annotators.jsonl.", type=click.IntRange(min=0), default=0),
    ],
    carelessness: Annotated[float, Option("Their error rate: 1 as people.", type=Number(0.0, 3.0), default=1.0)],
    drawing: DrawingOptions,
) -> None:
    """Draw simulated compound figures with captions and ground truth (annotator "truth").

    easy: clean gutters, plain letters; medium: as in articles; hard: touching panels, missing or odd letters,
    insets, nested labels; mosaic: stitched images without letters. A larger run starts with the figures of a
    smaller one. A folder with other files is refused.
    """
    from annotator.campaign.protected_files import refuse_protected

    drawing.check()
    if typed("carelessness") and not annotators:
        raise click.UsageError("--carelessness needs --annotators N")
    refuse_protected(out)
    refuse_protected(drawing.sheet)
    with simulator_required():
        from panelwise_simulator.figures import clear_folder, drawn_files, write_figures
        from panelwise_simulator.sheets import Sheet
    contact = Sheet(drawing.sheet, boxes=drawing.sheet_boxes) if drawing.sheet is not None else None
    clear_folder(out)
    drawn = progress(
        drawn_files(figures, seed=seed, difficulty=difficulty, processes=drawing.processes),
        "drawing",
        total=figures,
        unit="figures",
    )
    count = write_figures(contact.seeing(drawn) if contact is not None else drawn, out)
    if contact is not None:
        contact.save()
    click.echo(f"drew {counted(count, 'figure')} into {out}")
    if annotators:
        click.echo(f"simulated {counted(_simulate(out, annotators, seed, carelessness), 'annotation')} of them")


def _simulate(folder: Path, annotators: int, seed: int, carelessness: float) -> int:
    """Write simulated annotators' work to annotators.jsonl; returns the number of annotations."""
    from annotator.demo.annotators import Habits, simulate
    from panelwise.files import write_lines
    from panelwise.formats import annotation_record, read_annotations

    truths = progress(read_annotations(folder / "annotations.jsonl", warned_problems()), "annotating")
    names = [f"ann{number}" for number in range(1, annotators + 1)]
    habits = Habits(carelessness=carelessness)
    work = (simulate(truth, annotator=name, seed=seed, habits=habits) for truth in truths for name in names)
    return write_lines(folder / "annotators.jsonl", (annotation_record(each) for each in work))
