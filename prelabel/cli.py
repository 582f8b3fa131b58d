"""The `prelabel` command. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.commandline import OutPath, home_option, progress, refuse_input, run, typed, warn
from annotator.domain.counting import counted
from annotator.domain.errors import FormatError

if TYPE_CHECKING:
    from annotator.domain.annotation import Prediction
    from annotator.formats.jsonl import Problems

FILE = click.Path(path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: prelabel run figures.jsonl --out predictions.jsonl",
)
@click.version_option(package_name="panelwise", prog_name="prelabel")
def group() -> None:
    """Propose the subfigures and subcaptions of compound figures, for people to correct."""


@group.command("run", epilog="Example: prelabel run figures.jsonl --out predictions.jsonl")
@click.argument("figures", type=FILE, required=False)
@click.option("--out", type=OutPath(), help="Where to write the predictions; needed with FIGURES.")
@click.option("--images", type=FOLDER, help="Folder that image paths start from [default: that of FIGURES].")
@click.option("--again", is_flag=True, help="Also the campaign's figures that this model has done before.")
@click.option("--processes", type=click.IntRange(min=1), help="Processes to use [default: one a core].")
@home_option
def run_command(
    figures: Path | None,
    out: Path | None,
    images: Path | None,
    again: bool,
    processes: int | None,
    home: Path | None,
) -> None:
    """Pre-label the figures of the campaign, or those of the file FIGURES without any campaign.

    With FIGURES (figures.jsonl), the output is the layout of annotations.jsonl: `annotator` is the model's
    version, and every subfigure has a `score` from 0 to 1.
    """
    from annotator.formats.jsonl import Problems
    from annotator.services.kept_files import refuse_kept

    problems = Problems(report=warn)
    if figures is None:
        if out is not None or images is not None:
            raise click.UsageError("--out and --images go with FIGURES; name the file with the figures")
        count = _run_home(home, again, processes, problems)
    else:
        if out is None:
            raise click.UsageError("FIGURES needs --out, the file for the predictions")
        refuse_input(out, figures)
        refuse_kept(out)
        count = _run_file(figures, out, images or figures.parent, processes, problems)
    left = f", {problems.count} left out or told above" if problems.count else ""
    click.echo(f"pre-labelled {counted(count, 'figure')}{left}")
    if problems.count:
        raise SystemExit(1)


def _run_home(given: Path | None, again: bool, processes: int | None, problems: Problems) -> int:
    from annotator.services.home import Home
    from annotator.services.prelabelling import prelabel_home

    home = Home.find(given)
    store = home.open_store()
    try:
        with store.read() as tx:
            total = tx.count_figures()
        work = prelabel_home(home, store, problems, again=again, processes=processes)
        return sum(1 for _ in progress(work, "pre-labelling", total=total))
    finally:
        store.close()


def _run_file(figures: Path, out: Path, images: Path, processes: int | None, problems: Problems) -> int:
    from annotator.domain.errors import AnnotatorError
    from annotator.formats.annotations import prediction_record
    from annotator.formats.figures import read_figures
    from annotator.formats.jsonl import write_lines
    from prelabel.predict import Job, figure_of, predict_all

    def jobs() -> Iterator[Job]:
        for record in read_figures(figures, problems):
            try:
                yield figure_of(record, images)
            except AnnotatorError as error:
                problems.add(f'figure "{record.figure_id}": {error}')

    work: Iterator[Prediction] = progress(predict_all(jobs(), problems, processes=processes), "pre-labelling")
    return write_lines(out, (prediction_record(prediction) for prediction in work))


@group.command(epilog="Example: prelabel captions captions.jsonl --out subcaptions.jsonl")
@click.argument("file", type=FILE)
@click.option("--out", type=OutPath(), required=True, help="Where to write labels and subcaptions.")
def captions(file: Path, out: Path) -> None:
    """Say which text describes which panel, for captions alone.

    Each line of FILE has `caption` and `caption_id` (or `figure_id`); each line of the output has `caption_id`,
    `labels` and `subcaptions`, which gives the spans [start, end) by label.
    """
    from annotator.formats.captions import read_caption
    from annotator.formats.jsonl import Fields, Problems, read_lines, write_lines
    from annotator.services.kept_files import refuse_kept
    from prelabel.classic.caption_parser import parse_caption

    refuse_input(out, file)
    refuse_kept(out)
    problems = Problems(report=warn)

    def records() -> Iterator[dict[str, Any]]:
        for line in progress(read_lines(file, problems), "reading captions"):
            fields = Fields(line.where, line.record)
            try:
                key = "caption_id" if "caption_id" in line.record else "figure_id"
                if key not in line.record:
                    raise fields.error("caption_id", "is missing; give a text")
                name, caption = fields.text(key), read_caption(fields)
            except FormatError as error:
                problems.add(error)
                continue
            parsed = parse_caption(caption)
            spans = {label: caption.spans_of(tokens) for label, tokens in parsed.tokens.items()}
            yield {
                "caption_id": name,
                "labels": list(parsed.labels),
                "subcaptions": {
                    label: [[span.start, span.end] for span in found] for label, found in spans.items()
                },
            }

    count = write_lines(out, records())
    left = f", {problems.count} left out or told above" if problems.count else ""
    click.echo(f"read {counted(count, 'caption')}{left}")
    if problems.count:
        raise SystemExit(1)


@group.command(epilog="Example: prelabel synth --out simulated --figures 1000 --difficulty hard")
@click.option(
    "--out",
    type=OutPath(folder=True),
    required=True,
    help="Folder for figures.jsonl, images and annotations.jsonl.",
)
@click.option("--figures", type=click.IntRange(min=1), default=6, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same files.")
@click.option(
    "--difficulty",
    type=click.Choice(["easy", "medium", "hard", "mixed"]),
    default="mixed",
    show_default=True,
    help="How hard the figures are to take apart; mixed: a quarter easy, half medium, a quarter hard.",
)
@click.option(
    "--annotators",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Also the work of so many simulated annotators, in annotators.jsonl.",
)
@click.option(
    "--carelessness",
    type=click.FloatRange(0.0, 3.0),
    default=1.0,
    show_default=True,
    help="How often these annotators err: 0 never, 1 as people do.",
)
@click.option("--processes", type=click.IntRange(min=1), help="Processes to use [default: one a core].")
@click.option("--sheet", type=OutPath(), help="Also a contact sheet (PNG or JPEG) of the first 60 figures.")
@click.option("--sheet-boxes", is_flag=True, help="Draw the true boxes on the contact sheet.")
def synth(
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
    """Draw simulated compound figures with captions and the exact truth (annotator "truth").

    easy: clean gutters, plain letters. medium: as met in articles. hard: panels that touch, letters missing or in
    odd places, dark grounds, insets, strips of text, nested labels. The same figures come out whatever the number
    of processes, and a run for more figures begins with those of a run for fewer.

    Figures of an earlier run in the folder are replaced; a folder that holds anything else is refused.
    """
    from annotator.services.kept_files import refuse_kept
    from prelabel.synth.figures import clear_folder, drawn_files, write_figures
    from prelabel.synth.sheets import Sheet

    if sheet_boxes and sheet is None:
        raise click.UsageError("--sheet-boxes goes with --sheet; name the file of the contact sheet")
    if typed("carelessness") and not annotators:
        raise click.UsageError("--carelessness goes with --annotators; say how many")
    refuse_kept(out)
    refuse_kept(sheet)
    contact = Sheet(sheet, boxes=sheet_boxes) if sheet is not None else None
    clear_folder(out)
    drawn = progress(
        drawn_files(figures, seed=seed, difficulty=difficulty, processes=processes), "drawing", total=figures
    )
    count = write_figures(contact.seeing(drawn) if contact is not None else drawn, out)
    if contact is not None:
        contact.save()
    click.echo(f"drew {counted(count, 'figure')} into {out}")
    if annotators:
        click.echo(f"simulated {counted(_simulate(out, annotators, seed, carelessness), 'annotation')} of them")


def _simulate(folder: Path, annotators: int, seed: int, carelessness: float) -> int:
    """Write annotators.jsonl beside the truth that it errs from; returns how many annotations."""
    from annotator.formats.annotations import annotation_record, read_annotations
    from annotator.formats.jsonl import Problems, write_lines
    from prelabel.synth.annotators import simulate

    truths = progress(read_annotations(folder / "annotations.jsonl", Problems(report=warn)), "annotating")
    names = [f"ann{number}" for number in range(1, annotators + 1)]
    work = (
        simulate(truth, annotator=name, seed=seed, carelessness=carelessness) for truth in truths for name in names
    )
    return write_lines(folder / "annotators.jsonl", (annotation_record(each) for each in work))


@group.command(epilog="Example: prelabel statistics simulated/annotations.jsonl")
@click.argument("file", type=FILE)
def statistics(file: Path) -> None:
    """Panels, subcaptions, markers and sizes of figures: simulated or real, to compare.

    FILE is annotations.jsonl, figures.jsonl or captions alone; what a file does not hold is left out.
    """
    from annotator.formats.jsonl import Problems
    from prelabel.synth.statistics import measured, statistics_text

    problems = Problems(report=warn)
    found = measured(file, problems)
    for line in statistics_text(found):
        click.echo(line)
    if problems.count:
        raise SystemExit(1)


def main() -> None:
    """Entry point of the console script."""
    run(group)
