"""The routes of the HTTP API. Who may use which is in `web.app.access`, as for the pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, abort, current_app, send_file

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decide import decide as save_decision
from annotator.adjudication.draft import Draft, DraftDecoder
from annotator.campaign.pseudonyms import Names
from annotator.checks.qualification import hidden_admissions
from annotator.dashboards.agreement_page import agreement_page
from annotator.dashboards.pair_queue import chosen_phase
from annotator.gold.records import Exported, gold_records
from annotator.imports import import_jobs, uploads
from annotator.jobs.commands import JobKind, start
from annotator.jobs.folders import file_of
from annotator.jobs.jobs import Attempt, job_of, jobs_of
from annotator.jobs.jobs import cancel_job as stop_job
from annotator.web import payloads
from annotator.web.api import image as images
from annotator.web.api.decision import deciding_on
from annotator.web.api.v1.endpoint import Number, Page, Paged, Revision, Routes, Text, key_of, page_of
from annotator.web.api.v1.job_drafts import ImportDraft, JobDraft
from annotator.web.api.v1.openapi import document
from annotator.web.api.v1.views import (
    AgreementView,
    AnnotationView,
    DecisionEntry,
    FigureView,
    JobView,
    PersonView,
    PieceView,
    SavedDecision,
    TaskView,
    UploadView,
)
from annotator.web.app import blindfold, context, seen, sessions
from annotator.web.payloads import API
from panelwise.domain import Annotation, AnnotatorError, Decision, GoldSource, Reopening, Role, Task, one_line
from panelwise.files import encode_line

api = Routes(Blueprint("v1", __name__, url_prefix=API))
blueprint = api.blueprint

#: Seconds to wait before asking again for what is still being measured.
AGAIN = 3


def _job_address(job: JobView) -> str:
    return f"{API}/jobs/{job.number}"


class FiguresQuery(Paged, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A selection of figures."""

    q: Annotated[Text, msgspec.Meta(description="Words that id, caption or source have, in any case.")] = ""


