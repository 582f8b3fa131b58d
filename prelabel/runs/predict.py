"""Run a pre-labeller over figures: one at a time, or on all cores in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, wait
from itertools import chain, islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from PIL import Image

from panelwise.domain import AnnotatorError, Figure, FormatError, Prediction
from panelwise.files import Problems, image_path
from panelwise.formats import FigureRecord
from panelwise.images import picture_size, read_bytes, read_picture
from panelwise.runtime import NoProcess, Processes, ProcessLost, cores, record_fault
from panelwise.settings import UNLIMITED, ImageLimits
from prelabel.classic.prelabeller import CLASSIC

#: A figure and where its image lies.
Job = tuple[Figure, Path]

#: A prediction, or what was wrong; and how many images were read for letters.
Attempt = tuple[Prediction | str, int]

#: Fewer figures than this are done without starting processes.
FEW = 8

#: Figures under way for each process.
AHEAD = 4


class Prelabeller(Protocol):
    """A model that proposes subfigures. It is sent to other processes, so it must pickle."""

    @property
    def version(self) -> str:
        """Name and version, stored with each prediction: "classic-1"."""
        ...

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """Predict the subfigures of one figure; boxes in pixels of the figure."""
        ...


@runtime_checkable
class Reads(Protocol):
    """A pre-labeller that counts the images that it has read for letters."""

    read: int


def images_read(model: object) -> int:
    """Return how many images a pre-labeller has read for letters; 0 if it reads none."""
    return model.read if isinstance(model, Reads) else 0


def predict(figure: Figure, image_path: Path, *, model: Prelabeller = CLASSIC) -> Prediction:
    """Return the prediction for one figure. Raises FormatError, one line, if the image cannot be read."""
    return model.predict(figure, open_image(image_path, limits_of(figure)))


def predict_all(
    jobs: Iterable[Job], problems: Problems, *, model: Prelabeller = CLASSIC, processes: int | None = None
) -> Iterator[Prediction]:
    """Yield predictions in the order of the jobs; an unreadable image is a problem, and the others continue.

    What other processes read for letters counts in the model's `read`, as what it reads here. processes: one per
    core by default. Jobs are drawn on demand.
    """
    jobs = iter(jobs)
    first = list(islice(jobs, FEW))
    processes = processes or cores()
    if processes == 1 or len(first) < FEW:
        for job in chain(first, jobs):
            yield from _kept(_attempt(model, job)[0], problems)
        return
    yield from _in_processes(chain(first, jobs), problems, model, processes)


def open_job(job: Job) -> tuple[Figure, Image.Image] | str:
    """Return the figure with its decoded image, or the problem if it cannot be read."""
    figure, path = job
    try:
        return figure, open_image(path, limits_of(figure))
    except AnnotatorError as error:
        return f'figure "{figure.id}": {error}'


def figure_of(record: FigureRecord, images: Path) -> Job:
    """Return a figure of a file, and its image. Raises FormatError if the image cannot be read.

    images: the folder of relative paths. A size in the record is retained, and boxes refer to it.
    """
    if record.images:
        raise FormatError(
            f'{record.where}: figure "{record.figure_id}" has several images; import it into a campaign, which '
            "puts them together"
        )
    path = image_path(images, record.image)
    width, height = record.width, record.height
    if width is None or height is None:
        width, height = picture_size(path)
    return Figure(
        record.figure_id,
        record.image,
        width,
        height,
        record.caption,
        record.references,
        record.document,
        record.source,
        record.extra,
        imported=record.imported,
    ), path


def limits_of(figure: Figure) -> ImageLimits | None:
    """Return the limits for reading a figure's image: an image stored by a campaign passed the campaign's own."""
    return UNLIMITED if figure.image_sha256 != "" else None


def open_image(path: Path, limits: ImageLimits | None = None) -> Image.Image:
    """Return the image, decoded, upright and opaque, as annotators see it. Raises FormatError, one line."""
    return read_picture(read_bytes(path, limits), path, limits).image


def _attempt(model: Prelabeller, job: Job) -> Attempt:
    """Predict one figure; runs in another process for many figures."""
    figure, path = job
    begun = images_read(model)
    outcome: Prediction | str
    try:
        outcome = predict(figure, path, model=model)
    except AnnotatorError as error:
        outcome = f'figure "{figure.id}": {error}'
    except Exception as error:
        # An error in one figure must not end a run of thousands; it is reported, also by the exit code.
        outcome = f'figure "{figure.id}": {path}: the model failed on it ({record_fault(error)})'
    return outcome, images_read(model) - begun


def _kept(outcome: Prediction | str, problems: Problems) -> Iterator[Prediction]:
    if isinstance(outcome, str):
        problems.add(outcome)
    else:
        yield outcome


def _in_processes(
    jobs: Iterator[Job], problems: Problems, model: Prelabeller, processes: int
) -> Iterator[Prediction]:
    waiting: deque[tuple[Job, Future[Attempt]]] = deque()
    with Processes(processes) as others:
        for job in jobs:
            waiting.append((job, others.submit(_attempt, model, job)))
            if len(waiting) >= AHEAD * processes:
                yield from _kept(_outcome(waiting, model), problems)
        while waiting:
            yield from _kept(_outcome(waiting, model), problems)


def _outcome(waiting: deque[tuple[Job, Future[Attempt]]], model: Prelabeller) -> Prediction | str:
    """Return the result of the first waiting job.

    If its process died it is tried again while no other is running, so that only a figure too large for memory is
    lost.
    """
    job, found = waiting.popleft()
    try:
        return _counted(found.result(), model)
    except NoProcess:
        return _attempt(model, job)[0]
    except ProcessLost:
        wait([each for _, each in waiting])
    try:
        with Processes(1) as alone:
            return _counted(alone.submit(_attempt, model, job).result(), model)
    except ProcessLost as error:
        return f'figure "{job[0].id}": {job[1]}: {error}; scale the image down'


def _counted(attempt: Attempt, model: Prelabeller) -> Prediction | str:
    """Return the outcome of another process, and count there what was read here."""
    outcome, read = attempt
    if isinstance(model, Reads):
        model.read += read
    return outcome
