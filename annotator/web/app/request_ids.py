"""A number for each request, the proxy's or made here: it is in the answer, in the log and on error pages."""

from __future__ import annotations

import re
import secrets

from flask import Flask, Response, g, request

HEADER = "X-Request-Id"

#: What is taken over from outside: nothing that could forge a line of a log.
_GIVEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


def set_up(app: Flask) -> None:
    """Tell every request's number in its answer."""
    app.after_request(_tell)


def request_id() -> str:
    """The number of the request at work."""
    if "request_id" not in g:
        given = request.headers.get(HEADER, "")
        g.request_id = given if _GIVEN.fullmatch(given) else secrets.token_hex(16)
    return str(g.request_id)


def _tell(response: Response) -> Response:
    response.headers[HEADER] = request_id()
    return response
