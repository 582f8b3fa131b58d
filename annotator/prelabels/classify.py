"""Classification of a file's figures by a trained classifier, and selection of those of wanted types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from panelwise.domain import AnnotatorError, Figure, type_name
from panelwise.files import Problems
from panelwise.formats import read_figures
from panelwise.runtime import ahead, batches
from prelabel.runs import figure_of, open_job

if TYPE_CHECKING:
    from prelabel.models import Kinds, TrainedClassifier

#: Images held at a time.
BATCH = 32


@dataclass(frozen=True, slots=True)
class TypeFilter:
    """The paper's filter: it selects figures with one of `types` among the `top` likeliest, by default all.

    compound: True for compound figures only, False for the others only.
    """

    types: tuple[str, ...] = ()
    top: int = 4
    compound: bool | None = None

    def has(self, kinds: Kinds) -> bool:
        """Return whether a figure of these kinds is selected."""
        if self.compound is not None and (kinds.compound is None or (kinds.compound >= 0.5) is not self.compound):
            return False
        return not self.types or kinds.keeps(self.types, top=self.top)


@dataclass(frozen=True, slots=True)
class Classified:
    """One figure. passes: whether it passes the filter."""

    figure: Figure
    kinds: Kinds
    passes: bool


def type_filter(model: TrainedClassifier, types: Iterable[str], *, top: int, compound: bool | None) -> TypeFilter:
    """Parse the wanted types. Raises AnnotatorError for a type that the classifier does not know."""
    names = tuple(dict.fromkeys(map(type_name, types)))
    known = model.answers.types
    for name in names:
        if name not in known:
            told = ", ".join(f'"{each}"' for each in known) or "none: it was trained to recognise compound figures"
            raise AnnotatorError(f'no type "{name}" is known to {model.version}; it knows {told}')
    if compound is not None and not model.answers.compound:
        raise AnnotatorError(f"{model.version} was not trained to recognise compound figures; train --target both")
    return TypeFilter(names, top, compound)


def classify(
    figures: Path, images: Path, model: TrainedClassifier, problems: Problems, *, types: TypeFilter = TypeFilter()
) -> Iterator[Classified]:
    """Every figure of the file, in its order; one whose image cannot be read is a problem and left out."""
    opened = batches(_opened(figures, images, problems), BATCH)
    # Images are decoded while the model is busy with those before them.
    for batch in ahead(opened):
        found = model.kinds([image for _, image in batch])
        for (figure, _), kinds in zip(batch, found, strict=True):
            yield Classified(figure, kinds, types.has(kinds))


def kind_record(found: Classified, version: str) -> dict[str, Any]:
    """One figure's kinds as plain values: types by name, likeliest first, with their probabilities."""
    record: dict[str, Any] = {"figure_id": found.figure.id, "model": version}
    if found.kinds.compound is not None:
        record["compound"] = round(found.kinds.compound, 4)
    if found.kinds.types:
        record["types"] = {name: round(likely, 4) for name, likely in found.kinds.types}
    return {**record, "kept": found.passes}


def _opened(figures: Path, images: Path, problems: Problems) -> Iterator[tuple[Figure, Image.Image]]:
    for record in read_figures(figures, problems):
        try:
            job = figure_of(record, images)
        except AnnotatorError as error:
            problems.add(f'figure "{record.figure_id}": {error}')
            continue
        opened = open_job(job)
        if isinstance(opened, str):
            problems.add(opened)
        else:
            yield opened
