"""How far a campaign has come."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from annotator.services.revisions import key_of
from annotator.store.records import Revisions

if TYPE_CHECKING:
    from annotator.store.store import Store


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One annotator's tasks in one phase. redo: done on a caption or image that has been replaced since."""

    phase: str
    annotator: str
    done: int
    open: int
    redo: int = 0


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """figures: in the store. settled: with a reviewer's decision. rows: by phase, then annotator.

    revised: figures, by id, with work that stands on an earlier revision only; left_behind: such annotations;
    unsettled: figures with a decision on an earlier revision only.
    """

    figures: int
    settled: int
    rows: tuple[ProgressRow, ...]
    revised: tuple[str, ...] = ()
    left_behind: int = 0
    unsettled: int = 0

    def as_record(self, campaign: str) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "campaign": campaign,
            "figures": self.figures,
            "settled": self.settled,
            "annotators": [asdict(row) for row in self.rows],
            "revised": {
                "figures": list(self.revised),
                "annotations": self.left_behind,
                "decisions": self.unsettled,
            },
        }


def campaign_progress(store: Store) -> CampaignProgress:
    """Count tasks against submitted annotations; work without a task (imported) counts as done.

    What was done before a figure's caption or image was replaced is to be redone: it counts neither as done nor as
    open.
    """
    with store.read() as tx:
        done = {key_of(each) for each in tx.annotations()}
        redo = {key_of(each) for each in tx.annotations(revisions=Revisions.OTHER)} - done
        open_tasks = {(task.figure, task.annotator, task.phase) for task in tx.tasks()} - done - redo
        figures, settled = tx.count_figures(), tx.count_decided()
        unsettled = tx.count_decided(revisions=Revisions.ALL) - settled
    finished, again, waiting = (
        Counter((phase, annotator) for _, annotator, phase in keys) for keys in (done, redo, open_tasks)
    )
    rows = tuple(
        ProgressRow(*key, done=finished[key], open=waiting[key], redo=again[key])
        for key in sorted({*finished, *again, *waiting})
    )
    revised = tuple(sorted({figure for figure, _, _ in redo}))
    return CampaignProgress(figures, settled, rows, revised, len(redo), unsettled)
