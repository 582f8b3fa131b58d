"""Export gold boxes as COCO detection JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.gold.records import Exported
    from panelwise.domain import Figure, Gold

from annotator.gold.exports.job import Export, Job, Kind, Option, Outcome, Shared, outcome_of

HELP = """Write the gold boxes as COCO detection JSON, for detectors.

What COCO can't represent (labels, captions, subcaptions, provenance) is under the extra key `panelwise`, which
`annotator import annotations --from coco` reads.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the numbers of boxes and images."""
    from panelwise.formats import Categories, write_coco

    exported = job.exported("COCO")
    images = ImageNames(job.home, job.options["images_root"])
    found = job.watch(gold_of(job, exported), "exporting gold")
    categories = Categories(job.options["categories"])
    tally = write_coco(job.out, found, exported.losses, categories=categories, file_name=images)
    bare = f", {counted(tally.undrawn, 'image')} without a box" if tally.undrawn else ""
    exported.warnings += images.warnings()
    outcome = outcome_of(
        exported,
        f"wrote {counted(tally.boxes, 'box', 'boxes')} on {counted(tally.images, 'image')} to {job.out}{bare}",
    )
    outcome.gold = exported.tally
    return outcome


def gold_of(job: Job, exported: Exported) -> Iterator[Gold]:
    """Yield the gold by figure id, with the job's kind of names, and count it in `exported`."""
    from annotator.gold.records import golds

    with job.store.read() as tx:
        yield from golds(job.home, tx, exported, names=job.names, include=job.include)


class ImageNames:
    """Name a figure's image for COCO, relative to `root`, by default the campaign home.

    An image that is not stored gets the name it was imported with, else "". given: number of imported names.
    nameless: ids of the figures without a name.
    """

    def __init__(self, home: Home, root: Path | None) -> None:
        self._home = home
        self._root = root
        self.given = 0
        self.nameless: list[str] = []

    def __call__(self, figure: Figure) -> str:
        """Return the file name of one figure's image."""
        from panelwise.domain import IMAGE_AS_WRITTEN

        if not figure.image:
            name = figure.shareable().extra.get(IMAGE_AS_WRITTEN)
            if isinstance(name, str) and name:
                self.given += 1
                return name
            self.nameless.append(figure.id)
            return ""
        if self._root is None:
            return figure.image
        return Path(os.path.relpath(self._home.image_path(figure), self._root.absolute())).as_posix()

    def warnings(self) -> Iterator[str]:
        """Yield warnings about images that are not stored."""
        from annotator.consensus.outdated import listed

        if self.given:
            yield (
                f"{counted(self.given, 'image')} not stored here: file_name is the name from the import, "
                "without a known folder"
            )
        if self.nameless:
            yield (
                f"{counted(len(self.nameless), 'figure')} without an image or file name, file_name is empty: "
                f"{listed(self.nameless)}; import the figures again with their images and --revise"
            )


EXPORT = Export(
    "coco",
    "annotator export coco --out gold-coco.json --categories label",
    HELP,
    write,
    (
        Option(
            "--categories",
            "One category for all boxes, or one a label.",
            Kind.CHOICE,
            choices=("subfigure", "label"),
        ),
        Option("--images-root", "Base folder of file_name [default: home].", Kind.FOLDER),
        Shared.INCLUDE,
        Shared.NAMES,
    ),
)
