"""One's own account, and for leads who signed in."""

from __future__ import annotations

from flask import Blueprint, Response, flash, g, make_response, redirect, render_template, request, url_for
from flask_limiter import Limiter
from werkzeug.wrappers import Response as AnyResponse

from annotator.accounts import invitations, tokens
from annotator.accounts import people as accounts
from annotator.accounts import sign_in as signing_in
from annotator.accounts.invitations import InvitationOver
from annotator.campaign.connect import studio_address
from annotator.store.rows.records import Outcome
from annotator.sync.project_access import annotates_in_studio, create_studio_account
from annotator.web.app import context, security, sessions
from annotator.web.app.access import first_page
from panelwise.domain import AnnotatorError, InvalidAnnotation

#: Entries of the audit on a page, and on one's own.
PER_PAGE = 50
OWN = 10


def make_blueprint(limiter: Limiter) -> Blueprint:
    """The pages; wrong passwords are counted by `limiter` here too."""
    blueprint = Blueprint("account", __name__)
    attempts = security.Attempts(limiter)

    @blueprint.get("/account")
    def show() -> Response:
        """Show the signed-in person's account, with the form for a new password."""
        return _page()

    @blueprint.post("/account/password")
    @attempts.limit(
        lambda: [(security.FAILURES_PER_NAME, f"password {sessions.at_work().name}")],
        failed=lambda _response: bool(g.get("wrong_password")),
        refuse=lambda seconds: _page(error=security.come_back(seconds), code=429),
    )
    def change_password() -> AnyResponse:
        """Replace the person's own password; their other sessions end."""
        old, new, again = (request.form.get(field, "") for field in ("old", "new", "again"))
        if new != again:
            return _page(error="The two new passwords differ. Type the same password twice.", code=422)
        me = sessions.at_work()
        try:
            changed = signing_in.change_password(context.store(), me.name, old, new, security.address())
        except InvalidAnnotation as error:
            return _page(error=f"{error}.", code=422)
        if not changed:
            g.wrong_password = True
            return _page(error="The current password is wrong.", code=422)
        sessions.sign_in(me)
        flash("Password changed. You are signed out everywhere else.")
        return redirect(url_for("account.show"))

    @blueprint.post("/account/tokens")
    def make_token() -> Response:
        """Make a token for the HTTP API, called the form's `label`; the answer is the only one that shows it."""
        try:
            made = tokens.make_token(context.store(), sessions.at_work().name, request.form.get("label", ""))
        except InvalidAnnotation as error:
            return _page(token_error=f"{error}.", code=422)
        return _page(made=made)

    @blueprint.post("/account/tokens/revoke")
    def revoke_token() -> AnyResponse:
        """Revoke the token called the form's `label`."""
        label = request.form.get("label", "")
        try:
            tokens.revoke_token(context.store(), sessions.at_work().name, label)
        except AnnotatorError as error:
            return _page(token_error=f"{error}.", code=422)
        flash(f'Token "{label}" revoked.')
        return redirect(url_for("account.show"))

    links = attempts.limit(
        lambda: [(security.FAILURES_OF_LINKS, f"links {security.network()}")],
        failed=lambda response: response.status_code == 404,
        refuse=_too_many_links,
    )

    @blueprint.get("/welcome/<token>")
    @links
    def welcome(token: str) -> Response:
        """Show the form for setting a password by a link."""
        return _welcome(token)

    @blueprint.post("/welcome/<token>")
    @links
    def accept(token: str) -> AnyResponse:
        """Set that password, and sign in."""
        new, again = request.form.get("new", ""), request.form.get("again", "")
        if new != again:
            return _welcome(token, error="The two passwords differ. Type the same password twice.", code=422)
        try:
            someone = invitations.accept(context.home(), context.store(), token, new, security.address())
        except InvalidAnnotation as error:
            return _welcome(token, error=f"{error}.", code=422)
        if someone is None:
            return _welcome(token)
        sessions.sign_in(someone)
        signing_in.record(context.store(), someone.name, Outcome.SIGNED_IN, security.address())
        if annotates_in_studio(context.home(), someone):
            flash(create_studio_account(context.home(), someone, new))
            return redirect(url_for("account.show"))
        return redirect(first_page(someone, url_for("queue.show")))

    @blueprint.get("/sign-ins")
    def sign_ins() -> str:
        """The audit, newest first: `?name=NAME`, `?failed=1`, `?page=N`."""
        name = request.args.get("name") or None
        failed = request.args.get("failed") == "1"
        page = min(max(request.args.get("page", 1, type=int), 1), 1_000_000)
        found = signing_in.sign_in_log(
            context.store(), name=name, failed=failed, limit=PER_PAGE + 1, offset=(page - 1) * PER_PAGE
        )
        return render_template(
            "sign_ins.html",
            campaign=context.home().campaign.name,
            entries=found[:PER_PAGE],
            more=len(found) > PER_PAGE,
            page=page,
            name=name,
            failed=failed,
            people=accounts.people(context.store()),
        )

    return blueprint


def _too_many_links(seconds: int) -> Response:
    """Return the message after opening too many invalid links."""
    response = make_response(
        render_template(
            "error.html",
            code=429,
            title="Too many invalid links",
            what="Used, expired or unknown links were opened too often from this address.",
            advice=security.come_back(seconds),
        ),
        429,
    )
    response.headers["Retry-After"] = str(seconds)
    return response


def _welcome(token: str, *, error: str = "", code: int = 200) -> Response:
    """The form for whom the link is for; 404 if it does not hold."""
    someone = invitations.invited(context.home(), context.store(), token)
    if someone is None:
        raise InvitationOver("this link is used or expired; ask the campaign's lead for a new one")
    html = render_template(
        "welcome.html",
        campaign=context.home().campaign.name,
        invited=someone.name,
        token=token,
        error=error,
        least=accounts.MIN_PASSWORD,
        most=accounts.MAX_PASSWORD,
    )
    return make_response(html, code)


def _page(*, error: str = "", made: str = "", token_error: str = "", code: int = 200) -> Response:
    """The page. error: of a new password. made: the text of a token just made. token_error: why none was."""
    home, me = context.home(), sessions.at_work()
    html = render_template(
        "account.html",
        campaign=home.campaign.name,
        error=error,
        least=accounts.MIN_PASSWORD,
        most=accounts.MAX_PASSWORD,
        view=home.settings.view,
        studio=studio_address(home) if annotates_in_studio(home, me) else "",
        entries=signing_in.sign_in_log(context.store(), name=me.name, limit=OWN),
        tokens=tokens.tokens_of(context.store(), me.name),
        longest_label=tokens.LONGEST_LABEL,
        made=made,
        token_error=token_error,
    )
    return make_response(html, code)
