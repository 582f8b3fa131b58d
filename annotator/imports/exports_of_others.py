"""Import annotations of any layout; read Label Studio exports for `agreement` without a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotator.imports.annotations import Intake, StoredImages, import_annotations
from annotator.imports.figures import Tally, take_in
from annotator.label_studio.payload import reading
from annotator.store.store import Store, Transaction
from label_config import names
from panelwise.domain import (
    MAX_BOXES,
    NO_ITEMS,
    Annotation,
    AnnotatorError,
    Campaign,
    Caption,
    Figure,
    FormatError,
    Phase,
    Prediction,
    Status,
    without_secrets,
)
from panelwise.files import Problems, as_whole, or_none
from panelwise.formats import (
    LABEL_STUDIO,
    ExportCounts,
    ExportedTask,
    ImageNames,
    Layout,
    Reading,
    account_of,
    check_layout,
    check_one_author,
    email_of,
    layout_named,
    read_export,
    read_work,
)
from panelwise.runtime import counted

#: No image has this many pixels per side.
_LARGEST = 1 << 31
#: Phase of exported work without one, if there is no campaign.
NO_PHASE = "label-studio"


@dataclass(slots=True)
class _Known:
    """Candidates for an annotation's owner. people: e-mail -> name. tasks: (figure, task id) -> its
    annotator and phase.
    """

    people: dict[str, str] = field(default_factory=dict)
    tasks: dict[tuple[str, int], set[tuple[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Author:
    """Annotator and phase of an annotation. by_project: known only from the project of the task."""

    annotator: str
    phase: str
    by_project: bool = False


def import_from(
    layout: str,
    store: Store,
    campaign: Campaign,
    path: Path,
    problems: Problems,
    *,
    annotator: str = "",
    phase: str = "",
    account: str = "",
) -> Iterator[Tally]:
    """Import annotations of the store's figures; yields the tally after each record.

    layout: the name of one. annotator: for a layout without names, and required by some. phase: for layouts whose
    records have none. account: whose work to import, as the file names its authors. Raises
    FormatError if several authors' work would become that of `annotator`.
    """
    chosen = layout_named(layout)
    if chosen is LABEL_STUDIO:
        return import_label_studio(
            store, campaign, path, problems, annotator=annotator, phase=phase, account=account
        )
    if chosen.nameless:
        return import_by_image(
            *(store, chosen, path, problems),
            annotator=annotator,
            phase=phase or "gold",
            account=account,
            max_boxes=campaign.max_boxes,
        )
    return import_annotations(
        *(store, path, problems),
        layout=chosen,
        annotator=annotator,
        account=account,
        max_boxes=campaign.max_boxes,
        campaign=campaign,
    )


def import_label_studio(
    store: Store,
    campaign: Campaign,
    path: Path,
    problems: Problems,
    *,
    annotator: str = "",
    phase: str = "",
    account: str = "",
) -> Iterator[Tally]:
    """Import submitted annotations of a JSON or JSON_MIN export; yields the tally after each task.

    The annotator is `annotator`; else the one in the task's `meta` (see `task_record`), the person with the
    account's e-mail, or the annotator whose task was pushed under that number. The phase is found likewise; a
    single phase of the campaign is the default. account: whose annotations to read, by e-mail or number. Drafts
    and predictions are skipped and noted.
    """
    check_layout(path, LABEL_STUDIO)
    account = account.lower() if "@" in account else account
    if annotator or account:
        check_one_author(path, _authors(path), account, "" if account else ", or leave out --annotator")
    counts, tally = ExportCounts(), Tally()
    intake = Intake(store, path, tally, problems, max_boxes=campaign.max_boxes)
    known = _known(store)
    figures_of: list[Callable[[str], tuple[str, ...]]] = []

    def figure_by_image(tx: Transaction, task: ExportedTask) -> Figure:
        if not figures_of:
            figures_of.append(ImageNames(tx.figures.all()).figures_of)
        figure = tx.figures.get(_only_figure(task, figures_of[0]))
        # A task that shows no caption can have no text that belongs to another one.
        task.task["data"].setdefault(names.DATA_CAPTION, figure.caption.text)
        return figure

    def take(tx: Transaction, task: ExportedTask, _where: str) -> None:
        for annotation, by in _of_task(
            *(tx, campaign, task, known, (annotator, phase), account, problems), figure_by_image=figure_by_image
        ):
            intake.keep(tx, annotation, task.where, by=by, again=True)

    yield from take_in(store, read_export(path, problems, counts), problems, tally, take)
    intake.tell()
    _tell_passed_over(path, counts, problems)


def _authors(path: Path) -> set[str]:
    """Return who submitted the annotations of an export, as it names them."""
    tasks = read_export(path, Problems(), ExportCounts())
    return {_signature(task, record, first=at == 0) for task in tasks for at, record in enumerate(_in_order(task))}


def _signature(task: ExportedTask, record: Mapping[str, Any], *, first: bool) -> str:
    """Return who submitted an annotation: the name in the task's `meta`, the account's e-mail, or its number."""
    return (task.aside.annotator if first else "") or account_of(record)


def import_by_image(
    store: Store,
    layout: Layout,
    path: Path,
    problems: Problems,
    *,
    annotator: str,
    phase: str = "gold",
    account: str = "",
    max_boxes: int = MAX_BOXES,
) -> Iterator[Tally]:
    """Import the boxes of a layout that names images as `annotator`'s work; yields the tally after each image.

    For how images are matched see `StoredImages`. account: whose boxes to import, of a file that names several
    authors.
    """
    check_layout(path, layout)
    tally = Tally()
    intake = Intake(store, path, tally, problems, max_boxes=max_boxes)
    reading = Reading(annotator, phase, account, image=StoredImages(store, problems))

    def keep(tx: Transaction, work: Annotation | Prediction, where: str) -> None:
        if isinstance(work, Prediction):
            raise FormatError("its boxes have scores, as predictions do; use `annotator import predictions`")
        intake.keep(tx, work, where)

    yield from take_in(store, read_work(layout, path, problems, reading), problems, tally, keep)
    intake.tell()


def read_any(
    layout: Layout, path: Path, problems: Problems, reading: Reading
) -> Iterator[Annotation | Prediction]:
    """Yield the work in a file of any layout without a campaign; see `read_work`."""
    if layout is LABEL_STUDIO:
        return read_label_studio(path, problems)
    return read_work(layout, path, problems, reading)


def read_label_studio(path: Path, problems: Problems) -> Iterator[Annotation]:
    """Read an export without a campaign: yields annotations of the figures in the tasks, tokenized again.

    Annotators are named by the task's `meta`, their account's e-mail, else "account 3", else the file's name. The
    image size comes from any box in the file; an accepted figure without one is a problem and left out.
    """
    sizes: dict[str, tuple[int, int]] = {}
    for task in read_export(path, Problems(), ExportCounts()):
        size = _size(task)
        if size is not None:
            sizes.setdefault(task.source, size)
    counts = ExportCounts()
    for task in read_export(path, problems, counts):
        width, height = sizes.get(task.source, (1, 1))
        for at, record in enumerate(_in_order(task)):
            author = _named_by_export(task, record, path.stem, first=at == 0)
            try:
                if not task.source:
                    raise FormatError(f'"data.{names.DATA_SOURCE}" is missing; import the file into a campaign')
                caption = Caption.cut(str(task.task["data"].get(names.DATA_CAPTION) or ""))
                figure_id, revision = names.figure_of_source(task.source)
                figure = Figure(figure_id, "", width, height, caption, revision=revision)
                phase = Phase(author.phase)
                found = _converted(task, record, figure, author, phase, problems, first=at == 0)
                if task.source not in sizes and found.status is Status.ACCEPTED:
                    raise FormatError(
                        f'figure "{figure_id}" is accepted without a box, so the size of its '
                        "image is unknown; measure from the campaign home"
                    )
                yield found
            except AnnotatorError as error:
                problems.add(f"{task.where}: {error}")
    _tell_passed_over(path, counts, problems)


def _tell_passed_over(path: Path, counts: ExportCounts, problems: Problems) -> None:
    for number, what, more in (
        (counts.open, "task", " without a submission"),
        (counts.drafts, "draft", ", not submitted"),
        (counts.predictions, "prediction", ""),
    ):
        if number:
            problems.note(f"{path}: skipped {counted(number, what)}{more}")


def _of_task(
    tx: Transaction,
    campaign: Campaign,
    task: ExportedTask,
    known: _Known,
    chosen: tuple[str, str],
    account: str,
    problems: Problems,
    *,
    figure_by_image: Callable[[Transaction, ExportedTask], Figure],
) -> list[tuple[Annotation, str]]:
    """Return the annotations of one task, each with its author; those that can't be stored become problems.

    figure_by_image: finds the figure of a task without our key by the image's name.
    """
    found: list[tuple[Annotation, str]] = []
    shared: list[tuple[Annotation, str]] = []
    try:
        figure = _figure(tx, task) if task.source else figure_by_image(tx, task)
    except AnnotatorError as error:
        if task.annotations:
            problems.add(f"{task.where}: {error}")
        return []
    for at, record in enumerate(_in_order(task)):
        by = _signature(task, record, first=at == 0)
        if account not in ("", by):
            continue
        try:
            author = _author(task, record, figure, known, campaign, chosen, first=at == 0)
            settings = campaign.phase(author.phase)
            annotation = _converted(task, record, figure, author, settings, problems, first=at == 0)
        except AnnotatorError as error:
            problems.add(f"{task.where}: {error}")
        else:
            (shared if author.by_project else found).append((annotation, by))
    if len({by for _, by in shared}) > 1:
        # As in pulling: if no account of the project is known to be the annotator's, the latest counts.
        problems.note(
            f'{task.where}: figure "{figure.id}": submitted by several accounts, the latest counts; '
            "set the annotators' e-mails, or choose one with --account"
        )
        shared = [max(shared, key=lambda each: each[0].saved_at)]
    return found + shared


def _figure(tx: Transaction, task: ExportedTask) -> Figure:
    """Return the stored figure in the revision of the task."""
    figure_id, revision = names.figure_of_source(task.source)
    if not tx.figures.has(figure_id):
        figure_id, revision = task.source, 1
    present = tx.figures.get(figure_id)
    if present.revision == revision:
        return present
    return next((each for each in tx.figures.revisions(figure_id) if each.revision == revision), present)


def _only_figure(task: ExportedTask, figures_of: Callable[[str], tuple[str, ...]]) -> str:
    """Return the id of the figure that a task's images name. Raises FormatError unless it is just one."""
    figures = sorted({figure for image in task.images for figure in figures_of(image)})
    if len(figures) == 1:
        return figures[0]
    images = ", ".join(f'"{without_secrets(image)}"' for image in task.images)
    several = f"may be of figures {', '.join(figures[:5])}" if figures else "matches no stored figure"
    raise FormatError(
        f"the task has no {names.DATA_SOURCE}, and its image {images} {several}; add the figure's id"
    )


