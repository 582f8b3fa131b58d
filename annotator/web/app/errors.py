"""Errors: a page that says what happened and what to do, or one line of JSON from the API."""

from __future__ import annotations

import errno

from flask import Flask, Response, g, make_response, render_template, request, url_for
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import BadHost, HTTPException, MethodNotAllowed

from annotator.accounts.invitations import InvitationOver
from annotator.adjudication.adjudicate_many import UnknownBulk
from annotator.adjudication.messages.comments import NoComments
from annotator.campaign.visibility import Blindfolded
from annotator.dashboards.feedback import NoFeedback
from annotator.dashboards.live_agreement import UnknownPhase
from annotator.dashboards.pair_queue import UnknownSlice
from annotator.imports.uploads import DiskFull, UnknownUpload
from annotator.jobs.jobs import JobUnderWay, NoSuchJob
from annotator.own_tasks.tasks import UnknownTask, own_phases
from annotator.queue.filter import UnknownFilter
from annotator.store.queries.figures import UnknownFigure
from annotator.web import payloads
from annotator.web.app import context, logs, sessions
from annotator.web.app.access import access
from annotator.web.app.request_ids import request_id
from annotator.web.app.security import TooFast
from annotator.web.help.pages import NoSuchPage
from annotator.web.payloads import API
from panelwise.domain import AnnotatorError, Conflict, InvalidAnnotation, Role, StoreBusy

#: When to try again if others write to the store, in seconds.
RETRY_SECONDS = 5

#: Code -> title, what happened, what to do.
_TEXTS = {
    400: (
        "Invalid request",
        "The address or the form has an error.",
        "Go back, reload the page and try again.",
    ),
    401: ("You are not signed in", "This page is for members of the campaign.", "Sign in, then open it again."),
    403: (
        "Your role has no access",
        "Annotators work in Label Studio or under Tasks. Reviewers and leads adjudicate here, and some pages "
        "are for leads.",
        "If you need another role, ask the campaign's lead.",
    ),
    404: (
        "Page not found",
        "The address has no page, or the figure is not in this campaign.",
        "Check the address.",
    ),
    405: (
        "Request not supported",
        "This address doesn't support this kind of request.",
        "Go back and use the buttons of the page.",
    ),
    409: (
        "Changed by someone else",
        "Someone else changed this after you opened it.",
        "Reload the page and compare. Nothing was overwritten.",
    ),
    413: ("Request too large", "The request is larger than one megabyte.", "Shorten the note, or split the work."),
    415: (
        "Not JSON",
        "Decisions are sent as application/json.",
        "Reload the page and save again.",
    ),
    422: ("Not saved", "A value in the request is invalid.", "Correct it and send it again."),
    429: (
        "Too many failed attempts",
        "A wrong password was entered too often.",
        "Wait a few minutes and try again. If you forgot your password, the campaign's lead can set a new one.",
    ),
    500: (
        "Server error",
        "The server failed to answer. Saved work is not lost.",
        "Try again. If it happens again, inform the campaign's lead; the server's log has the details.",
    ),
    503: (
        "The campaign's store does not answer",
        "It may be busy, moved or full.",
        "Wait a moment and try again. If it happens again, inform the campaign's lead.",
    ),
}

#: Code -> what the HTTP API says, where that is other than on pages.
_API_TEXTS = {
    400: f"the request can't be read; see {API}/openapi.json",
    401: "no valid token; make one on your account page, and send it as Authorization: Bearer TOKEN",
    404: f"this address has nothing; see {API}/openapi.json",
    405: f"this address has no such method; see {API}/openapi.json",
    413: "the request is larger than one megabyte; send files in pieces, as uploads",
    415: "the body is not application/json; say so in Content-Type",
}

#: Blueprint of an address -> the page that an error there leads back to, and what it shows.
_WAYS_BACK = {
    "help": ("help.show", "the contents of the help"),
    "agreement": ("agreement.show", "the agreement matrix"),
    "bulk": ("bulk.show", "the agreed figures"),
    "blind": ("blind.show", "your blind figures"),
    "own_tasks": ("own_tasks.show", "your tasks"),
    "feedback": ("feedback.show", "the comparison with gold"),
    **dict.fromkeys(("uploads", "figure_view"), ("uploads.show", "the figures")),
    "people": ("people.show", "the people"),
    "assignment": ("assignment.show", "the assignment"),
    **dict.fromkeys(("jobs", "release"), ("jobs.show", "the jobs")),
    "settings": ("settings.show", "the settings"),
}

#: What an address may name that is not there.
_UNKNOWN: tuple[type[AnnotatorError], ...] = (
    *(UnknownFigure, UnknownPhase, UnknownSlice, UnknownFilter, UnknownBulk),
    *(NoFeedback, NoComments, InvitationOver, UnknownTask, UnknownUpload, NoSuchJob),
    NoSuchPage,
)


