"""The signed-in person, by a session or an API token. The only module that uses Flask-Login.

A session names the person and carries a fingerprint of their password's hash: a new password, or a person set
inactive, ends it at the next request. So does signing out, wherever the person does: a cookie that somebody copied
is worth nothing then. It says how far the audit of sign-ins had come when it began, not when: clocks may jump.

A token (`Authorization: Bearer TOKEN`) identifies its person in the HTTP API alone, where it is then all that
counts: the cookies of such a request are not looked at.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from datetime import timedelta

from flask import Flask, Request, abort, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user
from werkzeug.wrappers import Response

from annotator.accounts import people, tokens
from annotator.accounts import sign_in as signing_in
from annotator.dashboards.feedback import has_feedback
from annotator.own_tasks.tasks import has_tasks, own_phases
from annotator.store.store import Store, Transaction
from annotator.web.app import context
from annotator.web.app.access import access, first_page, may_open
from annotator.web.payloads import API
from panelwise.domain import Person, Role, StoreError


class _Cookies(SecureCookieSessionInterface):
    """Cookies renewed with each answer, except to automatic requests of an open page, which are no activity.

    They hold for as long as campaign.toml says at the time of the request.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        app.permanent_session_lifetime = timedelta(minutes=context.home().settings.view.idle_minutes)
        return super().open_session(app, request)

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        if request.endpoint is not None and access(request.endpoint).by_itself and not session.modified:
            return False
        return super().should_set_cookie(app, session)


class _Signed(UserMixin):  # type: ignore[misc]  # Flask-Login has no types
    """A signed-in person as Flask-Login wants it. by: what they signed in with, in the session's id."""

    def __init__(self, person: Person, by: str) -> None:
        self.person = person
        self.id = f"{by} {person.name}"


def _fingerprint(password_hash: str) -> str:
    return hashlib.sha256(b"session\0" + password_hash.encode()).hexdigest()[:24]


def bearer_token() -> str | None:
    """The token that a request to the API carries; None if it has none. Pages take no tokens."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" and request.path.startswith(f"{API}/") else None


def _load_by_token(_request: Request) -> _Signed | None:
    text = bearer_token()
    found = None if text is None else tokens.token_owner(context.snapshot(), text)
    if text is None or found is None:
        return None
    token, someone = found
    try:
        tokens.note_use(context.store(), token, text)
    except StoreError as error:
        # A store on a full disk can still be read.
        current_app.logger.warning("the use of a token was not stored: %s", error)
    return _Signed(someone, text)


def _by_password(tx: Transaction, name: str, *, since: int | None = None) -> _Signed | None:
    found = people.signed_in_at(tx, name, since=since)
    return None if found is None else _Signed(found[0], _fingerprint(found[1]))


def _load(session_id: str) -> _Signed | None:
    if bearer_token() is not None:
        return None
    _, _, name = session_id.partition(" ")
    begun = session.get("begun")
    at_most = timedelta(hours=context.home().settings.view.session_hours)
    if not isinstance(begun, float) or time.time() - begun > at_most.total_seconds():
        return None
    entry = session.get("entry")
    if not isinstance(entry, int) or isinstance(entry, bool):
        return None
    found = _by_password(context.snapshot(), name, since=entry)
    return found if found is not None and found.id == session_id else None


def set_up(app: Flask, *, secret: bytes, https: bool) -> None:
    """Sessions in signed cookies, and the guard in front of every route that is not open to everyone.

    A cookie is valid for `idle_minutes` and renewed with each answer; a session ends after `session_hours`.
    """
    app.config.update(
        SECRET_KEY=hashlib.sha256(b"sessions\0" + secret).digest(),
        # Cookies do not heed ports: two campaigns served from one machine must not sign each other out.
        # Over HTTPS the prefix keeps neighbours on the same domain from setting it.
        SESSION_COOKIE_NAME=f"{'__Host-' if https else ''}panelwise_{_mark(secret)}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=https,
        SESSION_REFRESH_EACH_REQUEST=True,
    )
    app.session_interface = _Cookies()
    manager = LoginManager()
    manager.session_protection = "basic"
    manager.user_loader(_load)
    manager.request_loader(_load_by_token)
    manager.init_app(app, add_context_processor=False)
    app.before_request(_guard)
    app.context_processor(_about_person)


def _mark(secret: bytes) -> str:
    return hashlib.sha256(b"cookie" + secret).hexdigest()[:8]


def person() -> Person | None:
    """Return the signed-in person; None if nobody is signed in."""
    user = current_user._get_current_object()
    return user.person if isinstance(user, _Signed) else None


def at_work() -> Person:
    """Return the signed-in person; answers 401 if there is none."""
    someone = person()
    if someone is None:
        abort(401)
    return someone


def reviewer() -> str:
    """The name of the reviewer or lead at work."""
    return at_work().name


def check_still_signed_in(tx: Transaction) -> None:
    """Answer 401 if the signed-in person lost access, according to an open transaction.

    A name is read before a decision is saved under it: in between the person may have been renamed.
    """
    user, text = current_user._get_current_object(), bearer_token()
    if text is None:
        found = _by_password(tx, at_work().name)
    else:
        owner = tokens.token_owner(tx, text)
        found = None if owner is None else _Signed(owner[1], text)
    if found is None or found.id != user.id or not may_open(found.person, request.endpoint or ""):
        abort(401)


def store() -> Store:
    """Return the store for what the signed-in person writes: answers 401 if they lost access meanwhile."""
    return context.store().checking(check_still_signed_in)


def _about_person() -> dict[str, object]:
    """Return the values of every page's header: the campaign, the person, and whether they may adjudicate."""
    someone = None if g.get("failing") else person()
    return {
        "person": someone,
        "campaign_name": context.home().campaign.name if someone is not None else "",
        "settles": someone is not None and people.may_adjudicate(someone),
        "may_open": lambda endpoint: someone is not None and may_open(someone, endpoint),
        # Where pages on the campaign lead to: a lead looks at a figure, a reviewer adjudicates it.
        "figure_page": "figure_view.show"
        if someone is not None and may_open(someone, "figure_view.show")
        else "figure.show",
        "annotates_here": is_assigned(someone, blind=False),
        "sees_feedback": someone is not None
        and Role.ANNOTATOR in someone.roles
        and context.home().settings.view.feedback
        and has_feedback(context.home().campaign),
    }


