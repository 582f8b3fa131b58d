"""The queue: figures, worst disagreement first; or, of one pair of annotators, worst for that pair first."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, make_response, render_template, request
from werkzeug.wrappers import Response

from annotator.adjudication import adjudicate_many
from annotator.adjudication.messages.comments import unread
from annotator.dashboards.pair_queue import slice_page
from annotator.queue import filter as queue_filter
from annotator.queue.pages import Place, Progress, Show, listed_by, queue_page
from annotator.queue.ranking import KINDS
from annotator.store.queries.queue.search import MOST_FOUND
from annotator.store.rows.records import QueueCounts
from annotator.web.app import context, queue_part, sessions
from panelwise.domain import Status

blueprint = Blueprint("queue", __name__)

PER_PAGE = 50
_SHOWN = frozenset(show.value for show in Show)

#: Mark and word of a figure's state; the mark's shape tells it without its colour.
STATES: dict[Status | None, tuple[str, str]] = {
    None: ("○", "Open"),
    **{
        status: (mark, status.decision_word.capitalize())
        for status, mark in ((Status.ACCEPTED, "✓"), (Status.REJECTED, "✕"), (Status.IGNORED, "–"))
    },
}


@blueprint.get("/")
def show() -> str | Response:
    """A page of the queue: `?show=open|settled|all`, a filter, and `&after=ID` or `&before=ID` for other pages.
    `order=uncertainty` lists what a model predicted, those figures first that it is least sure of.

    `?gold=NAME&predicted=NAME&phase=P` lists the figures of that cell of the agreement matrix. Not said, `show` is
    `open` for the whole queue, and `all` for such a slice and for a filter that speaks of decisions.
    """
    wanted = request.args.get("show", "")
    page = request.args.get("page", 1, type=int)
    store, campaign, me = context.store(), context.home().campaign, sessions.at_work()
    if queue_part.is_requested():
        chosen = queue_part.chosen()
        if chosen is None:
            return still_measuring("This part of the queue")
        show = Show(wanted) if wanted in _SHOWN else Show.ALL
        view = slice_page(store, campaign, chosen, show=show, page=page, per_page=PER_PAGE, reviewer=me.name)
        return _rendered(view=view, chosen=chosen, slice=chosen.address, choices=None, filtered=None)
    with store.read() as tx:
        filtered = queue_filter.chosen_filter(tx, context.home(), me, request.args.to_dict(flat=False))
        together = adjudicate_many.count(tx, filtered, me.name)
        choices = queue_filter.choices(tx, context.home(), me, filtered, skipped=len(tx.presence.skipped(me.name)))
        more_found = MOST_FOUND if tx.queue.with_words(filtered.sought("").words)[1] else None
    usual = Show.ALL if filtered.beyond_open else Show.OPEN
    view = queue_page(
        store,
        campaign,
        show=Show(wanted) if wanted in _SHOWN else usual,
        place=Place(page, PER_PAGE, request.args.get("after"), request.args.get("before")),
        chosen=filtered,
        reviewer=me.name,
    )
    return _rendered(
        view=view,
        chosen=None,
        slice=filtered.address,
        choices=choices,
        filtered=filtered,
        more_found=more_found,
        together=together,
        most_counted=adjudicate_many.MOST_COUNTED,
        listed=partial(_listed, view.show),
    )


def _listed(show: Show, counts: QueueCounts) -> int:
    return listed_by(show, Progress(counts.decided, counts.total))


def _rendered(**values: object) -> str:
    home = context.home()
    values["unread"] = unread(context.snapshot(), home, sessions.at_work(), own=False)
    return render_template(
        "queue.html", campaign=home.campaign.name, Show=Show, states=STATES, kinds=KINDS, **values
    )


#: Seconds after which the page loads itself again.
AGAIN = 3


def still_measuring(what: str) -> Response:
    """A page that says so and loads itself again."""
    response = make_response(render_template("measuring.html", what=what), 202)
    response.headers["Refresh"] = str(AGAIN)
    return response
