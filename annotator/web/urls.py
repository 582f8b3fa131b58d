"""Figure ids in addresses, and addresses that a page may send someone to.

An id may hold anything, slashes and dots included, which servers, proxies and browsers all treat in their own way.
So an id is written as one plain path segment: letters, digits, "_" and "-" stay, and every other byte of its UTF-8
becomes "~" and two hex digits: "a/b.c" is "a~2Fb~2Ec". Nothing on the way decodes or tidies that.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from werkzeug.routing import BaseConverter, ValidationError

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_ESCAPE = re.compile(rb"~([0-9A-Fa-f]{2})")


def figure_segment(figure_id: str) -> str:
    """The path segment that stands for a figure id."""
    return "".join(chr(byte) if byte in _PLAIN else f"~{byte:02X}" for byte in figure_id.encode())


def figure_id_of(segment: str) -> str:
    """The figure id that a path segment stands for. Raises ValueError where it stands for none.

    Characters that could have been escaped may stand as they are, so that a typed address works.
    """
    raw = segment.encode()
    if raw.count(b"~") != len(_ESCAPE.findall(raw)):
        raise ValueError(f'"{segment}" has a "~" without two hex digits')
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), raw).decode()


class FigureConverter(BaseConverter):
    """`<figure:figure_id>` in a route."""

    def to_python(self, value: str) -> str:
        """The figure id; no match where the segment stands for none."""
        try:
            figure_id = figure_id_of(value)
            if "\x00" in figure_id:
                raise ValueError(f'"{value}" stands for no id')
            return figure_id
        except ValueError as error:
            raise ValidationError from error

    def to_url(self, value: str) -> str:
        """The figure id as a path segment."""
        return figure_segment(value)


def safe_next(target: str | None, fallback: str) -> str:
    """`target` if it is a path on this server, else `fallback`: nobody is sent elsewhere after signing in."""
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
