"""What part of the queue an address speaks of: a slice, `?gold=NAME&predicted=NAME&phase=P`, or a filter.

Both go along to the screens of figures, so that what comes after a figure is of the same part.
"""

from __future__ import annotations

from typing import Any

from flask import request, url_for

from annotator.dashboards.live_agreement import UnknownPhase
from annotator.dashboards.pair_queue import Slice, UnknownSlice, chosen_slice, next_in_slice
from annotator.queue import filter as queue_filter
from annotator.queue.filter import QueueFilter, UnknownFilter
from annotator.queue.pages import after_decision
from annotator.web.app import context, sessions

#: Seconds that opening or saving a figure waits for what comes after it.
_PATIENCE = 1.0


def asked() -> bool:
    """Whether the address speaks of a pair."""
    return "gold" in request.args or "predicted" in request.args


def given() -> dict[str, Any]:
    """The slice's or filter's part of the address as it was given; empty where there is none."""
    if asked():
        return {name: request.args[name] for name in ("gold", "predicted", "phase") if name in request.args}
    return dict(queue_filter.given(request.args.to_dict(flat=False)))


def chosen() -> Slice | None:
    """The slice that the address asks for, None while it is being measured. Raises UnknownSlice, UnknownPhase."""
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    return chosen_slice(context.agreement(), sessions.at_work(), *arguments)


def filtered() -> QueueFilter:
    """The filter that the address asks for. Raises UnknownFilter."""
    with context.store().read() as tx:
        return queue_filter.chosen_filter(tx, context.home(), sessions.at_work(), request.args.to_dict(flat=False))


def next_address(figure_id: str) -> str | None:
    """The address of the figure to settle after this one: the slice's or filter's where there is one.

    None leads back to the queue, or to that part of it.
    """
    after = following(figure_id)
    return None if after is None else url_for("figure.show", figure_id=after, **given())


def following(figure_id: str) -> str | None:
    """The figure to settle next in the slice, or behind the filter; None where there is none.

    Also None where nobody can tell now: a name that does not hold any more must not keep anybody from saving, and
    the page of the slice tells it.
    """
    if not asked():
        try:
            wanted = filtered()
        except UnknownFilter:
            return None
        return after_decision(context.store(), figure_id, reviewer=sessions.reviewer(), wanted=wanted)[0]
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    try:
        found = chosen_slice(context.agreement(), sessions.at_work(), *arguments, patience=_PATIENCE)
    except (UnknownSlice, UnknownPhase):
        return None
    if found is None:
        return None
    return next_in_slice(context.store(), found.figures, figure_id, sessions.reviewer())
