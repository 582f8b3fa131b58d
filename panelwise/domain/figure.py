"""A figure: one stored image with its caption and what the article says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from panelwise.domain.caption import Caption
from panelwise.domain.errors import InvalidAnnotation

#: Pixels of a side, and revisions, count no further: columns and databases have to hold them.
LARGEST = 2**31 - 1
#: Width and height of an image whose size a record does not say: every box is inside.
UNKNOWN_SIZE = LARGEST
#: Key of `Figure.extra` under which the record's own `image` is kept where it was an address or not read.
IMAGE_AS_WRITTEN = "given_image"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as stored: upright, its caption's tokens cut.

    id: unique in the campaign. image: path relative to the campaign's home, or "" where there is no image
    at hand. width, height: pixels of the stored image. references: sentences of the article that mention it.
    document: what splits go by ("" if unknown). source: where it comes from, as given. extra: unknown keys
    of the input, exported again. revision: counts from 1, up when the caption or image is replaced.
    """

    id: str
    image: str
    width: int
    height: int
    caption: Caption
    references: tuple[str, ...] = ()
    document: str = ""
    source: Mapping[str, Any] = field(default_factory=dict, hash=False)
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    revision: int = 1
    image_sha256: str = ""

    @property
    def sized(self) -> bool:
        """True if the image's size is known."""
        return (self.width, self.height) != (UNKNOWN_SIZE, UNKNOWN_SIZE)

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidAnnotation("a figure needs an id; give figure_id")
        if not (1 <= self.width <= LARGEST and 1 <= self.height <= LARGEST):
            raise InvalidAnnotation(
                f'figure "{self.id}": an image of {self.width} x {self.height} pixels cannot be; '
                "give its true width and height"
            )
        if not 1 <= self.revision <= LARGEST:
            raise InvalidAnnotation(
                f'figure "{self.id}": revisions count from 1 to {LARGEST}, {self.revision} cannot be'
            )
