"""YOLO's text: a file for each image with a line for each box, as fractions of the image; or a folder of these.

A line has the number of a class and centre x, centre y, width and height, perhaps a score; or, of segmentation and
rotated boxes, an outline x y x y ..., of which the upright rectangle is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.box import Box, Corners
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.file_names import find_file
from panelwise.files.jsonl import BOM, Fields, Problems, open_input
from panelwise.formats.coco_reading import Part, check_numbering
from panelwise.formats.content import put_right_score
from panelwise.formats.image_boxes import ImageBoxes, figure_of_image, work_on_images
from panelwise.formats.layout import Reading
from panelwise.images.decode import picture_size
from panelwise.runtime.messages import counted

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rb"[ \t]*\d+(?:\.0+)?(?:[ \t]+" + _NUMBER + rb"){4,}[ \t\r]*")
_BEGINNING = 1 << 14
#: Files in which tools list the classes, one a line.
_LISTS = ("classes.txt", "obj.names", "classes.names")
_LARGEST_LIST = 1 << 20
#: Values of a line with a box, and with a box and its score.
_BOX, _SCORED = 5, 6
#: Of the image, by which rounding may take a box's side beyond its edge.
_SLACK = 0.005


@dataclass(slots=True)
class _Text:
    """The lines of a file. rows: place and numbers of each. lost: how many could not be read."""

    file: Path
    rows: list[tuple[str, list[float]]] = field(default_factory=list)
    lost: int = 0


def is_yolo(path: Path, begin: bytes) -> bool:
    """Return True for a text of which all first lines are boxes, and for a folder of which a text is one."""
    if path.is_dir():
        return any(_is_text(file) for file in _files(path)[:8])
    return begin.isdigit() and path.suffix.lower() == ".txt" and _is_text(path)


def read_yolo(path: Path, problems: Problems, reading: Reading) -> Iterator[Annotation | Prediction]:
    """Yield each image's boxes, as work or, where boxes of the folder have scores, as predictions.

    By `reading.annotator`, in `reading.phase`. The figures of `reading.image` give the sizes of images, else the
    images themselves, beside the texts or in `images` beside `labels`. Classes get their names from data.yaml or
    classes.txt beside or above the files; without these, and where names are generic, boxes get letters in reading
    order. A bad line or file is a problem and left out. Raises FormatError for several lists of classes that
    differ, and where scores seem to stand before the boxes.
    """
    settings = _settings(path)
    posed = "kpt_shape" in settings
    files = _files(path)
    if not files:
        problems.add(f"{path}: holds no text of YOLO; name the folder of labels")
    texts = [text for file in files if (text := _read(file, problems, posed=posed)) is not None]
    rows = [values for text in texts for _, values in text.rows]
    _check_order(path, rows)
    names = _names(settings.get("names"))
    used = {int(values[0]) for values in rows}
    check_numbering(path, used, names)
    if unlisted := sorted(used - names.keys()):
        shown = ", ".join(map(str, unlisted[:5])) + (", ..." if len(unlisted) > 5 else "")
        problems.note(
            f"{path}: {counted(len(unlisted), 'class', 'classes')} without a name ({shown}); gave letters in "
            "reading order; put data.yaml or classes.txt beside the files"
        )
    if outlines := sum(len(values) > _SCORED for values in rows):
        problems.note(f"{path}: {counted(outlines, 'outline')}, read as the upright rectangle around each")
    images = [image for text in texts if (image := _image(text, names, problems, reading)) is not None]
    yield from work_on_images(path, images, problems, reading, key="box")


def yolo_line(number: int, box: Box, size: tuple[int, int]) -> str:
    """Return the line of a box of a class, with its end. size: width and height of the image."""
    (width, height), (x0, y0, x1, y1) = size, box.corners
    sides = (x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height
    return f"{number} {' '.join(f'{side:.6f}' for side in sides)}\n"


def _files(path: Path) -> Sequence[Path]:
    """Return the texts of a folder, of its `labels`, or of the parts of a data set in these."""
    if not path.is_dir():
        return [path]
    for pattern in ("*.txt", "labels/*.txt", "labels/*/*.txt", "*/labels/*.txt"):
        if files := sorted(file for file in path.glob(pattern) if file.name not in _LISTS and _is_text(file)):
            # A text without a line is an image without a box, of a folder with others.
            return sorted({*files, *(file for file in path.glob(pattern) if not file.stat().st_size)})
    return []


def _is_text(file: Path) -> bool:
    """Return True for a text whose first line with something is a box."""
    try:
        with open_input(file) as opened:
            begin = opened.read(_BEGINNING).removeprefix(BOM)
    except FormatError:
        return False
    first = next((line for line in begin.split(b"\n") if line.strip()), b"")
    return _LINE.fullmatch(first) is not None


def _read(file: Path, problems: Problems, *, posed: bool) -> _Text | None:
    """Return the lines of a file; None if it can't be read. A bad line is a problem."""
    try:
        with open_input(file) as opened:
            lines = opened.read().removeprefix(BOM).split(b"\n")
    except FormatError as error:
        problems.add(error)
        return None
    text = _Text(file)
    seen: dict[tuple[float, ...], str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        if not _LINE.fullmatch(line):
            problems.add(f"{where}: is no class with a box (class x y width height); left this line out")
            text.lost += 1
            continue
        values = [float(value) for value in line.split()]
        if posed:  # The box is followed by the points of a pose.
            values = values[:_BOX]
        if (first := seen.setdefault(tuple(values), where)) is where:
            text.rows.append((where, values))
        else:
            problems.add(f"{where}: is the box of {first} again; kept the first")
    return text


def _check_order(path: Path, rows: Sequence[list[float]]) -> None:
    """Raise FormatError if boxes leave the image as YOLO writes them, and do not where scores come first."""
    scored = [values[1:] for values in rows if len(values) == _SCORED]
    if any(_leaves(_corners(sides[:4])) for sides in scored) and not any(
        _leaves(_corners(sides[1:])) for sides in scored
    ):
        raise FormatError(
            f"{path}: boxes leave the image unless the score stands before the box; write class x y width height "
            "score"
        )


def _leaves(corners: Corners) -> bool:
    return min(corners) < -_SLACK or max(corners) > 1.0 + _SLACK


def _image(text: _Text, names: dict[int, str], problems: Problems, reading: Reading) -> ImageBoxes | None:
    """Return the boxes of one image in pixels; None, and a problem, without its size."""
    file = text.file
    problems.where = str(file)
    try:
        known = None if reading.image is None else reading.image("", file.stem)
        entry = Fields(str(file), {"file_name": file.stem} if known is not None else _image_beside(file))
        figure = known or figure_of_image(entry, reading)
        if not figure.sized:
            raise FormatError(f'{file}: the image of figure "{figure.id}" has no known size; import the image')
    except AnnotatorError as error:
        problems.add(error, str(file))
        return None
    parts = list[Part]()
    for where, values in text.rows:
        try:
            parts.append(_part(where, values, (figure.width, figure.height), problems))
        except AnnotatorError as error:
            problems.add(error, where)
    return ImageBoxes(entry, parts, names, text.lost + len(text.rows) - len(parts))


def _image_beside(file: Path) -> dict[str, str | int]:
    """Return name and size of the image of a text: beside it, or in the folder `images` of its data set."""
    folders = [file.parent]
    if "labels" in file.parts[:-1]:
        place = len(file.parts) - 1 - file.parts[::-1].index("labels")
        folders.append(Path(*file.parts[:place], "images", *file.parts[place + 1 : -1]))
    for folder in folders:
        if (image := find_file(folder, file.stem)) is not None:
            width, height = picture_size(image)
            return {"file_name": image.name, "width": width, "height": height}
    raise FormatError(
        f"{file}: its image is neither beside it nor in the folder images, so its size is unknown; import the "
        "figures first, or put the images there"
    )


def _part(where: str, values: list[float], size: tuple[int, int], problems: Problems) -> Part:
    number, *sides = values
    score = None
    if len(values) >= _SCORED and not len(values) % 2:
        score = put_right_score(sides.pop(), lambda text: problems.note(f"{where}: {text}"))
    corners = _corners(sides) if len(sides) == _BOX - 1 else _around(sides)
    if _leaves(corners):
        raise FormatError(f"{where}: the box leaves the image, which is 0 to 1; left it out")
    width, height = size
    # Centre and size were rounded apart.
    x0, y0, x1, y1 = (min(max(side, 0.0), 1.0) for side in corners)
    return Part(where, "", int(number), (x0 * width, y0 * height, x1 * width, y1 * height), score=score)


def _corners(sides: Sequence[float]) -> Corners:
    x, y, width, height = sides
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _around(outline: Sequence[float]) -> Corners:
    return min(outline[::2]), min(outline[1::2]), max(outline[::2]), max(outline[1::2])


def _settings(path: Path) -> Mapping[str, Any]:
    """Return a data set's settings: those of the nearest folder that lists classes."""
    folder = path if path.is_dir() else path.parent
    for place in (folder, *list(folder.absolute().parents)[:2]):
        if listed := [settings for file in sorted(place.glob("*.y*ml")) if (settings := _of_yaml(file))]:
            if any(settings["names"] != listed[0]["names"] for settings in listed):
                raise FormatError(f"{place}: its YAML files name classes differently; leave one of them")
            return listed[0]
        for file in (place / name for name in _LISTS):
            if file.is_file() and file.stat().st_size <= _LARGEST_LIST:
                return {"names": file.read_text(encoding="utf-8-sig", errors="replace").splitlines()}
    return {}


def _of_yaml(file: Path) -> Mapping[str, Any] | None:
    """Return a file's settings; None of one that names no classes."""
    import yaml

    if file.stat().st_size > _LARGEST_LIST:
        return None
    try:
        settings = yaml.safe_load(file.read_bytes())
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise FormatError(f"{file}: not valid YAML ({' '.join(str(error).split())}); correct it") from None
    return settings if isinstance(settings, dict) and isinstance(settings.get("names"), list | dict) else None


def _names(listed: Any) -> dict[int, str]:
    """Return the names of classes, which are a list or a mapping by number."""
    pairs = listed.items() if isinstance(listed, dict) else enumerate(listed or ())
    return {int(number): str(name).strip() for number, name in pairs if str(number).isdecimal()}