def _converted(
    task: ExportedTask,
    record: Mapping[str, Any],
    figure: Figure,
    author: _Author,
    phase: Phase,
    problems: Problems,
    *,
    first: bool,
) -> Annotation:
    if task.minimal and not phase.kind.drawn:
        raise FormatError(
            f'figure "{figure.id}": JSON_MIN doesn\'t say who filled in what in a phase of type '
            f'"{phase.task_type.value}"; export as JSON'
        )
    # A single span is not required here, only on the annotator's screen.
    asked = replace(phase, single_span=False)
    pulled = reading.pulled(task.task, record, figure, annotator=author.annotator, phase=asked)
    for line in pulled.findings:
        problems.note(f"{task.where}: {line}")
    for line in pulled.left_out:
        problems.add(f"{task.where}: {line}")
    annotation = pulled.annotation
    if task.minimal:
        seed = str(task.task["data"].get(names.DATA_SEED) or "") or None
        return replace(annotation, seeded_by=seed)
    if first:
        aside = task.aside
        return replace(
            annotation,
            seeded_by=aside.seeded_by or annotation.seeded_by,
            guideline=aside.guideline,
            items=aside.items if aside.items != NO_ITEMS else annotation.items,
            partly_read=annotation.partly_read or aside.partly_read,
        )
    return annotation


