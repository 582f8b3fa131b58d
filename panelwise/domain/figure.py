"""A figure: one stored image with its caption and the article's sentences on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from panelwise.domain.addresses import shareable, without_secrets
from panelwise.domain.caption import Caption
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import NO_IMPORTED_ITEMS, ImportedItems

#: Largest side in pixels, and largest revision: columns and databases have to store them.
LARGEST = 2**31 - 1
#: Width and height of an image of unknown size: every box is inside.
UNKNOWN_SIZE = LARGEST
#: Key of `Figure.extra` under which the record's own `image` is stored if it is an address or was not read.
IMAGE_AS_WRITTEN = "given_image"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as stored: upright, its caption split into tokens.

    id: unique in the campaign. image: path relative to the campaign's home, "" without an image. width, height:
    pixels of the stored image. references: sentences of the article that mention it. document: the unit of splits,
    "" if unknown. source: its origin, as imported. extra: unknown keys of the input, exported unchanged. revision:
    from 1, increased when the caption or image is replaced. imported: its question-answer pairs and its type.
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
    imported: ImportedItems = NO_IMPORTED_ITEMS

    @property
    def record_keys(self) -> Mapping[str, Any]:
        """Return the imported keys that are stored and exported unchanged, those of pairs and type included."""
        return self.imported.joined(self.extra)

    def shareable(self) -> Figure:
        """Return the figure as others may see it: without logins and signatures in its addresses.

        The caption is unchanged, since spans count its characters.
        """
        return replace(
            self,
            image=without_secrets(self.image),
            references=shareable(self.references),
            document=without_secrets(self.document),
            source=shareable(self.source),
            extra=shareable(self.extra),
            imported=self.imported.shareable(),
        )

    @property
    def sized(self) -> bool:
        """Return True if the image's size is known."""
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
                f'figure "{self.id}": revision {self.revision} is invalid; revisions count from 1 to {LARGEST}'
            )
