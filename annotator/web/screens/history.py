"""The history of a figure: each decision and what it changed; restoring one, and reopening the figure."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.adjudication import history
from annotator.gold import flags
from annotator.web.app import blindfold, context, queue_part, sessions
from panelwise.domain.decision import ErrorKind

blueprint = Blueprint("history", __name__)

#: Characters that a reviewer may give as the reason of a reopening.
LONGEST_NOTE = 10_000


@blueprint.get("/figures/<figure:figure_id>/history")
def show(figure_id: str) -> str:
    """Every decision on a figure, newest first."""
    found = history.figure_history(context.store(), context.home(), figure_id)
    return render_template("history.html", view=found, slice=queue_part.part_of_address())


@blueprint.post("/figures/<figure:figure_id>/history/restore")
def restore(figure_id: str) -> Response:
    """Bring the decision `version` back; `loaded` is the newest one that the page showed."""
    history.restore(
        context.store(),
        context.home(),
        figure_id,
        sessions.reviewer(),
        _number("version"),
        loaded=_number("loaded"),
        check=sessions.check_still_signed_in,
    )
    return redirect(url_for("history.show", figure_id=figure_id, **queue_part.part_of_address()), 303)


@blueprint.post("/figures/<figure:figure_id>/history/reopen")
def reopen(figure_id: str) -> Response:
    """Let the figure be adjudicated again, with a reason if one is given; leads to its screen."""
    note = request.form.get("note", "")
    if len(note) > LONGEST_NOTE:
        abort(422)
    history.reopen(
        context.store(),
        figure_id,
        sessions.reviewer(),
        loaded=_number("loaded"),
        note=note,
        check=sessions.check_still_signed_in,
    )
    return redirect(url_for("figure.show", figure_id=figure_id, **queue_part.part_of_address()), 303)


@blueprint.get("/flags")
def flagged() -> str:
    """Figures that reviewers flagged for the guidelines."""
    hidden = blindfold.hidden_figures()
    listed = [flag for flag in flags.flagged(context.store()) if flag.figure_id not in hidden]
    return render_template("flags.html", flags=listed, kinds=ErrorKind)


def _number(field: str) -> int:
    value = request.form.get(field, type=int)
    if value is None:
        abort(400)
    return value
