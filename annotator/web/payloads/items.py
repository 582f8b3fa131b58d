"""The JSON that goes to the screen of a figure's types and pairs: the one place that knows its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotator.adjudication.items.state import ItemsDecision, ItemsState
from annotator.web.payloads.figure import flag_choice, moment
from panelwise.domain.decision import ErrorKind
from panelwise.domain.items import UNANSWERABLE, QAKind

if TYPE_CHECKING:
    from annotator.adjudication.items.conflicts import ItemsCollision, ItemsComparison


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
        "decision": decision(found.decision),
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
        "progress": {"decided": found.progress.decided, "total": found.progress.total},
        "phase": found.phase,
        "reviewer": found.reviewer,
        "error_kinds": list(ErrorKind),
        "review": found.review,
    }


def decision(found: ItemsDecision | None) -> dict[str, Any] | None:
    """A decision on items, its annotators under keys; None where there is none."""
    if found is None:
        return None
    return {
        "version": found.version,
        "status": found.status,
        "kind": found.kind,
        "verdicts": found.verdicts,
        "note": found.note,
        "reviewer": found.reviewer,
        "decided_at": moment(found.decided_at),
        "based_on": found.based_on,
        "error_kind": found.error_kind,
        "guideline_flag": found.guideline_flag or None,
        "awaits": found.awaits,
    }


def collision(found: ItemsCollision, error: str) -> dict[str, Any]:
    """The answer to a decision that came too late: what came first, how it differs, and both merged."""
    return {
        "error": error,
        "version": found.version,
        "current": decision(found.current),
        "conflict": None if found.comparison is None else _comparison(found.comparison),
    }


def _comparison(found: ItemsComparison) -> dict[str, Any]:
    return {
        "base": found.base,
        "status": found.status,
        "note": found.note,
        "error_kind": found.error_kind,
        "guideline_flag": flag_choice(found.guideline_flag),
        "kind": found.kind,
        "pairs": found.pairs,
        "clashes": found.clashes,
        "merged": found.merged,
    }
