"""The JSON that goes to the figure screen: the one place that knows its keys."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response

from annotator.adjudication.state import FigureState
from panelwise.domain.decision import ErrorKind


def answer(body: object, code: int = 200) -> Response:
    """A JSON response of what msgspec writes."""
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
        "decision": found.decision,
        "annotators": found.annotators,
        "annotations": found.annotations,
        "candidates": found.candidates,
        "quorum": found.quorum,
        "reasons": found.reasons,
        "agreement": found.agreement,
        "progress": found.progress,
        "phase": found.phase,
        "next_url": next_url,
        "csrf": csrf,
        "reviewer": found.reviewer,
        "error_kinds": list(ErrorKind),
        "history_url": history_url,
        "review": found.review,
        "starts_from": found.starts_from,
    }
