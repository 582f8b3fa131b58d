"""Examples and taggers for tests of the table: four panels in two rows, text before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from builders import a_figure

from panelwise.domain.annotation import Subfigure
from panelwise.domain.box import Box
from panelwise.domain.figure import Figure
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split

#: Words: 0 Scans, 2 upper, 3 left, 4 lung, 6 right, 7 heart, 9 lower, 10 bone, 11 both.
CAPTION = "Scans: upper left lung; right heart; lower bone both."
BOXES = {
    "A": Box(0, 0, 390, 290),
    "B": Box(400, 0, 800, 290),
    "C": Box(0, 300, 390, 600),
    "D": Box(400, 300, 800, 600),
}


def panels(**tokens: Sequence[int]) -> tuple[Subfigure, ...]:
    """Subfigures in the places of `BOXES`, each with its tokens."""
    return tuple(Subfigure(label, BOXES[label], frozenset(own)) for label, own in tokens.items())


def an_example(
    id: str = "f1",
    subfigures: tuple[Subfigure, ...] | None = None,
    *,
    split: Split = Split.TEST,
    document: str = "doi:10.1/x",
    image: Path = Path("absent.png"),
) -> Example:
    figure: Figure = a_figure(id, caption=CAPTION, document=document)
    return Example(figure, image, subfigures or panels(A=(2, 3, 4), B=(6, 7)), split)


@dataclass(frozen=True)
class FakeTagger:
    """Gives each box the words of the box of these that it answers to, none where it is nobody's."""

    answers: tuple[Subfigure, ...]
    version: str = "fake-1"

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        found = []
        for each in items:
            words = tuple(
                next((own.subcaption for own in self.answers if own.box == box), frozenset()) for box in each.boxes
            )
            found.append(Tagged(words, (1.0,) * len(words)))
        return found
