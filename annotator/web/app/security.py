"""Headers on every response, and how often someone may fail to sign in."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from flask import Flask, Response, after_this_request, request
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect
from limits import parse
from werkzeug.routing import RequestRedirect

from annotator.accounts import sign_in as signing_in
from annotator.web.app import context, sessions
from panelwise.domain import AnnotatorError

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        # Annotorious colours its boxes, and the bars get their width, through style attributes.
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

#: Of a page that a job made: it loads nothing, runs nothing, and has an origin of its own.
REPORT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

#: Wrong passwords that are borne in a moving window: under one name from one address, from one address, and under
#: one name from all addresses together but those that the person signed in from lately. Only what was tried and
#: failed counts, so that waiting always helps, and no one can lock a colleague out at their usual address.
FAILURES_PER_NAME = "10 per 5 minutes"
FAILURES_PER_ADDRESS = "100 per 5 minutes"
FAILURES_PER_NAME_ANYWHERE = "50 per 15 minutes"
#: Links that do not hold, opened from one address.
FAILURES_OF_LINKS = "30 per 5 minutes"
#: An attempt that is refused unheard is entered in the audit this often, lest a flood of them fill the store.
ENTRIES_OF_REFUSALS = "1 per 5 minutes"


_View = TypeVar("_View", bound=Callable[..., Any])

#: Requests that may change something.
_UNSAFE = frozenset(("POST", "PUT", "PATCH", "DELETE"))
#: Routes that take a piece of an upload.
_PIECES = frozenset(("uploads.write", "v1.add_piece"))


class TooFast(AnnotatorError):
    """Somebody saves more than a person can. seconds: how long to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many saves under your name in one minute; wait {seconds} s, then save again")
        self.seconds = seconds


def add_headers(app: Flask, *, https: bool) -> None:
    """Set the security headers on every answer, including errors."""

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if isinstance(request.routing_exception, RequestRedirect):
            # Werkzeug's own, to the address with one slash for two, begins with the Host that the client sent.
            parts = urlsplit(response.location or "")
            response.location = f"{parts.path}?{parts.query}" if parts.query else parts.path
        if https:
            response.headers["Strict-Transport-Security"] = "max-age=31536000"
        if request.endpoint == "static" and response.status_code < 400:
            response.headers["Cache-Control"] = "no-cache"
        elif "max-age" not in response.headers.get("Cache-Control", "") or response.status_code >= 400:
            response.headers["Cache-Control"] = "no-store"
        return response


def check_seals(app: Flask) -> None:
    """Refuse what a session sends without its CSRF token. An API token replaces it: no other site has one."""
    app.config["WTF_CSRF_CHECK_DEFAULT"] = False
    csrf = CSRFProtect(app)

    @app.before_request
    def check() -> None:
        if app.config["WTF_CSRF_ENABLED"] and request.endpoint and sessions.bearer_token() is None:
            csrf.protect()


def make_limiter(app: Flask) -> Limiter:
    """The counter of failed attempts. In memory: it starts from nothing with each start of the server."""
    return Limiter(network, app=app, storage_uri="memory://", strategy="moving-window")


def limit_writes(app: Flask, limiter: Limiter) -> None:
    """Let a person save so often in a moving minute as campaign.toml allows, and no more; 0 for no limit.

    Strangers have nothing to save: signing in and links have limits of their own.
    """

    @app.before_request
    def count() -> None:
        per_minute = context.home().settings.view.writes_per_minute
        # A large upload comes in many pieces, each limited in size.
        counted = request.method in _UNSAFE and per_minute and request.endpoint not in _PIECES
        someone = sessions.person() if counted else None
        if someone is None:
            return
        most = parse(f"{per_minute} per 1 minute")
        if limiter.limiter.hit(most, "writes", someone.name):
            return
        over = limiter.limiter.get_window_stats(most, "writes", someone.name).reset_time
        raise TooFast(max(1, math.ceil(over - time.time())))


class Attempts:
    """Limits attempts that fail, also where many are made at the same time.

    An attempt in progress counts like a failed one until its outcome is known: so no more of them fail in a window
    than its limit says, however many are sent at once.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._failures = limiter.limiter
        self._lock = threading.Lock()
        self._in_progress: Counter[tuple[str, str]] = Counter()

    def limit(
        self,
        keys: Callable[[], Iterable[tuple[str, str]]],
        *,
        failed: Callable[[Response], bool],
        refuse: Callable[[int], Response],
    ) -> Callable[[_View], _View]:
        """A decorator of a view. keys: the limits, and whom the attempt of the present request counts against.

        failed: whether the answer says that the attempt failed. refuse: the answer to an attempt that is not
        made, from the seconds to wait for the next.
        """

        def decorate(view: _View) -> _View:
            @wraps(view)
            def limited(*arguments: Any, **named: Any) -> Any:
                counted = tuple(keys())
                seconds = self._begin(counted)
                if seconds:
                    return refuse(seconds)

                @after_this_request
                def end(response: Response) -> Response:
                    self._end(counted, failed=failed(response))
                    return response

                return view(*arguments, **named)

            return cast("_View", limited)

        return decorate

    def _begin(self, counted: Iterable[tuple[str, str]]) -> int:
        """Note an attempt and return 0; where a limit is reached, note nothing and return the seconds to wait."""
        with self._lock:
            for limit, key in counted:
                window = self._failures.get_window_stats(parse(limit), key)
                if window.remaining <= 0:
                    return max(1, math.ceil(window.reset_time - time.time()))
                if window.remaining <= self._in_progress[limit, key]:
                    return 1
            self._in_progress.update(counted)
        return 0

    def _end(self, counted: Iterable[tuple[str, str]], *, failed: bool) -> None:
        with self._lock:
            self._in_progress.subtract(counted)
            # Without those at 0, lest made-up names fill the memory.
            self._in_progress = +self._in_progress
            if failed:
                for limit, key in counted:
                    self._failures.hit(parse(limit), key)


def typed_name() -> str:
    """Return the submitted name; "" for an invalid one."""
    name = request.form.get("name", "").strip()
    return "" if "\x00" in name else name


def address_and_name() -> str:
    """Whom an attempt to sign in counts against: the name and where it is tried from."""
    return f"{network()} {name_anywhere()}"


def name_anywhere() -> str:
    """Whom an attempt to sign in counts against: the name, tried from wherever."""
    return f"name {typed_name().casefold()[:200]}"


def address() -> str:
    """Return the address of the client."""
    return request.remote_addr or "unknown"


def network() -> str:
    """Return what limits count of the client's address: see `network_of`."""
    return signing_in.network_of(address())


def come_back(seconds: int) -> str:
    """Return the message after too many failed attempts."""
    minutes = max(1, round(seconds / 60))
    when = datetime.fromtimestamp(time.time() + seconds, UTC)
    return (
        f"Too many failed attempts. Try again in {minutes} minute{'' if minutes == 1 else 's'}, at "
        f"{when:%H:%M:%S} UTC."
    )
