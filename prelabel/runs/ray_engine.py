"""The same run on Ray Data: a model in each of several workers, on one machine or a cluster.

Ray gets the chunks of the plain engine, a row each, and returns them in order; so the results are equal, and a run
interrupted on one engine can continue on another.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import islice
from typing import Any
from uuid import uuid4

from panelwise.domain import AnnotatorError, one_line
from panelwise.runtime import cores
from prelabel.runs.engines import ModelEngine, ModelThreads
from prelabel.runs.figure_model import FigureModel, Outcome
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job, images_read

#: Figures that Ray is given at once: it wants to know how many rows there are before it begins.
ROWS_AT_ONCE = 16_384
#: Chunks that a worker with a GPU predicts side by side, and has in hand: images of one are read meanwhile. One
#: with none has one core to itself, and one chunk.
SIDE_BY_SIDE, IN_HAND = 2, 3
_CHUNK, _OUTCOMES, _WORKER, _READ = "chunk", "outcomes", "worker", "read"


class RayEngine(ModelEngine):
    """A recipe's models in `workers` workers of Ray. Every machine needs the images and weights at the same paths.

    Opening it loads the models once in this process, to report their problems in one line and to know their
    version. Raises AnnotatorError if Ray is not installed, and for a GPU given by number, which Ray assigns
    itself.
    """

    def __init__(self, recipe: Recipe, workers: int = 1) -> None:
        if find_spec("ray") is None:
            raise AnnotatorError('--engine ray needs Ray; pip install "panelwise[ray]"')
        if recipe.device.startswith("cuda:"):
            raise AnnotatorError(
                f"--engine ray gives workers a GPU each; give --device cuda, not {one_line(recipe.device)}"
            )
        model = FigureModel(recipe)
        super().__init__(model)
        self._on_gpu = model.device is not None and model.device.type == "cuda"
        self._recipe = recipe
        self._workers = workers
        self._read: dict[str, int] = {}

    @property
    def read(self) -> int:
        """Return the number of images whose letters the workers read."""
        return sum(self._read.values())

    def map_batches(self, batches: Iterable[list[Job]]) -> Iterator[list[Outcome]]:
        """See `ModelEngine`."""
        started = start(self._workers)
        try:
            # Plain bytes: Ray would split figures into columns.
            rows = ({_CHUNK: pickle.dumps(batch)} for batch in batches)
            while given := list(islice(rows, max(1, ROWS_AT_ONCE // self._chunk))):
                yield from self._through(given)
        finally:
            if started:
                stop()

    def _through(self, rows: list[dict[str, Any]]) -> Iterator[list[Outcome]]:
        import ray

        data = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            Worker,
            fn_constructor_args=(self._recipe, max(1, cores() // self._workers) if self._on_gpu else 1),
            batch_size=1,
            batch_format="numpy",
            compute=ray.data.ActorPoolStrategy(
                size=min(self._workers, len(rows)),
                max_concurrent_calls_per_actor=IN_HAND if self._on_gpu else 1,
                enable_true_multi_threading=True,
            ),
            num_cpus=1,
            num_gpus=1 if self._on_gpu else 0,
        )
        try:
            for row in data.iter_rows():
                # Chunks of one worker may come out of their order.
                self._read[row[_WORKER]] = max(int(row[_READ]), self._read.get(row[_WORKER], 0))
                yield pickle.loads(row[_OUTCOMES])
        except ray.exceptions.RayError as error:
            raise AnnotatorError(
                f"Ray: {one_line(error)}; what was done is kept, run again to go on, or use --engine plain"
            ) from error


class Worker:
    """A worker: the model, loaded once, predicts chunk after chunk.

    Threads may call it: the images of a chunk are read while SIDE_BY_SIDE others are predicted.
    """

    def __init__(self, recipe: Recipe, readers: int = 1) -> None:
        """Open the models. readers: threads that read images."""
        self._model: FigureModel = FigureModel(recipe)
        self._threads = ModelThreads(self._model, readers, ThreadPoolExecutor(SIDE_BY_SIDE, "predict"))
        self._name = uuid4().hex

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Take rows of pickled chunks as columns; return their outcomes, and how many images this worker read."""
        under_way = [self._threads.submit(pickle.loads(chunk)) for chunk in batch[_CHUNK]]
        outcomes = [pickle.dumps(each.result()) for each in under_way]
        count = len(outcomes)
        return {_OUTCOMES: outcomes, _WORKER: [self._name] * count, _READ: [images_read(self._model)] * count}


def start(workers: int) -> bool:
    """Start Ray on this machine unless it is running; return True if it was started.

    Joins the cluster at RAY_ADDRESS if set. Raises AnnotatorError if Ray does not start.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told what runs here
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    logging.getLogger("ray.data._internal.progress").setLevel(logging.ERROR)  # warns that there are no bars
    if ray.is_initialized():
        return False
    remote = bool(os.environ.get("RAY_ADDRESS"))
    resources: dict[str, Any] = {} if remote else {"num_cpus": max(workers + 1, os.cpu_count() or 1)}
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, **resources)
    except Exception as error:  # Ray raises bare ones where a busy machine keeps it waiting.
        raise AnnotatorError(f"Ray does not start: {one_line(error)}; try again, or use --engine plain") from error
    return True


def stop() -> None:
    """Stop the Ray that `start` started."""
    import ray

    ray.shutdown()
