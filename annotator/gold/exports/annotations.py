"""Export current annotations as annotations.jsonl."""

from __future__ import annotations

from annotator.gold.exports.job import ANNOTATOR, PHASE, Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime import counted

HELP = """Write the current annotations as annotations.jsonl, each with its caption.

As FILE.parquet, a Parquet table (panelwise[release]) of an eighth of the size, which the agreement commands read.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of annotations."""
    from annotator.gold.dataset.rows import annotation_row
    from annotator.gold.records import annotation_records
    from annotator.store.rows.records import Revisions
    from panelwise.files import WorkRow, write_lines, write_parquet
    from panelwise.formats import annotation_record

    table = job.out.suffix.lower() == ".parquet"
    exported = job.exported("annotations.jsonl")
    found = annotation_records(
        job.home,
        job.store,
        exported,
        names=job.names,
        phase=job.options["phase"],
        annotator=job.options["annotator"],
        revisions=Revisions.ALL if job.options["revision"] == "all" else Revisions.PRESENT,
        make=annotation_row if table else annotation_record,
    )
    watched = job.watch(found, "exporting annotations")
    count = write_parquet(job.out, WorkRow, watched) if table else write_lines(job.out, watched)
    return outcome_of(exported, f"wrote {counted(count, 'annotation')} to {job.out}")


EXPORT = Export(
    "annotations",
    "annotations.jsonl",
    "annotator export annotations --phase 1 --out annotations.jsonl",
    HELP,
    write,
    (
        PHASE,
        ANNOTATOR,
        Option("--revision", "Outdated annotations too: all.", Kind.CHOICE, choices=("current", "all")),
        Shared.NAMES,
    ),
)
