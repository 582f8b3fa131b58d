"""The queue: figures, worst disagreement first; or, of one pair of annotators, worst for that pair first."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from annotator.domain.annotation import Status
from annotator.services.queue import Show, queue_page
from annotator.services.slices import slice_page
from annotator.web import context, slicing
from annotator.web.waiting import still_measuring

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
def show() -> str | Response:
    """A page of the queue: `?show=open|settled|all&page=N`; anything else is read as the first page.

    `?gold=NAME&predicted=NAME&phase=P` lists the figures of that cell of the agreement matrix. Not said, `show` is
    `open` for the whole queue and `all` for such a slice.
    """
    wanted = request.args.get("show", "")
    page = request.args.get("page", 1, type=int)
    store, campaign = context.store(), context.home().campaign
    chosen = None
    if slicing.asked():
        chosen = slicing.chosen()
        if chosen is None:
            return still_measuring("This slice of the queue")
        show = Show(wanted) if wanted in _SHOWN else Show.ALL
        view = slice_page(store, campaign, chosen, show=show, page=page, per_page=PER_PAGE)
    else:
        show = Show(wanted) if wanted in _SHOWN else Show.OPEN
        view = queue_page(store, campaign, show=show, page=page, per_page=PER_PAGE)
    return render_template(
        "queue.html",
        campaign=campaign.name,
        view=view,
        Show=Show,
        states=STATES,
        chosen=chosen,
        slice=chosen.address if chosen else {},
    )
