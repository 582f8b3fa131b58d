"""Addresses of the adjudication view that a report links to."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from panelwise.domain.addresses import figure_segment


@dataclass(frozen=True, slots=True)
class Links:
    """Where the view is. view: its address, None where there is none: every link is None then."""

    view: str | None
    phase: str | None

    def figure(self, figure_id: str) -> str | None:
        """The screen of a figure."""
        return None if self.view is None else f"{self._base}/figures/{figure_segment(figure_id)}"

    def pair(self, gold: str, predicted: str) -> str | None:
        """The queue's slice of an ordered pair."""
        if self.view is None:
            return None
        asked = {"gold": gold, "predicted": predicted}
        if self.phase is not None:
            asked["phase"] = self.phase
        return f"{self._base}/?{urlencode(asked)}"

    @property
    def _base(self) -> str:
        return (self.view or "").rstrip("/")
