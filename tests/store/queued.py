"""Figures in a queue."""

from __future__ import annotations

from typing import Any

from annotator.store.rows.records import QueuePlace

FIGURES = 12


def a_place(name: str, agreement: float | None = 0.5, **more: Any) -> QueuePlace:
    return QueuePlace(name, agreement, 2, **{"names": ("ann1", "ann2"), "phases": ("1",), **more})
