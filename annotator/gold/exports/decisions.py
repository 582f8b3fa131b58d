"""Export the history of decisions."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared, outcome_of
from panelwise.runtime import counted

HELP = """Write every decision and reopening: reviewer, date, duration, adopted annotations; oldest first."""


def write(job: Job) -> Outcome:
    """Write the file and report the number of entries."""
    from annotator.gold.records import decision_records
    from panelwise.files import write_lines

    exported = job.exported("decisions.jsonl")
    found = decision_records(job.home, job.store, exported, names=job.names)
    count = write_lines(job.out, job.watch(found, "exporting decisions"))
    return outcome_of(exported, f"wrote {counted(count, 'entry', 'entries')} to {job.out}")


EXPORT = Export(
    "decisions",
    "annotator export decisions --out decisions.jsonl",
    HELP,
    write,
    (Shared.NAMES,),
)
