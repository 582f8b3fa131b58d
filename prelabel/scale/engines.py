"""How a run goes through its figures: in this process, on all cores, or (see `ray_engine`) on Ray.

Every engine is given the same chunks of the same figures, so that the same comes out, whichever is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Protocol

from annotator.domain.annotation import Prediction
from annotator.domain.machine import cores
from annotator.formats.jsonl import Problems
from prelabel.predict import Job, Prelabeller, predict_all
from prelabel.scale.figure_model import FigureModel, Opened, Outcome

#: A figure to do with its image; None in the place of one that was done before. What is done together must not
#: hang on what was done before: networks round differently in other company.
Slot = Job | None

#: Predictions of the classic pre-labeller that are kept together: a kill costs at most so many.
KEPT_TOGETHER = 50
#: Chunks whose images are read ahead of the model.
AHEAD = 2


class Engine(Protocol):
    """Predictions of many figures. version: what they bear as their model's."""

    @property
    def version(self) -> str:
        """Of the model."""
        ...

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """The predictions in the order of the slots, those together that are to be kept together; none empty.

        A figure that fails is a problem, and the rest goes on. Slots are drawn as they are needed.
        """
        ...


class ClassicEngine:
    """A pre-labeller that takes one figure at a time, on all cores. processes: default one a core."""

    def __init__(self, model: Prelabeller, processes: int | None = None) -> None:
        self._model = model
        self._processes = processes
        self.version = model.version

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """See `Engine`."""
        jobs = (slot for slot in slots if slot is not None)
        found = predict_all(jobs, problems, model=self._model, processes=self._processes)
        while together := list(islice(found, KEPT_TOGETHER)):
            yield together


class PlainEngine:
    """A model in this process, images read ahead of it in threads. readers: how many, default one a core."""

    def __init__(self, model: FigureModel, readers: int | None = None) -> None:
        self._model = model
        self._readers = readers or cores()
        self.version = model.version

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """See `Engine`."""
        with ThreadPoolExecutor(self._readers, "read") as readers:
            waiting: deque[list[Future[Opened | str]]] = deque()
            try:
                for chunk in chunks(slots, self._model.recipe.chunk):
                    waiting.append([readers.submit(self._model.opened, job) for job in chunk])
                    if len(waiting) > AHEAD:
                        yield from self._done(waiting.popleft(), problems)
                while waiting:
                    yield from self._done(waiting.popleft(), problems)
            finally:
                readers.shutdown(wait=False, cancel_futures=True)

    def _done(self, reading: Sequence[Future[Opened | str]], problems: Problems) -> Iterator[list[Prediction]]:
        yield from kept(self._model.done([each.result() for each in reading]), problems)


def chunks(slots: Iterable[Slot], size: int) -> Iterator[list[Job]]:
    """The jobs of each `size` slots; chunks in which all was done before are passed over."""
    waiting = iter(slots)
    while chunk := list(islice(waiting, size)):
        jobs = [slot for slot in chunk if slot is not None]
        if jobs:
            yield jobs


def kept(outcomes: Iterable[Outcome], problems: Problems) -> Iterator[list[Prediction]]:
    """The predictions among the outcomes, as one list, where there are any; the others are told."""
    found = []
    for outcome in outcomes:
        if isinstance(outcome, str):
            problems.add(outcome)
        else:
            found.append(outcome)
    if found:
        yield found
