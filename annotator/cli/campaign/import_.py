"""`annotator import`: figures, annotations, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import finish, progress, warn
from annotator.cli.layouts import LayoutChoice, PredictionOptions
from annotator.cli.parameters import Option, SignatureGroup
from annotator.cli.paths import InPath, OutPath
from annotator.cli.shared_options import HomeOption
from panelwise.domain import AnnotatorError
from panelwise.runtime import SameLines, named

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.imports.figures import Tally
    from annotator.imports.replace import RevisionTally
    from annotator.store.store import Store
    from panelwise.files import Problems

ReportOption = Annotated[Path | None, Option("CSV file for refused records and notes.", type=OutPath())]


@click.group(cls=SignatureGroup)
def command() -> None:
    """Import figures, annotations or predictions. Safe to run again."""


@command.command(epilog="Example: annotator import figures my-figures/")
def figures(
    file: Path,
    images: Annotated[
        Path | None,
        Option("Base folder of image paths [default: the folder of FILE].", type=InPath(file_okay=False)),
    ],
    revise: Annotated[
        bool, Option("Replace captions and images of existing figures; their work becomes outdated.")
    ],
    no_images: Annotated[
        bool, Option("Skip images; records give width and height. Such figures can be measured, not annotated.")
    ],
    placeholders: Annotated[bool, Option("Draw a placeholder for each missing image.")],
    allow_urls: Annotated[bool, Option("Download images given by URL.")],
    licence: Annotated[str, Option("Licence of figures that state none, such as CC-BY-4.0.", default="")],
    document: Annotated[str, Option("Article of figures that name none; splits go by it.", default="")],
    qa: Annotated[Path | None, Option("File of question-answer pairs, as SciVQA's.")],
    report: ReportOption,
    home: HomeOption,
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
def annotations_(
    file: Path,
    layout: Annotated[
        str,
        Option(
            "Layout of FILE: annotations.jsonl, or that of another program.",
            "--from",
            type=LayoutChoice("annotations"),
            default="jsonl",
        ),
    ],
    annotator: Annotated[
        str,
        Option(
            "Annotator, for medicat [default: gold], label-studio [default: the task's, or by e-mail], and "
            "required for the others.",
            default="",
        ),
    ],
    phase: Annotated[
        str, Option("Phase, for label-studio [default: the task's] and the others [default: gold].", default="")
    ],
    account: Annotated[
        str,
        Option(
            "Whose work to import, of a file that names several authors (e-mail, number or name as there).",
            default="",
        ),
    ],
    report: ReportOption,
    home: HomeOption,
) -> None:
    """Import annotations of the campaign's figures.

    Of a Label Studio export submitted annotations, checked as by `annotator pull`; drafts and predictions are
    skipped. COCO images are matched by figure_id or file_name.
    """
    from panelwise.formats import layout_named

    chosen = layout_named(layout)
    given = {"annotator": annotator, "phase": phase, "account": account}
    if chosen.nameless and not annotator:
        raise click.UsageError(f"{chosen.title} names no annotator; add --annotator NAME")
    others = [name for name in given if name not in chosen.options]
    if any(given[name] for name in others):
        options = " and ".join(", ".join(f"--{name}" for name in others).rsplit(", ", 1))
        raise click.UsageError(f"{chosen.fixed}; leave out {options}")
    from annotator.imports.exports_of_others import import_from
    from annotator.queue.ranking import refresh_disagreement

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        yield from import_from(
            *(layout, store, where.campaign, file, problems), annotator=annotator, phase=phase, account=account
        )
        refresh_disagreement(store, campaign=where.campaign)

    _import(home, "annotation", work, file, report)


@command.command(epilog="Example: annotator import predictions predictions.jsonl")
def predictions(
    file: Path,
    layout: Annotated[
        str | None, Option("Layout of FILE [default: as it looks].", "--from", type=LayoutChoice("predictions"))
    ],
    model: Annotated[str, Option("Model, for a layout that names none [default: the name of FILE].", default="")],
    reader: PredictionOptions,
    report: ReportOption,
    home: HomeOption,
) -> None:
    """Import predictions: those of `prelabel run --out`, or of another detector.

    Images are matched by figure_id or file_name.
    """
    from annotator.imports.annotations import import_predictions
    from panelwise.formats import layout_named

    reading = reader.reading(annotator=model or file.stem)

    def work(where: Home, store: Store, problems: Problems) -> Iterator[Tally]:
        return import_predictions(
            store,
            file,
            problems,
            layout=None if layout is None else layout_named(layout),
            reading=reading,
            max_boxes=where.campaign.max_boxes,
        )

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
