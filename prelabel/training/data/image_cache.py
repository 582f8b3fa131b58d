"""Images of examples, scaled once and cached in memory as far as they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, TypeVar

from PIL import Image

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Problems
from panelwise.images import read_bytes, read_picture
from prelabel.training.data.examples import Example, of_split
from prelabel.training.data.splits import Split

Scaled = TypeVar("Scaled")


class ImageCache(Generic[Scaled]):
    """Read and scale images once. scale: makes a network's input. size: its bytes. room: bytes to cache."""

    def __init__(
        self,
        scale: Callable[[Image.Image], Scaled],
        size: Callable[[Scaled], int],
        problems: Problems,
        *,
        room: int,
    ) -> None:
        self._scale, self._size = scale, size
        self.problems, self.room = problems, room
        self._kept: dict[Path, Scaled] = {}

    def read(self, example: Example) -> Scaled:
        """Return the scaled image. Raises FormatError, one line, if it can't be read."""
        kept = self._kept.get(example.image)
        if kept is not None:
            return kept
        made = self._scale(read_picture(read_bytes(example.image), example.image).image)
        if self._size(made) <= self.room:
            self.room -= self._size(made)
            self._kept[example.image] = made
        return made

    def readable(self, examples: Sequence[Example], workers: int) -> dict[Split, list[Example]]:
        """Return the figures to train and to validate with whose image can be decoded; the others are problems.

        Raises FormatError if there are none of either.
        """
        found = {split: of_split(examples, split) for split in (Split.TRAIN, Split.VAL)}
        with ThreadPoolExecutor(workers) as readers:
            for split, asked in found.items():
                fine = list(readers.map(self._readable, asked))
                found[split] = [each for each, read in zip(asked, fine, strict=True) if read]
        if not all(found.values()):
            raise FormatError("no figure is left to train or to validate with; its images cannot be read")
        return found

    def _readable(self, example: Example) -> bool:
        try:
            self.read(example)
        except AnnotatorError as error:
            self.problems.add(f'figure "{example.figure.id}": {error}; left it out')
            return False
        return True
