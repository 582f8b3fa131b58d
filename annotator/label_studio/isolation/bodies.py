"""Read the body of an annotator's call: one JSON object in UTF-8, or nothing. Any other body is refused.

Label Studio also reads forms and other encodings, and would see fields there that the rules had not. Imports the
standard library only: it runs inside Label Studio's environment and in our tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

#: Methods that change nothing, and whose body Label Studio reads all the same.
SAFE_METHODS = frozenset({"GET", "HEAD"})
#: Headers by which some frameworks take another method than the request's.
_OTHER_METHODS = ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")
_UTF_8 = frozenset({"utf-8", "utf8"})


class BadBody(ValueError):
    """A call whose content can't be trusted. The message says in one line what to send instead."""


def fields_of(
    method: str, headers: Mapping[str, str], content_type: str, parameters: Mapping[str, str], body: bytes
) -> dict[str, Any]:
    """Return the fields of a call's body; {} for an empty one. Raises BadBody.

    headers: looked up in any case. content_type, parameters: of the Content-Type, as Label Studio's framework
    parsed it.
    """
    for name in _OTHER_METHODS:
        if name in headers:
            raise BadBody(f"send the method itself, without the header {name}")
    if "Transfer-Encoding" in headers:
        raise BadBody("send the body in one piece, with its Content-Length")
    if headers.get("Content-Encoding", "").strip().lower() not in ("", "identity"):
        raise BadBody("send the body uncompressed, without Content-Encoding")
    if not body:
        return {}
    if method in SAFE_METHODS:
        raise BadBody(f"send {method} without a body")
    plain = all(key == "charset" and value.lower() in _UTF_8 for key, value in parameters.items())
    if content_type != "application/json" or not plain:
        raise BadBody("send the body as application/json in UTF-8")
    try:
        found = json.loads(body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse)
    except BadBody:
        raise
    except (ValueError, RecursionError):
        raise BadBody("send a valid JSON object in UTF-8, not too deeply nested") from None
    if not isinstance(found, dict):
        raise BadBody("send a JSON object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; readers differ in which of two equal keys they believe."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadBody("send each key of a JSON object once")
    return found


def _refuse(constant: str) -> NoReturn:
    raise BadBody(f"send JSON without {constant}")
