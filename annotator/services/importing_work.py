"""Bringing annotations and predictions into a campaign. Safe to run again; the good part is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from annotator.domain.annotation import Annotation
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.annotations import read_annotations, read_predictions, rebased, rebased_prediction
from annotator.formats.json_stream import starts_with
from annotator.formats.jsonl import Problems, read_lines
from annotator.formats.medicat import looks_like_medicat, read_medicat
from annotator.services.batches import batches
from annotator.services.importing import BATCH, Tally
from annotator.services.revisions import listed, worked_on

if TYPE_CHECKING:
    from annotator.store.store import Store, Transaction

T = TypeVar("T")


def import_annotations(
    store: Store, path: Path, problems: Problems, *, layout: str = "jsonl", annotator: str = ""
) -> Iterator[Tally]:
    """Import annotations of figures that the store knows; yields the running tally once a record.

    layout: "jsonl" or "medicat". annotator: whose they are, for a layout that does not say. Raises FormatError for
    a file whose first record is plainly of another layout.
    """
    records: Iterator[Annotation]
    unknown: Counter[str] = Counter()
    _check_layout(path, layout)
    if layout == "medicat":
        records = read_medicat(path, problems, annotator=annotator or "gold")
    else:
        records = read_annotations(path, problems, unknown)
    tally = Tally()
    earlier: dict[str, None] = {}
    for batch in batches(placed(records, problems), BATCH):
        with store.transaction() as tx:
            for where, record in batch:
                try:
                    figure, present = worked_on(tx, record.figure)
                    annotation = rebased(record, figure)
                    if not present:
                        earlier[figure.id] = None
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
                else:
                    keep(tx, annotation, path, where, tally, problems)
        for _ in batch:
            yield tally
    if unknown:
        keys = ", ".join(f'"{key}" ({count} records)' for key, count in sorted(unknown.items())[:8])
        more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
        problems.note(
            f"{path}: an annotation has no place for {keys}{more}; left out, keep the file if you need them"
        )
    if earlier:
        problems.note(
            f"{path}: work on {len(earlier)} figures was done on an earlier caption or image; it is kept and "
            f'does not count: {listed(earlier)} ("revision" in a record says which it was done on)'
        )


def _check_layout(path: Path, layout: str) -> None:
    if starts_with(path) == b"[":
        raise FormatError(
            f"{path}: holds a JSON array; give one object a line, or --from label-studio for its export"
        )
    first = next(read_lines(path, Problems()), None)
    if first is None:
        return
    medicat = looks_like_medicat(first)
    if layout == "jsonl" and medicat:
        raise FormatError(f"{path}: holds MedICaT's layout; import it with --from medicat")
    if layout == "medicat" and not medicat and {"annotator", "phase", "saved_at"} <= first.record.keys():
        raise FormatError(f"{path}: holds annotations.jsonl's layout; import it with --from jsonl")


def import_predictions(store: Store, path: Path, problems: Problems) -> Iterator[Tally]:
    """Import predictions of figures that the store knows; a model version's newest replaces its older one."""
    tally = Tally()
    for batch in batches(placed(read_predictions(path, problems), problems), BATCH):
        with store.transaction() as tx:
            for where, record in batch:
                try:
                    tx.put_prediction(rebased_prediction(record, tx.figure(record.figure.id)))
                    tally.added += 1
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
        for _ in batch:
            yield tally


def keep(
    tx: Transaction, annotation: Annotation, path: Path, where: str, tally: Tally, problems: Problems
) -> None:
    """Put one annotation of a file into the store and count it; one that the store refuses is a problem."""
    try:
        if tx.add_annotation(annotation, origin=f"file:{path.name}"):
            tally.added += 1
        else:
            tally.known += 1
    except AnnotatorError as error:
        problems.add(f"{where}: {error}")


def placed(records: Iterable[T], problems: Problems) -> Iterator[tuple[str, T]]:
    """Each record with the place that it was read from."""
    for record in records:
        yield problems.where, record
