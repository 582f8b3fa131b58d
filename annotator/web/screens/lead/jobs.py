"""Background jobs: start, watch, cancel, download."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile

from flask import Blueprint, abort, flash, make_response, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response

from annotator.gold.releases import releases
from annotator.imports.report import Outcome, ReportSummary, read_report
from annotator.jobs import commands
from annotator.jobs.folders import LOG, JobState, file_of
from annotator.jobs.jobs import UNDER_WAY, Job, cancel_job, job_of, jobs_of
from annotator.jobs.models import CURVES, model_folder, trained_models
from annotator.web.app import context, sessions
from annotator.web.app.security import REPORT_POLICY
from panelwise.domain import AnnotatorError
from panelwise.runtime import read_progress

blueprint = Blueprint("jobs", __name__)

#: Seconds after which the page of a running job loads itself again.
AGAIN = 2
#: Jobs on the page of all.
LISTED = 50
#: Rows of an import's report on its job's page.
REPORTED = 200
#: What the forms of that page start; imports begin with an upload.
STARTED = frozenset(commands.JobKind) - {commands.JobKind.IMPORT}


@blueprint.get("/campaign/jobs")
def show() -> str:
    """Show the jobs that can be started, the latest jobs, models and releases."""
    home = context.home()
    possible = commands.possible_jobs(home, context.store())
    return render_template(
        "lead_jobs.html",
        jobs=jobs_of(home)[:LISTED],
        describe_state=state_now,
        is_page=is_page,
        exports=commands.EXPORTS,
        models=trained_models(home),
        devices=commands.DEVICES,
        possible=possible,
        chosen_phase=request.args.get("phase", possible.phase),
        label_studio=any(phase.in_label_studio for phase in home.campaign.phases),
        releases=[(each, _files(each.path)) for each in releases(home)],
    )


@blueprint.post("/campaign/jobs")
def start() -> Response:
    """Start a job: the form's `kind`, with what it needs."""
    form = request.form
    if form.get("kind") not in STARTED:
        abort(400)
    asked = {key: ",".join(form.getlist(key)) for key in form}
    try:
        begun = commands.start(
            context.home(), context.store(), commands.JobKind(form["kind"]), sessions.at_work().name, asked
        )
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("jobs.show"))
    return redirect(url_for("jobs.job", number=begun.number))


@blueprint.get("/campaign/models/<name>/curves.png")
def curves(name: str) -> Response:
    """The curves of a training."""
    try:
        path = model_folder(context.home(), name) / CURVES
    except AnnotatorError:
        abort(404)
    if not path.is_file():
        abort(404)
    return send_file(path)


@blueprint.get("/campaign/jobs/<int:number>")
def job(number: int) -> Response:
    """One job with the end of its log; loads itself again while it runs."""
    found = job_of(context.home(), number)
    log = found.log()
    progress = read_progress(log)
    left = _seconds_left(found, progress) if progress and found.state is JobState.RUNNING else None
    report = _report(found)
    partly = report is not None and found.state is JobState.FAILED and bool(_done(report))
    response = make_response(
        render_template(
            "lead_job.html",
            job=found,
            log=log,
            progress=progress,
            left=left,
            report=report,
            partly=partly,
            under_way=found.state in UNDER_WAY,
            now=state_now(found),
            elapsed=_elapsed(found),
            is_page=is_page,
        )
    )
    if found.state in UNDER_WAY:
        response.headers["Refresh"] = str(AGAIN)
    return response


def state_now(job: Job) -> str:
    """Describe a job's state; of one that runs, what it is doing."""
    if job.state is not JobState.RUNNING:
        return "waiting for a worker" if job.state is JobState.WAITING else commands.describe_state(job)
    log = job.log()
    progress = read_progress(log)
    if progress is None:
        return "running" if log.strip() else "starting"
    label, done, total = progress
    return f"{label}: {done}" if total is None else f"{label}: {done} of {total}"


def _elapsed(job: Job) -> float:
    """Return the seconds since a job was started, up to its end."""
    end = datetime.now(UTC) if job.result is None else job.result.ended_at
    return max(0.0, (end - job.request.started_at).total_seconds())


def _report(found: Job) -> ReportSummary | None:
    """The report of an import that is over."""
    if found.state in UNDER_WAY or commands.REPORT not in found.files:
        return None
    with suppress(AnnotatorError):
        return read_report(file_of(found.folder, commands.REPORT), most=REPORTED)
    return None


def _done(report: ReportSummary) -> int:
    """Describe the number of imported records, of those that were read."""
    return sum(report.counts[each] for each in (Outcome.IMPORTED, Outcome.REVISED, Outcome.UNCHANGED))


@blueprint.post("/campaign/jobs/<int:number>/cancel")
def cancel(number: int) -> Response:
    """Ask a job to stop."""
    cancel_job(context.home(), number)
    return redirect(url_for("jobs.job", number=number))


@blueprint.get("/campaign/jobs/<int:number>/files/<name>")
def download(number: int, name: str) -> Response:
    """A file that a job made, or its whole log; `?open=1` opens the page of a report in place of sending it."""
    found = job_of(context.home(), number)
    try:
        path = found.folder / LOG if name == LOG else file_of(found.folder, name)
    except AnnotatorError:
        abort(404)
    opened = "open" in request.args and is_page(found, name)
    response = send_file(path, as_attachment=not opened, download_name=name)
    if opened:
        response.headers["Content-Security-Policy"] = REPORT_POLICY
    return response


def is_page(job: Job, name: str) -> bool:
    """Return whether a job's file is a report that a browser can open."""
    return job.request.kind == commands.JobKind.REPORT and name.endswith(".html")


@blueprint.get("/campaign/releases/<folder>/<path:name>")
def released(folder: str, name: str) -> Response:
    """A file of a release."""
    for each in releases(context.home()):
        if each.path.name == folder and name in _files(each.path):
            return send_file(
                each.path / name, as_attachment=True, download_name=f"{folder}-{name.replace('/', '-')}"
            )
    abort(404)


@blueprint.get("/campaign/releases/<folder>.zip")
def whole_release(folder: str) -> Response:
    """A release with all its files, images included, as a ZIP archive."""
    home = context.home()
    for each in releases(home):
        if each.path.name == folder:
            packed = TemporaryFile(dir=home.path)  # noqa: SIM115  # closed when it is sent
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(each.path.rglob("*")):
                    if path.is_file():
                        archive.write(path, Path(folder) / path.relative_to(each.path))
            packed.seek(0)
            return send_file(packed, "application/zip", as_attachment=True, download_name=f"{folder}.zip")
    abort(404)


def _seconds_left(job: Job, progress: tuple[str, int, int | None]) -> float | None:
    """Estimate a running job's remaining seconds from its pace so far; None if unknown."""
    _, done, total = progress
    spent = _elapsed(job)
    return spent * (total - done) / done if done and total else None


def _files(folder: Path) -> list[str]:
    """The files of a release by their paths in it, but for its images."""
    found = (each.relative_to(folder) for each in folder.rglob("*") if each.is_file())
    return sorted(each.as_posix() for each in found if each.parts[0] != "images")
