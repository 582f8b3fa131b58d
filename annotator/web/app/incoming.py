"""A request as the app takes it in."""

from __future__ import annotations

import re
from typing import Any, NoReturn, Protocol, TypeVar

import msgspec
from flask import Request, abort, request
from werkzeug.exceptions import BadRequest

from annotator.web import payloads

_Draft = TypeVar("_Draft")
_Decoded = TypeVar("_Decoded", covariant=True)


class JsonDecoder(Protocol[_Decoded]):
    """Decodes JSON, as msgspec does."""

    def decode(self, data: bytes, /) -> _Decoded:
        """Return the value. Raises msgspec.DecodeError."""


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


def read_draft(decoder: JsonDecoder[_Draft]) -> _Draft:
    """The draft that the request holds as JSON. Answers 415, 400 or 422 where it holds none."""
    if request.mimetype != "application/json":
        abort(415)
    try:
        return decoder.decode(request.get_data(cache=False))
    except UnicodeDecodeError:
        abort(payloads.refuse("the request is not UTF-8; reload the page and save again", 400))
    except msgspec.DecodeError as error:
        abort(payloads.refuse(payloads.error_message(error), 422))
