"""`prelabel run`: boxes and subcaptions of a campaign's figures, or of those of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.commandline import OutPath, home_option, progress, refuse_input, warn
from annotator.domain.counting import counted
from prelabel.cli.options import FILE, FOLDER, count_lines, finish

if TYPE_CHECKING:
    from annotator.domain.annotation import Prediction
    from annotator.formats.jsonl import Problems
    from prelabel.predict import Prelabeller


@click.command("run", epilog="Example: prelabel run figures.jsonl --out predictions.jsonl")
@click.argument("figures", type=FILE, required=False)
@click.option("--out", type=OutPath(), help="Where to write the predictions; needed with FIGURES.")
@click.option("--images", type=FOLDER, help="Folder that image paths start from [default: that of FIGURES].")
@click.option("--again", is_flag=True, help="Also the campaign's figures that this model has done before.")
@click.option("--processes", type=click.IntRange(min=1), help="Processes to use [default: one a core].")
@click.option(
    "--debug", type=OutPath(folder=True), help="Folder for a picture of each figure: boxes, scores, why."
)
@home_option
def command(
    figures: Path | None,
    out: Path | None,
    images: Path | None,
    again: bool,
    processes: int | None,
    debug: Path | None,
    home: Path | None,
) -> None:
    """Pre-label the figures of the campaign, or those of the file FIGURES without any campaign.

    With FIGURES (figures.jsonl), the output is the layout of annotations.jsonl: `annotator` is the model's
    version, and every subfigure has a `score` from 0 to 1: the chance that its box and most of its text are right.
    """
    from annotator.formats.jsonl import Problems
    from annotator.services.kept_files import refuse_kept

    problems = Problems(report=warn)
    if figures is None:
        if out is not None or images is not None:
            raise click.UsageError("--out and --images go with FIGURES; name the file with the figures")
        count = _run_home(home, again, processes, debug, problems)
    else:
        if out is None:
            raise click.UsageError("FIGURES needs --out, the file for the predictions")
        refuse_input(out, figures)
        refuse_kept(out)
        refuse_kept(debug)
        count = _run_file(figures, out, images or figures.parent, processes, debug, problems)
    finish(f"pre-labelled {counted(count, 'figure')}", problems)


def _run_home(
    given: Path | None, again: bool, processes: int | None, debug: Path | None, problems: Problems
) -> int:
    from annotator.services.home import Home
    from annotator.services.kept_files import refuse_kept
    from annotator.services.prelabelling import prelabel_home, to_prelabel

    home = Home.find(given)
    refuse_kept(debug, home)
    store = home.open_store()
    try:
        model = _model(debug)
        total = len(to_prelabel(store, model.version, again=again))
        work = prelabel_home(home, store, problems, model=model, again=again, processes=processes)
        return sum(1 for _ in progress(work, "pre-labelling", total=total, unit="figures"))
    finally:
        store.close()


def _run_file(
    figures: Path, out: Path, images: Path, processes: int | None, debug: Path | None, problems: Problems
) -> int:
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

    predictions = predict_all(jobs(), problems, model=_model(debug), processes=processes)
    work: Iterator[Prediction] = progress(predictions, "pre-labelling", total=count_lines(figures), unit="figures")
    return write_lines(out, (prediction_record(prediction) for prediction in work))


def _model(debug: Path | None) -> Prelabeller:
    """The model to use, which writes pictures into the folder `debug`, if any."""
    from prelabel.classic.prelabeller import CLASSIC

    if debug is None:
        return CLASSIC
    from prelabel.overlays import WithOverlays, open_folder

    return WithOverlays(CLASSIC, open_folder(debug))
