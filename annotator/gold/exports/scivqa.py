"""Export figure metadata with question-answer pairs in SciVQA's format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annotator.gold.exports.job import Export, Job, Outcome, Shared, outcome_of
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.gold.records import Exported

HELP = """Write figure metadata with question-answer pairs under `qa`, with SciVQA's field names.

A JSON array if the file ends in .json, else JSON lines. Gold pairs, types and counts replace imported ones.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the numbers of figures and of unreviewed ones."""
    from annotator.consensus.outdated import listed
    from panelwise.files import write_records

    exported = job.exported("SciVQA")
    found = job.watch(scivqa_records(job, exported), "exporting figures")
    count = write_records(job.out, found, array=job.out.suffix == ".json")
    outcome = outcome_of(exported, f"wrote {counted(count, 'figure')} to {job.out}")
    outcome.states = exported.tally
    if single := exported.tally.single:
        outcome.warnings.insert(
            0,
            f"{len(single)} single (unreviewed) written as imported; adjudicate them with `annotator serve`, or "
            f"add --include single: {listed(single)}",
        )
    return outcome


def scivqa_records(job: Job, exported: Exported) -> Iterator[dict[str, Any]]:
    """Yield the metadata and question-answer pairs of all figures by id; gold replaces the imported values."""
    from annotator.gold.records import golds
    from panelwise.formats import scivqa_record

    with job.store.read() as tx:
        by_id = golds(job.home, tx, exported, names=job.names, include=job.include)
        gold = next(by_id, None)
        for figure in tx.figures.all():
            of_this = gold if gold is not None and gold.figure.id == figure.id else None
            yield scivqa_record(figure, of_this, exported.losses)
            if of_this is not None:
                gold = next(by_id, None)


EXPORT = Export(
    "scivqa",
    "annotator export scivqa --out scivqa.json",
    HELP,
    write,
    (Shared.INCLUDE, Shared.NAMES),
)
