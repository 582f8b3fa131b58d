"""The routes of the HTTP API. Who may use which is in `web.app.access`, as for the pages."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, abort, current_app

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decide import decide as save_decision
from annotator.adjudication.draft import Draft
from annotator.campaign.pseudonyms import Names
from annotator.dashboards.agreement_page import agreement_page
from annotator.gold.records import Exported, gold_records
from annotator.jobs.jobs import NoSuchJob, job_of, jobs_of
from annotator.web import payloads
from annotator.web.api import image as images
from annotator.web.api.decision import ITEMS, SUBFIGURES, checked, deciding_on
from annotator.web.api.v1.endpoint import Number, Page, Paged, Revision, Routes, Text, key_of, page_of
from annotator.web.api.v1.openapi import document
from annotator.web.api.v1.views import (
    AgreementView,
    AnnotationView,
    DecisionEntry,
    FigureView,
    JobView,
    PersonView,
    SavedDecision,
    TaskView,
)
from annotator.web.app import blindfold, context, sessions
from annotator.web.payloads import API
from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import Decision, GoldSource, Reopening
from panelwise.files.jsonl import encode_line

api = Routes(Blueprint("v1", __name__, url_prefix=API))
blueprint = api.blueprint

#: Seconds to wait before asking again for what is still being measured.
AGAIN = 3


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


@api.post("/figures/<figure:figure_id>/decisions")
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
        checked(body, ITEMS if body.on_items else SUBFIGURES),
        revision=query.revision or None,
    )
    return SavedDecision(saved.decision.version, saved.decision.awaits)


@api.get("/tasks")
def tasks(query: WorkQuery) -> Page[TaskView]:
    """Assigned tasks, in the order of assignment: a lead's view of all, else your own that are released."""
    someone = sessions.at_work()
    leads = Role.LEAD in someone.roles
    if not leads and query.annotator not in ("", someone.name):
        abort(403)
    found = context.snapshot().tasks.page(
        phase=query.phase or None,
        annotator=query.annotator or None if leads else someone.name,
        released=None if leads else True,
        after=key_of(query, Number) or 0,
        limit=query.limit + 1,
    )
    hidden = blindfold.hidden_figures()

    def view(task: Task, done: bool) -> TaskView:
        unknown = task.annotator != someone.name and task.figure in hidden
        return TaskView.of(task, submitted=None if unknown else done)

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
    hidden = blindfold.hidden_figures()
    found = context.snapshot().annotations.all(
        phase=query.phase or None,
        annotator=query.annotator or None,
        after=key_of(query, tuple[Text, Text, Text, Revision]),
    )
    return page_of(
        (
            ((each.figure.id, each.annotator, each.phase, each.figure.revision), _annotation(each))
            for each in found
            if each.figure.id not in hidden
        ),
        query.limit,
    )


@api.get("/decisions")
def all_decisions(query: Paged) -> Page[DecisionEntry]:
    """Every decision and reopening by figure, oldest first, without figures that you annotate blind."""
    hidden = blindfold.hidden_figures()
    found = context.snapshot().decisions.histories(after=key_of(query, tuple[Text, Revision]))
    return page_of(
        (((each.figure.id, each.version), _entry(each)) for each in found if each.figure.id not in hidden),
        query.limit,
    )


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


@api.get("/jobs/<int:number>")
def job(number: int) -> JobView:
    """One background job."""
    try:
        return JobView.of(job_of(context.home(), number))
    except NoSuchJob:
        abort(404)


def _annotation(work: Annotation) -> AnnotationView:
    named = Role.LEAD in sessions.at_work().roles
    return AnnotationView.of(work, Keys(context.home().secret(), work.figure.id), named=named)


def _entry(entry: Decision | Reopening) -> DecisionEntry:
    return DecisionEntry.of(entry, Keys(context.home().secret(), entry.figure.id))
