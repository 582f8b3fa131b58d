"""People who have a figure open, and skipping a figure for now; called while the figure screen is open."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response as AnyResponse

from annotator.adjudication.messages.comments import may_comment
from annotator.adjudication.messages.send_back import returns_at
from annotator.queue import presence
from annotator.store.queries.work import FigureWork
from annotator.store.rows.records import Lease
from annotator.store.store import Transaction
from annotator.web import payloads
from annotator.web.api.screen_parts import CommentsLink, Reviewing
from annotator.web.app import context, queue_part, sessions

blueprint = Blueprint("taking", __name__)


@blueprint.post("/api/figures/<figure:figure_id>/lease")
def look(figure_id: str) -> Response:
    """The reviewer is on the figure for the next `seconds`; `others` says who else is. Advice, not a lock.

    With `{"done": true}` the reviewer is not any more.
    """
    store, me = sessions.store(), sessions.reviewer()
    if _done():
        presence.look_away(store, figure_id, me)
        return payloads.answer({"others": [], "seconds": 0})
    found = presence.look_at(store, figure_id, me)
    return payloads.answer({"others": others(found), "seconds": int(presence.LEASE.total_seconds())})


def _done() -> bool:
    """Return whether the screen says that it is being left; anything else it may send says that it is not."""
    try:
        body = request.get_json(silent=True)
    except RecursionError:  # lists within lists without end
        return False
    return isinstance(body, dict) and body.get("done") is True


@blueprint.post("/api/figures/<figure:figure_id>/skip")
def skip(figure_id: str) -> Response:
    """Skip the figure for now; `next_url` leads to the one after it, null back to the queue."""
    presence.skip(sessions.store(), figure_id, sessions.reviewer())
    following = queue_part.following(figure_id)
    return payloads.answer({"next_url": queue_part.address(following)})


@blueprint.post("/skipped/back")
def bring_back() -> AnyResponse:
    """Take back all that the reviewer skipped, then the queue."""
    presence.bring_back(context.store(), sessions.reviewer())
    return redirect(url_for("queue.show"), 303)


def reviewer_parts(tx: Transaction, work: FigureWork) -> dict[str, Any]:
    """Return the fields of `ReviewerScreenParts` that both screens of a figure fill alike."""
    figure_id = work.figure.id
    found = presence.aside(tx, figure_id, sessions.reviewer())
    returns, sent_back = returns_at(tx, context.home(), work)
    may = may_comment(context.home().campaign, sessions.at_work(), own=False)
    address, part = url_for("comments.show", figure_id=figure_id), queue_part.part_of_address()
    return {
        "next_url": queue_part.address(queue_part.following(figure_id)),
        "csrf": generate_csrf(),
        "history_url": url_for("history.show", figure_id=figure_id, **part),
        "lease_url": url_for("taking.look", figure_id=figure_id),
        "skip_url": url_for("taking.skip", figure_id=figure_id, **part),
        "others": others(found.lookers),
        "skipped": found.skipped,
        "returns": returns,
        "sent_back": sent_back,
        "comments": CommentsLink(address, found.unread) if may else None,
    }


def others(leases: tuple[Lease, ...]) -> tuple[Reviewing, ...]:
    """List other people who have the figure open."""
    return tuple(
        Reviewing(each.reviewer, each.until.isoformat(timespec="seconds").replace("+00:00", "Z"))
        for each in leases
    )