class WorkQuery(Paged, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whose work in which phase."""

    phase: Annotated[Text, msgspec.Meta(description="Only of this phase.")] = ""
    annotator: Annotated[Text, msgspec.Meta(description="Only of this annotator.")] = ""


class RevisionQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The revision that a decision is based on."""

    revision: Annotated[
        Revision, msgspec.Meta(description="Revision of the figure that you saw; 0 for the present one.")
    ] = 0


class GoldQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A selection of gold, and its names."""

    names: Annotated[Names, msgspec.Meta(description="Names of people.")] = Names.REAL
    single: Annotated[bool, msgspec.Meta(description="Include unreviewed work.")] = False


class PieceQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The place of a piece."""

    name: Annotated[Text, msgspec.Meta(description="Path of the file within the upload, such as images/f1.png.")]
    offset: Annotated[Number, msgspec.Meta(description="Bytes of the file before this piece.")]


class PhaseQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A selection by phase."""

    phase: Annotated[Text, msgspec.Meta(description="The last one with work unless given.")] = ""


@api.get("/openapi.json")
def openapi() -> dict[str, Any]:
    """This document."""
    return document(current_app, api.endpoints)


@api.get("/me")
def me() -> PersonView:
    """Return the person of the token."""
    someone = sessions.at_work()
    return PersonView(someone.name, tuple(sorted(someone.roles)))


@api.get("/figures")
def figures(query: FiguresQuery) -> Page[FigureView]:
    """Figures by id."""
    after = key_of(query, Text) or ""
    found = context.snapshot().figures.gallery(query.q.split(), after=after, limit=query.limit + 1)
    return page_of(((each.id, FigureView.of(each)) for each in found), query.limit)


@api.get("/figures/<figure:figure_id>")
def figure(figure_id: str) -> FigureView:
    """One figure."""
    return FigureView.of(context.snapshot().figures.existing(figure_id))


@api.get("/figures/<figure:figure_id>/image", media="image/*")
def image(figure_id: str) -> Response:
    """The stored image of a figure: PNG, JPEG, GIF or WebP."""
    return images.whole(figure_id)


@api.post("/figures/<figure:figure_id>/decisions", decoder=DraftDecoder())
def decide(figure_id: str, query: RevisionQuery, body: Draft) -> SavedDecision:
    """Save a decision on a figure's subfigures, or on its type and pairs.

    `version` is that of the last entry of the figure's history, 0 without one: 409 if another one came since.
    `based_on` holds keys of annotations.
    """
    saved = save_decision(
        deciding_on(figure_id),
        context.home(),
        figure_id,
        sessions.reviewer(),
        body,
        revision=query.revision or None,
    )
    return SavedDecision(saved.decision.version, saved.decision.awaits)


def _check_work(query: WorkQuery) -> None:
    """Answer 404 for a phase or an annotator that the campaign doesn't have.

    To somebody who annotates blind it has none that only work on hidden figures names.
    """
    tx, hidden = context.snapshot(), blindfold.hidden_figures()
    groups = tx.tasks.groups()
    if query.phase and query.phase not in {each.phase for each in groups}:
        if not hidden:
            chosen_phase(context.agreement(), query.phase)
        elif query.phase not in {each.name for each in context.home().campaign.phases}:
            _check_shown(tx.annotations.all(phase=query.phase), hidden, f'phase "{query.phase}"')
    if query.annotator:
        people = {each.name for each in tx.people.all()} | {each.annotator for each in groups}
        if query.annotator not in (people if hidden else tx.names.all()):
            found = tx.annotations.all(annotator=query.annotator) if hidden else ()
            _check_shown(found, hidden, f'annotator "{query.annotator}"')


def _check_shown(found: Iterable[Annotation], hidden: Collection[str], what: str) -> None:
    """Answer 404 unless there is work on a figure that is not hidden."""
    if all(annotation.figure.id in hidden for annotation in found):
        abort(payloads.refuse(f"{one_line(what)[:80]} is not in this campaign", 404))


@api.get("/tasks")
def tasks(query: WorkQuery) -> Page[TaskView]:
    """Assigned tasks, in the order of assignment: a lead's view of all, else your own that are released."""
    someone = sessions.at_work()
    leads = Role.LEAD in someone.roles
    if not leads and query.annotator not in ("", someone.name):
        abort(403)
    _check_work(query)
    found = context.snapshot().tasks.page(
        phase=query.phase or None,
        annotator=query.annotator or None if leads else someone.name,
        released=None if leads else True,
        after=key_of(query, Number) or 0,
        limit=query.limit + 1,
    )
    hidden = blindfold.hidden_figures()
    unknown = hidden_admissions(context.snapshot(), context.home().campaign.phases, hidden)

    def view(task: Task, done: bool) -> TaskView:
        own = task.annotator == someone.name
        return TaskView.of(
            task,
            released=None if task.phase in unknown and not own else task.released,
            submitted=None if task.figure in hidden and not own else done,
        )

    return page_of(((key, view(task, done)) for key, task, done in found), query.limit)


@api.get("/figures/<figure:figure_id>/annotations")
def figure_annotations(figure_id: str) -> Page[AnnotationView]:
    """The current annotations of a figure, under keys that say nothing of who made them."""
    work = context.snapshot().work.of(figure_id)
    found = (_annotation(each) for each in work.annotations)
    return Page(tuple(sorted(found, key=lambda each: (each.key, each.phase))), None)


@api.get("/figures/<figure:figure_id>/decisions")
def figure_decisions(figure_id: str) -> Page[DecisionEntry]:
    """Every decision on a figure and its reopenings, oldest first."""
    return Page(tuple(map(_entry, context.snapshot().work.of(figure_id).history)), None)


@api.get("/annotations")
def all_annotations(query: WorkQuery) -> Page[AnnotationView]:
    """Current annotations by figure, annotator and phase, without figures that you annotate blind."""
    _check_work(query)
    hidden = blindfold.hidden_figures()
    found = context.snapshot().annotations.all(
        phase=query.phase or None,
        annotator=query.annotator or None,
        after=key_of(query, tuple[Text, Text, Text, Revision]),
    )
    page = page_of(
        (
            ((each.figure.id, each.annotator, each.phase, each.figure.revision), _annotation(each))
            for each in found
            if each.figure.id not in hidden
        ),
        query.limit,
    )
    seen.note(each.figure_id for each in page.items)
    return page


@api.get("/decisions")
def all_decisions(query: Paged) -> Page[DecisionEntry]:
    """Every decision and reopening by figure, oldest first, without figures that you annotate blind."""
    hidden = blindfold.hidden_figures()
    found = context.snapshot().decisions.histories(after=key_of(query, tuple[Text, Revision]))
    page = page_of(
        (((each.figure.id, each.version), _entry(each)) for each in found if each.figure.id not in hidden),
        query.limit,
    )
    seen.note(each.figure_id for each in page.items)
    return page


@api.get("/gold", media="application/jsonl")
def gold(query: GoldQuery) -> Response:
    """The gold of the moment, as gold.jsonl has it: a figure a line, by id."""
    include = frozenset(GoldSource) if query.single else None
    found = gold_records(context.home(), context.store(), Exported(), names=query.names, include=include)
    return Response(map(encode_line, found), mimetype="application/jsonl")


@api.get("/agreement")
def agreement(query: PhaseQuery) -> AgreementView:
    """The agreement in a phase. 503 with Retry-After while it is being measured."""
    page = agreement_page(
        context.store(),
        context.home().campaign,
        context.agreement(),
        sessions.at_work(),
        query.phase or None,
    )
    if page.measuring:
        response = payloads.refuse(f"the agreement is being measured; ask again in {AGAIN} s", 503)
        response.headers["Retry-After"] = str(AGAIN)
        abort(response)
    return AgreementView.of(page)


@api.get("/jobs")
def jobs(query: Paged) -> Page[JobView]:
    """Background jobs, the newest first."""
    before = key_of(query, Number)
    found = (each for each in jobs_of(context.home()) if before is None or each.number < before)
    return page_of(((each.number, JobView.of(each)) for each in found), query.limit)


@api.post("/jobs", code=202, location=_job_address)
def start_job(body: JobDraft, key: str) -> JobView:
    """Start a background job. 409 while one of its kind runs."""
    attempt = Attempt(key, msgspec.json.encode(body).decode())
    kind = JobKind(str(type(body).__struct_config__.tag))
    return JobView.of(start(context.home(), context.store(), kind, sessions.at_work().name, body.form(), attempt))


@api.get("/jobs/<int:number>")
def job(number: int) -> JobView:
    """One background job."""
    return JobView.of(job_of(context.home(), number))


@api.get("/jobs/<int:number>/log", media="text/plain")
def job_log(number: int) -> Response:
    """The end of what a job printed."""
    return Response(job_of(context.home(), number).log(), mimetype="text/plain")


@api.get("/jobs/<int:number>/files/<string:name>", media="*/*")
def job_file(number: int, name: str) -> Response:
    """A file that a job made."""
    folder = job_of(context.home(), number).folder
    try:
        path = file_of(folder, name)
    except AnnotatorError as error:
        abort(payloads.refuse(str(error), 404))
    return send_file(path, as_attachment=True, download_name=name)


@api.post("/jobs/<int:number>/cancel", code=202, location=_job_address)
def cancel_job(number: int) -> JobView:
    """Ask a job to stop; what it has stored stays. A job that ended stays as it is."""
    stop_job(context.home(), number)
    return JobView.of(job_of(context.home(), number))


@api.post("/uploads", location=lambda made: f"{API}/uploads/{made.upload}")
def begin_upload() -> UploadView:
    """Begin an upload of files to import. It is removed a day after its last piece."""
    return UploadView(uploads.begin_upload(context.home()), {})


@api.get("/uploads/<string:upload>")
def upload(upload: str) -> UploadView:
    """The files of an upload, and where each goes on after a break."""
    return UploadView(upload, uploads.sizes_of(context.home(), upload))


@api.post("/uploads/<string:upload>", code=200)
def add_piece(upload: str, query: PieceQuery, body: bytes) -> PieceView:
    """Add the body, of up to a megabyte, to a file of an upload.

    A piece whose offset is not the file's size changes nothing, so it may be sent again. 507: the disk is full.
    """
    return PieceView(uploads.add_piece(context.home(), upload, query.name, query.offset, body))


@api.post("/uploads/<string:upload>/import", code=202, location=_job_address)
def import_upload(upload: str, body: ImportDraft, key: str) -> JobView:
    """Import an upload's figures, annotations or predictions as a job: what its files hold is recognised."""
    home = context.home()
    import_jobs.remove_imported(home)
    job = import_jobs.import_upload(
        home,
        context.store(),
        upload,
        sessions.at_work().name,
        body.form(),
        body.columns,
        Attempt(key, msgspec.json.encode((upload, body)).decode()),
    )
    return JobView.of(job)


def _annotation(work: Annotation) -> AnnotationView:
    named = Role.LEAD in sessions.at_work().roles
    return AnnotationView.of(work, Keys(context.home().secret(), work.figure.id), named=named)


def _entry(entry: Decision | Reopening) -> DecisionEntry:
    return DecisionEntry.of(entry, Keys(context.home().secret(), entry.figure.id))
