"""The blindfold: the one place where requests of blind annotators are refused.

The table in `access` says which routes show work; a route that it does not name is closed. The address names a
figure, or a form that adjudicates several does; `?gold=..&predicted=..` asks for a slice of the agreement matrix,
which is measured on all figures, on any page.
"""

from __future__ import annotations

from flask import Flask, g, request

from annotator.campaign.visibility import Blindfolded, hidden_from, hidden_work, hides_nothing
from annotator.store.rows.records import Hidden
from annotator.web.app import context, queue_part, sessions
from annotator.web.app.access import Blindfold, access


def set_up(app: Flask) -> None:
    """Ask of every request; to be called after the guard of the sessions was set up."""
    app.before_request(_guard)
    app.context_processor(_about_blindness)


def hidden() -> Hidden | None:
    """Return what is hidden from the signed-in person; None if nothing is."""
    return hidden_from(context.snapshot(), context.home(), sessions.at_work().name)


def hidden_figures() -> set[str]:
    """Return the figures that are hidden from the signed-in person."""
    found = hidden()
    return set() if found is None else context.snapshot().blind.hidden_figures(found)


def _guard() -> None:
    """Raises Blindfolded if the request would show work that is hidden from the signed-in person."""
    home = context.home()
    if request.endpoint is None or hides_nothing(home):
        return
    rule = access(request.endpoint).blindfold
    someone = None if rule is Blindfold.OPEN else sessions.person()
    if someone is None:
        return
    closed = rule is Blindfold.CLOSED or queue_part.is_requested()
    if rule is Blindfold.LEAVES_OUT and not closed:
        return
    asked = None if closed else _requested_figures()
    tx = context.snapshot()
    if tx.blind.hides(hidden_work(tx, home, someone.name), asked):
        raise Blindfolded(closed=closed, uncertain=home.uncertain)


def _requested_figures() -> list[str]:
    """The ids of the figures that the address or the form names."""
    named = [value for value in (request.view_args or {}).values() if isinstance(value, str)]
    return [*named, *(entry.partition(" ")[2] for entry in request.form.getlist("figure"))]


def _about_blindness() -> dict[str, object]:
    """Return whether a page's header leads to the blind tasks. Does not query a store that has just failed."""
    someone = None if g.get("failing") else sessions.person()
    return {"annotates_blind": sessions.is_assigned(someone, blind=True)}
