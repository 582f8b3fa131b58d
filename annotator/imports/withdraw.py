"""Take figures out of the campaign, for their licence or as duplicates, say; and back.

Nothing is deleted: work on a withdrawn figure is left out of queue, tasks, agreement, gold, exports and releases
until the figure is restored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.store import Store
from panelwise.domain import Campaign, InvalidAnnotation
from panelwise.runtime import counted

#: Characters of a reason at most.
LONGEST_REASON = 2_000


def withdraw_figures(
    store: Store, figure_ids: Sequence[str], person: str, reason: str, *, now: datetime | None = None
) -> None:
    """Withdraw all of the figures, or none. person: who says so.

    Raises InvalidAnnotation without a reason, and for a figure that is withdrawn already; StoreError for an
    unknown figure.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise InvalidAnnotation(
            f"give a reason of 1 to {LONGEST_REASON:,} characters, such as: a duplicate of f12"
        )
    wanted = list(dict.fromkeys(figure_ids))
    with store.transaction() as tx:
        _refuse(tx.withdrawals.standing(wanted), "withdrawn already")
        tx.withdrawals.add(wanted, person, reason, now or datetime.now(UTC))
        tx.tasks.note_change()


def restore_figures(
    store: Store, campaign: Campaign, figure_ids: Sequence[str], person: str, *, now: datetime | None = None
) -> None:
    """Take withdrawn figures back into the campaign, with all work on them; all or none.

    Raises InvalidAnnotation for a figure that is not withdrawn.
    """
    wanted = list(dict.fromkeys(figure_ids))
    with store.transaction() as tx:
        standing = tx.withdrawals.standing(wanted)
        _refuse([name for name in wanted if name not in standing], "not withdrawn")
        tx.withdrawals.end([standing[name].id for name in wanted], person, now or datetime.now(UTC))
        tx.tasks.note_change()
        leave_to_score(tx, wanted)
    score_disagreement(store, campaign, wanted)


def _refuse(names: Collection[str], why: str) -> None:
    if names:
        some = ", ".join(sorted(names)[:5])
        raise InvalidAnnotation(f"{counted(len(names), 'figure')} {why}: {some}")
