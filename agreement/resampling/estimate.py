"""A number of a report with its interval, and the reason why either is undefined."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agreement.resampling.draws import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic that may be undefined. value: None if undefined; interval: 95 % CI, None without one.

    reason: why the value is undefined, or else why the interval is; "" if neither needs one. method: of the
    interval, "bootstrap", "linearised" or "". Raises ValueError for a number that is not finite, and for an
    undefined value without a reason: neither must reach a reader.
    """

    value: float | None
    reason: str = ""
    interval: Interval | None = None
    method: str = ""

    def __post_init__(self) -> None:
        """Check that numbers are finite, and that an undefined value has its reason."""
        numbers = (self.value, *(self.interval or ()))
        if not all(math.isfinite(number) for number in numbers if number is not None):
            raise ValueError(f"not finite: {numbers}")
        if self.value is None and not self.reason:
            raise ValueError("an undefined value without a reason")

    @classmethod
    def alone(cls, value: float | None, why: str) -> Estimate:
        """Return a value that has no interval. why: the reason if it is undefined."""
        return cls(value, why if value is None else "")

    @property
    def why(self) -> str:
        """Return why there is no value; "" if there is one."""
        return self.reason if self.value is None else ""

    @property
    def interval_reason(self) -> str:
        """Return why there is no interval; "" if there is one."""
        return self.reason if self.interval is None else ""
