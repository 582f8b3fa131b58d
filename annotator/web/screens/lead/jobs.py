"""Background jobs: start, watch, cancel, download."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flask import Blueprint, abort, flash, make_response, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response

from annotator.gold.releases import releases
from annotator.jobs import commands
from annotator.jobs.folders import JobState, file_of
from annotator.jobs.jobs import Job, NoSuchJob, cancel_job, job_of, jobs_of
from annotator.web.app import context, sessions
from panelwise.domain.errors import AnnotatorError
from panelwise.runtime.progress_lines import read_progress

blueprint = Blueprint("jobs", __name__)

#: Seconds after which the page of a running job loads itself again.
AGAIN = 2
#: Jobs on the page of all.
LISTED = 50


@blueprint.get("/campaign/jobs")
def show() -> str:
    """What can be started, and the latest jobs."""
    home = context.home()
    return render_template(
        "lead_jobs.html",
        jobs=jobs_of(home)[:LISTED],
        exports=commands.EXPORTS,
        releases=[(each, _files(each.path)) for each in releases(home)],
    )


@blueprint.post("/campaign/jobs")
def start() -> Response:
    """Start a job: the form's `kind`, with what it needs."""
    home, me, form = context.home(), sessions.at_work().name, request.form
    starts: dict[str, Callable[[], Job]] = {
        "prelabel": lambda: commands.start_prelabel(home, me, again=form.get("again") == "1"),
        "export": lambda: commands.start_export(home, form.get("what", ""), me, single=form.get("single") == "1"),
        "release": lambda: commands.start_release(home, form.get("name", ""), me, note=form.get("note", "")),
        "report": lambda: commands.start_report(home, me),
        "backup": lambda: commands.start_backup(home, me),
    }
    chosen = starts.get(form.get("kind", ""))
    if chosen is None:
        abort(400)
    try:
        begun = chosen()
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("jobs.show"))
    return redirect(url_for("jobs.job", number=begun.number))


@blueprint.get("/campaign/jobs/<int:number>")
def job(number: int) -> Response:
    """One job with the end of its log; loads itself again while it runs."""
    found = _job(number)
    log = found.log()
    response = make_response(render_template("lead_job.html", job=found, log=log, progress=read_progress(log)))
    if found.state is JobState.RUNNING:
        response.headers["Refresh"] = str(AGAIN)
    return response


@blueprint.post("/campaign/jobs/<int:number>/cancel")
def cancel(number: int) -> Response:
    """Ask a job to stop."""
    _job(number)
    cancel_job(context.home(), number)
    return redirect(url_for("jobs.job", number=number))


@blueprint.get("/campaign/jobs/<int:number>/files/<name>")
def download(number: int, name: str) -> Response:
    """A file that a job made."""
    try:
        path = file_of(_job(number).folder, name)
    except AnnotatorError:
        abort(404)
    return send_file(path, as_attachment=True, download_name=name)


@blueprint.get("/campaign/releases/<folder>/<path:name>")
def released(folder: str, name: str) -> Response:
    """A file of a release."""
    for each in releases(context.home()):
        if each.path.name == folder and name in _files(each.path):
            return send_file(
                each.path / name, as_attachment=True, download_name=f"{folder}-{name.replace('/', '-')}"
            )
    abort(404)


def _files(folder: Path) -> list[str]:
    """The files of a release by their paths in it, but for its images."""
    found = (each.relative_to(folder) for each in folder.rglob("*") if each.is_file())
    return sorted(each.as_posix() for each in found if each.parts[0] != "images")


def _job(number: int) -> Job:
    try:
        return job_of(context.home(), number)
    except NoSuchJob:
        abort(404)
