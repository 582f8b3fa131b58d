"""Running a pre-labeller over figures: one at a time, or on all cores with memory that does not grow."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from PIL import Image

from annotator.domain.annotation import Prediction
from annotator.domain.errors import AnnotatorError
from annotator.domain.figure import Figure
from annotator.domain.machine import cores
from annotator.formats.campaign_toml import UNLIMITED, ImageLimits
from annotator.formats.figures import FigureRecord
from annotator.formats.jsonl import Problems
from annotator.formats.pictures import picture_size, read_bytes, read_picture
from prelabel.classic.prelabeller import CLASSIC

#: A figure and where its image lies.
Job = tuple[Figure, Path]

#: Fewer figures than this are done without starting processes.
FEW = 8

#: Figures under way for each process.
AHEAD = 4


class Prelabeller(Protocol):
    """What proposes subfigures. It is sent to other processes, so it must pickle."""

    @property
    def version(self) -> str:
        """Name and version, kept with each prediction: "classic-1"."""
        ...

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """The subfigures of one figure; boxes in pixels of the figure."""
        ...


def predict(figure: Figure, image_path: Path, *, model: Prelabeller = CLASSIC) -> Prediction:
    """The prediction for one figure. Raises FormatError, one line, where the image cannot be read."""
    return model.predict(figure, open_image(image_path, limits_of(figure)))


def predict_all(
    jobs: Iterable[Job], problems: Problems, *, model: Prelabeller = CLASSIC, processes: int | None = None
) -> Iterator[Prediction]:
    """Predictions in the order of the jobs; an image that cannot be read is a problem, and the rest goes on.

    processes: default one a core. Jobs are drawn as they are needed.
    """
    jobs = iter(jobs)
    first = list(islice(jobs, FEW))
    processes = processes or cores()
    if processes == 1 or len(first) < FEW:
        for job in chain(first, jobs):
            yield from _kept(_attempt(model, job), problems)
        return
    yield from _in_processes(chain(first, jobs), problems, model, processes)


def open_job(job: Job) -> tuple[Figure, Image.Image] | str:
    """The figure with its image, decoded, or what to tell the user where that cannot be read."""
    figure, path = job
    try:
        return figure, open_image(path, limits_of(figure))
    except AnnotatorError as error:
        return f'figure "{figure.id}": {error}'


def figure_of(record: FigureRecord, images: Path) -> Job:
    """A figure of a file, and its image. Raises FormatError where the image cannot be read.

    images: the folder that relative paths start from. A size that the record states is kept, and boxes are in it.
    """
    path = images / record.image
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
    ), path


def limits_of(figure: Figure) -> ImageLimits | None:
    """The limits that a figure's image is read within: what a campaign has stored it has let in, by its own."""
    return UNLIMITED if figure.image_sha256 != "" else None


def open_image(path: Path, limits: ImageLimits | None = None) -> Image.Image:
    """The image, decoded, upright and opaque, as annotators see it. Raises FormatError, one line, if not."""
    return read_picture(read_bytes(path, limits), path, limits).image


def _attempt(model: Prelabeller, job: Job) -> Prediction | str:
    """The prediction, or what to tell the user; runs in a process of its own where there are many figures."""
    figure, path = job
    try:
        return predict(figure, path, model=model)
    except AnnotatorError as error:
        return f'figure "{figure.id}": {error}'
    except Exception as error:
        # A fault of the model's on one figure must not cost a run of thousands; it is told, and the exit says so.
        return f'figure "{figure.id}": {path}: the model failed on it ({type(error).__name__}: {error})'


def _kept(outcome: Prediction | str, problems: Problems) -> Iterator[Prediction]:
    if isinstance(outcome, str):
        problems.add(outcome)
    else:
        yield outcome


def _in_processes(
    jobs: Iterator[Job], problems: Problems, model: Prelabeller, processes: int
) -> Iterator[Prediction]:
    waiting: deque[tuple[Job, Future[Prediction | str]]] = deque()
    pool = _pool(processes)
    try:
        for job in jobs:
            waiting.append((job, pool.submit(_attempt, model, job)))
            if len(waiting) < AHEAD * processes:
                continue
            try:
                yield from _kept(waiting[0][1].result(), problems)
                waiting.popleft()
            except BrokenProcessPool:
                pool = _replaced(pool, processes)
                yield from _one_by_one(waiting, problems, model)
        try:
            while waiting:
                yield from _kept(waiting[0][1].result(), problems)
                waiting.popleft()
        except BrokenProcessPool:
            yield from _one_by_one(waiting, problems, model)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _one_by_one(
    waiting: deque[tuple[Job, Future[Prediction | str]]], problems: Problems, model: Prelabeller
) -> Iterator[Prediction]:
    """What was under way when a process died, each in a process of its own, so that only the culprit is lost."""
    while waiting:
        job, _ = waiting.popleft()
        pool = _pool(1)
        try:
            outcome = pool.submit(_attempt, model, job).result()
        except BrokenProcessPool:
            outcome = (
                f'figure "{job[0].id}": {job[1]}: its process was killed, perhaps for memory; scale the image down'
            )
        finally:
            pool.shutdown(wait=True)
        yield from _kept(outcome, problems)


def _replaced(pool: ProcessPoolExecutor, processes: int) -> ProcessPoolExecutor:
    pool.shutdown(wait=False, cancel_futures=True)
    return _pool(processes)


def _pool(processes: int) -> ProcessPoolExecutor:
    # Started afresh rather than forked: a fork copies locks that threads of the server or the store may hold.
    return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