def handle_errors(app: Flask) -> None:
    """Answer every error with a page or, under /api/, with one line of JSON."""
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(HTTPException, _http)
    for unknown in _UNKNOWN:
        app.register_error_handler(unknown, lambda error: _answer(404, str(error)))
    app.register_error_handler(InvalidAnnotation, lambda error: _answer(422, str(error)))
    app.register_error_handler(Conflict, lambda error: _answer(409, str(error)))
    app.register_error_handler(JobUnderWay, lambda error: _answer(409, str(error)))
    app.register_error_handler(DiskFull, lambda error: _answer(507, str(error)))
    app.register_error_handler(Blindfolded, _blindfolded)
    app.register_error_handler(TooFast, _too_fast)
    app.register_error_handler(StoreBusy, _busy)
    app.register_error_handler(AnnotatorError, _annotator)
    app.register_error_handler(OSError, _system)


def _csrf(_error: CSRFError) -> Response:
    return _answer(400, "The form has expired or belongs to an older session; reload the page.")


def _blindfolded(error: Blindfolded) -> Response:
    return _answer(403, str(error), title="Temporarily hidden" if error.uncertain else "You annotate this blind")


def _too_fast(error: TooFast) -> Response:
    response = _answer(429, str(error), title="Too many requests")
    response.headers["Retry-After"] = str(error.seconds)
    return response


def _http(error: HTTPException) -> Response:
    if error.response is not None:
        return make_response(error.response)
    if isinstance(error, BadHost):
        # Without a host there are no addresses, which the page of errors has.
        return Response("The Host header is not a server name.\n", 400, mimetype="text/plain")
    response = _answer(error.code or 500, _role_missing() if error.code == 403 else "")
    if isinstance(error, MethodNotAllowed):
        response.allow.update(error.valid_methods or ())
    return response


def _role_missing() -> str:
    """For whom the page is that was requested, and what whoever asks is; "" where it is not their role."""
    someone, wanted = sessions.person(), access(request.endpoint or "").roles
    if someone is None or wanted is None or someone.roles & wanted:
        return ""
    needed = sorted(role.value for role in wanted)
    named = (f"{'an' if role is Role.ANNOTATOR else 'a'} {role}" for role in sorted(someone.roles))
    mine = " and ".join(named) or "without a role"
    where = "under Tasks" if own_phases(context.home().campaign) else "in Label Studio"
    work = f": your figures are {where}" if someone.roles == {Role.ANNOTATOR} else ""
    others = " and ".join(f"{role}s" for role in needed)
    return f"this page is for {others}, and you are {mine}{work}; the campaign's lead gives roles, under People"


def _busy(error: StoreBusy) -> Response:
    logs.fault(error)
    response = _answer(503, "the campaign's store is busy: another program writes to it; try again in a moment")
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _annotator(error: AnnotatorError) -> Response:
    logs.fault(error)
    return _answer(503, "")


def _system(error: OSError) -> Response:
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    logs.fault(error)
    return _answer(507, "the disk of the campaign is full; make room, then try again", title="The disk is full")


def _answer(code: int, what: str, *, title: str = "") -> Response:
    usual_title, usual, advice = _TEXTS.get(code, _TEXTS[500 if code >= 500 else 400])
    title = title or usual_title
    if request.path.startswith("/api/"):
        line = what or f"{title[:1].lower()}{title[1:]}; {advice[:1].lower()}{advice[1:]}".rstrip(".")
        if not request.path.startswith(f"{API}/"):
            return payloads.refuse(line, code)
        response = payloads.refuse(what or _API_TEXTS.get(code, line), code)
        if code == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response
    said, _, mend = what.partition("; ")
    # The page's header asks the store who is signed in; with a store that fails it must not.
    g.failing = code >= 500
    return make_response(
        render_template(
            "error.html",
            code=code,
            title=title,
            what=_sentence(said) or usual,
            advice=_sentence(mend) or advice,
            way_back=_way_back(code),
            number=request_id() if code >= 500 else "",
        ),
        code,
    )


def _way_back(code: int) -> tuple[str, str] | None:
    """Return the page to go back to, as its address and what it shows; None for the person's first page."""
    someone = None if code >= 500 else sessions.person()
    # A slice of the queue is a cell of the matrix.
    place = "agreement" if {"gold", "predicted"} & request.args.keys() else request.blueprint
    endpoint, shown = _WAYS_BACK.get(place or "", ("", ""))
    if not endpoint or code == 403 or (code != 404 and request.endpoint == endpoint):
        return None
    wanted = access(endpoint).roles
    if wanted is not None and (someone is None or not someone.roles & wanted):
        return None
    return url_for(endpoint), shown


def _sentence(text: str) -> str:
    """A message's half as a sentence; "" stays "". What people named is left as they wrote it."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""
