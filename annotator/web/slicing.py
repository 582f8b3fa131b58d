"""Slices of the queue in addresses: `?gold=NAME&predicted=NAME&phase=P`."""

from __future__ import annotations

from typing import Any

from flask import request

from annotator.services.live_agreement import UnknownPhase
from annotator.services.slices import Slice, UnknownSlice, chosen_slice, next_in_slice
from annotator.web import context, sessions

#: Seconds that opening or saving a figure waits for what comes after it.
_PATIENCE = 1.0


def asked() -> bool:
    """Whether the address speaks of a pair."""
    return "gold" in request.args or "predicted" in request.args


def given() -> dict[str, Any]:
    """The slice's part of the address as it was given; empty where there is none."""
    return (
        {name: request.args[name] for name in ("gold", "predicted", "phase") if name in request.args}
        if asked()
        else {}
    )


def chosen() -> Slice | None:
    """The slice that the address asks for, None while it is being measured. Raises UnknownSlice, UnknownPhase."""
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    return chosen_slice(context.agreement(), sessions.at_work(), *arguments)


def following(figure_id: str) -> str | None:
    """The figure to settle next in the slice; None where there is none, and where nobody can tell now.

    A name that does not hold any more must not keep anybody from saving: the page of the slice tells it.
    """
    arguments = (request.args.get(name) for name in ("gold", "predicted", "phase"))
    try:
        found = chosen_slice(context.agreement(), sessions.at_work(), *arguments, patience=_PATIENCE)
    except (UnknownSlice, UnknownPhase):
        return None
    return None if found is None else next_in_slice(context.store(), found.figures, figure_id)
