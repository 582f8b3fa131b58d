"""Export gold subfigures, a line each, with their text and references, to train models of image and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.gold.exports.job import Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.gold.records import Exported
    from panelwise.domain import Box, Figure, Gold, Subfigure

HELP = """Write the gold subfigures, a JSON line each: label, box, text, and the figure's caption and references.

With --crops each is also cut out of its image as a PNG, named in `crop`. `panel_references` are the references
that name the subfigure's label. Figures without subfigures have no line.
"""


def write(job: Job) -> Outcome:
    """Write the file, and the crops, and report the numbers of subfigures and figures."""
    from annotator.gold.records import golds
    from panelwise.files import write_lines

    exported = job.exported("panels.jsonl")
    crops = Crops(job.home, job.options["crops"]) if job.options["crops"] is not None else None
    figures = 0

    def records() -> Iterator[dict[str, Any]]:
        nonlocal figures
        with job.store.read() as tx:
            for gold in job.watch(
                golds(job.home, tx, exported, names=job.names, include=job.include), "exporting subfigures"
            ):
                figures += bool(gold.subfigures)
                _count_losses(gold, exported)
                yield from panel_records(gold, crops, exported)

    count = write_lines(job.out, records())
    cut = f", and {counted(crops.count, 'crop')} to {job.options['crops']}" if crops is not None else ""
    outcome = outcome_of(
        exported, f"wrote {counted(count, 'subfigure')} of {counted(figures, 'figure')} to {job.out}{cut}"
    )
    outcome.gold = exported.tally
    return outcome


def panel_records(gold: Gold, crops: Crops | None, exported: Exported) -> Iterator[dict[str, Any]]:
    """Yield a record for each subfigure of a figure; a crop that cannot be made is a problem, and null."""
    from annotator.gold.dataset.licences import licence_of
    from panelwise.domain import AnnotatorError
    from panelwise.formats import box_in_image, figure_record

    figure = figure_record(gold.figure)
    for place, subfigure in enumerate(gold.subfigures, start=1):
        record = {
            "figure_id": gold.figure.id,
            "label": subfigure.label,
            "image": gold.figure.image,
            "width": gold.figure.width,
            "height": gold.figure.height,
            "box": list(subfigure.box.corners),
            "text": gold.figure.caption.text_of(subfigure.subcaption),
            "caption": gold.figure.caption.text,
            "references": list(gold.figure.references),
            "panel_references": _naming(subfigure, figure),
            "document": gold.figure.document,
            "licence": licence_of(figure),
            "source": gold.provenance.source.value,
        }
        if (place_in := box_in_image(gold.figure, subfigure.box)) is not None:
            record["image_part"] = place_in
        if crops is not None:
            record["crop"] = None
            try:
                record["crop"] = crops.add(gold.figure, place, subfigure.box)
            except AnnotatorError as error:
                exported.problems.add(error)
        yield record


def _naming(subfigure: Subfigure, figure: Mapping[str, Any]) -> list[str]:
    """Return the sentences of `corpus extract` that cite this subfigure by its label."""
    mentions = figure.get("mentions")
    entries = [each for each in mentions if isinstance(each, Mapping)] if isinstance(mentions, list) else []
    label = subfigure.label.casefold()
    return [
        each["sentence"]
        for each in entries
        if isinstance(each.get("sentence"), str)
        and label in {str(panel).casefold() for panel in each.get("panels") or ()}
    ]


def _count_losses(gold: Gold, exported: Exported) -> None:
    from annotator.gold.records import leave_out_items

    leave_out_items(gold, exported)
    exported.losses.left_out(
        "who decided, and notes", int(bool(gold.provenance.reviewer)), instead="`annotator export gold` has them"
    )


class Crops:
    """Cuts subfigures out of their images into a folder, which is created if needed."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home = home
        self._folder = folder
        self._open: tuple[str, Any] | None = None
        self.count = 0
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, figure: Figure, place: int, box: Box) -> str:
        """Write the pixels that a box touches as a PNG, and return its name.

        place: of the subfigure in its figure, from 1. Raises AnnotatorError where the image is missing or damaged.
        """
        from io import BytesIO
        from math import ceil, floor

        from panelwise.runtime import write_whole

        image = self._image(figure)
        part = image.crop((floor(box.x0), floor(box.y0), ceil(box.x1), ceil(box.y1)))
        content = BytesIO()
        part.save(content, "PNG")
        name = f"{Path(figure.image).stem}-{place:02}.png"
        write_whole(self._folder / name, content.getvalue())
        self.count += 1
        return name

    def _image(self, figure: Figure) -> Any:
        from PIL import Image

        from panelwise.domain import AnnotatorError

        if self._open is None or self._open[0] != figure.id:
            path = self._home.image_path(figure)
            try:
                with Image.open(path) as image:
                    image.load()
                    self._open = figure.id, image
            except (OSError, ValueError, SyntaxError) as error:
                raise AnnotatorError(
                    f'figure "{figure.id}": {path} cannot be read ({error}); restore it'
                ) from None
        return self._open[1]


EXPORT = Export(
    "panels",
    "panels.jsonl",
    "annotator export panels --out panels.jsonl --crops crops",
    HELP,
    write,
    (
        Option("--crops", "Folder for the subfigures as images of their own.", Kind.NEW_FOLDER),
        Shared.INCLUDE,
        Shared.NAMES,
    ),
)
