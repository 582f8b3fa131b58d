"""JSON as it goes to the screens: views write themselves."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from flask import Response, request

#: Where the HTTP API is; its version is part of every address.
API = "/api/v1"
#: The media type of a problem.
PROBLEM = "application/problem+json"


class Problem(msgspec.Struct, frozen=True):
    """An error, as RFC 9457 has it. detail: what is wrong, where, and what to do, in one line."""

    title: str
    status: int
    detail: str


def answer(body: object, code: int = 200) -> Response:
    """A JSON response of what msgspec writes."""
    return Response(msgspec.json.encode(body), code, mimetype="application/json")


def refuse(line: str, code: int) -> Response:
    """An error in one line: a problem as RFC 9457 has it from the HTTP API, else `{"error": line}`."""
    if not request.path.startswith(f"{API}/"):
        return answer({"error": line}, code)
    problem = Problem(HTTPStatus(code).phrase, code, line)
    return Response(msgspec.json.encode(problem), code, mimetype=PROBLEM)


def error_message(error: Exception, whole: str = "the decision") -> str:
    """A decoding error in one line that begins with the field, such as `subfigures[0].box: expected ...`.

    whole: what was decoded, named where the error is in no field of it.
    """
    text = " ".join(str(error).split())
    what, _, where = text.partition(" - at `$")
    what = what.replace("`", "")
    field = where.rstrip("`").lstrip(".")
    return f"{field}: {what[:1].lower()}{what[1:]}" if field else f"{whole}: {what}"
