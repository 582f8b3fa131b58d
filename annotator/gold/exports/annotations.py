"""Export current annotations as annotations.jsonl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotator.gold.exports.job import ANNOTATOR, PHASE, Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime import counted

HELP = """Write the current annotations as annotations.jsonl, each with its caption.

As FILE.parquet, a Parquet table (panelwise[release]) of an eighth of the size, which the agreement commands read.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of annotations."""
    from annotator.gold.dataset.parquet import write_works
    from annotator.gold.dataset.rows import annotation_row
    from annotator.gold.records import annotation_records
    from annotator.store.rows.records import Revisions
    from panelwise.files import write_lines
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
    write: Callable[[Path, Iterator[Any]], int] = write_works if table else write_lines
    count = write(job.out, job.watch(found, "exporting annotations"))
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
            "Outdated annotations too: all.",
            Kind.CHOICE,
            choices=("current", "all"),
        ),
        Shared.NAMES,
    ),
)
