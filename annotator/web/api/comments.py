"""Comments on a figure as JSON: for reviewers and leads here, for annotators in `screens.annotating`."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, request

from annotator.adjudication.messages import comments
from annotator.web import payloads
from annotator.web.app import context, sessions
from annotator.web.app.incoming import read_draft

blueprint = Blueprint("comments", __name__)

_comments = msgspec.json.Decoder(comments.NewComment)
_read = msgspec.json.Decoder(comments.ReadComments)


@blueprint.get("/api/figures/<figure:figure_id>/comments")
def show(figure_id: str) -> Response:
    """The newest comments on the figure; `?before=N`: those before number N, which `earlier` of an answer says."""
    return conversation(figure_id, own=False)


@blueprint.post("/api/figures/<figure:figure_id>/comments")
def add(figure_id: str) -> Response:
    """Write a comment: `{"body", "thread"}`, or with a `recipient` to begin a thread. Answers as `show`."""
    return conversation(figure_id, own=False)


@blueprint.post("/api/figures/<figure:figure_id>/comments/read")
def read(figure_id: str) -> Response:
    """Mark the comments as read that the screen has shown: `{"last"}` is the number of the last one."""
    return mark_read(figure_id, own=False)


def conversation(figure_id: str, *, own: bool) -> Response:
    """Answer with the comments on the figure, after adding the one that a POST holds. own: to its annotator."""
    at = (sessions.store(), context.home(), sessions.at_work(), figure_id)
    if request.method != "POST":
        before = request.args.get("before", type=int)
        return payloads.answer(comments.open_conversation(*at, own=own, before=before))
    new = read_draft(_comments)
    return payloads.answer(comments.add_comment(*at, new, own=own))


def mark_read(figure_id: str, *, own: bool) -> Response:
    """Mark comments on the figure as read. own: by its annotator."""
    at = (sessions.store(), context.home(), sessions.at_work(), figure_id)
    comments.mark_read(*at, read_draft(_read), own=own)
    return payloads.answer({})
