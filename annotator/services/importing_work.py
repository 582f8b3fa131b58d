"""Bringing annotations and predictions into a campaign. Safe to run again; the good part is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from annotator.domain.annotation import Annotation
from annotator.domain.errors import AnnotatorError
from annotator.formats.annotations import read_annotations, read_predictions, rebased, rebased_prediction
from annotator.formats.jsonl import Problems
from annotator.formats.medicat import read_medicat
from annotator.services.batches import batches
from annotator.services.importing import BATCH, Tally
from annotator.services.revisions import listed, worked_on

if TYPE_CHECKING:
    from annotator.store.store import Store

T = TypeVar("T")


def import_annotations(
    store: Store, path: Path, problems: Problems, *, layout: str = "jsonl", annotator: str = ""
) -> Iterator[Tally]:
    """Import annotations of figures that the store knows; yields the running tally once a record.

    layout: "jsonl" or "medicat". annotator: whose they are, for a layout that does not say.
    """
    records: Iterator[Annotation]
    if layout == "medicat":
        records = read_medicat(path, problems, annotator=annotator or "gold")
    else:
        records = read_annotations(path, problems)
    tally = Tally()
    earlier: dict[str, None] = {}
    for batch in batches(_placed(records, problems), BATCH):
        with store.transaction() as tx:
            for where, record in batch:
                try:
                    figure, present = worked_on(tx, record.figure)
                    annotation = rebased(record, figure)
                    if not present:
                        earlier[figure.id] = None
                    if tx.add_annotation(annotation, origin=f"file:{path.name}"):
                        tally.added += 1
                    else:
                        tally.known += 1
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
        for _ in batch:
            yield tally
    if earlier:
        problems.note(
            f"{path}: work on {len(earlier)} figures was done on an earlier caption or image; it is kept and "
            f'does not count: {listed(earlier)} ("revision" in a record says which it was done on)'
        )


def import_predictions(store: Store, path: Path, problems: Problems) -> Iterator[Tally]:
    """Import predictions of figures that the store knows; a model version's newest replaces its older one."""
    tally = Tally()
    for batch in batches(_placed(read_predictions(path, problems), problems), BATCH):
        with store.transaction() as tx:
            for where, record in batch:
                try:
                    tx.put_prediction(rebased_prediction(record, tx.figure(record.figure.id)))
                    tally.added += 1
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
        for _ in batch:
            yield tally


def _placed(records: Iterable[T], problems: Problems) -> Iterator[tuple[str, T]]:
    """Each record with the place that it was read from."""
    for record in records:
        yield problems.where, record
