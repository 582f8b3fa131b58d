"""The placeholder for a page whose numbers are still being computed."""

from __future__ import annotations

from flask import make_response, render_template
from werkzeug.wrappers import Response

#: Seconds after which the page loads itself again.
AGAIN = 3


def still_measuring(what: str) -> Response:
    """A page that says so and loads itself again."""
    response = make_response(render_template("measuring.html", what=what), 202)
    response.headers["Refresh"] = str(AGAIN)
    return response
