"""A request as the app takes it in: its number, its query, the figure ids and drafts in it."""

from __future__ import annotations

import re
import secrets
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Request, Response, abort, g, request
from werkzeug.exceptions import BadRequest
from werkzeug.routing import BaseConverter, ValidationError

from annotator.web import payloads
from panelwise.domain.addresses import figure_id_of, figure_segment

_Draft = TypeVar("_Draft")

_RAW = re.compile("[^!-~]")


class Incoming(Request):
    """A request whose query is of visible ASCII, as the standard has it.

    Some programs send bytes that should have been percent-encoded; Werkzeug takes them for UTF-8 and falls over
    where they are none, and over line ends where it redirects. Encoded they are text, or are left as they are.
    """

    def __init__(self, environ: dict[str, Any], *arguments: Any, **more: Any) -> None:
        query = environ.get("QUERY_STRING", "")
        if _RAW.search(query):
            environ["QUERY_STRING"] = _RAW.sub(lambda found: f"%{ord(found[0]):02X}", query)
        super().__init__(environ, *arguments, **more)

    def _get_file_stream(self, *_arguments: Any, **_more: Any) -> NoReturn:
        """Refuse files before a byte of them is stored: no form here has any."""
        raise BadRequest


def read_draft(decoder: msgspec.json.Decoder[_Draft]) -> _Draft:
    """The draft that the request holds as JSON. Answers 415, 400 or 422 where it holds none."""
    if request.mimetype != "application/json":
        abort(415)
    try:
        return decoder.decode(request.get_data(cache=False))
    except UnicodeDecodeError:
        abort(payloads.refuse("the request is not UTF-8; reload the page and save again", 400))
    except msgspec.DecodeError as error:
        abort(payloads.refuse(payloads.error_message(error), 422))


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


class FigureConverter(BaseConverter):
    """`<figure:figure_id>` in a route."""

    def to_python(self, value: str) -> str:
        """Return the figure id; no match if the segment encodes none."""
        try:
            figure_id = figure_id_of(value)
            if "\x00" in figure_id:
                raise ValueError(f'"{value}" is not an encoded id')
            return figure_id
        except ValueError as error:
            raise ValidationError from error

    def to_url(self, value: str) -> str:
        """The figure id as a path segment."""
        return figure_segment(value)


def safe_next(target: str | None, fallback: str) -> str:
    """Return `target` if it is a path on this server, else `fallback`: signing in never leads elsewhere."""
    if not target or not target.startswith("/") or target.startswith("//"):
        return fallback
    # Browsers read "\" as "/" and drop tabs and line ends.
    if "\\" in target or any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in target):
        return fallback
    try:
        parts = urlsplit(target)
    except ValueError:
        return fallback
    return fallback if parts.scheme or parts.netloc else target
