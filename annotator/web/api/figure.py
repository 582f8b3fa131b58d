"""What the figure screen's island reads and writes, as JSON."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from flask import Blueprint, Response, request, url_for
from flask_wtf.csrf import generate_csrf

from annotator.adjudication import conflicts
from annotator.adjudication import decide as adjudicating
from annotator.adjudication import findings as subfigure_findings
from annotator.adjudication.anonymity import Keys
from annotator.adjudication.items.decide import items_left, screens_of
from annotator.adjudication.state import Draft, Told
from annotator.queue.pages import progress_of
from annotator.queue.presence import clear_presence, open_figure
from annotator.web.api import presence
from annotator.web.app import context, queue_part, sessions
from annotator.web.app.incoming import read_draft
from annotator.web.payloads import figure as payloads
from panelwise.domain.decision import Decision
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from annotator.store.store import Transaction

blueprint = Blueprint("api", __name__, url_prefix="/api/figures")

_drafts = msgspec.json.Decoder(Draft)


@blueprint.get("/<figure:figure_id>")
def state(figure_id: str) -> Response:
    """All that the screen shows. `?gold=..&predicted=..&phase=..`: the next figure is that slice's."""
    found = adjudicating.figure_state(context.store(), context.home(), figure_id, sessions.reviewer())
    beside = open_figure(context.store(), figure_id, sessions.reviewer())
    return payloads.answer(
        payloads.state(
            found,
            image_url=image_address(found.figure),
            next_url=queue_part.next_address(figure_id),
            csrf=generate_csrf(),
            history_url=url_for("history.show", figure_id=found.figure.id, **queue_part.given()),
        )
        | {
            "items_url": _items_address(figure_id),
            "findings": _voice_findings(figure_id),
            "findings_url": url_for("api.findings", figure_id=figure_id),
            "lease_url": url_for("taking.look", figure_id=figure_id),
            "skip_url": url_for("taking.skip", figure_id=figure_id, **queue_part.given()),
            "others": presence.others(beside.lookers),
            "skipped": beside.skipped,
        }
    )


@blueprint.post("/<figure:figure_id>/decision")
def decide(figure_id: str) -> Response:
    """Keep the reviewer's decision; where someone else was faster, 409 with theirs, how it differs, and a merge.

    `?revision=N` says on which revision of the figure it was made; a slice as in `state`.
    """
    store, home = context.store(), context.home()
    draft = read_draft(_drafts)
    try:
        decision = adjudicating.decide(
            store,
            home,
            figure_id,
            sessions.reviewer(),
            draft,
            revision=request.args.get("revision", type=int),
            check=partial(ready, figure_id=figure_id),
        )
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    except Conflict as error:
        found = conflicts.collision(store, home, figure_id, draft)
        return payloads.answer(payloads.collision(found, str(error)), 409)
    progress = progress_of(store)
    return payloads.answer(
        {
            "version": decision.version,
            "next_url": _after(decision),
            "progress": {"decided": progress.decided, "total": progress.total},
            "awaits": decision.awaits,
        }
    )


@blueprint.post("/<figure:figure_id>/findings")
def findings(figure_id: str) -> Response:
    """What the guideline checks find in a draft; nothing is kept."""
    draft = read_draft(_drafts)
    try:
        found = subfigure_findings.draft_findings(context.store(), context.home(), figure_id, draft)
    except InvalidAnnotation as error:
        return payloads.answer({"error": str(error)}, 422)
    return payloads.answer({"findings": found})


def _voice_findings(figure_id: str) -> dict[str, tuple[Told, ...]]:
    """Key of an annotator -> what the guideline checks find in what they drew."""
    home = context.home()
    with context.store().read() as tx:
        annotations = list(tx.annotations(figure=figure_id))
    return subfigure_findings.voice_findings(annotations, home.campaign, Keys(home.secret(), figure_id).of)


def _after(decision: Decision) -> str | None:
    """Where to go on: to the figure's types and pairs, where these are left open, else to the next figure."""
    figure_id = decision.figure.id
    with context.store().read() as tx:
        annotations = list(tx.annotations(figure=figure_id))
    if items_left(context.home().campaign, decision, annotations):
        return url_for("items.show", figure_id=figure_id, **queue_part.given())
    return queue_part.next_address(figure_id)


def _items_address(figure_id: str) -> str | None:
    """Where the figure's types and pairs are settled; None where it has none."""
    _, items = screens_of(context.store(), context.home().campaign, figure_id)
    return url_for("items.show", figure_id=figure_id, **queue_part.given()) if items else None


def image_address(figure: Figure) -> str:
    """A replaced image has an address of its own: browsers keep what they have of the old one."""
    revision = figure.revision if figure.revision > 1 else None
    return url_for("image.full", figure_id=figure.id, revision=revision)


def ready(tx: Transaction, figure_id: str) -> None:
    """Before a decision is kept: whoever makes it may, and the figure is skipped or looked at no more."""
    sessions.check_still_signed_in(tx)
    clear_presence(tx, figure_id, sessions.reviewer())
