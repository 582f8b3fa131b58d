"""Saving a decision, be it on subfigures or on types and pairs, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Response, request, url_for

from annotator.adjudication.decide import Saved, decide
from annotator.adjudication.items.screen import items_left
from annotator.adjudication.items.state import ItemsDraft
from annotator.adjudication.state import Draft
from annotator.queue.presence import clear_presence
from annotator.web.app import context, queue_part, sessions
from annotator.web.payloads import figure as payloads
from panelwise.domain.errors import Conflict, InvalidAnnotation

if TYPE_CHECKING:
    from annotator.store.store import Transaction


def save(figure_id: str, draft: Draft | ItemsDraft, collision: Callable[[str], dict[str, Any]]) -> Response:
    """Save a draft of the reviewer at work, and say where to go on.

    collision: the answer where somebody else was faster, by what the error says.
    """
    try:
        saved = decide(
            context.store(),
            context.home(),
            figure_id,
            sessions.reviewer(),
            draft,
            revision=request.args.get("revision", type=int),
            following=partial(queue_part.following_behind_filter, figure_id=figure_id),
            check=partial(_ready, figure_id=figure_id),
        )
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    except Conflict as error:
        return payloads.answer(collision(str(error)), 409)
    return payloads.answer(
        {
            "version": saved.decision.version,
            "next_url": _next_address(saved, draft),
            "progress": saved.progress,
            "awaits": saved.decision.awaits,
        }
    )


def _next_address(saved: Saved, draft: Draft | ItemsDraft) -> str | None:
    """Where to go on: to the figure's types and pairs, where these are left open, else to the next figure."""
    figure_id = saved.decision.figure.id
    campaign = context.home().campaign
    if isinstance(draft, Draft) and items_left(campaign, saved.decision, saved.work.annotations):
        return url_for("items.show", figure_id=figure_id, **queue_part.given())
    return queue_part.address(queue_part.following(figure_id) if queue_part.asked() else saved.following)


def _ready(tx: Transaction, figure_id: str) -> None:
    """Before a decision is kept: whoever makes it may, and the figure is skipped or looked at no more."""
    sessions.check_still_signed_in(tx)
    clear_presence(tx, figure_id, sessions.reviewer())