def _author(
    task: ExportedTask,
    record: Mapping[str, Any],
    figure: Figure,
    known: _Known,
    campaign: Campaign,
    chosen: tuple[str, str],
    *,
    first: bool,
) -> _Author:
    annotator, phase = chosen
    aside = task.aside if first else None
    email = email_of(record)
    pushed = known.tasks.get((figure.id, _number(task.task.get("id"))), set())
    person = known.people.get(email.lower(), "")
    owner = _only({name for name, _ in pushed})
    name = annotator or (aside.annotator if aside is not None else "") or person or owner
    where = f'figure "{figure.id}", annotation {record.get("id")}'
    if not name:
        account = account_of(record)
        raise FormatError(
            f"{where}: {f'unknown account {account}' if account else 'does not say whose it is'}; name "
            "the annotator with --annotator" + (", or set this e-mail for a person" if email else "")
        )
    phase = (
        phase
        or (aside.phase if aside is not None else "")
        or str(task.task["data"].get("phase") or "")
        or _only({each for who, each in pushed if who == name})
        or _only({each.name for each in campaign.phases})
    )
    if not phase:
        raise FormatError(f"{where}: unknown phase; name it with --phase")
    given = annotator or (aside.annotator if aside is not None else "") or person
    return _Author(name, phase, by_project=not given)


