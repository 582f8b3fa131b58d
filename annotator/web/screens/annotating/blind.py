"""Blind annotation: the list of a reviewer's blind figures, the screen of one, and what it reads and writes.

Nothing here passes on what the other screens are made of: the screen's JSON is a `BlindScreen`, field by field,
and addresses hold keys, not figures.
"""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response as AnyResponse

from annotator.adjudication.subfigures import reference_panels
from annotator.campaign.shown_caption import shown_caption
from annotator.own_tasks import annotate
from annotator.own_tasks.allowed_fields import (
    BlindBox,
    BlindDraft,
    BlindOvertaken,
    BlindSaved,
    BlindScreen,
    OwnWork,
)
from annotator.own_tasks.blind_boxes import describe_source
from annotator.own_tasks.tasks import TO_DO, State, task_pages
from annotator.store.rows.records import BlindBoxes
from annotator.web.api import image
from annotator.web.app import context, sessions
from annotator.web.app.incoming import read_draft
from annotator.web.screens.annotating.own_tasks import page
from label_config import colour
from panelwise.domain import Annotation, Conflict
from panelwise.runtime import counted

blueprint = Blueprint("blind", __name__)

_drafts = msgspec.json.Decoder(BlindDraft)


@blueprint.get("/blind")
def show() -> str:
    """The reviewer's blind figures, phase by phase. `?phase=P&page=N`: another page of that phase's."""
    pages = {request.args.get("phase", ""): request.args.get("page", 1, type=int)}
    phases = task_pages(context.store(), context.home(), sessions.reviewer(), blind=True, pages=pages)
    return render_template(
        "blind.html",
        campaign=context.home().campaign.name,
        endpoint="blind",
        phases=phases,
        states=State,
        to_do=TO_DO,
        describe_source=describe_source,
    )


@blueprint.get("/blind/<key>")
def screen(key: str) -> str:
    """The page of one blind task; what it shows is fetched as JSON."""
    task, _ = annotate.open_blind_task(context.store(), context.home(), key, sessions.reviewer())
    return page(task)


@blueprint.get("/blind/<key>/image")
def full(key: str) -> AnyResponse:
    """The image of a figure that the reviewer annotates blind; its file's name stays here."""
    answer = image.whole(_figure_id(key))
    answer.headers.pop("Content-Disposition", None)
    return answer


@blueprint.get("/blind/<key>/thumbnail")
def thumbnail(key: str) -> AnyResponse:
    """The same, small."""
    return image.small(_figure_id(key))


@blueprint.post("/blind/hand-in")
def hand_in() -> AnyResponse:
    """End the blind work on all figures of the form's `phase` that the reviewer wrote."""
    if request.form.get("done") != "yes":
        flash("Not handed in: first tick that you have finished these figures.", "left")
        return redirect(url_for("blind.show"), 303)
    count = annotate.hand_in(sessions.store(), context.home(), request.form.get("phase", ""), sessions.reviewer())
    verb = "is" if count == 1 else "are"
    flash(f"{counted(count, 'figure')} {verb} handed in and now open to you in the queue.", "done")
    return redirect(url_for("blind.show"), 303)


@blueprint.get("/api/blind/<key>")
def state(key: str) -> Response:
    """All that the screen shows: a `BlindScreen`, and nothing beside it."""
    task, boxes = annotate.open_blind_task(context.store(), context.home(), key, sessions.reviewer())
    return Response(msgspec.json.encode(_screen(task, boxes)), mimetype="application/json")


@blueprint.post("/api/blind/<key>")
def write(key: str) -> Response:
    """Keep what the reviewer wrote. `?revision=N` says on which revision of the figure.

    409 with the reviewer's own work where they saved in another tab meanwhile.
    """
    store, home, me = sessions.store(), context.home(), sessions.reviewer()
    draft, revision = read_draft(_drafts), request.args.get("revision", 0, type=int)
    try:
        saved = annotate.submit(store, home, key, me, draft, revision=revision)
    except Conflict as error:
        task = annotate.own_task(store, home, key, me, blind=True)
        overtaken = BlindOvertaken(str(error), task.version, _own(task.own))
        return Response(msgspec.json.encode(overtaken), 409, mimetype="application/json")
    answer = BlindSaved(saved.version, saved.done, saved.total, _address(saved.next_key))
    return Response(msgspec.json.encode(answer), mimetype="application/json")


def _figure_id(key: str) -> str:
    return annotate.task_of(context.store(), context.home(), key, sessions.reviewer(), blind=True).figure


def _screen(task: annotate.OwnTask, boxes: BlindBoxes) -> BlindScreen:
    figure = task.figure
    return BlindScreen(
        key=task.key,
        phase=task.phase.name,
        place=task.place,
        total=task.total,
        written=task.work.done,
        image_url=url_for("blind.full", key=task.key, revision=figure.revision if figure.revision > 1 else None),
        width=figure.width,
        height=figure.height,
        revision=figure.revision,
        caption=shown_caption(figure.caption),
        references=figure.shareable().references,
        reference_panels=reference_panels(figure),
        given=tuple(
            BlindBox(part.label, part.box.corners, shade)
            for part, shade in zip(boxes.subfigures, _colours(boxes), strict=True)
        ),
        source=describe_source(task.phase),
        version=task.version,
        own=_own(task.own),
        told=task.before.describe(),
        reviewer=sessions.reviewer(),
        next_url=_address(task.next_key),
        csrf=generate_csrf(),
    )


def _colours(boxes: BlindBoxes) -> list[str]:
    """Return the colours of the given subfigures: by their labels' place in the campaign's palette."""
    place = {label.casefold(): index for index, label in reversed(list(enumerate(context.home().campaign.labels)))}
    labels = [part.label.casefold() for part in boxes.subfigures]
    for label in labels:
        place.setdefault(label, len(place))
    return [colour(place[label]) for label in labels]


def _own(annotation: Annotation | None) -> OwnWork | None:
    if annotation is None:
        return None
    return OwnWork(
        annotation.status,
        tuple(tuple(sorted(part.subcaption)) for part in annotation.subfigures),
        annotation.saved_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        annotation.reason,
    )


def _address(key: str | None) -> str | None:
    return None if key is None else url_for("blind.screen", key=key)
