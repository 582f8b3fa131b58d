"""The queue: figures, worst disagreement first."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from annotator.domain.annotation import Status
from annotator.services.queue import Show, queue_page
from annotator.web import context

blueprint = Blueprint("queue", __name__)

PER_PAGE = 50
_SHOWN = frozenset(show.value for show in Show)

#: Mark and word of a figure's state; the mark's shape tells it without its colour.
STATES = {
    None: ("○", "Open"),
    Status.ACCEPTED: ("✓", "Accepted"),
    Status.REJECTED: ("✕", "Rejected"),
    Status.IGNORED: ("–", "Put off"),
}


@blueprint.get("/")
def show() -> str:
    """A page of the queue: `?show=open|settled|all&page=N`; anything else is read as the first open page."""
    wanted = request.args.get("show", "")
    view = queue_page(
        context.store(),
        context.home().campaign,
        show=Show(wanted) if wanted in _SHOWN else Show.OPEN,
        page=request.args.get("page", 1, type=int),
        per_page=PER_PAGE,
    )
    return render_template(
        "queue.html", campaign=context.home().campaign.name, view=view, Show=Show, states=STATES
    )
