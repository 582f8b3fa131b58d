"""The screen of a figure's types and question-answer pairs: the page, and what its island reads and writes."""

from __future__ import annotations

from functools import partial

import msgspec
from flask import Blueprint, Response, redirect, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response as WerkzeugResponse

from annotator.adjudication.items import conflicts
from annotator.adjudication.items import decide as items_adjudicating
from annotator.adjudication.items.state import ItemsDraft
from annotator.queue.pages import progress_of
from annotator.queue.presence import open_figure
from annotator.web.api import figure as api
from annotator.web.api import presence
from annotator.web.app import context, queue_part, sessions
from annotator.web.app.incoming import read_draft
from annotator.web.payloads import figure as payloads
from annotator.web.payloads import items as items_payloads
from annotator.web.screens import figure
from panelwise.domain.errors import Conflict, InvalidAnnotation

blueprint = Blueprint("items", __name__)

_drafts = msgspec.json.Decoder(ItemsDraft)


@blueprint.get("/figures/<figure:figure_id>/items")
def show(figure_id: str) -> str | WerkzeugResponse:
    """The page of a figure's types and pairs; its state is fetched from the API. Without any, its subfigures."""
    found = context.store().known_figure(figure_id)
    if not items_adjudicating.has_items(context.store(), context.home(), figure_id):
        subfigures, _ = items_adjudicating.screens_of(context.store(), context.home().campaign, figure_id)
        if subfigures:
            return redirect(url_for("figure.show", figure_id=found.id, **queue_part.given()))
    return figure.page("items.html", found)


@blueprint.get("/api/figures/<figure:figure_id>/items")
def state(figure_id: str) -> Response:
    """All that the screen shows; the next figure is the slice's or filter's, as on the screen of subfigures."""
    store, me = context.store(), sessions.reviewer()
    found = items_adjudicating.items_state(store, context.home(), figure_id, me)
    beside = open_figure(store, figure_id, me)
    part = queue_part.given()
    return payloads.answer(
        items_payloads.state(found)
        | {
            "image_url": api.image_address(found.figure) if found.figure.image else None,
            "next_url": queue_part.next_address(figure_id),
            "csrf": generate_csrf(),
            "history_url": url_for("history.show", figure_id=figure_id, **part),
            "subfigures_url": url_for("figure.show", figure_id=figure_id, **part) if found.subfigures else None,
            "findings_url": url_for("items.findings", figure_id=figure_id),
            "lease_url": url_for("taking.look", figure_id=figure_id),
            "skip_url": url_for("taking.skip", figure_id=figure_id, **part),
            "others": presence.others(beside.lookers),
            "skipped": beside.skipped,
        }
    )


@blueprint.post("/api/figures/<figure:figure_id>/items/decision")
def decide(figure_id: str) -> Response:
    """Keep the reviewer's decision; where someone else was faster, 409 with theirs, how it differs, and a merge.

    `?revision=N` says on which revision of the figure it was made.
    """
    store, home = context.store(), context.home()
    draft = read_draft(_drafts)
    try:
        decision = items_adjudicating.decide_items(
            store,
            home,
            figure_id,
            sessions.reviewer(),
            draft,
            revision=request.args.get("revision", type=int),
            check=partial(api.ready, figure_id=figure_id),
        )
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    except Conflict as error:
        found = conflicts.items_collision(store, home, figure_id, draft)
        return payloads.answer(items_payloads.collision(found, str(error)), 409)
    progress = progress_of(store)
    return payloads.answer(
        {
            "version": decision.version,
            "next_url": queue_part.next_address(figure_id),
            "progress": {"decided": progress.decided, "total": progress.total},
            "awaits": decision.awaits,
        }
    )


@blueprint.post("/api/figures/<figure:figure_id>/items/findings")
def findings(figure_id: str) -> Response:
    """What the guideline checks find in a draft; nothing is kept."""
    draft = read_draft(_drafts)
    try:
        found = items_adjudicating.draft_findings(context.store(), context.home(), figure_id, draft)
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    return payloads.answer({"findings": found})
