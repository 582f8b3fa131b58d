"""`annotator import`: figures, annotations, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.commandline import home_option, progress, warn

if TYPE_CHECKING:
    from annotator.formats.jsonl import Problems
    from annotator.services.home import Home
    from annotator.services.importing import Tally
    from annotator.store.store import Store

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
@home_option
def figures(file: Path, images: Path | None, home: Path | None) -> None:
    """Import the figures of FILE (figures.jsonl, or records of the MedICaT release) with their images."""
    from annotator.services.importing import import_figures

    _import(
        home, "figures", lambda where, store, problems: import_figures(where, store, file, problems, images=images)
    )


@command.command("annotations", epilog="Example: annotator import annotations annotations.jsonl")
@click.argument("file", type=FILE)
@click.option(
    "--from",
    "layout",
    type=click.Choice(["jsonl", "medicat"]),
    default="jsonl",
    show_default=True,
    help="The layout of FILE.",
)
@click.option("--annotator", default="", help="Whose they are, for --from medicat [default: gold].")
@home_option
def annotations_(file: Path, layout: str, annotator: str, home: Path | None) -> None:
    """Import annotations of figures that the campaign has."""
    from annotator.services.importing_work import import_annotations
    from annotator.services.measuring import refresh_disagreement

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        yield from import_annotations(store, file, problems, layout=layout, annotator=annotator)
        refresh_disagreement(store, campaign=where.campaign)

    _import(home, "annotations", work)


@command.command(epilog="Example: annotator import predictions predictions.jsonl")
@click.argument("file", type=FILE)
@home_option
def predictions(file: Path, home: Path | None) -> None:
    """Import predictions as `prelabel run --out` writes them."""
    from annotator.services.importing_work import import_predictions

    _import(home, "predictions", lambda where, store, problems: import_predictions(store, file, problems))


def _import(given: Path | None, what: str, work: Callable[[Home, Store, Problems], Iterator[Tally]]) -> None:
    """Run one import, tell each problem as it comes, and exit 1 if anything was left out."""
    from annotator.formats.jsonl import Problems
    from annotator.services.home import Home
    from annotator.services.importing import Tally

    home = Home.find(given)
    problems = Problems(report=warn)
    tally = Tally()
    store = home.open_store()
    try:
        for so_far in progress(work(home, store, problems), f"importing {what}"):
            tally = so_far
    finally:
        store.close()
    known = f", {tally.known} there already" if tally.known else ""
    left = f", {problems.count} left out or told above" if problems.count else ""
    click.echo(f"imported {tally.added} {what}{known}{left}")
    if problems.count:
        raise SystemExit(1)
