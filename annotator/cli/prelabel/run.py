"""`prelabel run`: pre-label the figures of a campaign or a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import finish, progress, typed, warn, warned_problems
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.paths import OutPath, refuse_input
from annotator.cli.prelabel.assistant_options import AssistantOptions
from annotator.cli.prelabel.model_options import RecipeOptions
from annotator.cli.prelabel.options import ImagesOfFigures, count_lines
from annotator.cli.shared_options import HomeOption, Processes
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from panelwise.files import Problems
    from prelabel.runs import Engine, Recipe, Shard, Slot

PLAIN, RAY = "plain", "ray"
NO_PROCESSES = "--processes needs --engine plain and --detector classic or both; leave it out"

EXAMPLES = """\b
Examples:
  prelabel run figures.jsonl --out predictions.jsonl
  prelabel run --detector models/detector --tagger models/box-crf
  prelabel run figures.jsonl --detector models/detector --out part-2.jsonl --shard 2/8
"""


@click.command("run", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    figures: Path | None,
    out: Annotated[Path | None, Option("Output file; required with FIGURES.", type=OutPath())],
    images: ImagesOfFigures,
    models: RecipeOptions,
    language_model: AssistantOptions,
    part: Annotated[str | None, Option("Part I of N, to use N machines.", "--shard", metavar="I/N")],
    kind: Annotated[
        str,
        Option(
            "In this process, or with Ray Data in workers.",
            "--engine",
            type=click.Choice([PLAIN, RAY]),
            default=PLAIN,
        ),
    ],
    workers: Annotated[int | None, Option("Workers of ray [default: 1].", type=click.IntRange(min=1))],
    again: Annotated[bool, Option("Repeat figures that this model has pre-labelled.")],
    processes: Processes,
    debug: Annotated[
        Path | None,
        Option("Folder for a picture of each figure: boxes, scores, reasons.", type=OutPath(folder=True)),
    ],
    home: HomeOption,
) -> None:
    """Pre-label the figures of the campaign, or of the file FIGURES without a campaign.

    Output for FIGURES is annotations.jsonl: `annotator` is the model's version, each subfigure has a `score`, the
    probability that it is right. With --assistant, a language model reads captions of figures with a low score.
    An interrupted run resumes.
    """
    from annotator.campaign.protected_files import refuse_protected
    from panelwise.formats import image_folder
    from prelabel.runs import CLASSIC_NAME, WHOLE, Shard, images_read, parts_of

    recipe = models.recipe()
    if workers is not None and kind != RAY:
        raise click.UsageError("--workers needs --engine ray")
    with_splitter, _ = parts_of(recipe.detector)
    plain = with_splitter and recipe.tagger is None and recipe.classifier is None
    if typed("processes") and (kind == RAY or not plain):
        raise click.UsageError(NO_PROCESSES)
    if debug is not None and kind == RAY:
        raise click.UsageError("--debug needs --engine plain")
    shard = WHOLE if part is None else Shard.read(part)
    problems = warned_problems()
    if figures is None:
        if out is not None or images is not None:
            raise click.UsageError("--out and --images need FIGURES, a file of figures")
        from annotator.campaign.home import Home

        where = Home.find(home)
        refuse_protected(debug, where)
        engine = _engine(recipe, kind, workers, processes, debug)
        assisted = language_model.for_home(engine, where)
        count = _run_home(where, assisted or engine, again, shard, problems)
    else:
        if out is None:
            raise click.UsageError("FIGURES needs --out FILE for the predictions")
        refuse_input(out, figures)
        refuse_protected(out)
        refuse_protected(debug)
        engine = _engine(recipe, kind, workers, processes, debug)
        assisted = language_model.for_file(engine, out)
        count = _run_file(
            figures, out, images or image_folder(figures), assisted or engine, again, shard, problems
        )
    if recipe.ocr and recipe.detector == CLASSIC_NAME:
        click.echo(f"OCR: read {counted(images_read(engine), 'figure')}")
    if assisted is not None:
        click.echo(assisted.tally.describe())
    finish(f"pre-labelled {counted(count, 'figure')}", problems)


def _run_home(where: Home, engine: Engine, again: bool, shard: Shard, problems: Problems) -> int:
    from annotator.prelabels.run import prelabel_home, to_prelabel

    with where.open_store() as store:
        total = len(to_prelabel(store, engine.version, again=again, shard=shard))
        work = prelabel_home(where, store, problems, engine=engine, again=again, shard=shard)
        return sum(1 for _ in progress(work, "pre-labelling", total=total, unit="figures"))


def _run_file(
    figures: Path, out: Path, images: Path, engine: Engine, again: bool, shard: Shard, problems: Problems
) -> int:
    from panelwise.domain import AnnotatorError
    from panelwise.formats import read_figures
    from prelabel.runs import Journal, figure_of

    order: list[str] = []
    with Journal(out, engine.version, shard, restart=again) as journal:
        if journal.resumed:
            warn(f"note: resuming after {counted(journal.resumed, 'figure')}")

        def slots() -> Iterator[Slot]:
            for record in read_figures(figures, problems):
                if not shard.has(record.figure_id):
                    continue
                order.append(record.figure_id)
                if journal.has(record):
                    yield None
                    continue
                try:
                    yield figure_of(record, images)
                except AnnotatorError as error:
                    problems.add(f'figure "{record.figure_id}": {error}')
                    yield None

        def kept() -> Iterator[object]:
            for together in engine.run(slots(), problems):
                journal.add(together)
                yield from together

        for _ in progress(kept(), "pre-labelling", total=count_lines(figures), unit="figures"):
            pass
        return journal.finish(order)


def _engine(recipe: Recipe, kind: str, workers: int | None, processes: int | None, debug: Path | None) -> Engine:
    """Return the engine of the run. Raises UsageError for a number of processes where there can be none."""
    from prelabel.runs import ClassicEngine, FigureModel, RayEngine, WithOverlays, engine_of, open_folder

    if kind == RAY:
        return RayEngine(recipe, workers or 1)
    model = FigureModel(recipe, warn=warn)
    if model.single is None and typed("processes"):
        raise click.UsageError(
            "--processes needs --detector classic, both, or both with a panel-net; leave it out"
        )
    if debug is not None:
        pictured = WithOverlays(model.single or model, open_folder(debug))
        return ClassicEngine(pictured, 1 if model.single is None else processes)
    return engine_of(model, processes)
