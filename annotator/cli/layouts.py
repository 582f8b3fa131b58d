"""Options on layouts of files; the registry, which loads much, is read when they are used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.parameters import Number, Option, OptionGroup
from annotator.cli.paths import InPath

if TYPE_CHECKING:
    from panelwise.formats import Reading


class _RegistryChoice(click.Choice[str]):
    """A name that the registry has; it is imported when the names are asked for, so that `--help` stays fast."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]  # click sets a plain attribute
        """The names."""
        return self._names()

    def _names(self) -> Sequence[str]:
        raise NotImplementedError


class LayoutChoice(_RegistryChoice):
    """The name of a layout that holds figures, annotations or predictions."""

    def __init__(self, contents: str) -> None:
        super().__init__()
        self._contents = contents

    def _names(self) -> Sequence[str]:
        from panelwise.formats import Contents, layouts_of

        return [layout.name for layout in layouts_of(Contents(self._contents))]


class BoxFormChoice(_RegistryChoice):
    """The name of a form of boxes."""

    def _names(self) -> Sequence[str]:
        from panelwise.formats import BOX_FORMS

        return [str(form) for form in BOX_FORMS]


class PredictionOptions(OptionGroup):
    """Options on predictions of other programs. coco: the file that numbers the images."""

    min_score: Annotated[
        float,
        Option(
            "Leave out predicted boxes with a lower score.",
            type=Number(0.0, 1.0),
            default=0.0,
            show_default=False,
        ),
    ]
    coco: Annotated[
        Path | None,
        Option(
            "COCO file whose image ids predictions refer to, as `annotator export coco` writes.",
            metavar="FILE",
            type=InPath(dir_okay=False),
        ),
    ]

    boxes: Annotated[
        str | None,
        Option(
            "Order and unit of boxes, of a layout that does not fix them [default: in which they fit the images].",
            type=BoxFormChoice(),
        ),
    ]
    score: Annotated[
        float | None,
        Option("Score of predicted boxes that have none.", type=Number(0.0, 1.0)),
    ]

    def reading(self, *, annotator: str = "", gold: Path | None = None) -> Reading:
        """Return how predictions are read. gold: a COCO file numbers its images itself."""
        from panelwise.formats import COCO, Reading, looks_of

        coco = self.coco
        if coco is None and gold is not None and gold.is_file() and COCO in looks_of(gold).layouts:
            coco = gold
        return Reading(
            annotator=annotator,
            least_score=self.min_score,
            numbered=coco,
            boxes=self.boxes or "",
            score=self.score,
        )
