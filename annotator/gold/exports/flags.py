"""Export figures that reviewers flagged for the guidelines."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared
from panelwise.runtime import counted

HELP = """Write the figures whose last decision is flagged for the guidelines, as JSON lines, or a table (.csv)."""


def write(job: Job) -> Outcome:
    """Write the file and report the number of flagged figures."""
    from annotator.gold.flags import COLUMNS, flag_records
    from panelwise.files import csv_text, write_lines
    from panelwise.runtime import whole_file

    told: list[str] = []
    found = list(flag_records(job.home, job.store, told, names=job.names))
    if job.out.suffix.lower() == ".csv":
        with whole_file(job.out) as file:
            file.write(csv_text(COLUMNS, found).encode())
    else:
        write_lines(job.out, found)
    notes = [f"note: {line}" for line in told]
    return Outcome([f"wrote {counted(len(found), 'flagged figure')} to {job.out}"], notes)


EXPORT = Export("flags", "flags.csv", "annotator export flags --out flags.csv", HELP, write, (Shared.NAMES,))
