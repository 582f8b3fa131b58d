"""The history of a figure: each decision and what it changed; restoring one, reopening the figure, and sending an
annotator's work back.
"""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.adjudication import history
from annotator.adjudication.messages import send_back
from annotator.web.app import blindfold, context, queue_part, seen, sessions
from panelwise.domain import ErrorKind, InvalidAnnotation

blueprint = Blueprint("history", __name__)

#: Characters that a reviewer may give as the reason of a reopening.
LONGEST_NOTE = 10_000


@blueprint.get("/figures/<figure:figure_id>/history")
def show(figure_id: str) -> str:
    """Every decision on a figure, newest first."""
    found = history.figure_history(context.store(), context.home(), figure_id)
    returns = send_back.returns_of(context.store(), context.home(), figure_id)
    return render_template(
        "history.html",
        view=found,
        returns=returns,
        withdrawals=context.snapshot().withdrawals.on_figure(figure_id),
        longest_reason=send_back.LONGEST_REASON,
        slice=queue_part.part_of_address(),
    )


@blueprint.post("/figures/<figure:figure_id>/history/restore")
def restore(figure_id: str) -> Response:
    """Bring the decision `version` back; `loaded` is the newest one that the page showed."""
    at = (sessions.store(), context.home(), figure_id, sessions.reviewer())
    history.restore(*at, _number("version"), loaded=_number("loaded"))
    return redirect(url_for("history.show", figure_id=figure_id, **queue_part.part_of_address()), 303)


@blueprint.post("/figures/<figure:figure_id>/history/reopen")
def reopen(figure_id: str) -> Response:
    """Let the figure be adjudicated again, with a reason if one is given; leads to its screen."""
    note = request.form.get("note", "")
    if len(note) > LONGEST_NOTE:
        abort(422)
    history.reopen(sessions.store(), figure_id, sessions.reviewer(), loaded=_number("loaded"), note=note)
    return redirect(url_for("figure.show", figure_id=figure_id, **queue_part.part_of_address()), 303)


@blueprint.post("/figures/<figure:figure_id>/history/send-back")
def send(figure_id: str) -> Response:
    """Send the work of `annotator`, "KEY PHASE", back with a `reason`; back to the page."""
    key, _, phase = request.form.get("annotator", "").partition(" ")
    at = (sessions.store(), context.home(), figure_id, sessions.reviewer())
    try:
        send_back.send_back(*at, key, phase, request.form.get("reason", ""))
    except InvalidAnnotation as error:
        flash(f"Not sent back: {error}.", "left")
    else:
        flash("Sent back: the annotator finds your reason with the task.", "done")
    return _to_returns(figure_id)


@blueprint.post("/figures/<figure:figure_id>/history/withdraw")
def withdraw(figure_id: str) -> Response:
    """Withdraw the return with that `number`; back to the page."""
    try:
        send_back.withdraw(sessions.store(), context.home(), figure_id, sessions.reviewer(), _number("number"))
    except InvalidAnnotation as error:
        flash(f"Not withdrawn: {error}.", "left")
    else:
        flash("Withdrawn: the annotator's work stands as it is.", "done")
    return _to_returns(figure_id)


def _to_returns(figure_id: str) -> Response:
    part = queue_part.part_of_address()
    return redirect(url_for("history.show", figure_id=figure_id, **part, _anchor="returns"), 303)


@blueprint.get("/flags")
def flagged() -> str:
    """Figures that reviewers flagged for the guidelines."""
    hidden = blindfold.hidden_figures()
    with context.store().read() as tx:
        listed = [each for each in tx.decisions.flagged() if each.figure.id not in hidden]
    seen.note(each.figure.id for each in listed)
    return render_template("flags.html", flags=listed, kinds=ErrorKind)


def _number(field: str) -> int:
    value = request.form.get(field, type=int)
    if value is None:
        abort(400)
    return value
