"""The human ceiling as plain values."""

from __future__ import annotations

from typing import Any

from agreement.models.ceiling import Ceiling
from agreement.report.json.parts import interval_record


def ceiling_record(ceiling: Ceiling | None) -> dict[str, Any] | None:
    """Return the ceiling; None without people."""
    if ceiling is None:
        return None
    return {
        "people": list(ceiling.people),
        "method": ceiling.method or None,
        "gaps": [
            {
                "predicted": each.name,
                "figures": each.figures,
                "people": each.people,
                "score": each.score,
                "gap": each.gap,
                "interval": interval_record(each.interval),
                "reason": each.reason or None,
            }
            for each in ceiling.gaps
        ],
    }
