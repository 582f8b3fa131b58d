"""A request as the app takes it in."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from flask import Request
from werkzeug.exceptions import BadRequest

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
        """Refuse files before a byte of them is kept: no form here has any."""
        raise BadRequest
