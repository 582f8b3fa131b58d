"""Whether the server is up and its store answers; open to everyone, and tells nothing else."""

from __future__ import annotations

from flask import Blueprint, Response

from annotator.domain.errors import AnnotatorError
from annotator.web import context, payloads

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def show() -> Response:
    """200 `{"status": "ok"}`, or 503 where the store does not answer."""
    try:
        with context.store().read() as tx:
            tx.count_figures()
    except AnnotatorError:
        return payloads.answer({"status": "the store does not answer"}, 503)
    return payloads.answer({"status": "ok"})
