"""Every decision that was ever made."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared, outcome_of
from panelwise.runtime.plurals import counted

HELP = """Write every decision that was ever made, and every reopening: who, when, how long, from whose work.

One line each, by figure, the oldest first; the last one holds. Gold, with what annotators settled among
themselves, is written by `annotator export gold`.
"""


def write(job: Job) -> Outcome:
    """Write the file; report its entries."""
    from annotator.gold.records import decision_records
    from panelwise.files.jsonl import write_lines

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
