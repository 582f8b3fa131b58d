"""The causes of loss that the agreement page and the feedback page list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agreement.score.losses import Loss


@dataclass(frozen=True, slots=True)
class LossShare:
    """The loss by one cause. lost: in points of the score. share: of the whole loss."""

    cause: Loss
    lost: float
    share: float


def loss_shares(losses: Mapping[Loss, float] | None) -> tuple[LossShare, ...]:
    """Return the causes that cost something, largest first; none if there is no score."""
    costing = {cause: lost for cause, lost in (losses or {}).items() if lost > 0}
    whole = sum(costing.values())
    ordered = sorted(costing.items(), key=lambda each: -each[1])
    return tuple(LossShare(cause, lost, lost / whole) for cause, lost in ordered)
