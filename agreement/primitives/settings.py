"""What a score is made with: the rules of the metric, and how its interval is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from agreement.primitives.rules import MIN_IOU, Common, Mode


@dataclass(frozen=True, slots=True)
class Settings:
    """What a score was made with. common: None takes the mode's default."""

    mode: Mode = Mode.PAPER
    common: Common | None = None
    min_iou: float = MIN_IOU
    resamples: int = 10_000
    seed: int = 0

    @property
    def common_used(self) -> Common:
        """The set of common tokens that was taken away."""
        return Common.default(self.mode) if self.common is None else self.common


#: Work of 1970 was saved at a time that nobody knows.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The metric as the paper tells it, with the interval that an expert expects.
DEFAULTS = Settings()
