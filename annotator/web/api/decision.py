"""Saving a decision, be it on subfigures or on types and pairs, as JSON."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import msgspec
from flask import Response, request, url_for

from annotator.adjudication.collision import collision
from annotator.adjudication.decide import Saved, decide
from annotator.adjudication.decision_fields import DraftBasics
from annotator.adjudication.draft import Draft, SubfiguresDraft
from annotator.adjudication.items.screen import items_left
from annotator.queue.presence import clear_presence
from annotator.store.store import Store, Transaction
from annotator.web import payloads
from annotator.web.app import context, queue_part, sessions
from annotator.web.app.incoming import read_draft
from panelwise.domain import Conflict

_Sent = TypeVar("_Sent", bound=DraftBasics)


def draft_of(kind: type[_Sent]) -> _Sent:
    """The draft of this kind that the request holds. Answers 415, 400 or 422 where it holds none."""
    return read_draft(msgspec.json.Decoder(kind))


def save(figure_id: str, kind: type[Draft]) -> Response:
    """Save what the reviewer at work decided, and say where to go on.

    After another person's save, 409 with their decision, its differences, and a merge.
    """
    draft = draft_of(kind)
    try:
        saved = decide(
            deciding_on(figure_id),
            context.home(),
            figure_id,
            sessions.reviewer(),
            draft,
            revision=request.args.get("revision", type=int),
            following=partial(queue_part.following_behind_filter, figure_id=figure_id),
        )
    except Conflict as error:
        found = collision(context.store(), context.home(), figure_id, draft, str(error))
        return payloads.answer(found, 409)
    return payloads.answer(
        {
            "version": saved.decision.version,
            "next_url": _next_address(saved, draft),
            "progress": saved.progress,
            "awaits": saved.decision.awaits,
        }
    )


def _next_address(saved: Saved, draft: Draft) -> str | None:
    """Return the next address: the figure's types and pairs if these are open, else the next figure."""
    figure_id = saved.decision.figure.id
    campaign = context.home().campaign
    if isinstance(draft, SubfiguresDraft) and items_left(campaign, saved.decision, saved.work.annotations):
        return url_for("items.show", figure_id=figure_id, **queue_part.part_of_address())
    return queue_part.address(queue_part.following(figure_id) if queue_part.is_requested() else saved.following)


def deciding_on(figure_id: str) -> Store:
    """Return the store for a save, which ends the figure's skip and lease; see `sessions.store`."""

    def begin(tx: Transaction) -> None:
        sessions.check_still_signed_in(tx)
        clear_presence(tx, figure_id, sessions.reviewer())

    return context.store().checking(begin)
