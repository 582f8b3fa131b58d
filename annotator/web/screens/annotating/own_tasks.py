"""An annotator's own tasks: the list, the screen of one, and what it reads and writes.

Addresses hold keys, and a key is looked up among the signed-in person's tasks: another person's key is unknown.
"""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response as AnyResponse

from annotator.adjudication.draft import OwnItemsDraft, SubfiguresDraft
from annotator.adjudication.messages.comments import unread, unread_on
from annotator.campaign import guidelines
from annotator.checks.qualification import admit
from annotator.own_tasks import annotate
from annotator.own_tasks.tasks import TO_DO, State, UnknownTask, task_pages
from annotator.web import payloads
from annotator.web.api import image
from annotator.web.api.comments import conversation, mark_read
from annotator.web.api.decision import draft_of
from annotator.web.api.screen_parts import CommentsLink, OwnScreenParts
from annotator.web.app import context, sessions
from annotator.web.screens.figure import campaign_mark
from panelwise.domain import Conflict

blueprint = Blueprint("own_tasks", __name__)


@blueprint.get("/tasks")
def show() -> str:
    """The annotator's tasks, phase by phase. `?phase=P&page=N`: another page of that phase's."""
    pages = {request.args.get("phase", ""): request.args.get("page", 1, type=int)}
    home, annotator = context.home(), sessions.at_work().name
    admit(context.store(), home.campaign, annotator)
    return render_template(
        "own_tasks.html",
        campaign=home.campaign.name,
        endpoint="own_tasks",
        phases=task_pages(context.store(), home, annotator, pages=pages),
        states=State,
        to_do=TO_DO,
        unread=unread(context.snapshot(), home, sessions.at_work(), own=True),
    )


@blueprint.get("/tasks/<key>")
def screen(key: str) -> str:
    """The page of one task; what it shows is fetched as JSON."""
    return page(annotate.own_task(context.store(), context.home(), key, sessions.at_work().name))


def page(task: annotate.OwnTask) -> str:
    """Return the page of a task of any kind."""
    home, phase = context.home(), task.phase
    return render_template(
        "own_task.html",
        task=task,
        mode="blind" if phase.blind else "own-items" if annotate.asks_for_items(phase) else "own",
        guidelines=guidelines.present(home),
        campaign=campaign_mark(home.secret()),
    )


@blueprint.get("/tasks/<key>/image")
def full(key: str) -> AnyResponse:
    """The image of a task's figure."""
    return image.whole(_figure_id(key))


@blueprint.get("/tasks/<key>/thumbnail")
def thumbnail(key: str) -> AnyResponse:
    """The same, small."""
    return image.small(_figure_id(key))


@blueprint.post("/tasks/undo")
def undo() -> AnyResponse:
    """Take back the annotator's last submission, and open its figure again."""
    try:
        key = _undone()
    except UnknownTask as error:
        flash(f"{str(error).capitalize()}.", "left")
        return redirect(url_for("own_tasks.show"), 303)
    return redirect(url_for("own_tasks.screen", key=key), 303)


@blueprint.get("/api/tasks/<key>")
def state(key: str) -> Response:
    """All that the screen shows: the figure, what a model predicted, and the annotator's own work."""
    opened = annotate.open_task(context.store(), context.home(), key, sessions.at_work().name)
    task, figure = opened.own, opened.own.figure
    revision = figure.revision if figure.revision > 1 else None
    new = unread_on(context.snapshot(), context.home(), sessions.at_work(), figure.id)
    parts = OwnScreenParts(
        figure_id=key,
        place=task.place,
        image_url=url_for("own_tasks.full", key=key, revision=revision),
        next_url=_address(task.next_key),
        skip_url=url_for("own_tasks.skip", key=key),
        undo_url=url_for("own_tasks.undo_from_screen"),
        visit=task.phase.visit,
        shown_id=figure.id if task.phase.show_ids else "",
        findings={"": opened.findings},
        findings_url=url_for("own_tasks.findings", key=key),
        csrf=generate_csrf(),
        comments=None if new is None else CommentsLink(url_for("own_tasks.comments", key=key), new),
    )
    return payloads.answer(msgspec.structs.asdict(opened.state) | msgspec.structs.asdict(parts))


@blueprint.post("/api/tasks/<key>")
def submit(key: str) -> Response:
    """Keep what the annotator submits. `?revision=N` says on which revision of the figure.

    409 with the annotator's own work where they saved in another tab meanwhile.
    """
    store, home, me = sessions.store(), context.home(), sessions.at_work().name
    draft, revision = _draft(key), request.args.get("revision", 0, type=int)
    try:
        saved = annotate.submit(store, home, key, me, draft, revision=revision)
    except Conflict as error:
        task = annotate.own_task(store, home, key, me)
        current = annotate.own_decision(task)
        return payloads.answer({"error": str(error), "version": task.version, "current": current}, 409)
    return payloads.answer({"version": saved.version, "next_url": _address(saved.next_key)})


@blueprint.post("/api/tasks/<key>/findings")
def findings(key: str) -> Response:
    """Check a draft against the guidelines, without saving it."""
    store, home, me = context.store(), context.home(), sessions.at_work().name
    return payloads.answer({"findings": annotate.draft_findings(store, home, key, me, _draft(key))})


@blueprint.post("/api/tasks/<key>/skip")
def skip(key: str) -> Response:
    """Put the task off: it stays open and comes last. Says where to go on."""
    next_key = annotate.skip(sessions.store(), context.home(), key, sessions.at_work().name)
    return payloads.answer({"next_url": _address(next_key)})


@blueprint.get("/api/tasks/<key>/comments")
def comments(key: str) -> Response:
    """The comments that the annotator shares with reviewers on the task's figure."""
    return conversation(_figure_id(key), own=True)


@blueprint.post("/api/tasks/<key>/comments")
def comment(key: str) -> Response:
    """Write to the reviewers: `{"body", "thread"}`. Answers as `comments`."""
    return conversation(_figure_id(key), own=True)


@blueprint.post("/api/tasks/<key>/comments/read")
def read_comments(key: str) -> Response:
    """Mark the comments as read that the screen has shown: `{"last"}` is the number of the last one."""
    return mark_read(_figure_id(key), own=True)


@blueprint.post("/api/tasks/undo")
def undo_from_screen() -> Response:
    """Take back the annotator's last submission, and say where its figure is."""
    return payloads.answer({"next_url": _address(_undone())})


def _figure_id(key: str) -> str:
    return annotate.task_of(context.store(), context.home(), key, sessions.at_work().name).figure


def _draft(key: str) -> OwnItemsDraft | SubfiguresDraft:
    """Read the draft that the task's phase asks for."""
    task = annotate.task_of(context.store(), context.home(), key, sessions.at_work().name)
    phase = context.home().campaign.phase(task.phase)
    return draft_of(OwnItemsDraft) if annotate.asks_for_items(phase) else draft_of(SubfiguresDraft)


def _undone() -> str:
    return annotate.undo(sessions.store(), context.home(), sessions.at_work().name)


def _address(key: str | None) -> str | None:
    return None if key is None else url_for("own_tasks.screen", key=key)
