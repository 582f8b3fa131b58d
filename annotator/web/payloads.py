"""JSON as it goes to the screens: views write themselves."""

from __future__ import annotations

import msgspec
from flask import Response


def answer(body: object, code: int = 200) -> Response:
    """A JSON response of what msgspec writes."""
    return Response(msgspec.json.encode(body), code, mimetype="application/json")


def error_message(error: Exception) -> str:
    """A decoding error in one line that begins with the field, such as `subfigures[0].box: expected ...`."""
    text = " ".join(str(error).split())
    what, _, where = text.partition(" - at `$")
    what = what.replace("`", "")
    field = where.rstrip("`").lstrip(".")
    return f"{field}: {what[:1].lower()}{what[1:]}" if field else f"the decision: {what}"
