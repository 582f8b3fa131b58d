"""Figures: upload in pieces, import as a job, and a gallery to search."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.imports.uploads import FOLDER as UPLOADS
from annotator.imports.uploads import add_piece, begin_upload, only_folder, remove_upload, upload_folder
from annotator.jobs.commands import JobKind, start_import
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import jobs_of
from annotator.web import payloads
from annotator.web.app import context, sessions
from panelwise.domain.errors import AnnotatorError

blueprint = Blueprint("uploads", __name__)

#: Figures on a page of the gallery.
PER_PAGE = 60


@blueprint.get("/campaign/figures")
def show() -> str:
    """The form for uploads, the latest imports, and the figures: `?q=WORDS`, `?after=ID`."""
    home = context.home()
    _remove_imported()
    words = request.args.get("q", "").strip()
    after = request.args.get("after", "")
    found = context.snapshot().figures.gallery(words.split(), after=after, limit=PER_PAGE + 1, withdrawn=True)
    return render_template(
        "lead_figures.html",
        count=context.snapshot().figures.count(),
        figures=found[:PER_PAGE],
        withdrawn=context.snapshot().withdrawals.standing([each.id for each in found]),
        more=len(found) > PER_PAGE,
        words=words,
        after=after,
        imports=[each for each in jobs_of(home) if each.request.kind == JobKind.IMPORT][:5],
        limits=home.settings.images.limits,
    )


@blueprint.post("/campaign/uploads")
def begin() -> Response:
    """Begin an upload: `{"upload": ID}`."""
    return payloads.answer({"upload": begin_upload(context.home())})


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
    """Import what was uploaded, as a job: `{"url": ADDRESS}` of its page. `?revise=1`: replace what is there."""
    home = context.home()
    try:
        folder = only_folder(upload_folder(home, upload))
        job = start_import(home, folder, sessions.at_work().name, revise=request.args.get("revise") == "1")
    except AnnotatorError as error:
        return payloads.answer({"error": str(error)}, 422)
    return payloads.answer({"url": url_for("jobs.job", number=job.number)})


def _remove_imported() -> None:
    """Remove the files of uploads whose import is done: images are stored, and nothing else is needed."""
    home = context.home()
    for job in jobs_of(home):
        if job.request.kind == JobKind.IMPORT and job.state is JobState.DONE:
            place = f"{home.path / UPLOADS}/"
            for word in job.request.words:
                upload = word.removeprefix(place).partition("/")[0] if word.startswith(place) else ""
                if upload and (home.path / UPLOADS / upload).is_dir():
                    remove_upload(home, upload)
