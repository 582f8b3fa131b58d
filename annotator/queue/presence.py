"""Skipping a figure for now, and showing that another reviewer has it open. Neither changes a decision."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from annotator.store.rows.records import Lease
from annotator.store.store import BRIEFLY, Store, Transaction
from panelwise.domain import StoreBusy

#: How long a figure counts as looked at after its screen last said so.
LEASE = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class Aside:
    """Other reviewers on a figure, and what is new there. lookers: other reviewers who have it open.

    unread: comments on it that the reviewer has not read.
    """

    lookers: tuple[Lease, ...]
    skipped: bool
    unread: int


def aside(tx: Transaction, figure_id: str, reviewer: str, *, now: datetime | None = None) -> Aside:
    """Return who else has the figure open, whether the reviewer skipped it, and its new comments."""
    others, skipped, unread = tx.presence.on(figure_id, reviewer, now=now or datetime.now(UTC))
    return Aside(tuple(others), skipped, unread)


def look_at(store: Store, figure_id: str, reviewer: str, *, now: datetime | None = None) -> tuple[Lease, ...]:
    """Keep that the reviewer looks at the figure for minutes; returns who else does. Raises UnknownFigure."""
    now = now or datetime.now(UTC)
    with store.transaction() as tx:
        tx.figures.existing(figure_id)
        tx.presence.put_lease(figure_id, reviewer, now + LEASE)
        return _others(tx, figure_id, reviewer, now)


def begin_to_look(store: Store, figure_id: str, reviewer: str) -> None:
    """As `look_at`, where who else does is known. Without effect while another process writes: a figure can be
    read then too, and its screen soon calls `look_at`.
    """
    with suppress(StoreBusy), store.transaction(wait=BRIEFLY) as tx:
        tx.presence.put_lease(figure_id, reviewer, datetime.now(UTC) + LEASE)


def look_away(store: Store, figure_id: str, reviewer: str) -> None:
    """Keep that the reviewer does not look at the figure any more; they may be on another one already."""
    with store.transaction() as tx:
        tx.presence.end_leases(reviewer, figure_id=figure_id)


def skip(store: Store, figure_id: str, reviewer: str, *, now: datetime | None = None) -> None:
    """Skip the figure: it comes last for this reviewer, and stays open. Raises UnknownFigure."""
    store.existing_figure(figure_id)
    with store.transaction() as tx:
        tx.presence.put_skip(figure_id, reviewer, now or datetime.now(UTC))
        tx.presence.end_leases(reviewer)


def bring_back(store: Store, reviewer: str) -> int:
    """Take back all that the reviewer skipped; returns how many figures that were."""
    with store.transaction() as tx:
        return tx.presence.end_skips(reviewer=reviewer)


def clear_presence(tx: Transaction, figure_id: str, reviewer: str) -> None:
    """End everybody's skips of the figure and the reviewer's leases, because a decision is being saved."""
    tx.presence.end_skips(figure_id=figure_id)
    tx.presence.end_leases(reviewer)


def _others(tx: Transaction, figure_id: str, reviewer: str, now: datetime) -> tuple[Lease, ...]:
    return tuple(lease for lease in tx.presence.leases([figure_id], now=now) if lease.reviewer != reviewer)
