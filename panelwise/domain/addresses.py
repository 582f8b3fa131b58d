"""Addresses: figure ids in those of the adjudication view, and secrets in those that came with figures.

An id may contain any character, slashes and dots included, which servers, proxies and browsers treat differently.
So an id becomes one plain path segment: letters, digits, "_" and "-" stay, every other byte of its UTF-8 becomes
"~" and two hex digits: "a/b.c" is "a~2Fb~2Ec". No server on the way decodes or normalises that.

An address in a record may carry a login, or be signed for its author only. The store keeps it as given, for
fetching; what people or files get is passed through `without_secrets` or `shareable`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote, unquote

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_ESCAPE = re.compile(rb"~([0-9A-Fa-f]{2})")

#: What stands in the place of a key that is a part of a path.
REMOVED = "removed"

T = TypeVar("T")

#: A run of characters that may be an address, alone or within a text.
_WORD = re.compile(r"""[^\s<>"]+""")
#: Where a host's name begins: after a scheme, whose slashes a path as text may have lost, or at the beginning.
_HOST = r"(?:(?<=[A-Za-z0-9+.-]{2}:)/{1,3}|^\W*//)"
#: A login that isn't masked yet. A password may have any character; a port is none. Bounds keep the search linear.
_LOGIN = re.compile(
    rf"({_HOST})(?![^/?#:@]*:\*\*\*@)"
    r"(?:[^/?#:@\[\]]{1,500}:(?!\d{0,5}(?:[/?#]|$))\S{0,4000}@|[^/?#]{0,4000}@)"
)
_SEPARATOR = re.compile(r"(&amp;|[?&;#])")
#: Names of parameters without capitals and punctuation: parts of one, a whole one, beginnings.
_SECRET_NAME = re.compile(
    r".*(?:secret|passw|passphrase|signature|credential|authkey|api(?:key|id)|accesskey|accessid|privatekey|"
    r"subscriptionkey|sharedkey|sessionid|authorization|bearer|jwt).*"
    r"|.*token|sig|sign|hmac|auth|sid|pwd|pass|pw|policy|keypairid|ticket|hdnea|hdnts|qak"
    r"|(?:xamz|xgoog|xoss|xcos|xobs|qsign|qkey|qheader|qurl).*"
)
#: Names that are those of keys as often as not: their values decide.
_DOUBTFUL_NAME = re.compile(r"key|code|access|k|s|t|h|hash")
_KEY_LIKE = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=%~-]{20,}|[0-9a-f]{32,}", re.ASCII)
#: Keys recognised by their form, wherever they stand in an address.
_KEY = re.compile(
    r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}|\bgh[opsu]_\w{30,}"
    r"|\bgithub_pat_\w{30,}|\bglpat-[\w-]{20,}|\bhf_[A-Za-z0-9]{30,}|\bsk-[\w-]{20,}|\bxox[abeprs]-[\w-]{10,}",
    re.ASCII,
)
#: A key that a part of the path before it announces.
_KEY_IN_PATH = re.compile(
    r"(/(?:access|auth|id|api|session)?[_-]?(?:token|bearer|signature|sig|apikey|api_key|api-key|jwt)[/=:])[^/?#&;]{6,}",
    re.IGNORECASE,
)


def figure_segment(figure_id: str) -> str:
    """Return the path segment of a figure id."""
    return "".join(chr(byte) if byte in _PLAIN else f"~{byte:02X}" for byte in figure_id.encode())


def figure_id_of(segment: str) -> str:
    """Return the figure id of a path segment. Raises ValueError for an invalid segment.

    Characters that could have been escaped may be plain, so that a typed address works.
    """
    raw = segment.encode()
    if raw.count(b"~") != len(_ESCAPE.findall(raw)):
        raise ValueError(f'"{segment}" has a "~" without two hex digits')
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), raw).decode()


def without_secrets(text: str) -> str:
    """Return the text with the logins, keys and signatures of all its addresses removed; the rest is unchanged."""
    if not _may_be_address(text):
        return text
    return _WORD.sub(lambda word: _address_without_secrets(word[0]), text)


def has_secrets(text: str) -> bool:
    """Return True if an address in the text carries a login, a key or a signature."""
    return without_secrets(text) != text


def shareable(value: T) -> T:
    """Return a JSON value with all its texts, keys included, passed through `without_secrets`."""
    return cast(T, _shareable(value))


def _may_be_address(text: str) -> bool:
    """Return False for most texts at once. Equations in a text are no parameters: those follow a question mark."""
    return "//" in text or ":/" in text or ("?" in text and "=" in text)


def _shareable(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {_shareable(key): _shareable(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_shareable(held) for held in value])
    return value


def _address_without_secrets(word: str) -> str:
    if not _may_be_address(word):
        return word
    word = _LOGIN.sub(r"\1", word)
    place, *parameters = _SEPARATOR.split(word)
    if "/" in place:
        place = _KEY.sub(REMOVED, _KEY_IN_PATH.sub(rf"\1{REMOVED}", place))
    parts, removed = [place], False
    for mark, parameter in zip(parameters[::2], parameters[1::2], strict=True):
        cleaned = _parameter_without_secrets(parameter)
        if cleaned is None:
            # The one after it takes the place of the first in a query.
            removed = removed or mark in "?#"
            continue
        parts += ["?" if removed and mark in ("&", "&amp;") and "?" not in parts else mark, cleaned]
        removed = False
    return "".join(parts)


def _parameter_without_secrets(parameter: str) -> str | None:
    """Return a parameter or another piece of an address without secrets; None if it is one as a whole."""
    name, equals, value = parameter.partition("=")
    if not equals:
        return _KEY.sub(REMOVED, parameter)
    plain = re.sub(r"[\W_]", "", unquote(name)).lower()
    inner = unquote(value)
    if value and (
        _SECRET_NAME.fullmatch(plain)
        or _KEY.search(inner)
        or (_DOUBTFUL_NAME.fullmatch(plain) and _KEY_LIKE.fullmatch(inner))
    ):
        return None
    cleaned = without_secrets(inner)
    return parameter if cleaned == inner else f"{name}={quote(cleaned, safe='')}"
