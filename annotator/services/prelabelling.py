"""Pre-labelling a campaign's figures into its store. Resumable: what a model has done before is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotator.domain.annotation import Prediction
from annotator.domain.errors import AnnotatorError
from annotator.formats.jsonl import Problems
from annotator.services.batches import batches
from annotator.services.home import Home
from annotator.services.palette import on_palette

if TYPE_CHECKING:
    from annotator.store.store import Store
    from prelabel.predict import Job, Prelabeller

#: Predictions per transaction: a crash loses at most so many.
BATCH = 50


def prelabel_home(
    home: Home,
    store: Store,
    problems: Problems,
    *,
    model: Prelabeller | None = None,
    again: bool = False,
    processes: int | None = None,
) -> Iterator[Prediction]:
    """Pre-label the campaign's figures; yields each prediction once it is in the store.

    model: default the classic one. again: also figures that this version of the model has done. An image that
    cannot be read is a problem, and the rest goes on. Labels are the palette's, see `on_palette`.
    """
    from prelabel.classic.prelabeller import CLASSIC
    from prelabel.predict import predict_all

    chosen: Prelabeller = CLASSIC if model is None else model
    waiting = to_prelabel(store, chosen.version, again=again)
    jobs = _jobs(home, store, waiting, problems)
    predictions = predict_all(jobs, problems, model=chosen, processes=processes)
    for found in batches(predictions, BATCH):
        batch = [on_palette(prediction, home.campaign.labels, spare=True) for prediction in found]
        with store.transaction() as tx:
            for prediction in batch:
                tx.put_prediction(prediction)
        yield from batch


def to_prelabel(store: Store, model_version: str, *, again: bool = False) -> list[str]:
    """Ids of the figures that this version of the model has not done, in their present revision."""
    with store.read() as tx:
        done: dict[str, int] = {}
        if not again:
            done = {each.figure.id: each.figure.revision for each in tx.predictions(model_version=model_version)}
        return [figure.id for figure in tx.figures() if done.get(figure.id) != figure.revision]


def _jobs(home: Home, store: Store, ids: Sequence[str], problems: Problems) -> Iterator[Job]:
    """The figures with their images, read one at a time and outside of any transaction that writes."""
    for figure_id in ids:
        with store.read() as tx:
            figure = tx.figure(figure_id)
        try:
            yield figure, home.image_path(figure)
        except AnnotatorError as error:
            problems.add(error)
