"""The gold in MedICaT's annotation layout."""

from __future__ import annotations

from annotator.gold.exports.job import Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime.plurals import counted

HELP = """Write the gold in MedICaT's annotation layout, with provenance.

A reviewer's decision makes gold ("adjudicated"); without one, annotators who all agree do ("unanimous"), if
they are as many as the quorum, two at least, and everyone to whom the figure was assigned has submitted. What
fewer annotators did ("single") nobody has reviewed: it is left out unless --include single, or include in
campaign.toml, adds it, and the output says how many figures are unreviewed.

All other figures are left out too and counted on stderr, as are figures annotated again since they were
adjudicated, and what the layout cannot represent; --left-out lists them, with the reason: single, unresolved
(annotators differ, or a reviewer put it off), awaiting (another reviewer), waiting (for open tasks), rejected,
revised (caption or image replaced since), untouched. An image that cannot be copied is named on stderr, and
the exit status is 1.
"""


def write(job: Job) -> Outcome:
    """Write the file, and the images and the left-out figures where they are asked for; report their numbers."""
    from annotator.gold.records import gold_records, left_out_records
    from panelwise.files.jsonl import write_lines

    exported = job.exported("gold.jsonl")
    images, left_out = job.options["images"], job.options["left_out"]
    found = gold_records(job.home, job.store, exported, names=job.names, images=images, include=job.include)
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
    "annotator export gold --out gold.jsonl",
    HELP,
    write,
    (
        Shared.NAMES,
        Option(
            "--images",
            "Copy the images into this folder too, under the names by which readers of the layout open them.",
            Kind.NEW_FOLDER,
        ),
        Option(
            "--left-out",
            "Write the figures that are left out to this file too, a line each, with why.",
            Kind.NEW_FILE,
        ),
        Shared.INCLUDE,
    ),
)
