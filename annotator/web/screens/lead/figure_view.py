"""A figure as a lead looks at it: nothing on this page can be changed."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, url_for

from annotator.checks.qualification import hidden_admissions
from annotator.dashboards.figure_view import figure_view
from annotator.web.api.figure import image_address
from annotator.web.app import blindfold, context
from annotator.web.screens.lead.figures import gallery_arguments, gallery_filter
from label_config import colour

blueprint = Blueprint("figure_view", __name__)


@blueprint.get("/campaign/figures/<figure:figure_id>")
def show(figure_id: str) -> str:
    """Show a figure with all work on it: `?q=`, `?shown=` and `?batch=` say between which figures it stands."""
    tx, phases = context.snapshot(), context.home().campaign.phases
    adjudicates = not all(phase.kind.answered for phase in phases)
    view = figure_view(tx, figure_id, hidden_admissions(tx, phases, blindfold.hidden_figures()))
    known = list(context.home().campaign.labels)
    labels = dict.fromkeys(part.label for reading in view.readings for part in reading.subfigures)
    known += [label for label in labels if label not in known]
    here = gallery_arguments()
    return render_template(
        "lead_figure.html",
        view=view,
        adjudicates=adjudicates,
        figure=view.figure,
        image=image_address(view.figure) if view.figure.image else None,
        colours={label: colour(known.index(label)) for label in labels},
        here=here,
        previous=_beside(figure_id, here, backward=True),
        following=_beside(figure_id, here, backward=False),
    )


def _beside(figure_id: str, here: dict[str, Any], *, backward: bool) -> str | None:
    """Return the address of the figure before or after this one in the gallery; None at its end."""
    found = context.snapshot().figures.gallery(**gallery_filter(here), after=figure_id, backward=backward, limit=1)
    return url_for("figure_view.show", figure_id=found[0].id, **here) if found else None
