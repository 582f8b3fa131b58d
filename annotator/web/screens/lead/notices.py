"""Handle a lead's form: read its numbers, run its action, and show the result on a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import flash, redirect, url_for
from werkzeug.wrappers import Response

from panelwise.domain import AnnotatorError, InvalidAnnotation


def announced(page: str) -> Callable[[Callable[..., str]], Callable[..., Response]]:
    """Make a view of a function that changes something: its sentence, or its error, is shown on the page."""

    def decorate(change: Callable[..., str]) -> Callable[..., Response]:
        @wraps(change)
        def view(**values: Any) -> Response:
            try:
                flash(change(**values), "done")
            except AnnotatorError as error:
                flash(f"{error}.", "error")
            return redirect(url_for(page))

        return view

    return decorate


def whole_number(form: Mapping[str, str], field: str) -> int:
    """Return the number in a field of a form. Raises InvalidAnnotation for other text, and for none."""
    text = form.get(field, "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise InvalidAnnotation(f'{field} is "{text[:20]}"; give a whole number')
    return int(text)