def is_assigned(someone: Person | None, *, blind: bool) -> bool:
    """Return whether the person has blind tasks, or tasks on Panelwise's own screen."""
    campaign = context.home().campaign
    if someone is None or not own_phases(campaign, blind=blind):
        return False
    return has_tasks(context.snapshot(), campaign, someone.name, blind=blind)


def sign_in(someone: Person) -> None:
    """Begin a session for a person whose password was right; what an older session held is dropped."""
    found = people.signed_in(context.store(), someone.name)
    if found is None:
        abort(401)
    signed = _Signed(found[0], _fingerprint(found[1]))
    session.clear()
    session.permanent = True
    session["begun"] = time.time()
    session["entry"] = signing_in.last_entry(context.store())
    # The CSRF token's secret half is the person's own, not the session's: whoever was signed out in the middle of
    # a figure signs in again in another tab, and the open screen can still save.
    key = current_app.config["SECRET_KEY"]
    session["csrf_token"] = hmac.new(key, b"csrf\0" + signed.id.encode(), hashlib.sha256).hexdigest()
    login_user(signed)


def sign_out() -> None:
    """End the session."""
    logout_user()
    session.clear()


def _guard() -> Response | None:
    """Let in whom the table of `access` names; others get 403, strangers the way to sign in (401 to data)."""
    if request.endpoint is None:
        return None
    wanted = access(request.endpoint)
    if wanted.roles is None and request.method in ("GET", "HEAD"):
        return None
    context.check_store()
    if wanted.roles is None:
        return None
    someone = person()
    if someone is None:
        if wanted.page and request.method in ("GET", "HEAD"):
            target = request.full_path.rstrip("?")
            return redirect(url_for("login.sign_in", next=None if target == "/" else target))
        abort(401)
    if not someone.roles & wanted.roles:
        if request.full_path == "/?" and someone.roles:  # the address that people type, and come back to
            return redirect(first_page(someone, "/"))
        abort(403)
    return None
