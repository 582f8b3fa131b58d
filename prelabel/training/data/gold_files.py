"""Accepted figures of a file of gold or annotations, or of DocFigure, with their images, before they are split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from panelwise.domain import (
    NO_ITEMS,
    Annotation,
    AnnotatorError,
    Caption,
    Figure,
    FigureKind,
    FormatError,
    GoldSource,
    ImportedItems,
    Items,
    Status,
    Subfigure,
)
from panelwise.files import Problems, Seen, as_flag, find_file, image_path, or_none, read_lines
from panelwise.formats import (
    JSONL,
    MEDICAT,
    Contents,
    FigureRecord,
    Reading,
    WorkReader,
    each_once,
    image_folder,
    image_id,
    medicat_annotation_of,
    read_figures,
    read_work,
    recognised,
    source_of_line,
    split_items,
)
from prelabel.training.data.splits import SHARES, Split, split_documents, split_named

#: The phase whose figures, where two annotators or more did them, are the agreement study's: always in the test.
AGREEMENT_PHASE = "2"


@dataclass(frozen=True, slots=True)
class GoldFigure:
    """One accepted figure as a source gives it.

    image: its file, there or not. agreement: whether it is of the agreement study. split: None if the source
    names none. source: of the gold, None if unknown.
    """

    figure: Figure
    image: Path
    subfigures: tuple[Subfigure, ...]
    agreement: bool = False
    split: Split | None = None
    items: Items = NO_ITEMS
    source: GoldSource | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """Whose work in which phase is taken of a file that holds that of several; None for all there is."""

    annotator: str | None = None
    phase: str | None = None
    agreement_phase: str = AGREEMENT_PHASE


#: No choice: all that the file holds is one person's.
EVERYBODY = Chosen()


def read_gold_figures(
    path: Path,
    problems: Problems,
    *,
    figures: Path | None,
    images: Path | None,
    chosen: Chosen,
    read: WorkReader = read_work,
) -> Iterator[GoldFigure]:
    """The accepted figures of a file, in its order; a bad record is a problem and left out.

    figures, images, read: see `read_examples`.
    """
    known = {} if figures is None else {each.figure_id: each for each in read_figures(figures, problems)}
    folder = images or image_folder(figures or path)
    layout = recognised(path, Contents.ANNOTATIONS) or JSONL
    if layout is MEDICAT:
        yield from _of_gold(path, problems, known, folder)
    else:
        author = chosen.annotator or ""
        work = read(layout, path, problems, Reading(annotator=author, account=author))
        people = (each for each in work if isinstance(each, Annotation))
        yield from _of_annotations(path, each_once(people, problems), known, folder, chosen)


def _of_gold(
    path: Path, problems: Problems, known: Mapping[str, FigureRecord], folder: Path
) -> Iterator[GoldFigure]:
    seen = Seen()
    for line in read_lines(path, problems):
        try:
            work = medicat_annotation_of(line, "gold", problems)
            earlier = seen.earlier(work.figure.id, line.where)
            if earlier is not None:
                raise FormatError(
                    f'{line.where}: figure "{work.figure.id}" is there before ({earlier}); kept the first'
                )
            if work.status is Status.ACCEPTED:
                yield replace(_described(work, known, folder), source=source_of_line(line))
        except AnnotatorError as error:
            problems.add(error, line.where)


def _of_annotations(
    path: Path, every: Iterable[Annotation], known: Mapping[str, FigureRecord], folder: Path, chosen: Chosen
) -> Iterator[GoldFigure]:
    """The last accepted work on each figure, all of one annotator's."""
    studied: dict[str, set[str]] = {}
    work: dict[str, Annotation] = {}
    names: set[str] = set()
    for each in every:
        if each.phase == chosen.agreement_phase:
            studied.setdefault(each.figure.id, set()).add(each.annotator)
        if chosen.annotator not in (None, each.annotator) or chosen.phase not in (None, each.phase):
            continue
        names.add(each.annotator)
        last = work.get(each.figure.id)
        if last is None or each.saved_at >= last.saved_at:
            work[each.figure.id] = each
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:8])
        raise AnnotatorError(f"{path}: work by {listed}; choose whose to learn from with --gold-annotator")
    for figure_id, each in work.items():
        if each.status is Status.ACCEPTED:
            found = _described(each, known, folder)
            together = len(studied.get(figure_id, ())) > 1
            yield replace(found, agreement=found.agreement or together)


