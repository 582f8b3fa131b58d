"""The current annotations as annotations.jsonl."""

from __future__ import annotations

from annotator.gold.exports.job import ANNOTATOR, PHASE, Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime.plurals import counted

HELP = """Write the current annotations as annotations.jsonl, each with the caption that it was made on.

What the file has no place for is told on stderr, and so is work on captions and images replaced since.
"""


def write(job: Job) -> Outcome:
    """Write the file; report its annotations."""
    from annotator.gold.records import annotation_records
    from annotator.store.rows.records import Revisions
    from panelwise.files.jsonl import write_lines

    exported = job.exported("annotations.jsonl")
    found = annotation_records(
        job.home,
        job.store,
        exported,
        names=job.names,
        phase=job.options["phase"],
        annotator=job.options["annotator"],
        revisions=Revisions.ALL if job.options["revision"] == "all" else Revisions.PRESENT,
    )
    count = write_lines(job.out, job.watch(found, "exporting annotations"))
    return outcome_of(exported, f"wrote {counted(count, 'annotation')} to {job.out}")


EXPORT = Export(
    "annotations",
    "annotator export annotations --phase 1 --out annotations.jsonl",
    HELP,
    write,
    (
        PHASE,
        ANNOTATOR,
        Option(
            "--revision",
            "Only work on the figures' current captions and images, or also what was made on earlier ones.",
            Kind.CHOICE,
            choices=("current", "all"),
        ),
        Shared.NAMES,
    ),
)
