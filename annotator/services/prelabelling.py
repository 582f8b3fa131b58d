"""Pre-labelling a campaign's figures into its store. Resumable: what a model has done before is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from annotator.domain.annotation import Prediction
from annotator.domain.errors import AnnotatorError
from annotator.formats.jsonl import Problems
from annotator.services.home import Home

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
    while batch := list(islice(predictions, BATCH)):
        batch = [on_palette(prediction, home.campaign.labels) for prediction in batch]
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


def on_palette(prediction: Prediction, palette: Sequence[str]) -> Prediction:
    """The prediction with labels that the campaign offers, as far as it can be.

    A caption's "a" becomes the palette's "A" (or the reverse); where a label is none of the palette's even so,
    the first free label in the palette's order is taken. Labels stay as they are where the palette is too short.
    """
    by_case = {label.casefold(): label for label in reversed(palette)}
    given = [subfigure.label for subfigure in prediction.subfigures]
    wished = [label if label in palette else by_case.get(label.casefold(), "") for label in given]
    free = [label for label in palette if label not in wished]
    taken: set[str] = set()
    labels = []
    for label, wish in zip(given, wished, strict=True):
        if not wish or wish in taken:
            wish = free.pop(0) if free else label
        taken.add(wish)
        labels.append(wish)
    if labels == given:
        return prediction
    subfigures = tuple(
        replace(subfigure, label=label) for subfigure, label in zip(prediction.subfigures, labels, strict=True)
    )
    return replace(prediction, subfigures=subfigures)


def _jobs(home: Home, store: Store, ids: Sequence[str], problems: Problems) -> Iterator[Job]:
    """The figures with their images, read one at a time and outside of any transaction that writes."""
    for figure_id in ids:
        with store.read() as tx:
            figure = tx.figure(figure_id)
        try:
            yield figure, home.image_path(figure)
        except AnnotatorError as error:
            problems.add(error)