def _described(work: Annotation, known: Mapping[str, FigureRecord], folder: Path) -> GoldFigure:
    """The work with what the other file, if any, says of its figure."""
    figure = work.figure
    record = known.get(figure.id)
    if record is not None:
        extra, imported = split_items(record.where, {**record.record_keys, **figure.record_keys})
        figure = replace(
            figure,
            image=figure.image or record.image,
            document=figure.document or record.document,
            references=figure.references or record.references,
            source={**record.source, **figure.source},
            extra=extra,
            imported=imported,
        )
    return gold_figure_of(figure, _image(figure, folder), work.subfigures, work.items)


def plain_figures(path: Path, problems: Problems, *, images: Path | None) -> Iterator[GoldFigure]:
    """Yield the figures of a file of figures, without any work on them."""
    for record in read_figures(path, problems):
        figure = record.figure
        yield gold_figure_of(figure, _image(figure, images or image_folder(path)), ())


def gold_figure_of(
    figure: Figure,
    image: Path,
    subfigures: tuple[Subfigure, ...],
    items: Items = NO_ITEMS,
    *,
    agreement: bool = False,
    source: GoldSource | None = None,
) -> GoldFigure:
    """An adjudicated figure; what its own keys `split` and `agreement` say of it counts."""
    split = figure.extra.get("split")
    return GoldFigure(
        figure=figure,
        image=image,
        subfigures=subfigures,
        agreement=agreement or bool(or_none(as_flag, figure.extra.get("agreement"))),
        split=split_named(split) if isinstance(split, str) else None,
        items=items,
        source=source,
    )


def _image(figure: Figure, folder: Path) -> Path:
    """The image's file, the first there is: as named, by its name alone, or as MedICaT's figures folder has it."""
    named = [figure.image, Path(figure.image).name] if figure.image else []
    tried = [*named, image_id(figure)]
    found = (find_file(folder, name) or folder / name for name in tried)
    return next((path for path in found if path.is_file()), folder / tried[0])


def documents_of(figures: Iterable[GoldFigure]) -> list[str]:
    """Return each figure's document, by which splits are made; a figure of unknown document is one of its own."""
    return [gold.figure.document or f"figure {gold.figure.id}" for gold in figures]


# DocFigure (Jobin et al. 2019), figures of one type each: annotation/train.txt and test.txt, and images/.

#: Where it has its lists, "IMAGE, TYPE" a line, and its images.
_LISTS, _IMAGES = "annotation", "images"


def is_docfigure(folder: Path) -> bool:
    """Return True for the folder of DocFigure."""
    return (folder / _LISTS / "train.txt").is_file()


def read_docfigure(folder: Path, problems: Problems, *, seed: int = 0) -> list[GoldFigure]:
    """The figures of both lists with their types; an unreadable image or line is a problem and left out.

    test.txt is the test. Of train.txt as many figures are for validation as of the paper's, drawn with `seed`.
    """
    train = list(_listed(folder, "train", problems))
    drawn = split_documents((name for name, _ in train), seed=seed, shares={**SHARES, Split.TEST: 0.0})
    listed = [(name, label, drawn[name]) for name, label in train]
    if (folder / _LISTS / "test.txt").is_file():
        listed += [(name, label, Split.TEST) for name, label in _listed(folder, "test", problems)]
    found = []
    for name, label, split in listed:
        path = image_path(folder / _IMAGES, name)
        try:
            with Image.open(path) as image:
                width, height = image.size
        except OSError as error:
            problems.add(f"{path}: {error.strerror or 'is no image'}; left it out")
            continue
        imported = ImportedItems(kind=FigureKind(types=frozenset({label})))
        figure = Figure(name, name, width, height, Caption.cut(""), imported=imported)
        found.append(GoldFigure(figure, path, (), split=split))
    return found


def _listed(folder: Path, which: str, problems: Problems) -> Iterator[tuple[str, str]]:
    path = folder / _LISTS / f"{which}.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        name, _, label = (part.strip() for part in line.partition(","))
        if name and label:
            yield name, label
        elif line.strip():
            problems.add(f'{path}:{number}: "{line.strip()[:60]}" is not "IMAGE, TYPE"; left it out')
