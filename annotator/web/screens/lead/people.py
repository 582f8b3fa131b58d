"""People: add, invite by a link, roles, disable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.accounts import people as accounts
from annotator.accounts.invitations import HOURS, invitation_message, invite, noted_address
from annotator.campaign import connect
from annotator.sync import project_access
from annotator.sync.project_access import withdraw_access
from annotator.web.app import blindfold, context, sessions
from annotator.web.screens.lead.notices import announced
from panelwise.domain import AnnotatorError, InvalidAnnotation, Person, Role
from panelwise.runtime import is_loopback

blueprint = Blueprint("people", __name__)


#: People on a page.
PER_PAGE = 50


@blueprint.get("/campaign/people")
def show() -> str | Response:
    """Everybody with their roles and work, and the form for another person: `?q=NAME`, `?page=N`."""
    return _page()


@blueprint.post("/campaign/people")
def add() -> str | Response:
    """Add a person; answers with the link by which they set their password.

    `named`: everybody whom the settings name and who is not added yet.
    """
    store, form = context.store(), request.form
    added: list[str] = []
    try:
        if "named" in form:
            for name, roles in _named_only(context.snapshot().people.names()):
                accounts.add_person(store, name, roles=[Role(role) for role in roles])
                added.append(name)
        else:
            added = [form.get("name", "").strip()]
            accounts.add_person(store, added[0], roles=_roles(), email=form.get("email", "").strip())
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        if "named" not in form or not added:
            return redirect(url_for("people.show"))
    return _page(invited=added)


@blueprint.post("/campaign/people/link")
def link() -> str | Response:
    """Answer with new links for the people named in the form, as when a password was forgotten.

    Without a name: for everybody active who has no password yet.
    """
    names = request.form.getlist("name")
    if not names:
        with context.store().read() as tx:
            everybody = tx.people.with_passwords(tx.people.names())
        names = [person.name for person, has_password in everybody if person.active and not has_password]
        if not names:
            flash("Everybody has a password already.", "quiet")
            return redirect(url_for("people.show"))
    return _page(invited=names)


@blueprint.post("/campaign/people/roles")
@announced("people.show")
def set_roles() -> str:
    """Replace a person's roles; leads cannot remove their own role."""
    name, roles = request.form.get("name", ""), _roles()
    if name == sessions.at_work().name and Role.LEAD not in roles:
        raise InvalidAnnotation("you cannot take the lead's role from yourself; ask another lead")
    accounts.set_roles(context.store(), name, roles)
    withdraw_access(context.home(), context.store())
    return f"{name}: {', '.join(sorted(roles))}."


@blueprint.post("/campaign/people/email")
@announced("people.show")
def set_email() -> str:
    """Set the e-mail that ties a person's account in Label Studio to their work."""
    name, address = request.form.get("name", ""), request.form.get("email", "").strip()
    accounts.set_email(context.store(), name, address)
    withdraw_access(context.home(), context.store())
    return f"{name}: {address}."


@blueprint.post("/campaign/people/active")
@announced("people.show")
def set_active() -> str:
    """Disable or enable a person's sign-in, other than one's own."""
    name, active = request.form.get("name", ""), request.form.get("active") == "1"
    if name == sessions.at_work().name and not active:
        raise InvalidAnnotation("you cannot disable yourself; ask another lead")
    accounts.set_active(context.store(), name, active=active)
    withdraw_access(context.home(), context.store())
    return f"{name} {'may sign in again' if active else 'is disabled, and signed out'}."


@blueprint.post("/campaign/people/studio")
def invite_to_studio() -> str | Response:
    """Answer with who has an account in Label Studio, and the page on which the others sign up."""
    try:
        with connect.running_studio(context.home()) as server:
            found = project_access.guests(context.store(), server)
            page = server.invitation()
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("people.show"))
    return _page(studio=found, sign_up=page)


def _roles() -> frozenset[Role]:
    """The roles of the form. Raises InvalidAnnotation for none."""
    found = frozenset(role for role in Role if role.value in request.form.getlist("role"))
    if not found:
        raise InvalidAnnotation("choose a role: annotator, reviewer or lead")
    return found


def _named_only(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """List the people named in the settings of phases but not in `names`, each with their roles there."""
    found: dict[str, set[str]] = {}
    campaign = context.home().campaign
    for phase in campaign.phases:
        for role, people in ((Role.ANNOTATOR, phase.annotators), (Role.REVIEWER, campaign.reviewers_of(phase))):
            for name in people:
                found.setdefault(name, set()).add(role.value)
    return [(name, sorted(roles)) for name, roles in found.items() if name not in names]


@dataclass(frozen=True, slots=True)
class _Invitation:
    """A person's link, and the message that sends it. mailto: opens the message in a mail program.

    without_studio: an annotator in Label Studio has no e-mail, so that the link makes no account there.
    """

    person: Person
    link: str
    text: str
    mailto: str
    without_studio: bool


def _invitation(name: str, base: str, studio: str) -> _Invitation:
    """Create a person's link. Raises AnnotatorError for an unknown or disabled person."""
    home, store = context.home(), context.store()
    link = f"{base}{url_for('account.welcome', token=invite(home, store, name))}"
    with store.read() as tx:
        person = tx.people.get(name)
    assert person is not None
    in_studio = project_access.annotates_in_studio(home, person)
    subject, text = invitation_message(
        home.campaign.name, person, link, studio if in_studio and person.email else ""
    )
    body = quote(text.replace("\n", "\r\n"))
    mailto = f"mailto:{quote(person.email)}?subject={quote(subject)}&body={body}"
    return _Invitation(person, link, text, mailto, in_studio and not person.email)


def _page(
    *, invited: Sequence[str] = (), studio: Sequence[project_access.Guest] = (), sign_up: str = ""
) -> str | Response:
    base = (context.home().view_url or noted_address(context.store())).rstrip("/")
    if not base or is_loopback(base):
        # Someone who came by another address than this machine's own knows one that works elsewhere.
        base = request.host_url.rstrip("/")
    studio_url = connect.studio_address(context.home()) if invited else ""
    try:
        invitations = [_invitation(name, base, studio_url) for name in invited]
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("people.show"))
    words = request.args.get("q", "").strip().casefold()
    page = min(max(request.args.get("page", 1, type=int), 1), 1_000_000)
    # Who is on a figure that the lead annotates blind would say that there is something to look at.
    hidden = blindfold.hidden_figures()
    # After what a form has changed.
    with context.store().read() as tx:
        everybody = tx.people.names()
        names = [name for name in everybody if words in name.casefold()]
        shown = tx.people.with_passwords(names[(page - 1) * PER_PAGE : page * PER_PAGE])
        leases = tx.presence.leases(None, now=datetime.now(UTC))
    return render_template(
        "lead_people.html",
        people=shown,
        count=len(names),
        page=page,
        last=-(-len(names) // PER_PAGE),
        words=words,
        looks_at={each.reviewer: each.figure_id for each in leases if each.figure_id not in hidden},
        roles=[Role.ANNOTATOR, Role.REVIEWER, Role.LEAD],
        named_only=_named_only(everybody),
        invitations=invitations,
        only_here=[url for url in (base, studio_url) if is_loopback(url)] if invitations else [],
        hours=HOURS,
        studio=studio,
        sign_up=sign_up,
        own_studio=connect.own_server(context.home()),
        label_studio=any(phase.in_label_studio for phase in context.home().campaign.phases),
    )
