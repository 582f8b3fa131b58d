"""Assignment: a plan as a table before it is done; batches, reassignment, withdrawal."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, render_template, request

from annotator.accounts import people as accounts
from annotator.assignment import reassign as reassigning
from annotator.assignment.assign import REPORTED_APART, Assignment, adjusted_phase, assign_phase
from annotator.campaign.choices import check_phase_to_assign
from annotator.checks.qualification import hidden_admissions
from annotator.jobs.commands import JobKind
from annotator.jobs.jobs import UNDER_WAY, jobs_of
from annotator.web.app import blindfold, context
from annotator.web.screens.lead.notices import announced, whole_number
from panelwise.domain import AnnotatorError, InvalidAnnotation, Role
from panelwise.runtime import counted

blueprint = Blueprint("assignment", __name__)


@blueprint.get("/campaign/assignment")
def show() -> str:
    """The phases with what is assigned, and a plan if the form asks for one: `?phase=P&annotator=A&overlap=N`.

    A lead who annotates figures blind does not see how far others are, nor how many figures they know; nor what is
    released, where that depends on others' work on these figures.
    """
    plan = None
    if "phase" in request.args:
        try:
            plan = _assigned(request.args, dry_run=True)
        except AnnotatorError as error:
            flash(f"{error}.", "error")
    campaign, closed = context.home().campaign, blindfold.hidden_figures()
    with context.store().read() as tx:
        unknown = hidden_admissions(tx, campaign.phases, closed)
        groups = list(tx.tasks.groups())
        figures = tx.figures.count()
        predicted = tx.predictions.exist()
    people = [person for person, _ in accounts.people(context.store()) if person.active]
    return render_template(
        "lead_assignment.html",
        campaign=campaign,
        groups=groups,
        figures=figures,
        predicted=predicted,
        prelabelling=_prelabelling(),
        annotators=[person.name for person in people if Role.ANNOTATOR in person.roles],
        reviewers=[person.name for person in people if accounts.may_adjudicate(person)],
        plan=plan,
        notes=[] if plan is None else _notes(plan),
        blind=blindfold.hidden() is not None,
        releases_hidden=unknown,
        asked=request.args,
        chosen=request.args.getlist("annotator"),
    )


def _notes(found: Assignment) -> list[str]:
    """Return the notes of a plan that the signed-in lead may see."""
    blind = blindfold.hidden() is not None
    return [note for note in found.notes if not (blind and note.endswith(REPORTED_APART))]


def _prelabelling() -> int | None:
    """Return the number of the pre-labelling job that is running; None if there is none."""
    jobs = (job for job in jobs_of(context.home()) if job.request.kind == JobKind.PRELABEL)
    return next((job.number for job in jobs if job.state in UNDER_WAY), None)


@blueprint.post("/campaign/assignment")
@announced("assignment.show")
def assign() -> str:
    """Assign as planned."""
    found = _assigned(request.form, dry_run=False)
    shares = "; ".join(f"{share.annotator}: {counted(share.tasks, 'task')}" for share in found.shares())
    for note in _notes(found):
        flash(f"{note[0].upper()}{note[1:]}.", "quiet")
    return f"Assigned. {shares}." if found.tasks else "Nothing new to assign."


@blueprint.post("/campaign/assignment/change")
@announced("assignment.show")
def change() -> str:
    """Release the next batch, top up who is done, reassign open tasks, or withdraw untouched ones: `what`."""
    store, campaign, form = context.store(), context.home().campaign, request.form
    closed = blindfold.hidden_figures()
    phase, taker = form.get("phase", ""), form.get("to", "")
    if phase not in {each.name for each in campaign.phases}:
        raise InvalidAnnotation(f'phase "{phase}" is not in campaign.toml')
    match form.get("what"):
        case "release":
            done = reassigning.describe(reassigning.release_batch(store, campaign, phase, closed=closed))
        case "top-up":
            done = reassigning.describe(reassigning.top_up(store, campaign, phase, closed=closed))
        case "reassign":
            takers = (taker,) if taker else ()
            done = reassigning.describe(
                reassigning.reassign(store, campaign, form.get("name", ""), takers, phase=phase, closed=closed)
            )
        case "withdraw":
            withdrawn = reassigning.withdraw(store, campaign, phase, closed=closed)
            done = [f"{counted(len(withdrawn), 'task')} withdrawn"]
        case _:
            raise InvalidAnnotation("choose what to change")
    left = " Tasks on figures that you annotate blind stay as they are until you have handed them in."
    return f"{'; '.join(done) or 'Nothing to change'}.{left if closed else ''}"


def _assigned(form: Any, *, dry_run: bool) -> Assignment:
    """Assign, or plan to assign, as a form says."""
    campaign, name = context.home().campaign, form.get("phase", "")
    if not dry_run or name not in {each.name for each in campaign.phases}:
        with context.store().read() as tx:
            check_phase_to_assign(tx, campaign, name, closed=blindfold.hidden_figures())
    changes: dict[str, Any] = {}
    if form.getlist("annotator"):
        changes["annotators"] = tuple(form.getlist("annotator"))
    for key in ("overlap", "people", "batch", "figures"):
        if form.get(key, "").strip():
            changes[key] = whole_number(form, key)
    people = changes.pop("people", None)
    if people is not None and "overlap" in changes:
        raise InvalidAnnotation("give either the people of each figure, or how many figures several do")
    return assign_phase(
        context.store(),
        campaign,
        adjusted_phase(campaign.phase(name), changes),
        dry_run=dry_run,
        by_uncertainty=form.get("order") == "uncertainty",
        change_overlap="overlap" in changes,
        people=people,
        closed=blindfold.hidden_figures(),
    )
