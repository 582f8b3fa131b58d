"""An annotator's own work beside the gold: for the annotator where the lead allows it, and for leads."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from agreement.report import LOSS_WORDS
from annotator.dashboards.compared_to_gold import marked
from annotator.dashboards.feedback import has_feedback
from annotator.web.api import image
from annotator.web.app import context, seen, sessions
from label_config import colour
from panelwise.domain import Role

blueprint = Blueprint("feedback", __name__, url_prefix="/feedback")


@blueprint.before_request
def _only_where_open() -> Response | None:
    """Leads see everybody's; an annotator their own, and only where the lead lets them."""
    me = sessions.at_work()
    if Role.LEAD in me.roles or context.home().settings.view.feedback:
        return None
    return make_response(
        render_template(
            "error.html",
            code=403,
            title="Feedback is not enabled",
            what="The campaign's lead has not enabled this page for annotators.",
            advice="Once enabled, it compares your annotations with the reviewers' decisions.",
        ),
        403,
    )


@blueprint.get("")
def show() -> str:
    """Show where a person's work differs from the gold: `?phase=P&page=N`, and for leads `&annotator=NAME`."""
    whose = _whose()
    everyone = context.feedback().annotators() if _leads() else ()
    if whose is None:
        return render_template(
            "feedback.html",
            view=None,
            own=False,
            everyone=everyone,
            annotators_see=context.home().settings.view.feedback,
        )
    view = context.feedback().page(whose, request.args.get("phase"), page=request.args.get("page", 1, type=int))
    seen.note(each.decision.figure.id for each in view.figures)
    return render_template(
        "feedback.html",
        view=view,
        compares=has_feedback(context.home().campaign),
        own=whose == sessions.at_work().name,
        everyone=everyone,
        whose={} if whose == sessions.at_work().name else {"annotator": view.key},
        meanings=LOSS_WORDS,
    )


@blueprint.get("/figures/<figure:figure_id>")
def figure(figure_id: str) -> str:
    """One figure, both sides drawn: `?phase=P`, and for leads `&annotator=NAME`."""
    whose = _whose()
    if whose is None:
        abort(404)
    phase = request.args.get("phase", "")
    view = context.feedback().page(whose, phase)
    found = context.feedback().figure(whose, phase, figure_id)
    labels = sorted({panel.label for panel in found.compared.panels})
    known = list(context.home().campaign.labels)
    place = {label: known.index(label) if label in known else len(known) + n for n, label in enumerate(labels)}
    caption = found.decision.figure.caption
    return render_template(
        "feedback_figure.html",
        view=view,
        found=found,
        figure=found.decision.figure,
        whose={} if whose == sessions.at_work().name else {"annotator": view.key},
        colours={label: colour(place[label]) for label in labels},
        texts=[
            marked(
                caption,
                panel.gold.subcaption if panel.gold else (),
                panel.own.subcaption if panel.own else (),
            )
            for panel in found.compared.panels
        ],
    )


@blueprint.get("/figures/<figure:figure_id>/image")
def full(figure_id: str) -> AnyResponse:
    """Send the image of a figure in the person's feedback; 404 for any other."""
    if not _may_see(figure_id):
        abort(404)
    return image.whole(figure_id)


@blueprint.get("/figures/<figure:figure_id>/thumbnail")
def thumbnail(figure_id: str) -> AnyResponse:
    """The same, small."""
    if not _may_see(figure_id):
        abort(404)
    return image.small(figure_id)


def _leads() -> bool:
    return Role.LEAD in sessions.at_work().roles


def _whose() -> str | None:
    """Return the requested annotator; None for a lead without a choice. Answers 403 for another person's work."""
    me, given = sessions.at_work(), request.args.get("annotator")
    if not _leads():
        if given is not None and context.feedback().key_of(me.name) != given:
            abort(403)
        return me.name
    if given:
        return context.feedback().annotator_of(given)
    return me.name if Role.ANNOTATOR in me.roles else None


def _may_see(figure_id: str) -> bool:
    """A lead may see any image; an annotator those of their feedback."""
    return _leads() or context.feedback().may_see(sessions.at_work().name, figure_id)
