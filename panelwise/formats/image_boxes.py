"""Turn the boxes of images, one file for each or one entry, into people's work or a model's predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from panelwise.domain.annotation import Annotation, Prediction, Status
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Fields, Problems
from panelwise.formats.annotations import UNKNOWN_TIME
from panelwise.formats.coco_reading import Part, check_size, fitting, label_of, lettered, note_gaps, own_figure
from panelwise.formats.content import check_pixels
from panelwise.formats.layout import Reading


@dataclass(frozen=True, slots=True)
class ImageBoxes:
    """One image. entry: its image, as COCO lists one. names: of the parts' categories. lost: boxes not read.

    author: who worked on it, "" if the file does not say.
    """

    entry: Fields
    parts: list[Part]
    names: dict[int, str]
    lost: int
    author: str = ""


def work_on_images(
    path: Path, images: Sequence[ImageBoxes], problems: Problems, reading: Reading, *, key: str
) -> Iterator[Annotation | Prediction]:
    """Yield each image's boxes, as work or, where boxes of any image have scores, as predictions.

    By `reading.annotator`, in `reading.phase`. Labels are the names of categories, unless generic, else letters in
    reading order. key: of boxes, for messages. A bad image or box is a problem and left out.
    """
    scored = reading.score is not None or any(part.score is not None for image in images for part in image.parts)
    bare, unlabelled = 0, 0
    for image in images:
        problems.where = image.entry.where
        try:
            yield _work(image, problems, reading, key, scored=scored)
        except AnnotatorError as error:
            problems.add(error, image.entry.where)
        else:
            bare += not image.parts
            unlabelled += sum(not label_of(part, image.names) for part in image.parts)
    note_gaps(path, bare, unlabelled, problems)


def figure_of_image(entry: Fields, reading: Reading) -> Figure:
    """Return the figure of an image. Raises FormatError if the image is listed with another size."""
    named = entry.text("file_name")
    figure = (reading.image("", named) if reading.image is not None else None) or own_figure(entry)
    check_size(entry, figure)
    return figure


def _work(
    image: ImageBoxes, problems: Problems, reading: Reading, key: str, *, scored: bool
) -> Annotation | Prediction:
    figure = figure_of_image(image.entry, reading)
    check_pixels(image.entry, key, [part.corners for part in image.parts], figure)
    fits = fitting(image.entry.where, image.parts, image.names, figure, problems, lambda tokens: tokens)
    if image.lost and not fits:
        raise FormatError(f"{image.entry.where}: none of this image's boxes could be read; left the image out")
    if reading.score is not None:
        score = reading.score
        fits = [(part._replace(score=score) if part.score is None else part, made) for part, made in fits]
    if scored:
        unscored = [part for part, _ in fits if part.score is None]
        for part in unscored:
            problems.add(f"{part.where}: the object has no score, as others have; left this box out")
        fits = [(part, subfigure) for part, subfigure in fits if part.score is not None]
    subfigures = tuple(lettered([subfigure for _, subfigure in fits], figure))
    author = reading.annotator or "gold"
    if scored:
        return Prediction(figure, author, subfigures, tuple(part.score or 0.0 for part, _ in fits))
    lost = image.lost > 0 or len(fits) < len(image.parts)
    phase = reading.phase or "gold"
    return Annotation(figure, author, phase, Status.ACCEPTED, subfigures, UNKNOWN_TIME, partly_read=lost)
