"""Figures: upload in pieces, import as a job, and a gallery to search."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.checks.run import findings_on
from annotator.gold.dataset.citation import COMMON_LICENCES
from annotator.imports.import_jobs import import_upload, remove_imported
from annotator.imports.report import names_in_upload
from annotator.imports.uploads import (
    EXPIRES_LEFT,
    UnknownUpload,
    add_piece,
    begin_upload,
    leave_upload,
    remove_old,
    remove_upload,
    sizes_of,
    unclear_table,
    upload_folder,
    upload_source,
)
from annotator.jobs.commands import JobKind
from annotator.jobs.jobs import Job, jobs_of
from annotator.store.queries.figures import Shown
from annotator.web import payloads
from annotator.web.app import blindfold, context, sessions
from annotator.web.screens.lead.jobs import state_now
from panelwise.domain import AnnotatorError
from panelwise.files import COLUMNS

blueprint = Blueprint("uploads", __name__)

#: Figures on a page of the gallery.
PER_PAGE = 60


@blueprint.get("/campaign/figures")
def show() -> str:
    """The form for uploads, and the figures: `?q=WORDS`, `?shown=`, `?batch=PHASE/NUMBER`, `?after=ID`."""
    home, tx = context.home(), context.snapshot()
    remove_imported(home)
    here, after = gallery_arguments(), request.args.get("after", "")
    found = tx.figures.gallery(**gallery_filter(here), after=after, limit=PER_PAGE + 1)
    figures = found[:PER_PAGE]
    # Of a figure that the lead annotates blind, neither pre-labels nor findings on others' work.
    hidden = blindfold.hidden_figures()
    open_figures = [each.id for each in figures if each.id not in hidden]
    return render_template(
        "lead_figures.html",
        count=tx.figures.count(),
        figures=figures,
        predictions=tx.predictions.latest_of({each.id: each for each in figures if each.id in open_figures}),
        withdrawn=tx.withdrawals.standing([each.id for each in figures]),
        findings=findings_on(tx, home.campaign, open_figures),
        more=len(found) > PER_PAGE,
        words=here.get("q", "").strip(),
        after=after,
        every_shown=[each.value for each in Shown],
        batches=tx.tasks.batches(),
        here=here,
        imports=[each for each in jobs_of(home) if each.request.kind == JobKind.IMPORT][:5],
        describe_state=state_now,
        limits=home.settings.images.limits,
        licences=COMMON_LICENCES,
    )


def gallery_arguments() -> dict[str, str]:
    """Return the gallery's search and filter, as the address has them."""
    return {key: request.args[key] for key in ("q", "shown", "batch") if request.args.get(key)}


def gallery_filter(here: dict[str, str]) -> dict[str, Any]:
    """Return the gallery's search and filter as arguments of the query; what is unknown limits nothing."""
    phase, _, number = here.get("batch", "").rpartition("/")
    shown = here.get("shown", "")
    return {
        "words": here.get("q", "").split(),
        "shown": Shown(shown) if shown in set(Shown) else Shown.ALL,
        "hidden": blindfold.hidden(),
        "batch": (phase, int(number)) if number.isdecimal() and len(number) < 8 else None,
    }


@blueprint.post("/campaign/uploads")
def begin() -> Response:
    """Begin an upload: `{"upload": ID}`."""
    return payloads.answer({"upload": begin_upload(context.home())})


@blueprint.get("/campaign/uploads/<upload>")
def sizes(upload: str) -> Response:
    """Return where an upload resumes after its page was reloaded: `{"sizes": {PATH: N}}`."""
    try:
        return payloads.answer({"sizes": sizes_of(context.home(), upload)})
    except UnknownUpload as error:
        return payloads.answer({"error": str(error)}, 422)


@blueprint.post("/campaign/uploads/<upload>")
def write(upload: str) -> Response:
    """Add the body to a file: `?name=PATH&offset=N`; `{"size": N}` says from where to go on."""
    offset = request.args.get("offset", -1, type=int)
    name = request.args.get("name", "")
    try:
        size = add_piece(context.home(), upload, name, offset, request.get_data(cache=False))
    except AnnotatorError as error:
        return payloads.answer({"error": str(error)}, 422)
    return payloads.answer({"size": size})


@blueprint.post("/campaign/uploads/<upload>/import")
def start(upload: str) -> Response:
    """Import what was uploaded, as a job: `{"url": ADDRESS}` of its page, or of the form that names columns first.

    `?revise=1`: replace what is there. `?annotator=NAME`: of the boxes of a COCO file. `?licence=`, `?document=`:
    of figures that state none.
    """
    try:
        if unclear_table(upload_source(upload_folder(context.home(), upload))) is not None:
            return payloads.answer({"url": url_for("uploads.columns", upload=upload, **_requested())})
        job = _import(upload)
    except AnnotatorError as error:
        return payloads.answer({"error": names_in_upload(str(error), context.home().path)}, 422)
    return payloads.answer({"url": url_for("jobs.job", number=job.number)})


@blueprint.post("/campaign/uploads/<upload>/remove")
def remove(upload: str) -> Response:
    """Remove an upload that its lead gives up."""
    with suppress(AnnotatorError):
        remove_upload(context.home(), upload)
    return payloads.answer({})


@blueprint.post("/campaign/uploads/<upload>/leave")
def leave(upload: str) -> Response:
    """Remove an upload whose page is closed in some minutes, unless the page is opened again and goes on."""
    home = context.home()
    with suppress(AnnotatorError):
        leave_upload(home, upload)
        later = threading.Timer(EXPIRES_LEFT + 1, remove_old, [home])
        later.daemon = True
        later.start()
    return payloads.answer({})


@blueprint.get("/campaign/uploads/<upload>/columns")
def columns(upload: str) -> str | Response:
    """Form that says which columns of an uploaded table are which, with its first rows."""
    try:
        head = unclear_table(upload_source(upload_folder(context.home(), upload)))
    except AnnotatorError as error:
        flash(f"{names_in_upload(str(error), context.home().path)}.", "error")
        head = None
    if head is None:
        return redirect(url_for("uploads.show"))
    return render_template("lead_columns.html", head=head, keys=COLUMNS, upload=upload, asked=_requested())


@blueprint.post("/campaign/uploads/<upload>/columns")
def choose_columns(upload: str) -> Response:
    """Name the columns as the form says, and import."""
    try:
        job = _import(upload, {key: request.form.get(key, "") for key in COLUMNS})
    except AnnotatorError as error:
        flash(f"{names_in_upload(str(error), context.home().path)}.", "error")
        return redirect(url_for("uploads.columns", upload=upload, **_requested()))
    return redirect(url_for("jobs.job", number=job.number))


def _requested() -> dict[str, Any]:
    return {
        key: request.args[key] for key in ("revise", "annotator", "licence", "document") if request.args.get(key)
    }


def _import(upload: str, columns: Mapping[str, str] = MappingProxyType({})) -> Job:
    return import_upload(context.home(), context.store(), upload, sessions.at_work().name, _requested(), columns)
