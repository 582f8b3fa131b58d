"""`annotator import`: figures, annotations, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import finish, home_option, progress, warn
from annotator.cli.paths import InPath, OutPath
from panelwise.domain import AnnotatorError
from panelwise.files import SameLines
from panelwise.runtime import named

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.imports.figures import Tally
    from annotator.imports.replace import RevisionTally
    from annotator.store.store import Store
    from panelwise.files import Problems

FILE = InPath()

report_option = click.option(
    "--report",
    type=OutPath(),
    help="CSV file for refused records and notes.",
)


@click.group()
def command() -> None:
    """Import figures, annotations or predictions. Safe to run again."""


@command.command(epilog="Example: annotator import figures my-figures/")
@click.argument("file", type=FILE)
@click.option(
    "--images",
    type=InPath(file_okay=False),
    help="Base folder of image paths [default: the folder of FILE].",
)
@click.option(
    "--revise",
    is_flag=True,
    help="Replace captions and images of existing figures; their work becomes outdated.",
)
@click.option(
    "--no-images",
    is_flag=True,
    help="Skip images; records give width and height. Such figures can be measured, not annotated.",
)
@click.option(
    "--placeholders",
    is_flag=True,
    help="Draw a placeholder for each missing image.",
)
@click.option("--allow-urls", is_flag=True, help="Download images given by URL.")
@click.option("--licence", default="", help="Licence of figures that state none, such as CC-BY-4.0.")
@click.option("--document", default="", help="Article of figures that name none; splits go by it.")
@click.option("--qa", type=FILE, help="File of question-answer pairs, as SciVQA's.")
@report_option
@home_option
def figures(
    file: Path,
    images: Path | None,
    revise: bool,
    no_images: bool,
    placeholders: bool,
    allow_urls: bool,
    licence: str,
    document: str,
    qa: Path | None,
    report: Path | None,
    home: Path | None,
) -> None:
    """Import the figures of FILE with their images.

    FILE is figures.jsonl, MedICaT's release or annotations, COCO, SciVQA's metadata, a CSV or TSV table (image,
    caption), a folder of images with captions in NAME.txt, or a ZIP archive of these. Limits of images: [images]
    in campaign.toml.
    """
    from annotator.imports.figures import Origin, import_figures
    from annotator.imports.replace import revise_figures
    from annotator.imports.uploads import unpacked

    bring = revise_figures if revise else import_figures
    if no_images and (images is not None or allow_urls or placeholders):
        raise click.UsageError("--no-images can't be combined with --images, --allow-urls or --placeholders")

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally | RevisionTally]:
        with unpacked(file, where, problems) as source:
            yield from bring(
                where,
                store,
                source,
                problems,
                images=images,
                allow_urls=allow_urls,
                without_images=no_images,
                placeholders=placeholders,
                qa=qa,
                origin=Origin(licence.strip(), document.strip()),
            )

    _import(home, "figure", work, file, report)


@command.command("annotations", epilog="Example: annotator import annotations export.json --from label-studio")
@click.argument("file", type=FILE)
@click.option(
    "--from",
    "layout",
    type=click.Choice(["jsonl", "medicat", "label-studio", "coco"]),
    default="jsonl",
    show_default=True,
    help="Format: annotations.jsonl, MedICaT, Label Studio's JSON or JSON_MIN export, or COCO.",
)
@click.option(
    "--annotator",
    default="",
    help="Annotator, for medicat [default: gold], coco (required), label-studio [default: the "
    "task's, or by e-mail].",
)
@click.option(
    "--phase",
    default="",
    help="Phase, for coco [default: gold], label-studio [default: the task's].",
)
@click.option(
    "--account",
    default="",
    help="Whose work to import, of a file that names several authors (e-mail, number or name as there).",
)
@report_option
@home_option
def annotations_(
    file: Path, layout: str, annotator: str, phase: str, account: str, report: Path | None, home: Path | None
) -> None:
    """Import annotations of the campaign's figures.

    Of a Label Studio export submitted annotations, checked as by `annotator pull`; drafts and predictions are
    skipped. COCO images are matched by figure_id or file_name.
    """
    if layout == "coco" and not annotator:
        raise click.UsageError("COCO names no annotator; add --annotator NAME")
    if layout == "jsonl" and (annotator or phase or account):
        raise click.UsageError(
            "annotations.jsonl names annotator and phase in each record; leave out --annotator, --phase and "
            "--account"
        )
    if layout == "medicat" and phase:
        raise click.UsageError('MedICaT\'s format has no phase, "gold" is used; leave out --phase')
    from annotator.imports.exports_of_others import import_from
    from annotator.queue.ranking import refresh_disagreement

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        yield from import_from(
            *(layout, store, where.campaign, file, problems), annotator=annotator, phase=phase, account=account
        )
        refresh_disagreement(store, campaign=where.campaign)

    _import(home, "annotation", work, file, report)


@command.command(epilog="Example: annotator import predictions predictions.jsonl")
@click.argument("file", type=FILE)
@report_option
@home_option
def predictions(file: Path, report: Path | None, home: Path | None) -> None:
    """Import predictions written by `prelabel run --out`."""
    from annotator.imports.annotations import import_predictions

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        return import_predictions(store, file, problems, max_boxes=where.campaign.max_boxes)

    _import(home, "prediction", work, file, report)


def _import(
    given: Path | None,
    what: str,
    work: Callable[[Home, Store, Problems], Iterator[Tally | RevisionTally]],
    file: Path,
    report: Path | None,
) -> None:
    """Run one import and print each error when it occurs, and exit 1 if there was one. what: noun for a record."""
    from annotator.campaign.home import Home
    from annotator.imports.figures import Tally
    from annotator.imports.report import names_in_upload, open_report
    from annotator.imports.uploads import files_left_out
    from panelwise.files import Problems

    home = Home.find(given)
    tally: Tally | RevisionTally = Tally()
    with home.open_store() as store, open_report(report, f"{what}s") as rows:
        lines = SameLines(warn)

        def tell(line: str) -> None:
            line = names_in_upload(line, home.path)
            lines.add(line)
            if rows is not None:
                rows.add_line(line)

        problems = Problems(report=tell)
        if rows is not None and rows.is_new:
            for line in files_left_out(home, file):
                problems.note(line)
        try:
            for so_far in progress(work(home, store, problems), f"importing {what}s"):
                tally = so_far
        except AnnotatorError as error:
            line = names_in_upload(str(error), home.path)
            if rows is not None:
                rows.add_line(line)
            raise AnnotatorError(line) from None
        finally:
            lines.finish()
            if rows is not None:
                rows.add_counts(tally.counts)
    finish(tally.summary(named(tally.added, what)), problems)
