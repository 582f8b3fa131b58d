"""Figures that reviewers flagged for the guidelines, with questions for their next version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Anonymizer, Names
from annotator.store.store import Store
from panelwise.formats import time_text

#: Columns of the flags as CSV, which are the keys of their records.
COLUMNS = (
    *("figure_id", "revision", "guideline_flag", "error_kind", "note", "status"),
    *("reviewer", "decided_at", "version", "caption"),
)


def flag_records(
    home: Home, store: Store, warnings: list[str], *, names: Names = Names.REAL
) -> Iterator[dict[str, Any]]:
    """Yield the last decision with a flag on each figure, reopened ones too, as records with the keys `COLUMNS`.

    warnings: receives warnings on free text in them.
    """
    with store.read() as tx:
        people = Anonymizer(home, tx, names)
        for each in map(people.decision, tx.decisions.flagged()):
            yield {
                "figure_id": each.figure.id,
                "revision": each.figure.revision,
                "guideline_flag": each.guideline_flag,
                "error_kind": each.error_kind,
                "note": each.note,
                "status": each.status,
                "reviewer": each.reviewer,
                "decided_at": time_text(each.decided_at),
                "version": each.version,
                "caption": each.figure.caption.text,
            }
    warnings += people.warnings()
