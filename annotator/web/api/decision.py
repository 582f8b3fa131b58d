"""Saving a decision, be it on subfigures or on types and pairs, as JSON."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import msgspec
from flask import Response, abort, request, url_for
from msgspec import UNSET

from annotator.adjudication.compare.collision import collision
from annotator.adjudication.decide import Saved, decide
from annotator.adjudication.draft import Draft
from annotator.adjudication.items.screen import items_left
from annotator.queue.presence import clear_presence
from annotator.store.store import Store, Transaction
from annotator.web import payloads
from annotator.web.app import context, queue_part, sessions
from annotator.web.app.incoming import read_draft
from panelwise.domain import Conflict

#: What a draft has on a figure's subfigures, on its items, and on its items by an annotator.
SUBFIGURES, ITEMS, OWN_ITEMS = ("subfigures",), ("kind", "verdicts"), ("kind", "verdicts", "answers")
_drafts = msgspec.json.Decoder(Draft)


def draft_of(fields: Collection[str]) -> Draft:
    """The draft that the request holds, on these fields alone. Answers 415, 400 or 422 where it holds none."""
    return checked(read_draft(_drafts), fields)


def checked(draft: Draft, fields: Collection[str]) -> Draft:
    """The draft, where it is on these fields alone. Answers 422 where it is not."""
    for field in {*SUBFIGURES, *OWN_ITEMS}.difference(fields):
        if getattr(draft, field) is not UNSET:
            abort(payloads.refuse(f"the decision: Object contains unknown field {field}", 422))
    if draft.on_items and fields is SUBFIGURES:
        abort(payloads.refuse("the decision: Object missing required field subfigures", 422))
    return draft


def save(figure_id: str, *, on_items: bool) -> Response:
    """Save what the reviewer at work decided, on subfigures or on items, and say where to go on.

    After another person's save, 409 with their decision, its differences, and a merge.
    """
    draft = draft_of(ITEMS if on_items else SUBFIGURES)
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
    if not draft.on_items and items_left(campaign, saved.decision, saved.work.annotations):
        return url_for("items.show", figure_id=figure_id, **queue_part.part_of_address())
    return queue_part.address(queue_part.following(figure_id) if queue_part.is_requested() else saved.following)


def deciding_on(figure_id: str) -> Store:
    """Return the store for a save, which ends the figure's skip and lease; see `sessions.store`."""

    def begin(tx: Transaction) -> None:
        sessions.check_still_signed_in(tx)
        clear_presence(tx, figure_id, sessions.reviewer())

    return context.store().checking(begin)
