"""Settings of the agreement score: mode, common tokens, box match threshold and bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from agreement.primitives.rules import MIN_IOU, RESAMPLES, Common, Mode


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one agreement score.

    mode: the paper's rules or those of its authors' code. common: whose common tokens are removed, None for the
    mode's default. min_iou: box match threshold, in (0, 1]. resamples, seed: of the bootstrap.
    """

    mode: Mode = Mode.PAPER
    common: Common | None = None
    min_iou: float = MIN_IOU
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def common_used(self) -> Common:
        """Whose common tokens are removed, the mode's default applied."""
        return Common.default(self.mode) if self.common is None else self.common


#: The `saved_at` of an annotation whose time is unknown.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The paper's metric with a bootstrap of 10,000 resamples.
DEFAULTS = Settings()
