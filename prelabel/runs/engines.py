"""Engines of a run: in this process, on all cores, or (see `ray_engine`) on Ray.

Every engine processes the same chunks of the same figures, so that the results are equal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Protocol

from panelwise.domain import Prediction
from panelwise.files import Problems
from panelwise.runtime import cores
from prelabel.runs.figure_model import FigureModel, Opened, Outcome
from prelabel.runs.predict import Job, Prelabeller, images_read, predict_all

#: A figure to do with its image; None in the place of one that was done before. What is done together must not
#: hang on what was done before: networks round differently in other company.
Slot = Job | None

#: Predictions of the classic pre-labeller that are saved together: a kill loses at most this many.
BATCH_SAVED = 50
#: Chunks that are read, or wait to be reported, beside those that are predicted.
AHEAD = 2


class Engine(Protocol):
    """Predicts many figures. version: the model's, in each prediction."""

    @property
    def version(self) -> str:
        """The model's version."""
        ...

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """Yield the predictions in the order of the slots, in lists that are saved together; none empty.

        A figure that fails is a problem, and the others continue. Slots are drawn on demand.
        """
        ...


class ClassicEngine:
    """Runs a pre-labeller that takes one figure at a time, on all cores. processes: one per core by default."""

    def __init__(self, model: Prelabeller, processes: int | None = None) -> None:
        self._model = model
        self._processes = processes
        self.version = model.version

    @property
    def read(self) -> int:
        """Return the number of images whose letters were read."""
        return images_read(self._model)

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """See `Engine`."""
        jobs = (slot for slot in slots if slot is not None)
        found = predict_all(jobs, problems, model=self._model, processes=self._processes)
        while together := list(islice(found, BATCH_SAVED)):
            yield together


class ModelEngine(ABC):
    """Runs models over chunks of figures; a subclass says where, by its `map_batches`."""

    def __init__(self, model: FigureModel) -> None:
        self._chunk = model.chunk
        self.version = model.version

    @abstractmethod
    def map_batches(self, batches: Iterable[list[Job]]) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each batch, in order; batches are drawn on demand."""

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """See `Engine`."""
        for outcomes in self.map_batches(chunks(slots, self._chunk)):
            predictions = []
            for outcome in outcomes:
                if isinstance(outcome, str):
                    problems.add(outcome)
                else:
                    predictions.append(outcome)
            if predictions:
                yield predictions


class ModelThreads:
    """A model with the threads that read its images, and those that predict chunks side by side."""

    def __init__(self, model: FigureModel, readers: int, predictors: ThreadPoolExecutor) -> None:
        """readers: number of threads that read images."""
        self._model = model
        self._readers = ThreadPoolExecutor(readers, "read")
        self._predictors = predictors

    def submit(self, chunk: Sequence[Job]) -> Future[list[Outcome]]:
        """Begin to read the images of a chunk; it is predicted when they are read."""
        reading = [self._readers.submit(self._model.opened, job) for job in chunk]
        return self._predictors.submit(self._predict, reading)

    def close(self) -> None:
        """Stop the threads without waiting for unused results."""
        for pool in (self._predictors, self._readers):
            pool.shutdown(wait=False, cancel_futures=True)

    def _predict(self, reading: Sequence[Future[Opened | str]]) -> list[Outcome]:
        return self._model.done([each.result() for each in reading])


class PlainEngine(ModelEngine):
    """Runs models in this process: images are read ahead in threads, chunks predicted in parallel.

    readers: threads that read, one per core by default.
    """

    def __init__(self, model: FigureModel, readers: int | None = None) -> None:
        super().__init__(model)
        self._model = model
        self._readers = readers or cores()

    @property
    def read(self) -> int:
        """Return the number of images whose letters were read."""
        return images_read(self._model)

    def map_batches(self, batches: Iterable[list[Job]]) -> Iterator[list[Outcome]]:
        """See `ModelEngine`."""
        with _predicting(self._model) as (predictors, count):
            threads = ModelThreads(self._model, self._readers, predictors)
            under_way: deque[Future[list[Outcome]]] = deque()
            try:
                for batch in batches:
                    under_way.append(threads.submit(batch))
                    if len(under_way) >= AHEAD + count:
                        yield under_way.popleft().result()
                while under_way:
                    yield under_way.popleft().result()
            finally:
                threads.close()


def engine_of(model: FigureModel, processes: int | None = None) -> ClassicEngine | PlainEngine:
    """Return the engine on this machine: in processes, one per core by default, or in threads by torch."""
    return PlainEngine(model) if model.single is None else ClassicEngine(model.single, processes)


def _predicting(model: FigureModel) -> AbstractContextManager[tuple[ThreadPoolExecutor, int]]:
    """Return a thread pool for the model, and its size: one per core for onnxruntime, which uses one thread."""
    if model.device is None:
        count = cores() if model.in_threads else 1
        return nullcontext((ThreadPoolExecutor(count, "predict"), count))
    from prelabel.models.devices import predicting

    return predicting(model.device)


def chunks(slots: Iterable[Slot], size: int) -> Iterator[list[Job]]:
    """Yield the jobs of each `size` slots; chunks that were completed before are skipped."""
    waiting = iter(slots)
    while chunk := list(islice(waiting, size)):
        jobs = [slot for slot in chunk if slot is not None]
        if jobs:
            yield jobs