def _named_by_export(task: ExportedTask, record: Mapping[str, Any], nameless: str, *, first: bool) -> _Author:
    aside = task.aside
    said = str(task.task["data"].get("phase") or "")
    account = account_of(record)
    name = (
        (aside.annotator if first else "") or email_of(record) or (f"account {account}" if account else nameless)
    )
    return _Author(name, (aside.phase if first else "") or said or NO_PHASE)


def _known(store: Store) -> _Known:
    known = _Known()
    with store.read() as tx:
        for person in tx.people.all():
            if person.email:
                known.people[person.email.lower()] = person.name
        for link in tx.links.all():
            known.tasks.setdefault((link.figure_id, link.task_id), set()).add((link.annotator, link.phase))
    return known


def _in_order(task: ExportedTask) -> list[Mapping[str, Any]]:
    """Return the annotations, oldest first."""
    return sorted(task.annotations, key=lambda record: _number(record.get("id")))


def _size(task: ExportedTask) -> tuple[int, int] | None:
    if task.aside.width is not None and task.aside.height is not None:
        return task.aside.width, task.aside.height
    for record in task.annotations:
        for region in record.get("result") or ():
            if isinstance(region, Mapping):
                width = or_none(as_whole, region.get("original_width"))
                height = or_none(as_whole, region.get("original_height"))
                if width and height and 0 < width < _LARGEST and 0 < height < _LARGEST:
                    return width, height
    return None


def _number(value: object) -> int:
    return or_none(as_whole, value) or 0


def _only(found: Iterable[str]) -> str:
    """Return the only one, "" for none or several."""
    names_ = set(found)
    return next(iter(names_)) if len(names_) == 1 else ""
