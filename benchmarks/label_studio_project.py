"""A Label Studio of one's own, and a campaign of figures with predictions, for what is timed against it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotator.campaign.home import Home
from annotator.label_studio.adapter import task_of
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import label_studio
from annotator.store.store import Store
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Task
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

LABELS = tuple("ABCDEF")
#: Words of a caption, and tokens that two of the six subcaptions have in a second span.
WORDS, SECOND = 96, 2


def a_campaign(folder: Path, count: int) -> tuple[Home, Store]:
    """A home with `count` figures of six subfigures and eight spans, all of them one annotator's."""
    home = Home.create(folder, labels=LABELS)
    store = home.open_store()
    texts = " ".join(f"({label}) " + "cells of the left lung that show more than control;" * 2 for label in LABELS)
    with store.transaction() as tx:
        for number in range(count):
            figure = Figure(
                id=f"article-{number // 5:04}_fig{number % 5 + 1}",
                image=f"images/article-{number // 5:04}_fig{number % 5 + 1}.jpg",
                width=1200,
                height=800,
                caption=Caption.cut(f"Figure {number}. {texts}"),
                document=f"doi:10.1/{number // 5}",
                source={"document": f"doi:10.1/{number // 5}"},
            )
            tx.figures.add(figure)
            tx.predictions.put(a_prediction(figure))
            tx.tasks.add([Task(figure.id, "ann1", "1")])
    return home, store


def a_prediction(figure: Figure) -> Prediction:
    """Six boxes; of the captions two have two spans."""
    share = len(figure.caption.tokens) // len(LABELS)
    parts = []
    for place, label in enumerate(LABELS):
        start = place * share
        second = range(start + 8, start + 10) if place < SECOND else ()
        box = Box(
            20 + 200 * (place % 3), 20 + 380 * (place // 3), 190 + 200 * (place % 3), 380 + 380 * (place // 3)
        )
        parts.append(Subfigure(label, box, frozenset([*range(start, start + 6), *second])))
    return Prediction(figure, "benchmark-1", tuple(parts), (0.9,) * len(parts))


def payload(home: Home, store: Store) -> list[dict[str, Any]]:
    """Return a push's payload of the campaign."""
    phase = home.campaign.phase("1")
    with store.read() as tx:
        figures = list(tx.figures.all())
        predictions = tx.predictions.latest_of({figure.id: figure for figure in figures})
    sent = [task_of(each, predictions[each.id], home.campaign, phase) for each in figures]
    return [{"data": each.data, "predictions": [each.prediction]} for each in sent]


@contextmanager
def a_server(folder: Path) -> Iterator[LabelStudioServer]:
    """A Label Studio with a database of its own, stopped afterwards."""
    with label_studio(folder) as studio, LabelStudioServer(studio.url, studio.token) as server:
        yield server
