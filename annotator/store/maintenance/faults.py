"""The faults that checking a store finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from panelwise.domain import one_line

#: Faults of one kind in one table that are reported singly; there may be as many as rows.
MOST = 20


class Kind(StrEnum):
    """The kind of a fault.

    SCHEMA: a table or column is not there. TRIGGER: nothing keeps append-only rows from being changed. DAMAGED: a
    row cannot be read, or is not what was written. ORPHAN, REFERENCE: it refers to what is not there. VERSION: a
    history has a gap. QUEUE: the reviewers' queue says other than the work. NAME: one name has two spellings.
    IMAGE, FILE: of the campaign's folder.
    """

    SCHEMA = "schema"
    TRIGGER = "trigger"
    DAMAGED = "damaged"
    ORPHAN = "orphan"
    REFERENCE = "reference"
    VERSION = "version"
    QUEUE = "queue"
    NAME = "name"
    IMAGE = "image"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. where: table and key, or a file. message: what is wrong, and what to do."""

    kind: Kind
    where: str
    message: str

    def __str__(self) -> str:
        return one_line(f"{self.kind.value}: {self.where}: {self.message}")


def limited(faults: Iterable[Fault], most: int = MOST) -> Iterator[Fault]:
    """Yield the first faults of each kind and table; one more says that there are others."""
    counts: Counter[tuple[Kind, str]] = Counter()
    for fault in faults:
        key = fault.kind, fault.where.partition(" ")[0]
        counts[key] += 1
        if counts[key] <= most:
            yield fault
        elif counts[key] == most + 1:
            yield Fault(fault.kind, key[1], "has more of these; only the first are listed")
