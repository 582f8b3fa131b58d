"""Findings of the guideline checks in a person's work; shown to people, never fixed automatically."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """The severity of a finding: an error; very likely an error; worth a look."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """Return the rank, 0 for the gravest."""
        return tuple(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. check: the check's id, see docs/reference/checks.md. message: what is wrong, and what to do.

    where: a subfigure's label or a pair's instance_id, "" for the whole figure.
    """

    check: str
    severity: Severity
    where: str
    message: str
