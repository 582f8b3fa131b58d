"""Detection of figures that a scored model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain import AnnotatorError
from panelwise.runtime import counted
from prelabel.evaluation.paper_table.table import Column
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split

if TYPE_CHECKING:
    from prelabel.models.checkpoints import About


def models_seen(
    folders: Sequence[str | Path], examples: Sequence[Example], columns: Sequence[Column], *, force: bool
) -> tuple[dict[str, Mapping[Column, int]], list[str]]:
    """Return how many scored figures each model was trained on, by its version, and notes for the reader.

    folders: of models; names of others say nothing of their training. Raises AnnotatorError for a model that was
    trained on any, unless `force` is set.
    """
    seen: dict[str, Mapping[Column, int]] = {}
    notes: list[str] = []
    if not folders:
        return seen, notes
    from prelabel.models.checkpoints import CONFIG, About, find_checkpoint, is_checkpoint, read_about

    for folder in folders:
        about = read_about(Path(folder)) if is_checkpoint(folder) else About("", str(folder), {})
        if not about.splits:
            notes.append(f"{about.version} does not say what it was trained on; it may be figures scored here")
        elif found := seen_figures(about, examples, columns):
            text = seen_text(about.version, found)
            if not force:
                raise AnnotatorError(
                    f"{text}; score it on other figures, such as with --split-keys "
                    f"{find_checkpoint(Path(folder)) / CONFIG}, or on these all the same with --force"
                )
            seen[about.version] = found
            notes.append(f"* {text}")
    return seen, notes


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
