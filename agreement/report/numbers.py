"""Numbers as pages and papers show them: one rounding for both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

#: So many digits at most tell a score from 1 or 0.
_MOST_DIGITS = 6
#: What adding up numbers may leave of a difference.
_DUST = 1e-9


def rounded(value: float, digits: int = 3) -> str:
    """Rounded for reading; a minus is the true sign, and nothing is shown as 1 (or 0) that is not."""
    text = f"{abs(value):.{digits}f}"
    while digits < _MOST_DIGITS and abs(float(text) - abs(value)) > _DUST and float(text) in (0.0, 1.0):
        digits += 1
        text = f"{abs(value):.{digits}f}"
    return f"−{text}" if value < 0.0 and float(text) else text


def percent(share: float) -> str:
    """Format a share in whole per cent; "under 1%" and "over 99%" rather than a false 0 or 100."""
    whole = round(100 * share)
    if whole == 0 and share > 0.0:
        return "under 1%"
    if whole == 100 and share < 1.0:
        return "over 99%"
    return f"{whole}%"


def equal_runs(thresholds: Sequence[float], values: Sequence[object]) -> list[tuple[str, int]]:
    """Return name and first index of each run of neighbouring thresholds with equal values: ("0.10 to 0.90", 0).

    thresholds, values: one for each row of a table; rows that say the same are one.
    """
    runs = []
    for _, run in groupby(range(len(thresholds)), key=values.__getitem__):
        places = list(run)
        ends = dict.fromkeys(f"{thresholds[place]:.2f}" for place in (places[0], places[-1]))
        runs.append((" to ".join(ends), places[0]))
    return runs
