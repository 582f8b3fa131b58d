"""Liveness and readiness of the server; open to everyone, without any other information."""

from __future__ import annotations

from flask import Blueprint, Response

from annotator.web import payloads
from annotator.web.app import context
from panelwise.domain import AnnotatorError

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def show() -> Response:
    """Answer 200 `{"status": "ok"}`. Checks nothing else, since a restart would repair nothing else."""
    return payloads.answer({"status": "ok"})


@blueprint.get("/ready")
def ready() -> Response:
    """200 `{"status": "ready"}`, or 503 where the store does not answer, is of another version, or was moved."""
    try:
        context.check_store()
    except AnnotatorError:
        return payloads.answer({"status": "campaign.toml names another store; restart"}, 503)
    try:
        with context.store().read() as tx:
            current = tx.status.schema_is_current()
    except AnnotatorError:
        return payloads.answer({"status": "the store does not answer"}, 503)
    if not current:
        return payloads.answer({"status": "the store was upgraded meanwhile; restart with that version"}, 503)
    return payloads.answer({"status": "ready"})
