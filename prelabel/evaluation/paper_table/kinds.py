"""Scores of a trained classifier of figure kinds, by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from panelwise.files.jsonl import Problems
from prelabel.evaluation.paper_table.systems import BATCH, Watch, images_of
from prelabel.evaluation.paper_table.table import Column, KindsRow
from prelabel.training.data.examples import Example

if TYPE_CHECKING:
    from prelabel.models.classifier import TrainedClassifier


def kinds_row(
    examples: Sequence[Example],
    model: TrainedClassifier,
    columns: Sequence[Column],
    problems: Problems,
    watch: Watch,
) -> KindsRow:
    """Score a classifier (see `prelabel.training.tasks.classifier`) on figures of known kind.

    An unreadable image is a problem, and its figure left out.
    """
    from prelabel.models.classifier import Kinds
    from prelabel.training.tasks.classifier import labelled_kind, scores_of

    found: dict[str, Kinds] = {}
    readable = images_of(watch(examples, "classifying", len(examples)), problems)
    while batch := list(islice(readable, BATCH)):
        kinds = model.kinds([image for _, image in batch])
        found.update({example.figure.id: one for (example, _), one in zip(batch, kinds, strict=True)})
    scores: dict[Column, Mapping[str, float]] = {}
    for column in columns:
        told = [each for each in examples if column.has(each.split) and each.figure.id in found]
        scores[column] = scores_of(
            model.answers, [labelled_kind(each) for each in told], [found[each.figure.id] for each in told]
        )
    return KindsRow(model.version, scores)
