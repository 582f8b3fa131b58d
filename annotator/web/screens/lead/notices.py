"""Handle a lead's form: run its action, and show the result on a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import flash, redirect, url_for
from werkzeug.wrappers import Response

from panelwise.domain.errors import AnnotatorError


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
