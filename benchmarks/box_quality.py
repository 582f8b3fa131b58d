"""The quality of a pre-labeller's boxes on real figures that were boxed by hand.

    python benchmarks/box_quality.py PICTURES [--part choose|apart] [--detector NAME_OR_FOLDER] [--threshold T]
        [--worst N] [--write FOLDER]

PICTURES is the folder that pictures are composed of, with pictures.jsonl (docs/how-to/simulate.md); the boxes are
in hand_boxes.jsonl beside this file, and name pictures by id and source. A repository is in one part: "choose" for
work on a detector, "apart" to be looked at once that is done. F1 is pooled over boxes; a figure of one panel is
left whole if one box is found. --write makes figures.jsonl and gold.jsonl of the part in FOLDER, for

    prelabel evaluate FOLDER/gold.jsonl --figures FOLDER/figures.jsonl --images PICTURES
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec

from agreement.score.detection import Detection, detect_subfigures, together
from panelwise.domain.annotation import Annotation, Status, Subfigure, check_subfigures
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Line, Problems, read_each, write_lines
from panelwise.formats.annotations import UNKNOWN_TIME, annotation_record
from panelwise.formats.figures import figure_record
from panelwise.images.decode import picture_size
from panelwise_simulator.composer.pictures import INDEX, Part, Picture, read_index
from prelabel.classic.prelabeller import CLASSIC
from prelabel.models.protocols import THRESHOLD
from prelabel.runs.engines import ClassicEngine, Engine, PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe

BOXES = Path(__file__).with_name("hand_boxes.jsonl")
AT, STRICT = 0.5, 0.75
#: The parts, first the one to work with.
PARTS = ("choose", "apart")


class HandBoxes(msgspec.Struct, frozen=True):
    """A line of the file. boxes: x0, y0, x1, y1 in pixels of the picture. labels: as printed, else 1, 2, ...

    how: whether the splitter's boxes were accepted as they were, edited, or not used. doubts: why others might see
    other panels, "" if nothing speaks for it. remarks: what the boxes leave out, and the like.
    """

    picture_id: str
    source: str
    width: int
    height: int
    part: Literal["choose", "apart"]
    labels: tuple[str, ...]
    boxes: tuple[tuple[float, float, float, float], ...]
    how: Literal["accepted", "edited", "new"]
    doubts: str = ""
    remarks: str = ""


@dataclass(frozen=True, slots=True)
class HandBoxed:
    """A figure with the boxes of a person. figure.document: the repository or package that it comes from."""

    figure: Figure
    picture: Picture
    boxes: HandBoxes
    subfigures: tuple[Subfigure, ...]

    @property
    def single(self) -> bool:
        """Return whether the figure is one panel."""
        return len(self.subfigures) == 1


def read_hand_boxed(path: Path, pictures: Path, problems: Problems) -> list[HandBoxed]:
    """Read the figures of a file of hand boxes whose pictures lie in the folder `pictures`.

    A bad line, and a picture that is missing, of another source or of another size, is a problem. Raises
    FormatError if one of the two files cannot be read at all.
    """
    index = {each.picture_id: each for each in read_index(pictures, problems)}
    return list(read_each(path, lambda line: _boxed(line, index, pictures), problems))


def _boxed(line: Line, index: Mapping[str, Picture], folder: Path) -> HandBoxed:
    try:
        boxes = msgspec.convert(dict(line.record), HandBoxes)
    except msgspec.ValidationError as error:
        raise FormatError(f"{line.where}: {error}; see `HandBoxes` in {Path(__file__).name}") from None
    named = f'{line.where}: picture "{boxes.picture_id}"'
    picture = index.get(boxes.picture_id)
    if picture is None or picture.source != boxes.source:
        there = "is missing" if picture is None else f"is of {picture.source}"
        raise FormatError(f"{named} {there} in {folder / INDEX}; the boxes are of {boxes.source}")
    if len(boxes.labels) != len(boxes.boxes) or not boxes.boxes:
        raise FormatError(
            f"{named} has {len(boxes.boxes)} boxes and {len(boxes.labels)} labels; give one label a box"
        )
    image = Path(picture.image)
    size = picture_size(image)
    if size != (boxes.width, boxes.height):
        raise FormatError(
            f"{named} has {size[0]} x {size[1]} pixels, and was boxed at {boxes.width} x {boxes.height}; "
            "use the file that was boxed"
        )
    figure = Figure(
        boxes.picture_id,
        image.relative_to(folder).as_posix(),
        *size,
        Caption.cut(picture.caption),
        document=picture.origin,
        source={"document": picture.origin, "picture": boxes.source, "kind": picture.kind},
    )
    subfigures = tuple(
        Subfigure(label, Box(*box), frozenset()) for label, box in zip(boxes.labels, boxes.boxes, strict=True)
    )
    check_subfigures(figure, subfigures)
    return HandBoxed(figure, picture, boxes, subfigures)


#: Figure id -> how its boxes and the predicted ones match.
Matches = Mapping[str, Detection]


def matches(boxed: Sequence[HandBoxed], engine: Engine, problems: Problems, *, captions: bool) -> Matches:
    """Predict the figures and match the boxes. captions: whether the pre-labeller reads them.

    A figure that the pre-labeller fails on is a problem, and counts as one in which it finds nothing.
    """
    empty = Caption.cut("")
    jobs = [
        (each.figure if captions else replace(each.figure, caption=empty), Path(each.picture.image))
        for each in boxed
    ]
    gold = {each.figure.id: each.subfigures for each in boxed}
    predicted = {each.figure.id: each.subfigures for each in chain.from_iterable(engine.run(jobs, problems))}
    return {name: detect_subfigures(boxes, predicted.get(name, ())) for name, boxes in gold.items()}


def groups(boxed: Sequence[HandBoxed]) -> Iterator[tuple[str, list[HandBoxed]]]:
    """Yield the rows of the table: name and figures."""
    yield "all", list(boxed)
    yield "of several panels", [each for each in boxed if not each.single]
    yield "of one panel", [each for each in boxed if each.single]
    yield "without doubts", [each for each in boxed if not each.boxes.doubts]
    yield "of sources not composed to train", [each for each in boxed if each.picture.part is Part.APART]
    for kind in sorted({each.picture.kind for each in boxed}):
        yield kind, [each for each in boxed if each.picture.kind == kind]


def table(boxed: Sequence[HandBoxed], runs: Mapping[str, Matches]) -> Iterator[str]:
    """Yield the lines of a Markdown table, without rows of no figure. runs: by the name of what was read."""
    yield f"| figures | number | boxes |{''.join(f' F1, {name} | at IoU {STRICT} |' for name in runs)}"
    yield f"|---|---|---|{'---|---|' * len(runs)}"
    for name, part in groups(boxed):
        if part:
            count = sum(len(each.subfigures) for each in part)
            cells = " | ".join(chain.from_iterable(_scores(part, run) for run in runs.values()))
            yield f"| {name} | {len(part)} | {count} | {cells} |"
    single = [each for each in boxed if each.single]
    whole = "".join(f" {_left_whole(single, run)} of {len(single)} |  |" for run in runs.values())
    yield f"| of one panel, left whole |  |  |{whole}"


def _left_whole(single: Iterable[HandBoxed], run: Matches) -> int:
    return sum(run[each.figure.id].other == 1 for each in single)


def _scores(part: Iterable[HandBoxed], run: Matches) -> Iterator[str]:
    pooled = together(run[each.figure.id] for each in part)
    for threshold in (AT, STRICT):
        score = pooled.f1(threshold)
        yield "-" if score is None else f"{score:.3f}"


def worst(boxed: Sequence[HandBoxed], run: Matches, count: int) -> Iterator[str]:
    """Yield a line for each of the figures of the lowest F1, of equal ones those of more boxes first."""
    scored = [(each, run[each.figure.id]) for each in boxed]
    scored.sort(key=lambda pair: (pair[1].f1(AT) or 0.0, -pair[1].gold))
    for each, found in scored[:count]:
        yield f"{each.figure.id} ({each.picture.kind}): {found.matched(AT)} of {found.gold}, {found.other} found"


def write(boxed: Sequence[HandBoxed], folder: Path) -> None:
    """Write figures.jsonl and gold.jsonl, whose images lie where those of `boxed` do."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "figures.jsonl", (figure_record(each.figure) for each in boxed))
    write_lines(folder / "gold.jsonl", (annotation_record(_annotation(each)) for each in boxed))


