"""JSON routes that the figure screen's front end reads and writes."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, url_for

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.draft import SubfiguresDraft
from annotator.adjudication.findings import voice_findings
from annotator.adjudication.items.screen import screens_of
from annotator.adjudication.screens import draft_findings
from annotator.adjudication.subfigures import figure_state
from annotator.queue.pages import progress_in
from annotator.queue.presence import begin_to_look
from annotator.web import payloads
from annotator.web.api import presence
from annotator.web.api.decision import draft_of, save
from annotator.web.api.screen_parts import SubfiguresScreenParts
from annotator.web.app import context, queue_part, sessions
from panelwise.domain import Figure

blueprint = Blueprint("api", __name__, url_prefix="/api/figures")


@blueprint.get("/<figure:figure_id>")
def state(figure_id: str) -> Response:
    """All that the screen shows. `?gold=..&predicted=..&phase=..`: the next figure is that slice's."""
    tx, home, me = context.snapshot(), context.home(), sessions.reviewer()
    work = tx.work.of(figure_id)
    found = figure_state(work, home, me, progress_in(tx, home, me))
    keys = Keys(home.secret(), figure_id)
    _, items = screens_of(work, home.campaign)
    part = queue_part.part_of_address()
    parts = SubfiguresScreenParts(
        image_url=image_address(work.figure),
        items_url=url_for("items.show", figure_id=figure_id, **part) if items else None,
        findings=voice_findings(work.annotations, home.campaign, keys.of),
        findings_url=url_for("api.findings", figure_id=figure_id),
        **presence.reviewer_parts(tx, work),
    )
    begin_to_look(context.store(), figure_id, me)
    return payloads.answer(msgspec.structs.asdict(found) | msgspec.structs.asdict(parts))


@blueprint.post("/<figure:figure_id>/decision")
def decide(figure_id: str) -> Response:
    """Save the reviewer's decision; after another person's save, 409 with theirs, its differences, and a merge.

    `?revision=N` says on which revision of the figure it was made; a slice as in `state`. Where the figure's types
    and pairs are left open, `next_url` leads to these.
    """
    return save(figure_id, SubfiguresDraft)


@blueprint.post("/<figure:figure_id>/findings")
def findings(figure_id: str) -> Response:
    """Check a draft against the guidelines, without saving it."""
    found = draft_findings(context.store(), context.home(), figure_id, draft_of(SubfiguresDraft))
    return payloads.answer({"findings": found})


def image_address(figure: Figure) -> str:
    """A replaced image has an address of its own: browsers keep what they have of the old one."""
    revision = figure.revision if figure.revision > 1 else None
    return url_for("image.full", figure_id=figure.id, revision=revision)
