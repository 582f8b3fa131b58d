"""Export gold boxes as a data set for YOLO: images, labels and data.yaml in one ZIP archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from annotator.gold.exports.job import Export, Job, Kind, Option, Outcome, Shared, outcome_of
from panelwise.runtime import counted

if TYPE_CHECKING:
    from zipfile import ZipFile

    from annotator.campaign.home import Home
    from annotator.gold.records import Exported
    from panelwise.domain import Gold, Subfigure
    from prelabel.training import Split

HELP = """Write the gold boxes as a data set for YOLO: a ZIP archive of images, labels and data.yaml.

Images are in train, val and test by article, as in the releases. There is one class, `subfigure`, or with
--categories one for each label.
"""
#: The class of all boxes.
_SUBFIGURE = "subfigure"


def write(job: Job) -> Outcome:
    """Write the archive and report the numbers of boxes and images; images that can't be read are named."""
    from zipfile import ZIP_STORED, ZipFile

    from panelwise.runtime import whole_file

    exported = job.exported("YOLO")
    gold = list(_gold(job, exported))
    splits = _splits(job, gold, exported)
    by_label = job.options["categories"] == "label"
    labels = dict.fromkeys(part.label for each in gold for part in each.subfigures) if by_label else [_SUBFIGURE]
    classes = {label: number for number, label in enumerate(labels)}
    boxes = images = 0
    with whole_file(job.out) as file, ZipFile(file, "w", ZIP_STORED) as archive:
        for each in gold:
            if _add_image(archive, job.home, each, splits[each.figure.id], exported):
                _add_labels(archive, each, splits[each.figure.id], classes)
                images, boxes = images + 1, boxes + len(each.subfigures)
        _add(archive, "data.yaml", _data(list(classes), set(splits.values())))
    outcome = outcome_of(
        exported, f"wrote {counted(boxes, 'box', 'boxes')} on {counted(images, 'image')} to {job.out}"
    )
    outcome.gold = exported.tally
    return outcome


def _gold(job: Job, exported: Exported) -> Iterator[Gold]:
    from annotator.gold.records import golds, leave_out_items

    with job.store.read() as tx:
        found = golds(job.home, tx, exported, names=job.names, include=job.include)
        for gold in job.watch(found, "exporting gold"):
            leave_out_items(gold, exported)
            marked = sum(bool(part.subcaption) for part in gold.subfigures)
            exported.losses.left_out("subcaptions", marked, instead="`annotator export gold` has them")
            yield gold


def _splits(job: Job, gold: Sequence[Gold], exported: Exported) -> dict[str, Split]:
    """Return the split of each figure: that of its article in the releases, else drawn by article."""
    from annotator.gold.dataset.splits import earlier_splits, split_articles
    from annotator.gold.releases import releases

    documents = {each.figure.id: each.figure.document or each.figure.id for each in gold}
    marked = [(documents[each.figure.id], each.figure.extra.get("split")) for each in gold]
    splits, warnings = split_articles(marked, earlier_splits(releases(job.home)))
    exported.warnings += warnings
    return {figure: splits[document] for figure, document in documents.items()}


def _add_image(archive: ZipFile, home: Home, gold: Gold, split: Split, exported: Exported) -> bool:
    """Copy a figure's image; one that can't be read is a problem."""
    figure = gold.figure
    if not figure.image:
        exported.problems.add(f'figure "{figure.id}": has no image; import it again with its image')
        return False
    path = home.image_path(figure)
    try:
        content = path.read_bytes()
    except OSError as error:
        exported.problems.add(f'figure "{figure.id}": {path} cannot be read ({error.strerror}); restore it')
        return False
    _add(archive, f"images/{split.value}/{PurePosixPath(figure.image).name}", content)
    return True


def _add_labels(archive: ZipFile, gold: Gold, split: Split, classes: dict[str, int]) -> None:
    from panelwise.formats import yolo_line

    size = gold.figure.width, gold.figure.height
    lines = [yolo_line(_class_of(part, classes), part.box, size) for part in gold.subfigures]
    name = PurePosixPath(gold.figure.image).stem
    _add(archive, f"labels/{split.value}/{name}.txt", "".join(lines))


def _add(archive: ZipFile, name: str, content: str | bytes) -> None:
    """Add a file without a time: the same gold gives the same archive."""
    from zipfile import ZipInfo

    archive.writestr(ZipInfo(name), content)


def _class_of(part: Subfigure, classes: dict[str, int]) -> int:
    return classes[part.label] if part.label in classes else classes[_SUBFIGURE]


def _data(classes: Sequence[str], splits: set[Split]) -> str:
    """Return data.yaml. Trainers need a folder for training and one for validation, also where these are empty."""
    import yaml

    from prelabel.training import Split

    folders = {split.value: f"images/{split.value}" for split in Split if split in splits}
    there = next(iter(folders.values()), "images")
    needed = {"train": there, "val": there}
    return yaml.safe_dump(
        {**needed, **folders, "names": dict(enumerate(classes))}, sort_keys=False, allow_unicode=True
    )


EXPORT = Export(
    "yolo",
    "yolo.zip",
    "annotator export yolo --out yolo.zip --categories label",
    HELP,
    write,
    (
        Option(
            "--categories", "One class for all boxes, or one a label.", Kind.CHOICE, choices=("subfigure", "label")
        ),
        Shared.INCLUDE,
        Shared.NAMES,
    ),
)