def _annotation(each: HandBoxed) -> Annotation:
    return Annotation(each.figure, "gold", "gold", Status.ACCEPTED, each.subfigures, UNKNOWN_TIME)


def _engine(detector: str | None, threshold: float) -> Engine:
    if detector is None:
        return ClassicEngine(CLASSIC)
    return PlainEngine(FigureModel(Recipe(detector, threshold=threshold)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--part", choices=PARTS, default=PARTS[0])
    parser.add_argument("--detector")
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if not (given.pictures / INDEX).is_file():
        print(f"skipped: no {INDEX} in {given.pictures}; name the folder of the pictures")
        return
    problems = Problems(lambda line: print(line, file=sys.stderr))
    try:
        boxed = [
            each for each in read_hand_boxed(BOXES, given.pictures, problems) if each.boxes.part == given.part
        ]
        if given.write is not None:
            write(boxed, given.write)
        engine = _engine(given.detector, given.threshold)
        runs = {
            name: matches(boxed, engine, problems, captions=captions)
            for name, captions in (("captions read", True), ("no caption", False))
        }
    except AnnotatorError as error:
        sys.exit(str(error))
    print(f'{engine.version}, part "{given.part}": {len({each.figure.document for each in boxed})} sources\n')
    print("\n".join(table(boxed, runs)))
    for name, run in runs.items():
        if given.worst:
            print(f"\nworst, {name}:", *worst(boxed, run, given.worst), sep="\n  ")
    if problems.count:
        sys.exit(f"{problems.count} problems; see above")


if __name__ == "__main__":
    main()
