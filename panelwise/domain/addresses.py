"""Figure ids in the addresses of the adjudication view.

An id may contain any character, slashes and dots included, which servers, proxies and browsers treat differently.
So an id becomes one plain path segment: letters, digits, "_" and "-" stay, every other byte of its UTF-8 becomes
"~" and two hex digits: "a/b.c" is "a~2Fb~2Ec". No server on the way decodes or normalises that.
"""

from __future__ import annotations

import re

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_ESCAPE = re.compile(rb"~([0-9A-Fa-f]{2})")


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
