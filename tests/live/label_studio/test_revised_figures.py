"""A figure whose caption is replaced, on the real Label Studio: both tasks keep what was done in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation

from annotator.campaign.home import Home
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.payload.figures import annotation_payload
from annotator.store.rows.records import Revisions
from annotator.sync.pull import pull
from annotator.sync.push import push
from label_config import names
from panelwise.domain.campaign import Task

pytestmark = pytest.mark.live


def test_a_replaced_caption_gets_a_task_of_its_own_and_old_work_comes_back_on_the_old_one(
    tmp_path: Path, real: LabelStudioServer
) -> None:
    home = Home.create(tmp_path / "home", labels=("A", "B"))
    old, untouched = a_figure(), a_figure("f2")
    with home.open_store() as store:
        with store.transaction() as tx:
            for figure in (old, untouched):
                tx.figures.add(figure)
                tx.predictions.put(a_prediction(figure))
            tx.tasks.add([Task(figure.id, "ann1", "1") for figure in (old, untouched)])
        [step] = push(home, store, real)
        assert (step.added, step.seeded, step.problems) == (2, 2, [])
        first = {task["data"][names.DATA_SOURCE]: task for task in real.tasks(step.project_id)}
        real.add_annotation(first["f1"]["id"], annotation_payload(an_annotation(old)))
        with store.transaction() as tx:
            new = tx.figures.replace(a_figure(caption="(A) the left lung, (B) the right one"))
            tx.figures.replace(a_figure("f2", caption="(A) another"))
        [step] = push(home, store, real)
        assert (step.added, step.revised, step.problems) == (1, 2, [])
        second = {task["data"][names.DATA_SOURCE]: task for task in real.tasks(step.project_id)}
        assert set(second) == {"f1", "f1@2", "f2@2"}
        assert second["f2@2"]["id"] == first["f2"]["id"]
        assert second["f2@2"]["data"][names.DATA_CAPTION] == "(A) another"
        assert second["f2@2"]["predictions"] == []
        [step] = push(home, store, real)
        assert (step.added, step.revised, step.unchanged) == (0, 0, 2)
        [back] = pull(home, store, real)
        assert (back.added, back.earlier, back.open, back.problems) == (1, ("f1",), 2, [])
        work = an_annotation(new, subfigures=(a_subfigure("A", tokens=(3,)),))
        real.add_annotation(second["f1@2"]["id"], annotation_payload(work))
        [back] = pull(home, store, real)
        assert (back.added, back.earlier, back.open, back.problems) == (1, (), 1, [])
        with store.read() as tx:
            assert [each.figure for each in tx.annotations.all()] == [new]
            assert [each.figure for each in tx.annotations.all(revisions=Revisions.OTHER)] == [old]
            links = {link.figure_id: link.task_id for link in tx.links.all()}
        assert links == {"f1": second["f1@2"]["id"], "f2": first["f2"]["id"]}
