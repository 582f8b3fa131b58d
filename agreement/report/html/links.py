"""Addresses of the adjudication view that a report links to."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from panelwise.domain import figure_segment


@dataclass(frozen=True, slots=True)
class Links:
    """Links into the adjudication view. view: its address; without it every link is None.

    slices: whether pairs of annotators have links, by their names.
    """

    view: str | None
    phase: str | None
    slices: bool = True

    def figure(self, figure_id: str) -> str | None:
        """Return the address of a figure's screen."""
        return None if self.view is None else f"{self._base}/figures/{figure_segment(figure_id)}"

    def pair(self, gold: str, predicted: str) -> str | None:
        """Return the address of an ordered pair's part of the queue."""
        if self.view is None or not self.slices:
            return None
        asked = {"gold": gold, "predicted": predicted}
        if self.phase is not None:
            asked["phase"] = self.phase
        return f"{self._base}/?{urlencode(asked)}"

    @property
    def _base(self) -> str:
        return (self.view or "").rstrip("/")
