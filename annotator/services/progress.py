"""How far a campaign has come."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotator.store.store import Store


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One annotator's tasks in one phase."""

    phase: str
    annotator: str
    done: int
    open: int


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """figures: in the store. settled: with a reviewer's decision. rows: by phase, then annotator."""

    figures: int
    settled: int
    rows: tuple[ProgressRow, ...]

    def as_record(self, campaign: str) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "campaign": campaign,
            "figures": self.figures,
            "settled": self.settled,
            "annotators": [asdict(row) for row in self.rows],
        }


def campaign_progress(store: Store) -> CampaignProgress:
    """Count tasks against submitted annotations; work without a task (imported) counts as done."""
    with store.read() as tx:
        done = {(each.phase, each.annotator, each.figure.id) for each in tx.annotations()}
        open_tasks = {(task.phase, task.annotator, task.figure) for task in tx.tasks()} - done
        figures, settled = tx.count_figures(), tx.queue_counts().decided
    finished = Counter((phase, annotator) for phase, annotator, _ in done)
    waiting = Counter((phase, annotator) for phase, annotator, _ in open_tasks)
    rows = tuple(
        ProgressRow(phase, annotator, finished[phase, annotator], waiting[phase, annotator])
        for phase, annotator in sorted({*finished, *waiting})
    )
    return CampaignProgress(figures, settled, rows)
