"""The lead's dashboard: progress, throughput, times, and who agrees with whom."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, render_template, request

from annotator.dashboards.agreement_page import agreement_page
from annotator.dashboards.lead import FAILED, PACE
from annotator.dashboards.problems import problems_now
from annotator.web.app import blindfold, context, sessions

blueprint = Blueprint("dashboard", __name__)

#: Seconds that the page waits for the agreement to be measured; the rest is worth seeing meanwhile.
_PATIENCE = 1.5


@blueprint.get("/dashboard")
def show() -> str:
    """The campaign at a glance. `?phase=P`: of whose agreement; by default the newest with some to compare."""
    home = context.home()
    campaign = home.campaign
    hidden = blindfold.hidden()
    view = context.dashboard().page(hidden=hidden)
    agreement = (
        None
        if hidden is not None
        else agreement_page(
            context.store(),
            campaign,
            context.agreement(),
            sessions.at_work(),
            request.args.get("phase"),
            patience=_PATIENCE,
        )
    )
    return render_template(
        "dashboard.html",
        campaign=campaign.name,
        problems=problems_now(home, context.snapshot(), view, datetime.now(UTC), hidden),
        view=view,
        agreement=agreement,
        numbers=None if agreement is None else agreement.numbers,
        pace=PACE,
        failed_days=FAILED,
        drawn=campaign.drawn,
        adjudicates=not all(phase.kind.answered for phase in campaign.phases),
    )
