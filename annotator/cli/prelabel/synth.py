"""`prelabel synth`: draw simulated compound figures with ground truth."""

from __future__ import annotations

from pathlib import Path

import click

from annotator.cli.commandline import progress, typed, warned_problems
from annotator.cli.numbers import Number
from annotator.cli.paths import OutPath
from annotator.cli.prelabel.options import drawing_options, simulator_required
from panelwise.runtime import counted


@click.command("synth", epilog="Example: prelabel synth --out simulated --figures 1000 --difficulty hard")
@click.option(
    "--out",
    type=OutPath(folder=True),
    required=True,
    help="Output folder.",
)
@click.option("--figures", type=click.IntRange(min=1), default=6, show_default=True, help="Number of figures.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--difficulty",
    type=click.Choice(["easy", "medium", "hard", "mixed", "mosaic"]),
    default="mixed",
    show_default=True,
    help="mixed: a quarter easy, half medium, a quarter hard.",
)
@click.option(
    "--annotators",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Also simulate this many annotators, in annotators.jsonl.",
)
@click.option(
    "--carelessness",
    type=Number(0.0, 3.0),
    default=1.0,
    show_default=True,
    help="Their error rate: 1 as people.",
)
@drawing_options
def command(
    out: Path,
    figures: int,
    seed: int,
    difficulty: str,
    annotators: int,
    carelessness: float,
    processes: int | None,
    sheet: Path | None,
    sheet_boxes: bool,
) -> None:
    """Draw simulated compound figures with captions and ground truth (annotator "truth").

    easy: clean gutters, plain letters; medium: as in articles; hard: touching panels, missing or odd letters,
    insets, nested labels; mosaic: stitched images without letters. A larger run starts with the figures of a
    smaller one. A folder with other files is refused.
    """
    from annotator.campaign.protected_files import refuse_protected

    if sheet_boxes and sheet is None:
        raise click.UsageError("--sheet-boxes needs --sheet FILE")
    if typed("carelessness") and not annotators:
        raise click.UsageError("--carelessness needs --annotators N")
    refuse_protected(out)
    refuse_protected(sheet)
    with simulator_required():
        from panelwise_simulator.figures import clear_folder, drawn_files, write_figures
        from panelwise_simulator.sheets import Sheet
    contact = Sheet(sheet, boxes=sheet_boxes) if sheet is not None else None
    clear_folder(out)
    drawn = progress(
        drawn_files(figures, seed=seed, difficulty=difficulty, processes=processes),
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
