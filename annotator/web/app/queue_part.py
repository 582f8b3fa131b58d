"""The part of the queue in an address: a slice, `?gold=NAME&predicted=NAME&phase=P`, or a filter.

Both go along to the screens of figures, so that what comes after a figure is of the same part.
"""

from __future__ import annotations

from typing import Any

from flask import request, url_for

from annotator.dashboards.live_agreement import UnknownPhase
from annotator.dashboards.pair_queue import Slice, UnknownSlice, chosen_slice, next_in_slice
from annotator.queue import filter as queue_filter
from annotator.queue.filter import QueueFilter, UnknownFilter
from annotator.queue.pages import next_figure
from annotator.store.store import Transaction
from annotator.web.app import context, sessions

#: Seconds that opening or saving a figure waits for what comes after it.
_PATIENCE = 1.0


def is_requested() -> bool:
    """Return whether the address speaks of a pair."""
    return "gold" in request.args or "predicted" in request.args


def part_of_address() -> dict[str, Any]:
    """The slice's or filter's part of the address as it was given; empty if there is none."""
    if is_requested():
        return {name: request.args[name] for name in ("gold", "predicted", "phase") if name in request.args}
    return dict(queue_filter.filter_arguments(request.args.to_dict(flat=False)))


def chosen() -> Slice | None:
    """The slice that the address asks for, None while it is being measured. Raises UnknownSlice, UnknownPhase."""
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    return chosen_slice(context.agreement(), sessions.at_work(), *arguments)


def filtered() -> QueueFilter:
    """The filter that the address asks for. Raises UnknownFilter."""
    return _filtered(context.snapshot())


def _filtered(tx: Transaction) -> QueueFilter:
    arguments = request.args.to_dict(flat=False)
    return queue_filter.chosen_filter(tx, context.home(), sessions.at_work(), arguments)


def address(figure_id: str | None) -> str | None:
    """The address of the next figure to adjudicate; None leads back to the queue, or to that part of it."""
    return None if figure_id is None else url_for("figure.show", figure_id=figure_id, **part_of_address())


def following_behind_filter(tx: Transaction, figure_id: str) -> str | None:
    """The figure to adjudicate next behind the filter, as a transaction sees it; None as in `following`.

    Also None if the address speaks of a slice: that is measured, and never while others wait to write.
    """
    if is_requested():
        return None
    try:
        return next_figure(tx, figure_id, sessions.reviewer(), _filtered(tx))
    except UnknownFilter:
        return None


def following(figure_id: str) -> str | None:
    """The figure to adjudicate next in the slice, or behind the filter; None if there is none.

    Also None if it cannot be read now: a name that does not hold any more must not keep anybody from saving, and
    the page of the slice tells it.
    """
    if not is_requested():
        return following_behind_filter(context.snapshot(), figure_id)
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    try:
        found = chosen_slice(context.agreement(), sessions.at_work(), *arguments, patience=_PATIENCE)
    except (UnknownSlice, UnknownPhase):
        return None
    if found is None:
        return None
    return next_in_slice(context.store(), found.figures, figure_id, sessions.reviewer())
