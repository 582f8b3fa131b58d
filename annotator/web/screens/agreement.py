"""The agreement page: how far annotators agree in a phase, and where they do not."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from agreement.report import LOSS_WORDS, chance_explained
from annotator.dashboards.agreement_page import agreement_page, left_out_lines
from annotator.web.app import context, seen, sessions
from annotator.web.screens.queue import STATES, still_measuring

blueprint = Blueprint("agreement", __name__)


@blueprint.get("/agreement")
def show() -> str | Response:
    """The agreement in a phase: `?phase=P`; by default the newest with something to compare."""
    view = agreement_page(
        context.store(),
        context.home().campaign,
        context.agreement(),
        sessions.at_work(),
        request.args.get("phase"),
    )
    if view.measuring:
        return still_measuring("Agreement in this phase")
    numbers = view.numbers
    seen.note(row.figure_id for _, row in (numbers.worst if numbers else ()))
    return render_template(
        "agreement.html",
        campaign=context.home().campaign.name,
        view=view,
        numbers=numbers,
        left_out=left_out_lines(numbers.report) if numbers else (),
        explained=chance_explained(numbers.report) if numbers else (),
        meanings=LOSS_WORDS,
        states=STATES,
    )
