"""Records in the layouts of the files that MedICaT is given out as, made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panelwise.domain.caption import Caption

CAPTION = "(A) A lung. (B) A heart."
RECTANGLES = [[[0, 0], [0, 40], [40, 40], [40, 0]], [[50, 0], [50, 40], [100, 40], [100, 0]]]


def medicat(number: int, **changes: Any) -> dict[str, Any]:
    """A record in the layout of the dataset's subcaptions_public.jsonl."""
    caption = Caption.cut(CAPTION)
    parts = [
        {"label": label, "type": "rect", "points": points} for label, points in zip("AB", RECTANGLES, strict=True)
    ]
    record: dict[str, Any] = {
        "pdf_hash": f"hash{number}",
        "fig_key": "Figure1",
        "fig_uri": "1-Figure1-1.png",
        "width": 100,
        "height": 40,
        "text": CAPTION,
        "tokens": [
            {"text": CAPTION[start:end], "start": start, "end": end, "id": place, "ws": True}
            for place, (start, end) in enumerate(caption.ranges)
        ],
        "spans": parts,
        "subcaptions": {"A": [0, 1, 2, 3, 4], "B": [6, 7, 8, 9, 10]},
        "answer": "accept",
    }
    record.update(changes)
    return {key: value for key, value in record.items() if value is not ...}


def written(path: Path, *records: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def release(number: int) -> dict[str, Any]:
    """The same figure in the layout of the release."""
    return {
        "pdf_hash": f"hash{number}",
        "fig_uri": "1-Figure1-1.png",
        "s2_caption": CAPTION,
        "s2orc_references": ["Figure 1 shows it."],
        "radiology": True,
    }
