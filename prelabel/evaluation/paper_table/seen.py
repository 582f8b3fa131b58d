"""Detection of figures that a scored model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from panelwise.runtime.plurals import counted
from prelabel.evaluation.paper_table.table import Column
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split

if TYPE_CHECKING:
    from prelabel.models.checkpoints import About


def seen_figures(about: About, examples: Sequence[Example], columns: Sequence[Column]) -> dict[Column, int]:
    """Return how many figures of each column a model was trained on; columns without any are left out.

    Figures that it was validated with, by which its epoch was chosen, count too, but not in the validation column.
    """
    learnt, chosen = (frozenset(about.splits.get(split, ())) for split in (Split.TRAIN, Split.VAL))
    found = {
        column: sum(
            column.has(each.split) and each.figure.id in (learnt if column is Column.VAL else learnt | chosen)
            for each in examples
        )
        for column in columns
    }
    return {column: number for column, number in found.items() if number}


def seen_text(version: str, seen: Mapping[Column, int]) -> str:
    """Describe it, as "box-crf-1f3a9c02 was trained on 12 figures of test"."""
    parts = (f"{counted(number, 'figure')} of {column.shown}" for column, number in seen.items())
    return f"{version} was trained or validated on {', '.join(parts)}"
