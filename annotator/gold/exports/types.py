"""Export gold figure types."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared
from panelwise.runtime import counted

HELP = """Write the gold figure types, a line per figure: compound or not, number of subfigures, types."""


def write(job: Job) -> Outcome:
    """Write the file and report the number of figure types."""
    from annotator.gold.items import ItemsExported, type_records
    from panelwise.files import write_lines

    exported = ItemsExported()
    found = type_records(job.home, job.store, exported, job.names, job.include)
    count = write_lines(job.out, job.watch(found, "exporting figure types"))
    line = f"wrote {counted(count, 'figure type')} to {job.out} ({exported.parts()})"
    return Outcome([line], exported.warnings("figure type", count), gold=exported.tally, single=False)


EXPORT = Export(
    "types", "types.jsonl", "annotator export types --out types.jsonl", HELP, write, (Shared.INCLUDE, Shared.NAMES)
)
