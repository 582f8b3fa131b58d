"""Record which figures a person has seen others' work on: their own later work on these is not independent.

The table in `access` says which routes show the work on the figure that they name, or on all figures; a page that
lists figures with their work names them by `note`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from flask import Flask, current_app, g, request
from werkzeug.wrappers import Response

from annotator.web.app import context, sessions
from annotator.web.app.access import Work, access
from panelwise.domain import StoreError


def set_up(app: Flask) -> None:
    """Record what each successful answer has shown."""
    app.after_request(_record)


def note(figure_ids: Iterable[str]) -> None:
    """Note that the answer shows others' work on these figures, or how it compares."""
    g.setdefault("seen", set()).update(figure_ids)


def _record(response: Response) -> Response:
    work = access(request.endpoint or "").work
    if work is Work.OF_FIGURE:
        note(value for value in (request.view_args or {}).values() if isinstance(value, str))
    shown: set[str] = g.get("seen", set())
    if response.status_code < 300 and (shown or work is Work.OF_ALL):
        person = sessions.at_work().name
        try:
            _store(person, shown, everything=work is Work.OF_ALL)
        except StoreError as error:
            # The page is shown while the store can only be read.
            current_app.logger.warning("not recorded that %s has seen others' work: %s", person, error)
    return response


def _store(person: str, shown: set[str], *, everything: bool) -> None:
    now, snapshot = datetime.now(UTC), context.snapshot()
    unseen = snapshot.seen.unseen(person, shown)
    rest = everything and snapshot.seen.any_unseen(person)
    if unseen or rest:
        with context.store().transaction() as tx:
            tx.seen.add(person, unseen, now)
            if rest:
                tx.seen.add_all(person, now)
