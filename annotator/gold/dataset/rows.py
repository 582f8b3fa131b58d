"""Rows of a release's tables: gold, annotations and predictions with one type per column.

MedICaT's layout has labels as keys, so that no table can hold it; here a subfigure is a row of a nested list.
"""

from __future__ import annotations

from typing import Any

import msgspec

from panelwise.domain import NO_ITEMS, Annotation, Figure, Gold, Items, Prediction, Subfigure
from panelwise.files import SubfigureRow, WorkRow
from panelwise.formats import PREDICTION_PHASE, items_record, time_text


class GoldRow(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The gold of one figure. image: path in the release, None if it was not copied.

    tokens: [start, end) of each in the caption, code points. source: adjudicated, unanimous or single. items:
    type, verdicts and answers as JSON, "" without any.
    """

    figure_id: str
    document: str
    split: str
    licence: str
    image: str | None
    width: int
    height: int
    caption: str
    tokens: tuple[tuple[int, int], ...]
    references: tuple[str, ...]
    subfigures: tuple[SubfigureRow, ...]
    items: str
    source: str
    reviewer: str
    based_on: tuple[str, ...]
    decided_at: str
    note: str


def gold_row(gold: Gold, *, document: str, split: str, licence: str, image: str | None) -> GoldRow:
    """Return the gold of one figure as a row."""
    figure, about = gold.figure, gold.provenance
    return GoldRow(
        figure_id=figure.id,
        document=document,
        split=split,
        licence=licence,
        image=image,
        width=figure.width,
        height=figure.height,
        caption=figure.caption.text,
        tokens=figure.caption.ranges,
        references=figure.references,
        subfigures=tuple(_subfigure(each) for each in gold.subfigures),
        items=_items(gold.items),
        source=about.source.value,
        reviewer=about.reviewer,
        based_on=tuple(about.based_on),
        decided_at=time_text(about.decided_at),
        note=about.note,
    )


def annotation_row(work: Annotation, *, document: str | None = None, split: str = "") -> WorkRow:
    """Return one annotator's work as a row. document: None for the figure's own. split: "" outside a release."""
    return WorkRow(
        **_head(work.figure, work.items, work.figure.document if document is None else document, split),
        annotator=work.annotator,
        phase=work.phase,
        status=work.status.value,
        subfigures=tuple(_subfigure(each) for each in work.subfigures),
        seeded_by=work.seeded_by,
        guideline=work.guideline,
        saved_at=time_text(work.saved_at),
        seconds=work.seconds,
        partly_read=work.partly_read,
    )


def prediction_row(work: Prediction, *, document: str, split: str) -> WorkRow:
    """Return one model's work as a row, with a score per subfigure."""
    scored = zip(work.subfigures, work.scores, strict=True)
    return WorkRow(
        **_head(work.figure, work.items, document, split),
        annotator=work.model_version,
        phase=PREDICTION_PHASE,
        status="accepted",
        subfigures=tuple(_subfigure(each, score) for each, score in scored),
        seeded_by=None,
        guideline="",
        saved_at="",
    )


def _head(figure: Figure, items: Items, document: str, split: str) -> dict[str, Any]:
    return {
        "figure_id": figure.id,
        "document": document,
        "split": split,
        "revision": figure.revision,
        "items": _items(items),
        **({"width": figure.width, "height": figure.height} if figure.sized else {}),
        "caption": figure.caption.text,
        "tokens": figure.caption.ranges,
    }


def _subfigure(subfigure: Subfigure, score: float | None = None) -> SubfigureRow:
    box = subfigure.box
    return SubfigureRow(
        subfigure.label, (box.x0, box.y0, box.x1, box.y1), tuple(sorted(subfigure.subcaption)), score
    )


def _items(items: Items) -> str:
    if items is NO_ITEMS:
        return ""
    record = items_record(items)
    return msgspec.json.encode(record).decode() if record else ""
