"""Records of `decisions.jsonl`: one for each decision and reopening in the figures' histories."""

from __future__ import annotations

from typing import Any

from panelwise.domain.annotation import Annotation
from panelwise.domain.decision import Decision, Reopening
from panelwise.formats.annotations import annotation_record, time_text


def decision_record(entry: Decision | Reopening) -> dict[str, Any]:
    """Convert an entry to a record, with the figure as in annotations.jsonl; a reopening has reviewer, "
    "time, note."""
    head = {
        "figure_id": entry.figure.id,
        "revision": entry.figure.revision,
        "version": entry.version,
        "reviewer": entry.reviewer,
    }
    if isinstance(entry, Reopening):
        return {**head, "status": "reopened", "decided_at": time_text(entry.reopened_at), "note": entry.note}
    drawn = annotation_record(
        Annotation(
            entry.figure,
            entry.reviewer,
            "decision",
            entry.status,
            entry.subfigures,
            entry.decided_at,
            entry.items,
        )
    )
    for key in ("annotator", "phase", "saved_at", "figure_id", "revision", "status"):
        del drawn[key]
    return {
        **head,
        "status": entry.status.value,
        "decided_at": time_text(entry.decided_at),
        "seconds": entry.seconds,
        "based_on": list(entry.based_on),
        "note": entry.note,
        "error_kind": entry.error_kind,
        "guideline_flag": entry.guideline_flag or None,
        "restored_from": entry.restored_from,
        "awaits": entry.awaits,
        **drawn,
    }
