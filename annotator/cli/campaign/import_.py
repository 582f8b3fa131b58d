"""`annotator import`: figures, annotations, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import home_option, progress, warn
from panelwise.runtime.plurals import counted, named

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.imports.figures import Tally
    from annotator.imports.replace import RevisionTally
    from annotator.store.store import Store
    from panelwise.files.jsonl import Problems

FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Bring figures, annotations or predictions into the campaign. Safe to run again."""


@command.command(epilog="Example: annotator import figures figures.jsonl --images scans/")
@click.argument("file", type=FILE)
@click.option(
    "--images",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that image paths start from [default: that of FILE].",
)
@click.option(
    "--revise",
    is_flag=True,
    help="Replace captions and images of figures that are there; work on the old ones is kept and flagged.",
)
@click.option(
    "--no-images",
    is_flag=True,
    help="Look at no image; records give width and height. Such figures can be measured, not annotated.",
)
@click.option(
    "--placeholders",
    is_flag=True,
    help="Draw a picture with the figure's id where its image is not there.",
)
@click.option("--allow-urls", is_flag=True, help="Fetch images that are named by http(s) addresses.")
@click.option(
    "--qa", type=FILE, help="Question-answer pairs of these figures, as SciVQA has them in a file of their own."
)
@home_option
def figures(
    file: Path,
    images: Path | None,
    revise: bool,
    no_images: bool,
    placeholders: bool,
    allow_urls: bool,
    qa: Path | None,
    home: Path | None,
) -> None:
    """Import the figures of FILE with their images.

    FILE holds figures.jsonl, records of MedICaT's release or annotations, or SciVQA's metadata, with the pairs in
    every row or without. Images are stored upright and opaque, of several frames the first; how large they may be,
    and from where they may be fetched, stands under [images] in campaign.toml.
    """
    from annotator.imports.figures import import_figures
    from annotator.imports.replace import revise_figures

    bring = revise_figures if revise else import_figures
    if no_images and (images is not None or allow_urls or placeholders):
        raise click.UsageError("--no-images goes with none of --images, --allow-urls and --placeholders")

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally | RevisionTally]:
        yield from bring(
            where,
            store,
            file,
            problems,
            images=images,
            allow_urls=allow_urls,
            without_images=no_images,
            placeholders=placeholders,
            qa=qa,
        )

    _import(home, "figure", work)


@command.command("annotations", epilog="Example: annotator import annotations export.json --from label-studio")
@click.argument("file", type=FILE)
@click.option(
    "--from",
    "layout",
    type=click.Choice(["jsonl", "medicat", "label-studio", "coco"]),
    default="jsonl",
    show_default=True,
    help="The layout of FILE: annotations.jsonl, MedICaT's, Label Studio's JSON or JSON_MIN export, or COCO.",
)
@click.option(
    "--annotator",
    default="",
    help="Whose they are, for --from medicat [default: gold], coco (needed) and label-studio [default: by e-mail, "
    "or by the project that the task was pushed to].",
)
@click.option(
    "--phase",
    default="",
    help="Of which phase, for --from coco [default: gold] and label-studio [default: that of the task].",
)
@home_option
def annotations_(file: Path, layout: str, annotator: str, phase: str, home: Path | None) -> None:
    """Import annotations of figures that the campaign has.

    Of a Label Studio export what was submitted comes in, under the same checks as in `annotator pull`; drafts and
    predictions are passed over and counted. Of a COCO file the boxes come in, with the categories' names or the
    labels beside them; images are found by figure_id or file_name.
    """
    if layout == "coco" and not annotator:
        raise click.UsageError("a COCO file does not say whose work it is; name them with --annotator")
    if layout == "jsonl" and (annotator or phase):
        raise click.UsageError(
            "annotations.jsonl says itself whose and of which phase each is; leave out --annotator and --phase"
        )
    if layout == "medicat" and phase:
        raise click.UsageError(
            'MedICaT\'s layout says no phase, its work is taken as of "gold"; leave out --phase'
        )
    from annotator.imports.exports_of_others import import_from
    from annotator.queue.ranking import refresh_disagreement

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        yield from import_from(layout, store, where.campaign, file, problems, annotator=annotator, phase=phase)
        refresh_disagreement(store, campaign=where.campaign)

    _import(home, "annotation", work)


@command.command(epilog="Example: annotator import predictions predictions.jsonl")
@click.argument("file", type=FILE)
@home_option
def predictions(file: Path, home: Path | None) -> None:
    """Import predictions as `prelabel run --out` writes them."""
    from annotator.imports.annotations import import_predictions

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        return import_predictions(store, file, problems, max_boxes=where.campaign.max_boxes)

    _import(home, "prediction", work)


def _import(
    given: Path | None, what: str, work: Callable[[Home, Store, Problems], Iterator[Tally | RevisionTally]]
) -> None:
    """Run one import, tell each problem as it comes, and exit 1 if anything was left out. what: a record of it."""
    from annotator.campaign.home import Home
    from annotator.imports.figures import Tally
    from panelwise.files.jsonl import Problems

    home = Home.find(given)
    problems = Problems(report=warn)
    tally: Tally | RevisionTally = Tally()
    store = home.open_store()
    try:
        for so_far in progress(work(home, store, problems), f"importing {what}s"):
            tally = so_far
    finally:
        store.close()
    left = f"; see the {counted(problems.count, 'error')} above" if problems.count else ""
    click.echo(tally.summary(named(tally.added, what)) + left)
    if problems.count:
        raise SystemExit(1)
