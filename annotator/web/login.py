"""Signing in and out."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask_limiter import Limiter
from werkzeug.wrappers import Response as AnyResponse

from annotator.services import accounts
from annotator.web import context, security, sessions
from annotator.web.urls import safe_next


def make_blueprint(limiter: Limiter) -> Blueprint:
    """The login screen; failures are counted by `limiter`."""
    blueprint = Blueprint("login", __name__)

    @blueprint.get("/login")
    def sign_in() -> AnyResponse:
        target = safe_next(request.args.get("next"), url_for("queue.show"))
        if sessions.person() is not None:
            return redirect(target)
        return _page(target)

    @blueprint.post("/login")
    @limiter.limit(security.FAILURES_PER_NAME, key_func=security.address_and_name, deduct_when=_failed)
    @limiter.limit(security.FAILURES_PER_ADDRESS, deduct_when=_failed)
    def submit() -> AnyResponse:
        target = safe_next(request.form.get("next"), url_for("queue.show"))
        name = request.form.get("name", "").strip()
        person = accounts.verify_password(context.store(), name, request.form.get("password", ""))
        if person is None:
            return _page(target, name=name, error="The name or the password is wrong.", code=401)
        sessions.sign_in(person)
        return redirect(target)

    @blueprint.post("/logout")
    def sign_out() -> AnyResponse:
        sessions.sign_out()
        return redirect(url_for("login.sign_in"))

    return blueprint


def _failed(response: Response) -> bool:
    return response.status_code == 401


def _page(target: str, *, name: str = "", error: str = "", code: int = 200) -> Response:
    html = render_template(
        "login.html", campaign=context.home().campaign.name, next_url=target, name=name, error=error
    )
    return make_response(html, code)
