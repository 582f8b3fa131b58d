"""Export gold in MedICaT's annotation format."""

from __future__ import annotations

from annotator.gold.exports.job import NULL_REFERENCES, Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime import counted

HELP = """Write the gold in MedICaT's annotation format, with provenance.

A figure is gold if a reviewer decided on it ("adjudicated") or if all its annotators, at least the quorum and two,
agree and no task is open ("unanimous"). Work of fewer annotators ("single") needs --include single.

Left-out figures are counted, and listed by --left-out: single, unresolved (annotators disagree, or deferred),
awaiting (another reviewer), waiting (for open tasks), rejected, revised (caption or image replaced), untouched.
Exit status 1 if an image can't be copied.
"""


def write(job: Job) -> Outcome:
    """Write the file, and images and left-out figures if requested, and report their numbers."""
    from annotator.gold.records import gold_records, left_out_records
    from panelwise.files import write_lines
    from panelwise.formats import null_references

    exported = job.exported("gold.jsonl")
    images, left_out = job.options["images"], job.options["left_out"]
    found = gold_records(job.home, job.store, exported, names=job.names, images=images, include=job.include)
    if job.options["null_references"]:
        found = map(null_references, found)
    count = write_lines(job.out, job.watch(found, "exporting gold"))
    if left_out is not None:
        write_lines(left_out, left_out_records(exported))
    parts = ", ".join(f"{number} {source.value}" for source, number in exported.tally.exported.items())
    outcome = outcome_of(exported, f"wrote {counted(count, 'figure')} to {job.out} ({parts})")
    if left_out is not None:
        outcome.lines.append(f"wrote {counted(len(exported.without), 'left-out figure')} to {left_out}")
    if images is not None:
        outcome.lines.append(f"copied {counted(exported.images, 'image')} to {images}")
    outcome.gold = exported.tally
    return outcome


EXPORT = Export(
    "gold",
    "gold.jsonl",
    "annotator export gold --out gold.jsonl",
    HELP,
    write,
    (
        Shared.NAMES,
        Option("--images", "Also copy the images here, under MedICaT's names.", Kind.NEW_FOLDER),
        Option("--left-out", "File for left-out figures, with reasons.", Kind.NEW_FILE),
        NULL_REFERENCES,
        Shared.INCLUDE,
    ),
)
