"""People: add, invite by a link, roles, disable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.accounts import people as accounts
from annotator.accounts.invitations import HOURS, invite, noted_address
from annotator.label_studio.embedded import server as embedded
from annotator.sync.studio_accounts import Guest, guests
from annotator.web.app import context, sessions
from panelwise.domain.campaign import Role
from panelwise.domain.errors import AnnotatorError, InvalidAnnotation, SyncError

if TYPE_CHECKING:
    from annotator.label_studio.client import LabelStudioServer

blueprint = Blueprint("people", __name__)


@blueprint.get("/campaign/people")
def show() -> str | Response:
    """Everybody with their roles, and the form for another person."""
    return _page()


@blueprint.post("/campaign/people")
def add() -> str | Response:
    """Add a person; answers with the link by which they set their password."""
    name = request.form.get("name", "").strip()
    try:
        accounts.add_person(context.store(), name, roles=_roles(), email=request.form.get("email", "").strip())
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("people.show"))
    return _page(link_for=name)


@blueprint.post("/campaign/people/link")
def link() -> str | Response:
    """Answer with a new link for a person, as when a password was forgotten."""
    return _page(link_for=request.form.get("name", ""))


@blueprint.post("/campaign/people/roles")
def set_roles() -> Response:
    """Replace a person's roles; nobody takes the lead's role from themselves."""
    name = request.form.get("name", "")
    try:
        roles = _roles()
        if name == sessions.at_work().name and Role.LEAD not in roles:
            raise InvalidAnnotation("you cannot take the lead's role from yourself; ask another lead")
        accounts.set_roles(context.store(), name, roles)
        flash(f"{name}: {', '.join(sorted(roles))}.", "done")
    except AnnotatorError as error:
        flash(f"{error}.", "error")
    return redirect(url_for("people.show"))


@blueprint.post("/campaign/people/email")
def set_email() -> Response:
    """Set the e-mail that ties a person's account in Label Studio to their work."""
    name, address = request.form.get("name", ""), request.form.get("email", "").strip()
    try:
        accounts.set_email(context.store(), name, address)
        flash(f"{name}: {address}.", "done")
    except AnnotatorError as error:
        flash(f"{error}.", "error")
    return redirect(url_for("people.show"))


@blueprint.post("/campaign/people/studio")
def invite_to_studio() -> str | Response:
    """Answer with who has an account in Label Studio, and the page on which the others sign up."""
    try:
        with _label_studio() as server:
            found = guests(context.store(), server)
            page = server.invitation()
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return redirect(url_for("people.show"))
    return _page(studio=found, sign_up=page)


def _label_studio() -> LabelStudioServer:
    """The campaign's Label Studio. Raises SyncError where none runs."""
    from annotator.label_studio.client import LabelStudioServer

    home = context.home()
    own, settings = embedded.running(home.path), home.label_studio
    if settings.url:
        token = own.token if own is not None and not settings.token and own.url == settings.url else settings.token
        return LabelStudioServer(settings.url, token, public_url=settings.public_url)
    if own is None:
        raise SyncError("Label Studio does not run; start the campaign with `annotator up`")
    return LabelStudioServer(own.url, own.token)


@blueprint.post("/campaign/people/active")
def set_active() -> Response:
    """Disable or enable a person's sign-in; nobody disables themselves."""
    name, active = request.form.get("name", ""), request.form.get("active") == "1"
    try:
        if name == sessions.at_work().name and not active:
            raise InvalidAnnotation("you cannot disable yourself; ask another lead")
        accounts.set_active(context.store(), name, active=active)
        flash(f"{name} {'may sign in again' if active else 'is disabled, and signed out'}.", "done")
    except AnnotatorError as error:
        flash(f"{error}.", "error")
    return redirect(url_for("people.show"))


def _roles() -> frozenset[Role]:
    """The roles of the form. Raises InvalidAnnotation for none."""
    found = frozenset(role for role in Role if role.value in request.form.getlist("role"))
    if not found:
        raise InvalidAnnotation("choose a role: annotator, reviewer or lead")
    return found


def _page(link_for: str = "", *, studio: Sequence[Guest] = (), sign_up: str = "") -> str | Response:
    link = ""
    if link_for:
        try:
            token = invite(context.home(), context.store(), link_for)
        except AnnotatorError as error:
            flash(f"{error}.", "error")
            return redirect(url_for("people.show"))
        base = noted_address(context.store()).rstrip("/") or request.host_url.rstrip("/")
        link = f"{base}{url_for('account.welcome', token=token)}"
    return render_template(
        "lead_people.html",
        people=accounts.people(context.store()),
        roles=[Role.ANNOTATOR, Role.REVIEWER, Role.LEAD],
        link=link,
        link_for=link_for,
        hours=HOURS,
        studio=studio,
        sign_up=sign_up,
        label_studio=any(phase.in_label_studio for phase in context.home().campaign.phases),
    )
