"""The campaign's guidelines, as the figure screen shows them."""

from __future__ import annotations

from flask import Blueprint, Response, abort

from annotator.campaign.guidelines import guidelines
from annotator.web import payloads
from annotator.web.app import context

blueprint = Blueprint("guidelines", __name__, url_prefix="/api")


@blueprint.get("/guidelines")
def show() -> Response:
    """Their pieces and version; 404 if the campaign has none."""
    found = guidelines(context.home())
    if found is None:
        abort(404)
    return payloads.answer({"version": found.version, "blocks": found.blocks})
