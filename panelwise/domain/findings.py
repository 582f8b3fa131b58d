"""What a program finds against the guidelines in somebody's work: shown to people, mended by nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How surely something is wrong: it is; it very likely is; it is worth a look."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return tuple(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. check: the check's id, as docs/reference/checks.md lists it. message: what, and what to do.

    where: a subfigure's label or a pair's instance_id, "" for the figure as a whole.
    """

    check: str
    severity: Severity
    where: str
    message: str
