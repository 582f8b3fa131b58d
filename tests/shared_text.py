"""Figures with text that several panels share, and the way of them from the pre-label to the gold record."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from adjudicated import decide, figure_state
from builders import a_figure

from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import SubfiguresDraft
from annotator.campaign.home import Home
from annotator.gold.records import Exported, gold_records
from annotator.label_studio.client import LabelStudioServer
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.annotation import Prediction, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.caption import Span
from panelwise.domain.figure import Figure
from tests.label_studio.fake import FakeServer

LABELS = ("A", "B", "C", "D", "E")
WORDS = ("(A–C)", "left", "lung,", "😀", "e\u0301", "肺", "both\n", "a_b", "3.5%", "mean ± SD;")
#: (label, token) of a figure: a token of two panels is two links.
Links = set[tuple[str, int]]


def _case(number: int) -> tuple[Figure, tuple[Subfigure, ...]]:
    """A figure whose caption has runs of text of two panels or more: identical, nested, crossing and touching."""
    chance = random.Random(number)
    figure = a_figure(f"f{number:04}", caption=" ".join(chance.choices(WORDS, k=chance.randint(4, 16))))
    count = len(figure.caption.tokens)
    labels = LABELS[: chance.randint(2, 5)]
    tokens: dict[str, set[int]] = {label: set() for label in labels}
    for shared in (True, True, False):
        first = chance.randrange(count)
        run = range(first, min(count, first + chance.randint(1, 8)))
        for label in chance.sample(labels, chance.randint(2, len(labels)) if shared else 1):
            tokens[label].update(run)
    return figure, tuple(
        Subfigure(label, Box(150 * place, 0, 150 * place + 140, 500), frozenset(tokens[label]))
        for place, label in enumerate(labels)
    )


def _links(subfigures: tuple[Subfigure, ...]) -> Links:
    return {(each.label, token) for each in subfigures for token in each.subcaption}


def check_shared_text(
    folder: Path, server: LabelStudioServer | FakeServer, number: int, annotators: Sequence[str]
) -> None:
    """Take generated figures to gold: text of several panels is neither lost nor merged."""
    home = Home.create(folder / "home", name="shared", labels=LABELS)
    cases = dict(enumerate(map(_case, range(number))))
    wanted = {figure.id: _links(subfigures) for figure, subfigures in cases.values()}
    assert all(len(links) > len({token for _, token in links}) for links in wanted.values())
    figures = {figure.id: figure for figure, _ in cases.values()}
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add_many(list(figures.values()))
            for figure, subfigures in cases.values():
                tx.predictions.put(Prediction(figure, "classic-1", subfigures, (0.9,) * len(subfigures)))
            for name in annotators:
                tx.people.put(Person(name, frozenset({Role.ANNOTATOR})))
            tx.tasks.add([Task(each, name, "1") for each, name in zip(figures, cycle(annotators), strict=False)])
        steps = list(push(home, store, server))
        for task in [task for step in steps for task in server.tasks(step.project_id)]:
            [prediction] = task["predictions"]
            server.add_annotation(task["id"], {"result": prediction["result"]})
            spans = [each["value"] for each in prediction["result"] if each["from_name"] == names.SUBCAPTION]
            caption = figures[task["data"][names.DATA_SOURCE]].caption
            assert {
                (span["labels"][0], token)
                for span in spans
                for token in caption.tokens_in([Span(span["start"], span["end"])])
            } == wanted[task["data"][names.DATA_SOURCE]]
        assert sum(step.added for step in pull(home, store, server)) == number
        with store.read() as tx:
            assert {each.figure.id: _links(each.subfigures) for each in tx.annotations.all()} == wanted
        for figure_id in figures:
            state = figure_state(store, home, figure_id, "rev")
            panels = tuple(Panel(each.label, each.box, each.tokens) for each in state.candidates)
            decide(
                store,
                home,
                figure_id,
                "rev",
                SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=panels),
            )
        records = list(gold_records(home, store, Exported()))
    assert {
        record["figure_id"]: {(label, token) for label, ids in record["subcaptions"].items() for token in ids}
        for record in records
    } == wanted
