"""Bringing figures into a campaign. Safe to run again; the good part is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.domain.errors import AnnotatorError, FormatError
from annotator.domain.figure import Figure
from annotator.formats.figures import FigureRecord, read_figures
from annotator.formats.jsonl import Problems
from annotator.services.batches import batches
from annotator.services.home import Home
from annotator.services.images import store_image

if TYPE_CHECKING:
    from annotator.store.store import Store

#: Records per transaction: a crash loses at most so many, and the next run brings them in.
BATCH = 200


@dataclass(slots=True)
class Tally:
    """What became of the records so far: brought in, there already, left out (each told as a problem)."""

    added: int = 0
    known: int = 0


def import_figures(
    home: Home, store: Store, path: Path, problems: Problems, *, images: Path | None = None
) -> Iterator[Tally]:
    """Import figures with their images; yields the running tally once a record.

    images: the folder that relative image paths start from; default the folder of `path`.
    """
    tally = Tally()
    for batch in batches(read_figures(path, problems), BATCH):
        figures: list[tuple[str, Figure]] = []
        for record in batch:
            try:
                figures.append((record.where, _figure(home, record, images or path.parent)))
            except AnnotatorError as error:
                problems.add(f"{record.where}: {error}")
        with store.transaction() as tx:
            for where, figure in figures:
                try:
                    if tx.add_figure(figure):
                        tally.added += 1
                    else:
                        tally.known += 1
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
        for _ in batch:
            yield tally


def _figure(home: Home, record: FigureRecord, images: Path) -> Figure:
    stored = store_image(images / record.image, home.path, record.figure_id)
    for name, given, true in (
        ("width", record.width, stored.width),
        ("height", record.height, stored.height),
    ):
        if given is not None and given != true:
            raise FormatError(
                f'figure "{record.figure_id}": {name} is given as {given}, the upright image has {true} pixels; '
                "correct the record or the image"
            )
    return Figure(
        id=record.figure_id,
        image=stored.path,
        width=stored.width,
        height=stored.height,
        caption=record.caption,
        references=record.references,
        document=record.document,
        source=record.source,
        extra=record.extra,
        image_sha256=stored.sha256,
    )
