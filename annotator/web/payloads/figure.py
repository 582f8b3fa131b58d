"""The JSON that goes to the figure screen: the one place that knows its keys."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from flask import Response

from annotator.adjudication.state import DecisionState, FigureState, Opinion, Panel, Proposal
from panelwise.domain.decision import ErrorKind

if TYPE_CHECKING:
    from annotator.adjudication.conflicts import Choice, Collision, Comparison


def answer(body: dict[str, Any], code: int = 200) -> Response:
    """A JSON response."""
    return Response(msgspec.json.encode(body), code, mimetype="application/json")


def told(error: Exception) -> str:
    """A decoding error in one line that begins with the field, such as `subfigures[0].box: expected ...`."""
    text = " ".join(str(error).split())
    what, _, where = text.partition(" - at `$")
    what = what.replace("`", "")
    field = where.rstrip("`").lstrip(".")
    return f"{field}: {what[:1].lower()}{what[1:]}" if field else f"the decision: {what}"


def state(
    found: FigureState, *, image_url: str, next_url: str | None, csrf: str, history_url: str
) -> dict[str, Any]:
    """The answer to GET /api/figures/<id>."""
    return {
        "figure_id": found.figure.id,
        "revision": found.figure.revision,
        "image_url": image_url,
        "width": found.figure.width,
        "height": found.figure.height,
        "caption": {"text": found.figure.caption.text, "tokens": found.tokens},
        "references": found.figure.references,
        "labels": [label for label, _ in found.palette],
        "palette": [{"label": label, "color": color} for label, color in found.palette],
        "version": found.version,
        "decision": decision(found.decision),
        "annotators": found.annotators,
        "annotations": [_opinion(opinion) for opinion in found.annotations],
        "candidates": [_proposal(proposal) for proposal in found.candidates],
        "quorum": found.quorum,
        "reasons": found.reasons,
        "agreement": found.agreement,
        "progress": {"decided": found.progress.decided, "total": found.progress.total},
        "phase": found.phase,
        "next_url": next_url,
        "csrf": csrf,
        "reviewer": found.reviewer,
        "error_kinds": list(ErrorKind),
        "history_url": history_url,
        "review": found.review,
        "starts_from": decision(found.starts_from),
    }


def decision(found: DecisionState | None) -> dict[str, Any] | None:
    """A decision, its annotators under keys; None where there is none."""
    if found is None:
        return None
    return {
        "version": found.version,
        "status": found.status,
        "subfigures": [_panel(panel) for panel in found.subfigures],
        "note": found.note,
        "reviewer": found.reviewer,
        "decided_at": moment(found.decided_at),
        "based_on": found.based_on,
        "seconds": found.seconds,
        "error_kind": found.error_kind,
        "guideline_flag": found.guideline_flag or None,
        "restored_from": found.restored_from,
        "awaits": found.awaits,
    }


def collision(found: Collision, error: str) -> dict[str, Any]:
    """The answer to a decision that came too late: what came first, how it differs, and both merged."""
    return {
        "error": error,
        "version": found.version,
        "current": decision(found.current),
        "conflict": None if found.comparison is None else _comparison(found.comparison),
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "base": found.base,
        "status": found.status,
        "note": found.note,
        "error_kind": found.error_kind,
        "guideline_flag": flag_choice(found.guideline_flag),
        "subfigures": found.subfigures,
        "clashes": found.clashes,
        "merged": found.merged,
    }


def flag_choice(found: Choice[str]) -> dict[str, Any]:
    """A question for the guidelines in two decisions; no question is null."""
    return {
        "mine": found.mine or None,
        "theirs": found.theirs or None,
        "merged": found.merged or None,
        "clash": found.clash,
    }


def _panel(panel: Panel) -> dict[str, Any]:
    return {"label": panel.label, "box": panel.box, "tokens": panel.tokens}


def _opinion(opinion: Opinion) -> dict[str, Any]:
    return {
        "annotator": opinion.annotator,
        "status": opinion.status,
        "subfigures": [_panel(panel) for panel in opinion.subfigures],
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "label": proposal.label,
        "box": proposal.box,
        "tokens": proposal.tokens,
        "votes": proposal.votes,
        "supporters": proposal.supporters,
        "conflict": proposal.conflict,
        "reasons": proposal.reasons,
        "preselected": proposal.preselected,
    }


def moment(when: datetime) -> str:
    """A time as JSON has it."""
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")
