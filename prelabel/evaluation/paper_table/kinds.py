"""Scores of a trained classifier of figure kinds, by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from panelwise.files import Problems
from prelabel.evaluation.paper_table.systems import BATCH, Watch, images_of
from prelabel.evaluation.paper_table.table import Column, FilterPoint, KindsRow
from prelabel.training.data.examples import Example

if TYPE_CHECKING:
    from prelabel.models.classifier import Kinds, TrainedClassifier

#: Up to this many of the likeliest types; the paper's filter looks at 4.
TOPS = 8


def kinds_row(
    examples: Sequence[Example],
    model: TrainedClassifier,
    columns: Sequence[Column],
    problems: Problems,
    watch: Watch,
    selected: Sequence[str] = (),
) -> KindsRow:
    """Score a classifier (see `prelabel.training.tasks.classifier`) on figures of known kind.

    An unreadable image is a problem and left out. selected: types to keep, as `prelabel classify` has.
    """
    from prelabel.training.tasks.classifier import labelled_kind, scores_of

    found: dict[str, Kinds] = {}
    readable = images_of(watch(examples, "classifying", len(examples)), problems)
    while batch := list(islice(readable, BATCH)):
        kinds = model.kinds([image for _, image in batch])
        found.update({example.figure.id: one for (example, _), one in zip(batch, kinds, strict=True)})
    scores: dict[Column, Mapping[str, float]] = {}
    kept: dict[Column, Sequence[FilterPoint]] = {}
    for column in columns:
        told = [each for each in examples if column.has(each.split) and each.figure.id in found]
        labels, kinds = [labelled_kind(each) for each in told], [found[each.figure.id] for each in told]
        scores[column] = scores_of(model.answers, labels, kinds)
        typed = [
            (frozenset(selected) & one.types, other) for one, other in zip(labels, kinds, strict=True) if one.types
        ]
        if selected:
            kept[column] = [
                _filter_point(typed, selected, top) for top in range(1, min(TOPS, len(model.answers.types)) + 1)
            ]
    return KindsRow(model.version, scores, kept)


def _filter_point(typed: Sequence[tuple[frozenset[str], Kinds]], selected: Sequence[str], top: int) -> FilterPoint:
    """typed: of each figure of known type those of its types that are selected, and its predicted kinds."""
    chosen = [bool(own) for own, kinds in typed if kinds.keeps(selected, top=top)]
    relevant = sum(bool(own) for own, _ in typed)
    right = sum(chosen)
    return FilterPoint(
        top, len(chosen), right / len(chosen) if chosen else None, right / relevant if relevant else None
    )
