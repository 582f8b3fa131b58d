"""Figure ids in routes, and addresses that a page may send someone to."""

from __future__ import annotations

from urllib.parse import urlsplit

from werkzeug.routing import BaseConverter, ValidationError

from panelwise.domain import figure_id_of, figure_segment


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
