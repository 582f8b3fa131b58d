"""Pre-labelling of a campaign's figures into its store. Resumable: figures that the model has done are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from annotator.campaign.home import Home
from annotator.campaign.palette import on_palette
from annotator.store.store import Store
from panelwise.domain import PUBLISHER, AnnotatorError, InvalidAnnotation, Prediction, check_box_count
from panelwise.files import Problems

if TYPE_CHECKING:
    from prelabel.runs import Engine, Shard, Slot


def prelabel_home(
    home: Home,
    store: Store,
    problems: Problems,
    *,
    again: bool = False,
    engine: Engine | None = None,
    shard: Shard | None = None,
    warn: Callable[[str], None] | None = None,
) -> Iterator[Prediction]:
    """Pre-label the campaign's figures; yields each prediction once it is in the store.

    engine: by default that of `default_detector`. again: also figures that this version of the model has done,
    and those whose panels their publisher gave. shard: those figures only that fall to it. warn: called if the
    detector cannot run. An image that cannot be read is a problem, and the rest goes on. What is done together
    comes into the store together, so that a kill leaves no half of it. Labels are the palette's, see `on_palette`.
    """
    from prelabel.runs import FigureModel, Recipe, default_detector, engine_of

    chosen = engine or engine_of(FigureModel(Recipe(default_detector()), warn=warn))
    done = set() if again else _done(store, chosen.version)
    for together in chosen.run(_slots(home, store, problems, done, shard), problems):
        batch = []
        for prediction in together:
            try:
                check_box_count(prediction, home.campaign.max_boxes)
            except InvalidAnnotation as error:
                problems.add(error)
            else:
                batch.append(on_palette(prediction, home.campaign.labels, spare=True))
        with store.transaction() as tx:
            for prediction in batch:
                tx.predictions.put(prediction)
        yield from batch


def to_prelabel(store: Store, model_version: str, *, again: bool = False, shard: Shard | None = None) -> list[str]:
    """Ids of the figures that this version of the model has not done, in their present revision."""
    done = set() if again else _done(store, model_version)
    return [name for name in _figures(store, shard) if name not in done]


def _done(store: Store, model_version: str) -> set[str]:
    with store.read() as tx:
        done = {
            prediction.figure.id: prediction.figure.revision
            for version in (PUBLISHER, model_version)
            for prediction in tx.predictions.all(model_version=version)
        }
        return {figure.id for figure in tx.figures.all() if done.get(figure.id) == figure.revision}


def _figures(store: Store, shard: Shard | None) -> list[str]:
    with store.read() as tx:
        return [figure.id for figure in tx.figures.all() if shard is None or shard.has(figure.id)]


def _slots(home: Home, store: Store, problems: Problems, done: set[str], shard: Shard | None) -> Iterator[Slot]:
    """The figures with their images, read one at a time and outside of any transaction that writes."""
    for figure_id in _figures(store, shard):
        if figure_id in done:
            yield None
            continue
        with store.read() as tx:
            figure = tx.figures.get(figure_id)
        try:
            job = figure, home.image_path(figure)
        except AnnotatorError as error:
            problems.add(error)
            yield None
            continue
        yield job
