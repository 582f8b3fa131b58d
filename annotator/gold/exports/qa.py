"""Export gold question-answer pairs."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Outcome, Shared
from panelwise.runtime import counted

HELP = """Write the gold question-answer pairs, a line each, with verdict, original and provenance.

Field names are SciVQA's. `annotator import figures FILE --qa QA` reads the file.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of pairs."""
    from annotator.gold.items import ItemsExported, qa_records
    from panelwise.files import write_lines

    exported = ItemsExported()
    found = qa_records(job.home, job.store, exported, job.names, job.include)
    count = write_lines(job.out, job.watch(found, "exporting pairs"))
    pairs = f"{counted(count, 'pair')} on {counted(exported.figures, 'figure')}"
    line = f"wrote {pairs} to {job.out} ({exported.parts()})"
    return Outcome([line], exported.warnings("pair", count), gold=exported.tally, single=False)


EXPORT = Export(
    "qa", "qa.jsonl", "annotator export qa --out qa.jsonl", HELP, write, (Shared.INCLUDE, Shared.NAMES)
)
