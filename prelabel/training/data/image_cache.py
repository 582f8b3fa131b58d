"""Images of examples, scaled once and cached in memory as far as they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, TypeVar

from PIL import Image

from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise.images.decode import read_bytes, read_picture
from prelabel.training.data.examples import Example

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

    def readable(self, examples: Sequence[Example], workers: int) -> list[Example]:
        """Return the examples whose image can be decoded; the others are problems, known before training."""
        with ThreadPoolExecutor(workers) as readers:
            fine = list(readers.map(self._readable, examples))
        return [each for each, read in zip(examples, fine, strict=True) if read]

    def _readable(self, example: Example) -> bool:
        try:
            self.read(example)
        except AnnotatorError as error:
            self.problems.add(f'figure "{example.figure.id}": {error}; left it out')
            return False
        return True
