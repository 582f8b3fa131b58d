"""The JSON that goes to the screen of a figure's types and pairs: the one place that knows its keys."""

from __future__ import annotations

from typing import Any

from annotator.adjudication.items.state import ItemsState
from panelwise.domain.decision import ErrorKind
from panelwise.domain.items import UNANSWERABLE, QAKind


def state(found: ItemsState) -> dict[str, Any]:
    """What GET /api/figures/<id>/items says of the figure; addresses come beside it."""
    return {
        "figure_id": found.figure.id,
        "revision": found.figure.revision,
        "width": found.figure.width,
        "height": found.figure.height,
        "caption": found.figure.caption.text,
        "references": found.figure.references,
        "version": found.version,
        "decision": found.decision,
        "annotators": found.annotators,
        "statuses": found.statuses,
        "kind": found.kind,
        "pairs": found.pairs,
        "type_names": found.type_names,
        "qa_types": list(QAKind),
        "unanswerable": UNANSWERABLE,
        "findings": found.findings,
        "quorum": found.quorum,
        "reasons": found.reasons,
        "agreement": found.agreement,
        "progress": found.progress,
        "phase": found.phase,
        "reviewer": found.reviewer,
        "error_kinds": list(ErrorKind),
        "review": found.review,
    }
