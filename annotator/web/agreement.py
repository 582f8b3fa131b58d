"""The agreement page: how far annotators agree in a phase, and where they do not."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from agreement.metrics.losses import Loss
from annotator.services.agreement_page import agreement_page, left_out_lines
from annotator.web import context, sessions
from annotator.web.queue import STATES
from annotator.web.waiting import still_measuring

blueprint = Blueprint("agreement", __name__)

#: What each cause means, for someone who looks at figures.
MEANINGS = {
    Loss.NO_BOX: "One drew a panel where the other has no box to speak of.",
    Loss.WRONG_BOX: "There is a box, but it overlaps too little to count as the same panel.",
    Loss.OTHER_PANEL: "Words that one gives to this panel and the other to another panel.",
    Loss.BOUNDARY: "A few words at the beginning or end of a passage that both marked.",
    Loss.MISSING: "Longer passages that the gold has and the other lacks.",
    Loss.SURPLUS: "Longer passages that only the other has: the same words, seen from the other side.",
    Loss.REPEATED: "Tokens listed twice.",
    Loss.NOTHING: "Pairs with nothing to count, which score 0 by the authors' code.",
}


@blueprint.get("/agreement")
def show() -> str | Response:
    """The agreement in a phase: `?phase=P`; not said, the last one that has work."""
    view = agreement_page(
        context.store(),
        context.home().campaign,
        context.agreement(),
        sessions.at_work(),
        request.args.get("phase"),
    )
    if view.measuring:
        return still_measuring("The agreement in this phase")
    numbers = view.numbers
    return render_template(
        "agreement.html",
        campaign=context.home().campaign.name,
        view=view,
        numbers=numbers,
        left_out=left_out_lines(numbers.report) if numbers else (),
        meanings=MEANINGS,
        states=STATES,
    )
