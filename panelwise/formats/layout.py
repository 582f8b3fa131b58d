"""One layout of files: how it is recognised, what it holds, and how it is read; the registry's rows are these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Line, Problems
from panelwise.formats.annotations import FigureLookup
from panelwise.runtime.messages import counted

#: Returns the figure of an image, from its figure's id and its file's name, "" for missing values. None: the
#: reader describes the figure as the file does. It may raise AnnotatorError.
ImageLookup = Callable[[str, str], Figure | None]


class Form(StrEnum):
    """The form in which a file stores its records."""

    LINES = "one object a line"
    ARRAY = "one JSON array"
    OBJECT = "one JSON object"
    XML = "XML"
    TEXT = "lines of numbers"


class Contents(StrEnum):
    """A kind of content of files; the values are the subcommands of `annotator import`."""

    FIGURES = "figures"
    ANNOTATIONS = "annotations"
    PREDICTIONS = "predictions"


@dataclass(frozen=True, slots=True)
class Reading:
    """Settings of a reader.

    annotator: whose work, or which model's, a file without names holds. phase: of annotations without one.
    account: whose work to read of a file that names several authors, "" for all. lookup: finds the figure of a
    record that names its id; None: the record has to describe it. image: finds the figure of an image; see
    `ImageLookup`. least_score: of predicted boxes; those below are left out. numbered: a COCO file whose image and
    category ids the file uses. boxes: the name of the boxes' `BoxForm`, where a layout has several; "": the one
    that fits. score: of predicted boxes without one; None: a layout that needs scores reads such boxes as work.
    """

    annotator: str = ""
    phase: str = ""
    account: str = ""
    lookup: FigureLookup | None = None
    image: ImageLookup | None = None
    least_score: float = 0.0
    numbered: Path | None = None
    boxes: str = ""
    score: float | None = None


#: All of a file, as it describes itself.
PLAINLY = Reading()

#: Yields the work in a file; a bad record is a problem and left out.
Reader = Callable[
    [Path, Problems, Reading], Iterator[Annotation] | Iterator[Prediction] | Iterator[Annotation | Prediction]
]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """One row of the registry.

    name: as of `--from`. title: in messages. form: of its files. command: imports a file of it. A layout has one
    of these: recognise returns True for a file of it, by its path and its first byte that is no blank; looks_like
    returns True for a record that is clearly of it. figures: yields its figures as records of figures.jsonl; None
    if it holds none, or its own records are understood there. read: yields its work; None if it is read elsewhere,
    or there is none. options: those of `annotator import annotations` that it takes. fixed: why it takes no
    others. nameless: it never says whose work it is. written_by: the exports that write it. loses: what it can't
    represent, "" if nothing is lost.
    """

    name: str
    title: str
    form: Form
    contents: frozenset[Contents]
    command: str
    recognise: Callable[[Path, bytes], bool] | None = None
    looks_like: Callable[[Line], bool] | None = None
    figures: Callable[[Path, Problems], Iterator[Line]] | None = None
    read: Reader | None = None
    options: tuple[str, ...] = ()
    fixed: str = ""
    nameless: bool = False
    written_by: tuple[str, ...] = ()
    loses: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def has_work(self) -> bool:
        """Return True for annotations or predictions."""
        return self.contents != {Contents.FIGURES}


#: `read_work`, or a reader of more layouts.
WorkReader = Callable[[Layout, Path, Problems, Reading], Iterator[Annotation | Prediction]]


def read_work(
    layout: Layout, path: Path, problems: Problems, reading: Reading
) -> Iterator[Annotation | Prediction]:
    """Yield the work in a file; the number of boxes below the least score is noted.

    Raises FormatError for a layout whose work can't be read here.
    """
    if layout.read is None:
        raise FormatError(f"{path}: looks like {layout.title}; import it with `{layout.command}`")
    boxes = kept = 0
    for work in layout.read(path, problems, reading):
        if isinstance(work, Prediction) and reading.least_score > 0.0:
            boxes += len(work.scores)
            work = work.take([place for place, score in enumerate(work.scores) if score >= reading.least_score])
            kept += len(work.scores)
        yield work
    if boxes > kept:
        shown = counted(boxes, "box", "boxes")
        problems.note(f"{path}: left out {boxes - kept} of {shown}, with a score below {reading.least_score:g}")
