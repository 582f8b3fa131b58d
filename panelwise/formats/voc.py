"""Pascal VOC: an XML file for each image, with its boxes; or a folder of these.

Coordinates are taken as written: VOC's own count from 1, most tools' from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Fields, Problems, open_input
from panelwise.formats.authors import author_of, check_one_author
from panelwise.formats.coco_reading import Part
from panelwise.formats.content import put_right_score
from panelwise.formats.image_boxes import ImageBoxes, work_on_images
from panelwise.formats.layout import Reading
from panelwise.runtime.messages import counted

_ROOT = re.compile(rb"<annotation[\s>]")
_SIDES = ("xmin", "ymin", "xmax", "ymax")
#: Elements of an object in which detectors write its score.
_SCORES = ("score", "confidence")


def is_voc(path: Path, begin: bytes) -> bool:
    """Return True for a file of one image, and for a folder of which the first XML file is one."""
    first = next(iter(_files(path)), None)
    if first is None or (first == path and begin != b"<"):
        return False
    with suppress(FormatError), open_input(first) as file:
        return _ROOT.search(file.read(4096)) is not None
    return False


def read_voc(path: Path, problems: Problems, reading: Reading) -> Iterator[Annotation | Prediction]:
    """Yield each image's boxes, as work or, where boxes of the folder have scores, as predictions.

    By `reading.annotator`, in `reading.phase`; of a file or folder that names several authors, the work of
    `reading.account`. Labels are the names of objects, unless generic, else letters in
    reading order. A bad file or box is a problem and left out. Raises FormatError for several authors, of which
    none is chosen.
    """
    images = [image for file in _files(path) for image in _read(file, problems)]
    authors = {author for image in images for author in (image.author, *(part.author for part in image.parts))}
    check_one_author(path, authors - {""}, reading.account)
    if reading.account:
        images = [_of_author(image, reading.account) for image in images]
        images = [image for image in images if image.parts or image.author == reading.account]
    if not images and not problems.count:
        problems.add(f"{path}: holds no XML file of Pascal VOC; name the folder of annotations")
    yield from work_on_images(path, images, problems, reading, key="object.bndbox")


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    return sorted(path.glob("*.xml")) or sorted(path.glob("Annotations/*.xml"))


def _read(file: Path, problems: Problems) -> Iterator[ImageBoxes]:
    """Yield the image of a file, none of a bad one."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        with open_input(file) as opened:
            root = etree.fromstring(opened.read(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        problems.add(f"{file}: not valid XML ({error}); repair the file or write it again")
        return
    except FormatError as error:
        problems.add(error)
        return
    if root.tag != "annotation":
        problems.add(f"{file}: is XML of another kind (<{root.tag}>); give Pascal VOC's <annotation>")
        return
    size = {side: _text(root, f"size/{side}") for side in ("width", "height")}
    named = {"file_name": _text(root, "filename") or file.stem}
    # Tools that did not open the image write 0.
    entry = Fields(str(file), {**named, **{side: text for side, text in size.items() if text.strip("0.")}})
    parts, names = list[Part](), dict[int, str]()
    objects = [each for each in root.iter("object") if next(each.iterancestors("object"), None) is None]
    loose = [each for each in root.iter("bndbox") if next(each.iterancestors("object"), None) is None]
    for each in loose:
        problems.add(f"{file}:{each.sourceline}: a bndbox stands in no object; left this box out")
    for number, element in enumerate(objects):
        where = f"{file}:{element.sourceline}"
        try:
            parts.append(_part(element, where, number, problems))
            names[number] = _text(element, "name")
        except AnnotatorError as error:
            problems.add(error, where)
    inner = [each for parent in objects for each in parent.findall("part")]
    if inner:
        problems.note(
            f"{file}: left out {counted(len(inner), 'part')} of objects, which are no objects themselves"
        )
    yield ImageBoxes(entry, parts, names, len(objects) - len(parts) + len(loose), author_of(_texts(root)))


def _of_author(image: ImageBoxes, account: str) -> ImageBoxes:
    """Return the image with one author's boxes."""
    return replace(image, parts=[part for part in image.parts if (part.author or image.author) == account])


def _texts(element: Any) -> dict[str, str]:
    """Return the texts of an element's children."""
    return {each.tag: (each.text or "").strip() for each in element.iterchildren("*")}


def _part(element: Any, where: str, number: int, problems: Problems) -> Part:
    sides = Fields(where, {side: _text(element, f"bndbox/{side}") or None for side in _SIDES}, "bndbox.")
    corners = [sides.optional_number(side) for side in _SIDES]
    x0, y0, x1, y1 = (0.0 if corner is None else corner for corner in corners)
    if None in corners:
        raise sides.error(_SIDES[corners.index(None)], "is missing; give the box's four sides")
    texts = {key: text for key in _SCORES if (text := _text(element, key))}
    score = next((Fields(where, texts).optional_number(key) for key in texts), None)
    if score is not None:
        score = put_right_score(score, lambda text: problems.note(f"{where}: {text}"))
    author = author_of(_texts(element), box=True)
    return Part(where, "", number, (x0, y0, x1, y1), author=author, score=score)


def _text(element: Any, path: str) -> str:
    return (element.findtext(path) or "").strip()
