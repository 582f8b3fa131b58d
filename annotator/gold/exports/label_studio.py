"""Export current annotations as tasks for Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from panelwise.domain import AnnotatorError
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.campaign.pseudonyms import Names
    from annotator.gold.records import Exported
    from annotator.store.store import Store

from annotator.gold.exports.job import ANNOTATOR, PHASE, Export, Job, Outcome, Shared, outcome_of

HELP = """Write the current annotations as tasks for Label Studio's import, with the data of `annotator push`.

Annotators' names are in the tasks' `meta`, which `annotator import annotations --from label-studio` reads. Figures
without a stored image are named, with exit status 1.
"""


def write(job: Job) -> Outcome:
    """Write the file and report the number of annotations."""
    from panelwise.files import write_records

    exported = job.exported("Label Studio")
    phase, annotator = job.options["phase"], job.options["annotator"]
    found = label_studio_tasks(job.home, job.store, exported, names=job.names, phase=phase, annotator=annotator)
    count = write_records(job.out, job.watch(found, "exporting annotations"), array=True)
    return outcome_of(exported, f"wrote {counted(count, 'annotation')} to {job.out}")


def label_studio_tasks(
    home: Home,
    store: Store,
    exported: Exported,
    *,
    names: Names | None = None,
    phase: str | None = None,
    annotator: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the current annotations as tasks for Label Studio, with the pushed data, one annotation each.

    Figures without a stored image are left out and named in one error. annotator: the real name, whatever `names`
    is. Raises AnnotatorError for an unknown phase or annotator.
    """
    from annotator.campaign.choices import check_chosen
    from annotator.campaign.pseudonyms import Anonymizer, Names
    from annotator.consensus.outdated import listed
    from annotator.gold.records import STORE_HAS_THEM
    from annotator.label_studio.payload import figures as payload
    from panelwise.formats import note_losses, task_record

    count = 0
    bare: list[str] = []
    with store.read() as tx:
        check_chosen(tx, home, phase=phase, annotator=annotator)
        people = Anonymizer(home, tx, names or Names.REAL)
        for annotation in map(people.annotation, tx.annotations.all(phase=phase, annotator=annotator)):
            count += 1
            if not annotation.figure.image:
                bare.append(annotation.figure.id)
                continue
            try:
                data = payload.task_data(annotation.figure, seed=annotation.seeded_by or "")
                record = task_record(data, payload.annotation_payload(annotation), annotation)
            except AnnotatorError as error:
                exported.problems.add(error)
                continue
            note_losses(annotation, exported.losses)
            yield record
        if bare:
            exported.problems.add(
                f"left out {counted(len(bare), 'annotation')} of {counted(len(set(bare)), 'figure')} without "
                f"a stored image: {listed(bare)}; import the figures again with their images and --revise"
            )
        earlier = tx.annotations.count(phase=phase, annotator=annotator) - count
        exported.losses.left_out(
            "annotations replaced by later ones or on other revisions", earlier, instead=STORE_HAS_THEM
        )
    exported.warnings += people.warnings()


EXPORT = Export(
    "label-studio",
    "annotator export label-studio --phase 1 --out tasks.json",
    HELP,
    write,
    (PHASE, ANNOTATOR, Shared.NAMES),
)
