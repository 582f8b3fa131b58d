"""Export figures that reviewers flagged for the guidelines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Anonymizer, Names
from annotator.gold.exports.job import Export, Job, Outcome, Shared
from annotator.store.store import Store
from panelwise.formats.annotations import time_text
from panelwise.runtime.plurals import counted

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


HELP = """\
Write the figures flagged for the guidelines: figure, question, kind of error, note, reviewer, caption.

Writes a table if the file ends in .csv, else JSON lines. The last decision on a figure counts, even if the
figure was reopened.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of flagged figures."""
    from annotator.gold.exports.flags import COLUMNS, flag_records
    from panelwise.files.csv_safe import csv_text
    from panelwise.files.jsonl import write_lines
    from panelwise.runtime.atomic_write import whole_file

    told: list[str] = []
    found = list(flag_records(job.home, job.store, told, names=job.names))
    if job.out.suffix.lower() == ".csv":
        with whole_file(job.out) as file:
            file.write(csv_text(COLUMNS, found).encode())
    else:
        write_lines(job.out, found)
    notes = [f"note: {line}" for line in told]
    return Outcome([f"wrote {counted(len(found), 'flagged figure')} to {job.out}"], notes)


EXPORT = Export(
    "flags",
    "annotator export flags --out flags.csv",
    HELP,
    write,
    (Shared.NAMES,),
)
