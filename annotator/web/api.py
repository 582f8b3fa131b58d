"""What the figure screen's island reads and writes, as JSON."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, abort, request, url_for
from flask_wtf.csrf import generate_csrf

from annotator.domain.errors import Conflict, InvalidAnnotation
from annotator.domain.figure import Figure
from annotator.services import adjudicating
from annotator.services.adjudication_state import Draft
from annotator.services.queue import after_decision
from annotator.web import context, payloads, sessions, slicing

blueprint = Blueprint("api", __name__, url_prefix="/api/figures")

_drafts = msgspec.json.Decoder(Draft)


@blueprint.get("/<figure:figure_id>")
def state(figure_id: str) -> Response:
    """All that the screen shows. `?gold=..&predicted=..&phase=..`: the next figure is that slice's."""
    found = adjudicating.figure_state(context.store(), context.home(), figure_id, sessions.reviewer())
    return payloads.answer(
        payloads.state(
            found,
            image_url=_image_address(found.figure),
            next_url=_next(figure_id, found.next_figure),
            csrf=generate_csrf(),
        )
    )


@blueprint.post("/<figure:figure_id>/decision")
def decide(figure_id: str) -> Response:
    """Keep the reviewer's decision; 409 with the current one where someone else was faster.

    `?revision=N` says on which revision of the figure it was made; a slice as in `state`.
    """
    store, home = context.store(), context.home()
    if request.mimetype != "application/json":
        abort(415)
    try:
        draft = _drafts.decode(request.get_data(cache=False))
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        return payloads.answer({"error": payloads.told(error)}, 422)
    try:
        decision = adjudicating.decide(
            store,
            home,
            figure_id,
            sessions.reviewer(),
            draft,
            revision=request.args.get("revision", type=int),
            check=sessions.check_still_signed_in,
        )
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    except Conflict as error:
        current = adjudicating.current_decision(store, home, figure_id)
        return payloads.answer({"error": str(error), "current": payloads.decision(current)}, 409)
    following, progress = after_decision(store, figure_id)
    return payloads.answer(
        {
            "version": decision.version,
            "next_url": _next(figure_id, following),
            "progress": {"decided": progress.decided, "total": progress.total},
        }
    )


def _image_address(figure: Figure) -> str:
    """A replaced image has an address of its own: browsers keep what they have of the old one."""
    revision = figure.revision if figure.revision > 1 else None
    return url_for("image.full", figure_id=figure.id, revision=revision)


def _next(figure_id: str, in_queue: str | None) -> str | None:
    """The address of the figure to settle after this one: the slice's where there is a slice, else the queue's.

    None leads back to the queue, or to the slice of it.
    """
    address = slicing.given()
    following = slicing.following(figure_id) if address else in_queue
    return None if following is None else url_for("figure.show", figure_id=following, **address)
