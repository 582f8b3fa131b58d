"""A run split over machines: each processes the figures whose ids belong to its shard."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from panelwise.domain import InvalidAnnotation

_WRITTEN = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` of `count`, from 1. A figure's shard depends on its id alone.

    So shards need no coordination, never overlap, cover all figures, and do not change with later imports. They
    are about equally large for many figures.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise InvalidAnnotation(
                f"there is no part {self} of a run; give 1/{self.count} to {self.count}/{self.count}"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def read(cls, text: str) -> Shard:
        """Parse "2/8", the second of eight. Raises InvalidAnnotation for anything else."""
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise InvalidAnnotation(
                f'"{text}" is no part of a run; give its number and how many there are, as 2/8'
            )
        return cls(int(found[1]), int(found[2]))

    def has(self, figure_id: str) -> bool:
        """Return True if the figure belongs to this shard."""
        first = hashlib.sha256(figure_id.encode()).digest()[:8]
        return int.from_bytes(first) % self.count == self.number - 1


WHOLE = Shard(1, 1)
