"""Adjudicating together what all annotators did alike: shown first, then done, then taken back if need be."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.adjudication import adjudicate_many
from annotator.web.app import context, queue_part, seen, sessions
from panelwise.domain import Status

blueprint = Blueprint("bulk", __name__, url_prefix="/agreed")

#: How many of the figures that were left are named.
_NAMED = 5


@blueprint.get("/")
def show() -> str:
    """The figures that would be adjudicated, each with what would be decided; a filter as in the queue."""
    wanted = queue_part.filtered()
    found = adjudicate_many.preview(context.store(), context.home().campaign, wanted, sessions.reviewer())
    seen.note(each.figure.id for each in found.figures)
    return render_template(
        "bulk.html",
        found=found,
        Status=Status,
        most=adjudicate_many.MOST,
        address={part: value for part, value in wanted.address.items() if part != "agreed"},
    )


@blueprint.post("/")
def finish() -> Response:
    """Adjudicate the figures that the form names, each as it was shown."""
    marks = {}
    for entry in request.form.getlist("figure"):
        mark, _, figure_id = entry.partition(" ")
        marks[figure_id] = mark
    done = adjudicate_many.finish(sessions.store(), context.home().campaign, sessions.reviewer(), marks)
    flash(_summary(done), "done" if done.bulk is not None else "left")
    return redirect(url_for("bulk.show", done=done.bulk, **queue_part.part_of_address()), 303)


@blueprint.post("/<int:number>/undo")
def undo(number: int) -> Response:
    """Reopen what was adjudicated together."""
    reopened, kept = adjudicate_many.undo(sessions.store(), number, sessions.reviewer())
    line = f"{_figures(reopened)} reopened."
    if kept:
        line += f" {_figures(kept)} not reopened: decided again since."
    flash(line, "done")
    return redirect(url_for("bulk.show", **queue_part.part_of_address()), 303)


def _summary(done: adjudicate_many.Finished) -> str:
    if done.adjudicated == 0 and not done.left:
        return "No figures ticked, none adjudicated."
    lines = [f"{_figures(done.adjudicated)} adjudicated."] if done.adjudicated else ["No figures adjudicated."]
    for name, why in list(done.left.items())[:_NAMED]:
        lines.append(f"{name} not adjudicated: {why}.")
    if len(done.left) > _NAMED:
        lines.append(f"{len(done.left) - _NAMED} more not adjudicated.")
    return " ".join(lines)


def _figures(count: int) -> str:
    return f"{count} {'figure' if count == 1 else 'figures'}"
