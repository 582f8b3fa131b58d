"""The screen of a figure's types and question-answer pairs: the page, and what its island reads and writes."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, redirect, url_for
from werkzeug.wrappers import Response as WerkzeugResponse

from annotator.adjudication.draft import ItemsDraft
from annotator.adjudication.items.screen import has_items, has_subfigures, items_state, screens_of
from annotator.adjudication.screens import draft_findings
from annotator.queue.pages import progress_in
from annotator.queue.presence import begin_to_look
from annotator.web import payloads
from annotator.web.api import figure as api
from annotator.web.api import presence
from annotator.web.api.decision import draft_of, save
from annotator.web.api.screen_parts import ItemsScreenParts
from annotator.web.app import context, queue_part, sessions
from annotator.web.screens import figure

blueprint = Blueprint("items", __name__)


@blueprint.get("/figures/<figure:figure_id>/items")
def show(figure_id: str) -> str | WerkzeugResponse:
    """The page of a figure's types and pairs; its state is fetched from the API. Without any, its subfigures."""
    work, campaign = context.snapshot().work.of(figure_id), context.home().campaign
    if not has_items(work, campaign) and screens_of(work, campaign)[0]:
        return redirect(url_for("figure.show", figure_id=figure_id, **queue_part.part_of_address()))
    return figure.page("items.html", work.figure)


@blueprint.get("/api/figures/<figure:figure_id>/items")
def state(figure_id: str) -> Response:
    """All that the screen shows; the next figure is the slice's or filter's, as on the screen of subfigures."""
    tx, me = context.snapshot(), sessions.reviewer()
    work, home = tx.work.of(figure_id), context.home()
    found = items_state(work, home, me, progress_in(tx, home, me))
    shown = has_subfigures(work, home.campaign)
    part = queue_part.part_of_address()
    parts = ItemsScreenParts(
        image_url=api.image_address(work.figure) if work.figure.image else None,
        subfigures_url=url_for("figure.show", figure_id=figure_id, **part) if shown else None,
        findings=found.findings,
        findings_url=url_for("items.findings", figure_id=figure_id),
        **presence.reviewer_parts(tx, work),
    )
    begin_to_look(context.store(), figure_id, me)
    return payloads.answer(msgspec.structs.asdict(found) | msgspec.structs.asdict(parts))


@blueprint.post("/api/figures/<figure:figure_id>/items/decision")
def decide(figure_id: str) -> Response:
    """Save the reviewer's decision; after another person's save, 409 with theirs, its differences, and a merge.

    `?revision=N` says on which revision of the figure it was made.
    """
    return save(figure_id, ItemsDraft)


@blueprint.post("/api/figures/<figure:figure_id>/items/findings")
def findings(figure_id: str) -> Response:
    """Check a draft against the guidelines, without saving it."""
    found = draft_findings(context.store(), context.home(), figure_id, draft_of(ItemsDraft))
    return payloads.answer({"findings": found})
