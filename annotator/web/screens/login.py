"""Signing in and out."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask_limiter import Limiter
from limits import parse
from werkzeug.wrappers import Response as AnyResponse

from annotator.accounts import sign_in as signing_in
from annotator.store.rows.records import Outcome
from annotator.web.app import access, context, security, sessions
from annotator.web.app.urls import safe_next


def make_blueprint(limiter: Limiter) -> Blueprint:
    """The login screen; failures are counted by `limiter`."""
    blueprint = Blueprint("login", __name__)

    def held_off(seconds: int) -> Response:
        """The form again, with when to come back."""
        refused = parse(security.ENTRIES_OF_REFUSALS)
        if limiter.limiter.hit(refused, "refused", security.address_and_name()):
            signing_in.record(context.store(), security.typed_name(), Outcome.HELD_OFF, security.address())
        response = _page(_target(), name=security.typed_name(), error=security.come_back(seconds), code=429)
        response.headers["Retry-After"] = str(seconds)
        return response

    @blueprint.get("/login")
    def sign_in() -> AnyResponse:
        target = safe_next(request.args.get("next"), url_for("queue.show"))
        someone = sessions.person()
        if someone is not None:
            return redirect(access.first_page(someone, target))
        return _page(target)

    @blueprint.post("/login")
    @security.Attempts(limiter).limit(_limits, failed=_failed, refuse=held_off)
    def submit() -> AnyResponse:
        name, password = security.typed_name(), request.form.get("password", "")
        person = signing_in.attempt(context.store(), name, password, security.address())
        if person is None:
            return _page(_target(), name=name, error="Wrong name or password.", code=401)
        sessions.sign_in(person)
        return redirect(access.first_page(person, _target()))

    @blueprint.post("/logout")
    def sign_out() -> AnyResponse:
        someone = sessions.person()
        if someone is not None:
            signing_in.record(context.store(), someone.name, Outcome.SIGNED_OUT, security.address())
        sessions.sign_out()
        return redirect(url_for("login.sign_in"))

    return blueprint


def _limits() -> Iterator[tuple[str, str]]:
    """The limits of an attempt to sign in, and whom it counts against."""
    yield security.FAILURES_PER_NAME, security.address_and_name()
    yield security.FAILURES_PER_ADDRESS, security.network()
    if not signing_in.signed_in_from(context.store(), security.typed_name(), security.address()):
        yield security.FAILURES_PER_NAME_ANYWHERE, security.name_anywhere()


def _failed(response: Response) -> bool:
    return response.status_code == 401


def _target() -> str:
    return safe_next(request.form.get("next"), url_for("queue.show"))


def _page(target: str, *, name: str = "", error: str = "", code: int = 200) -> Response:
    html = render_template(
        "login.html", campaign=context.home().campaign.name, next_url=target, name=name, error=error
    )
    return make_response(html, code)
